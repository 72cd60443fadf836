#include "cli/operation_run.h"

#include <unistd.h>

#include <utility>

#include "cli/interrupt_notice.h"
#include "cli/json_read.h"
#include "common/error_code.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

std::string progress_line(const json& fields) {
  std::string line = text_of(fields, "text");
  std::string app = text_of(fields, "app");
  // Most texts name the instance ("web.0 stopped"), which names the app.
  if (!app.empty() && !line.starts_with(app)) line = app + ": " + line;
  auto done = integer_of(fields, "done");
  auto total = integer_of(fields, "total");
  if (done && total) line += " (" + std::to_string(*done) + "/" + std::to_string(*total) + ")";
  return line;
}

void show_event(const Event& event, Console& console) {
  std::string text = text_of(event.fields, "text");
  if (event.event == "progress") {
    console.progress(progress_line(event.fields));
  } else if (!text.empty()) {
    console.note(event.event + ": " + text);
  }
}

// An array of lines or one text of several lines.
std::string log_tail_of(const json& result) {
  const json& tail = member_of(result, "log_tail");
  if (tail.is_string()) return tail.get<std::string>();
  std::string text;
  if (!tail.is_array()) return text;
  for (const json& line : tail) {
    if (line.is_string())
      text += line.get<std::string>() + (line.get_ref<const std::string&>().ends_with('\n') ? "" : "\n");
  }
  return text;
}

}  // namespace

Result<json> ask(Client& client, const std::string& op, json args) {
  auto response = client.call(op, std::move(args));
  if (!response) return fail(response.error());
  if (response->error) return fail(*response->error);
  return std::move(response->result);
}

int report(const Error& error, Console& console) {
  console.error(error.message);
  return static_cast<int>(exit_status_of(error.code));
}

std::string last_output_of(const Response& failed) {
  std::string tail = log_tail_of(failed.result);
  if (tail.empty()) return tail;
  std::string text = "last output of the instance that failed:\n";
  for (std::size_t begin = 0; begin < tail.size();) {
    std::size_t end = std::min(tail.find('\n', begin), tail.size());
    text += "  | " + printable(std::string_view(tail).substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return text;
}

int report(const Response& failed, Console& console) {
  int status = report(failed.error.value_or(Error{ErrorCode::failed, "the daemon gave no reason"}), console);
  console.raw_err(last_output_of(failed));  // it explains the error, so it is shown with --silent as well
  return status;
}

OperationOutcome run_operation(Client& client, const std::string& op, json args, Console& console) {
  InterruptNotice notice(STDERR_FILENO);
  auto response = client.call(op, std::move(args), [&](const Event& event) {
    show_event(event, console);
    return Flow::go_on;
  });
  console.end_progress();
  if (!response) return {report(response.error(), console), {}};
  if (response->error) return {report(*response, console), std::move(response->result)};
  return {0, std::move(response->result)};
}

}  // namespace clusterd::cli
