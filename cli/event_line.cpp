#include "cli/event_line.h"

#include <nlohmann/json.hpp>

#include "cli/json_read.h"
#include "cli/text.h"
#include "common/date_format.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

std::string exit_text(const json& exit) {
  const std::string signal = text_of(exit, "signal");
  if (!signal.empty()) return " " + signal;
  const auto code = integer_of(exit, "code");
  return code ? " code " + std::to_string(*code) : "";
}

}  // namespace

std::string event_line(const Event& event) {
  const json& fields = event.fields;
  if (event.event == "dropped")
    return std::to_string(integer_of(fields, "events").value_or(0)) + " events left out: they came too fast";
  const json& process = member_of(fields, "process");
  std::string who = text_of(fields, "app");
  if (process.is_object())
    who = text_of(process, "name") + "." + std::to_string(integer_of(process, "slot").value_or(0));
  std::string line = iso_utc(integer_of(fields, "at").value_or(0)) + " " + printable(who) + " " +
                     printable(text_of(fields, "name")) + exit_text(member_of(fields, "exit"));
  if (const auto pid = integer_of(process, "pid")) line += " pid " + std::to_string(*pid);
  const std::string reason = text_of(fields, "reason");
  return reason.empty() ? line : line + ": " + printable(reason);
}

json event_object(const Event& event) {
  json object{{"topic", event.event}};
  if (event.fields.is_object()) object.update(event.fields);
  return object;
}

std::string dropped_line(const Event& event) {
  return std::to_string(integer_of(event.fields, "lines").value_or(0)) +
         " lines left out: they came faster than they could be shown";
}

}  // namespace clusterd::cli
