#include "cli/prove/proved_app.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/json_read.h"
#include "cli/operation_run.h"

namespace clusterd::cli {

using nlohmann::json;

Result<json> ProvedApp::ask(const std::string& op, json args) {
  auto response = client_.call(op, std::move(args));
  if (!response) return fail(response.error());
  if (response->error) {
    std::string output = last_output_of(*response);  // its log file will be gone
    if (output.ends_with('\n')) output.pop_back();
    return fail(response->error->code, response->error->message + (output.empty() ? "" : "\n") + output);
  }
  return std::move(response->result);
}

Result<std::vector<std::string>> ProvedApp::addresses() {
  auto described = ask("describe", {{"target", target_}});
  if (!described) return fail(described.error());
  std::vector<std::string> found;
  for (const json& app : member_of(*described, "apps")) {
    for (const json& listener : member_of(app, "listeners")) {
      bool listens = !listener.contains("listening") || flag_of(listener, "listening");
      if (listens) found.push_back(text_of(listener, "address"));
    }
  }
  return found;
}

Result<std::vector<ProvedInstance>> ProvedApp::instances() {
  auto listed = ask("list", {{"targets", {target_}}});
  if (!listed) return fail(listed.error());
  std::vector<ProvedInstance> found;
  for (const json& view : member_of(*listed, "instances")) {
    found.push_back(
        {integer_of(view, "id").value_or(-1), integer_of(view, "pid"), text_of(view, "status") == "online"});
  }
  return found;
}

Result<> ProvedApp::reload() {
  auto done = ask("reload", {{"targets", {target_}}});
  if (!done) return fail(done.error());
  return {};
}

Result<> ProvedApp::restart(std::int64_t id) {
  auto done = ask("restart", {{"targets", {std::to_string(id)}}});
  if (!done) return fail(done.error());
  return {};
}

Result<> ProvedApp::kill(std::int64_t id) {
  auto done = ask("signal", {{"targets", {std::to_string(id)}}, {"signal", "SIGKILL"}});
  if (!done) return fail(done.error());
  return {};
}

Result<> ProvedApp::scale(std::size_t count) {
  auto done = ask("scale", {{"target", target_}, {"count", static_cast<std::int64_t>(count)}});
  if (!done) return fail(done.error());
  return {};
}

}  // namespace clusterd::cli
