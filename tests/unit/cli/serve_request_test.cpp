// `clusterd serve` as a start of clusterd-serve.
#include "cli/serve_request.h"

#include <catch2/catch.hpp>

#include "tests/unit/cli/temp_folder.h"

using namespace clusterd;
using namespace clusterd::cli;

namespace {

struct World {
  Result<Arguments> ask(const std::vector<std::string>& words) const {
    std::vector<std::string> line{"serve"};
    line.insert(line.end(), words.begin(), words.end());
    auto parsed = parse_arguments(line);
    if (!parsed) return parsed;
    return serve_as_start(*parsed, {.cwd = folder.path(), .user_home = {}, .environment = {}},
                          "/bin/clusterd-serve");
  }
  TempFolder folder;
};

std::string name_of(const Arguments& arguments) {
  for (const AppSetting& setting : arguments.app_settings) {
    if (setting.key == "name") return setting.values.front();
  }
  return {};
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("serve is a start with the folder and the port of the words or the options") {
  const World world;
  std::filesystem::create_directory(world.folder.at("dist"));
  const auto plain = world.ask({});
  REQUIRE(plain);
  CHECK(plain->verb == Verb::start);
  CHECK(plain->targets == Words{"/bin/clusterd-serve"});
  CHECK(plain->app_args == Words{world.folder.path(), "--port", "8080"});
  CHECK(name_of(*plain) == "static-page-server-8080");

  const auto words =
      world.ask({"./dist", "3000", "--spa", "--host", "127.0.0.1", "-i", "2", "--name", "site"});
  REQUIRE(words);
  CHECK(words->app_args == Words{world.folder.at("dist"), "--port", "3000", "--host", "127.0.0.1", "--spa"});
  CHECK(name_of(*words) == "site");
  CHECK(name_of(*world.ask({"dist", "--port", "81"})) == "static-page-server-81");
}

TEST_CASE("what cannot be served is an error before anything starts") {
  const World world;
  CHECK(world.ask({"nowhere"}).error().message.contains("nowhere is not a folder"));
  CHECK(world.ask({".", "port"}).error().message.contains("'port' is not a port"));
  CHECK(world.ask({".", "0"}).error().code == ErrorCode::usage);
  CHECK(world.ask({".", "65536"}).error().code == ErrorCode::usage);
  CHECK(world.ask({".", "80", "--port", "81"}).error().code == ErrorCode::usage);
  CHECK(world.ask({"--basic-auth-username", "me"}).error().message.contains("go together"));
}

TEST_CASE("the password is a variable of the app, no argument") {
  const World world;
  const auto start = world.ask({"--basic-auth-username", "me", "--basic-auth-password", "secret"});
  REQUIRE(start);
  CHECK(std::ranges::count(start->app_args, "secret") == 0);
  AppSpec app;
  add_credentials(start->serve, app);
  CHECK(app.env == Environment{{"CLUSTERD_SERVE_USERNAME", "me"}, {"CLUSTERD_SERVE_PASSWORD", "secret"}});
}
