// What the daemon hears of a launch that cannot succeed. The sentences are what users read.
#include "daemon/system/launch_channel.h"

#include <sys/stat.h>
#include <unistd.h>

#include "launched.h"
#include "temp_folder.h"

namespace clusterd::test {
namespace {

enum class Mode { executable, plain };

std::string script(const TempFolder& folder, const std::string& content, Mode mode = Mode::executable) {
  const std::string path = folder / "server";
  write_file(path, content);
  chmod(path.c_str(), mode == Mode::executable ? 0755 : 0644);
  return path;
}

LaunchFailure failure_of(LaunchPlan plan) {
  Launched launched(std::move(plan));
  CHECK(launched.outcome() == LaunchChannel::State::failed);
  CHECK(WEXITSTATUS(launched.wait_status()) == 127);
  CHECK(launched.text().empty());
  return launched.channel().failure();
}

LaunchFailure exec_failure_of(const std::string& path) {
  LaunchFailure failure = failure_of(program_plan({path}));
  CHECK(failure.stage == "exec");
  return failure;
}

TEST_CASE("a program that runs reports nothing, and the channel closes at the exec, not at the exit") {
  Launched launched(shell_plan("exec sleep 1000"));
  CHECK(launched.outcome() == LaunchChannel::State::executed);
  CHECK(kill(launched.pid(), 0) == 0);
  CHECK_FALSE(launched.channel().take_takeover_fd());
  CHECK(launched.channel().takeover_error() == 0);
}

TEST_CASE("a missing program is named with the place where it was looked for") {
  const TempFolder folder;
  CHECK(exec_failure_of(folder / "server").sentence == folder / "server" + ": no such file");
  LaunchPlan plan = program_plan({"bin/server"});
  plan.cwd = folder.path();
  const LaunchFailure failure = failure_of(plan);
  CHECK(failure.error == ENOENT);
  CHECK(failure.sentence == "bin/server: no such file (looked in " + folder.path() + ")");
}

TEST_CASE("a bare name is looked up on PATH of the app, not of the daemon") {
  const TempFolder folder;
  write_file(folder / "denied/tool", "#!/bin/sh\n");
  write_file(folder / "good/tool", "#!/bin/sh\necho found\n");
  chmod((folder / "good/tool").c_str(), 0755);
  std::filesystem::create_directories(folder / "folder/tool");

  LaunchPlan plan = program_plan({"tool"});
  plan.environment = {"PATH=/nonexistent:" + folder / "folder" + ":" + folder / "denied" + ":" +
                      folder / "good"};
  CHECK(Launched(plan).text() == "found\n");

  plan.environment = {"PATH=" + folder / "denied"};
  CHECK(failure_of(plan).sentence ==
        folder / "denied/tool" + ": permission denied: not executable, chmod +x?");

  plan.environment = {"PATH=/nonexistent:/also-not"};
  const LaunchFailure failure = failure_of(plan);
  CHECK(failure.error == ENOENT);
  CHECK(failure.sentence == "tool: not found in PATH of the app (/nonexistent:/also-not)");
}

TEST_CASE("a file without x bit says chmod") {
  const TempFolder folder;
  const LaunchFailure failure = exec_failure_of(script(folder, "#!/bin/sh\n", Mode::plain));
  CHECK(failure.error == EACCES);
  CHECK(failure.sentence == folder / "server" + ": permission denied: not executable, chmod +x?");
}

TEST_CASE("a directory is called one") {
  const TempFolder folder;
  CHECK(exec_failure_of(folder.path()).sentence == folder.path() + ": is a directory, not a program");
}

TEST_CASE("a script whose interpreter is missing names the interpreter, not the script") {
  const TempFolder folder;
  CHECK(exec_failure_of(script(folder, "#! /opt/no/python3 -u\n")).sentence ==
        folder / "server" + ": interpreter /opt/no/python3 named in the first line does not exist");
  CHECK_THAT(exec_failure_of(script(folder, "#!/bin/sh\r\n")).sentence, Catch::Contains("carriage return"));
  CHECK_THAT(exec_failure_of(script(folder, "#!/etc/passwd\n")).sentence,
             Catch::Contains("interpreter /etc/passwd named in the first line is not executable"));
}

TEST_CASE("what is neither program nor script is refused in words, not run by a shell") {
  const TempFolder folder;
  CHECK_THAT(exec_failure_of(script(folder, "echo hello\n")).sentence, Catch::Contains("no #! line"));
  CHECK_THAT(exec_failure_of(script(folder, "")).sentence, Catch::Contains("the file is empty"));
}

TEST_CASE("a program for another processor or another C library says so") {
  const TempFolder folder;
  std::string elf = file_content(program_path("t-exit"));
  elf[18] = 22;  // e_machine: s390
  CHECK_THAT(exec_failure_of(script(folder, elf)).sentence, Catch::Contains("built for another processor"));

  elf = file_content("/bin/true");
  const std::string loader = "/lib64/ld-linux-x86-64.so.2";
  const std::size_t at = elf.find(loader);
  if (at == elf.npos) return;  // not this processor
  elf.replace(at, loader.size(), "/lib/ld-musl-nowhere.so.1\0\0", loader.size());
  CHECK_THAT(exec_failure_of(script(folder, elf)).sentence,
             Catch::Contains("dynamic loader /lib/ld-musl-nowhere.so.1 does not exist"));
}

TEST_CASE("a program that is still open for writing says so") {
  const TempFolder folder;
  const std::string path = script(folder, file_content(program_path("t-exit")));
  const UniqueFd writer(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  CHECK_THAT(exec_failure_of(path).sentence, Catch::Contains("still open for writing"));
}

TEST_CASE("arguments beyond the kernel's limit say so") {
  CHECK_THAT(failure_of(program_plan({"/bin/true", std::string(200'000, 'x')})).sentence,
             Catch::Contains("too large for the kernel"));
}

TEST_CASE("a working directory that cannot be entered is the failure, not the program") {
  LaunchPlan plan = program_plan({"/bin/true"});
  plan.cwd = "/nonexistent/www";
  const LaunchFailure failure = failure_of(plan);
  CHECK(failure.stage == "cwd");
  CHECK(failure.sentence == "cannot enter the working directory /nonexistent/www: no such file or directory");
}

TEST_CASE("a launcher killed before it could execute ends the channel") {
  Launched launched(shell_plan("exec sleep 1000"));
  kill(launched.pid(), SIGKILL);
  CHECK(launched.outcome() == LaunchChannel::State::executed);
  CHECK(WTERMSIG(launched.wait_status()) == SIGKILL);
}

}  // namespace
}  // namespace clusterd::test
