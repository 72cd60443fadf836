// `attach`: the output of one instance, and what is typed for its standard input.
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/daemon_access.h"
#include "cli/event_line.h"
#include "cli/json_read.h"
#include "cli/operation_run.h"
#include "cli/typed_lines.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

// NAMESPACE/NAME.SLOT: nobody may talk to four programs at once without knowing it, nor after the next
// `scale`.
Result<std::string> one_instance(Client& client, const std::string& target) {
  const auto listed = ask(client, "list", {{"targets", {target}}});
  if (!listed) return fail(listed.error());
  const json& instances = member_of(*listed, "instances");
  if (instances.empty()) return target;
  const std::string first =
      text_of(instances[0], "name") + "." + std::to_string(integer_of(instances[0], "slot").value_or(0));
  if (instances.size() == 1) return text_of(instances[0], "namespace") + "/" + first;
  return fail(ErrorCode::usage,
              target + " has " + std::to_string(instances.size()) + " instances; say which one: " + first);
}

class Attachment {
 public:
  // `sender` is a connection of its own: the other one is busy with the output.
  Attachment(const Context& context, std::string target, Client sender)
      : context_(context), target_(std::move(target)), sender_(std::move(sender)), typed_(STDIN_FILENO) {
    watch_.output_fd = context.console.out_fd();
    watch_.on_input = [this] { return on_input(); };
  }

  const Client::Watch& watch() const { return watch_; }
  const std::optional<Error>& problem() const { return problem_; }
  Flow on_event(const Event& event);

 private:
  Flow on_input();
  Result<> send(const std::string& line);

  const Context& context_;
  std::string target_;
  Client sender_;
  TypedLines typed_;
  Client::Watch watch_;
  std::optional<Error> problem_;
};

Flow Attachment::on_event(const Event& event) {
  // From here on nothing of the output is missed, so what is typed may be answered.
  if (event.event == "sources") watch_.input_fd = STDIN_FILENO;
  if (event.event == "log") {
    const std::string line = text_of(event.fields, "text") + "\n";
    if (text_of(event.fields, "stream") == "err") {
      context_.console.raw_err(line);
    } else {
      context_.console.out(line);
    }
  }
  if (event.event == "dropped") {
    context_.console.note(dropped_line(event));
  }
  return context_.console.out_state() == Console::OutState::open ? Flow::go_on : Flow::stop;
}

Flow Attachment::on_input() {
  for (const std::string& line : typed_.read()) {
    if (auto sent = send(line); !sent) {
      problem_ = sent.error();
      return Flow::stop;
    }
  }
  return typed_.ended() ? Flow::stop : Flow::go_on;
}

Result<> Attachment::send(const std::string& line) {
  const auto& words = context_.arguments.targets;
  json args{{"target", target_}, {"line", line}};
  if (words.size() > 1) args["separator"] = words[1];
  const auto sent = ask(sender_, "send", std::move(args));
  return sent ? Result<>() : fail(sent.error());
}

}  // namespace

int run_attach(const Context& context) {
  auto client = reach_daemon(context);
  if (!client) return report(client.error(), context.console);
  const auto target = one_instance(*client, context.arguments.targets.at(0));
  if (!target) return report(target.error(), context.console);
  auto sender = reach_daemon(context);
  if (!sender) return report(sender.error(), context.console);
  Attachment attachment(context, *target, std::move(*sender));
  auto response = client->call_watching(
      "logs", {{"targets", {*target}}, {"follow", true}},
      [&](const Event& event) { return attachment.on_event(event); }, attachment.watch());
  if (attachment.problem()) return report(*attachment.problem(), context.console);
  if (!response) return report(response.error(), context.console);
  if (*response && (*response)->error) return report(**response, context.console);
  return 0;
}

}  // namespace clusterd::cli
