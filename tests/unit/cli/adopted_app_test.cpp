// From a running process to the command line that would start it.
#include "cli/adopted_app.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/path_text.h"

namespace clusterd::cli {
namespace {

// A folder with app.py and a link called python to an executable, as a virtual environment has it.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "cd-adopt-XXXXXX";
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
    std::ofstream(path / "app.py") << "pass\n";
    std::filesystem::create_symlink("/bin/sh", path / "python");
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

RunningProcess process_in(const Folder& folder, std::vector<std::string> words) {
  RunningProcess process;
  process.user = geteuid();
  process.program = std::filesystem::canonical("/bin/sh");
  process.words = std::move(words);
  process.cwd = folder.path;
  process.environment = {{"COLOUR", "blue"}, {"PATH", folder.path.string()}};
  return process;
}

std::string setting(const AdoptedCommand& command, const std::string& key) {
  const auto found = std::ranges::find(command.arguments.app_settings, key, &AppSetting::key);
  return found == command.arguments.app_settings.end() ? "" : found->values.front();
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a script behind an interpreter is the script, and the interpreter the one that was called") {
  Folder folder;
  for (const std::string& called : {std::string("./python"), std::string("python")}) {
    const auto command = *command_of(process_in(folder, {called, "app.py", "--port", "80"}), {}, {});
    CHECK(command.script == folder.path / "app.py");
    CHECK(std::filesystem::equivalent(setting(command, "interpreter"), folder.path / "python"));
    CHECK(base_name(setting(command, "interpreter")) == "python");
    CHECK(setting(command, "name") == "app");
    CHECK(command.arguments.app_args == Words{"--port", "80"});
  }
}

TEST_CASE("options of an interpreter, and a word that is no file, stay its arguments") {
  Folder folder;
  for (const Words& words : {Words{"./python", "-u", "app.py"}, Words{"./python", "gone.py"}}) {
    const auto command = *command_of(process_in(folder, words), {}, {});
    CHECK(command.script == folder.path / "python");
    CHECK(setting(command, "interpreter").empty());
    CHECK(command.arguments.app_args == Words(words.begin() + 1, words.end()));
  }
}

TEST_CASE("a process that calls itself something else has to be named its command") {
  Folder folder;
  const RunningProcess process = process_in(folder, {"web: master process"});
  const auto refused = command_of(process, {}, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::conflict);
  CHECK(refused.error().message.find("web: master process") != std::string::npos);
  Arguments arguments;
  arguments.app_args = {"./python", "app.py", "-v"};
  const auto command = *command_of(process, arguments, {});
  CHECK(command.script == folder.path / "app.py");
  CHECK(command.arguments.app_args == Words{"-v"});
  CHECK(command.caller.cwd == folder.path);
  CHECK(command.caller.environment.at("COLOUR") == "blue");
  arguments.app_args = {"./gone"};
  CHECK(command_of(process, arguments, {}).error().code == ErrorCode::not_found);
}

TEST_CASE("a program that was called from another folder is known by its name") {
  Folder folder;
  RunningProcess process =
      process_in(folder, {"bin/" + std::filesystem::canonical("/bin/sh").filename().string()});
  CHECK(command_of(process, {}, {})->script == process.program);
}

TEST_CASE("what the operator says counts more, and the user of the process is kept") {
  Folder folder;
  Arguments arguments;
  arguments.app_settings.push_back({"name", AppSetting::Kind::text, {"web"}});
  RunningProcess process = process_in(folder, {"./python"});
  process.user = geteuid() + 1;
  const auto command = *command_of(process, arguments, {});
  CHECK(setting(command, "name") == "web");
  CHECK(setting(command, "uid") == std::to_string(process.user));
  arguments.app_settings.push_back({"uid", AppSetting::Kind::text, {"daemon"}});
  CHECK(setting(*command_of(process, arguments, {}), "uid") == "daemon");
}

}  // namespace clusterd::cli
