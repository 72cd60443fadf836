#include "cli/serve_request.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "cli/local_files.h"
#include "cli/serve/serve_names.h"

namespace clusterd::cli {
namespace {

constexpr const char* kDefaultPort = "8080";
constexpr const char* kDefaultNamePrefix = "static-page-server-";

Result<std::string> checked_port(const std::string& text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65'535) return text;
  return fail(ErrorCode::usage,
              "'" + text + "' is not a port: 1 to 65535; usage: clusterd serve [FOLDER] [PORT]");
}

Result<std::string> checked_folder(const std::string& word, const Caller& caller) {
  auto folder = (std::filesystem::path(caller.cwd) / word).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "./dist/"
  if (look_at(folder) == FileKind::folder) return folder.string();
  return fail(ErrorCode::usage, folder.string() + " is not a folder; usage: clusterd serve [FOLDER] [PORT]");
}

}  // namespace

Result<Arguments> serve_as_start(const Arguments& arguments, const Caller& caller,
                                 const std::string& program) {
  const ServeOptions& options = arguments.serve;
  const std::vector<std::string>& words = arguments.targets;
  if (words.size() > 1 && !options.port.empty() && words[1] != options.port)
    return fail(ErrorCode::usage, "--port says " + options.port + " and the second word " + words[1]);
  if (options.user.empty() != options.password.empty())
    return fail(ErrorCode::usage, "--basic-auth-username and --basic-auth-password go together");
  if (options.user.contains(':'))
    return fail(ErrorCode::usage, "--basic-auth-username cannot contain a colon");
  auto port = checked_port(!options.port.empty() ? options.port : words.size() > 1 ? words[1] : kDefaultPort);
  if (!port) return fail(port.error());
  auto folder = checked_folder(words.empty() ? "." : words[0], caller);
  if (!folder) return fail(folder.error());

  Arguments start = arguments;
  start.verb = Verb::start;
  start.targets = {program};
  start.app_args = {*folder, "--port", *port};
  if (!options.host.empty()) start.app_args.insert(start.app_args.end(), {"--host", options.host});
  if (options.spa) start.app_args.emplace_back("--spa");
  if (std::ranges::find(start.app_settings, "name", &AppSetting::key) == start.app_settings.end())
    start.app_settings.push_back({"name", AppSetting::Kind::text, {kDefaultNamePrefix + *port}});
  return start;
}

void add_credentials(const ServeOptions& options, AppSpec& app) {
  if (options.user.empty()) return;
  app.env[serve::kUserVariable] = options.user;
  app.env[serve::kPasswordVariable] = options.password;
}

}  // namespace clusterd::cli
