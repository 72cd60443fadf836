// What a HostedProcess hears of its process, and how it asks: sd_notify messages, probes.
#include <algorithm>

#include "common/utf8.h"
#include "daemon/hosted_process.h"
#include "daemon/launch_environment.h"
#include "daemon/launch_limits.h"
#include "daemon/system/process_identity.h"
#include "daemon/system/socket_inode.h"

namespace clusterd {
namespace {

constexpr std::uint64_t kMicrosecondsMax = 10ULL * 365 * 24 * 3'600 * 1'000'000;  // ten years

// Rounded up: a time that was asked for is not cut short.
Milliseconds to_milliseconds(std::uint64_t microseconds) {
  return Milliseconds((std::min(microseconds, kMicrosecondsMax) + 999) / 1'000);
}

std::string status_text(const std::string& text) {
  if (!is_valid_utf8(text)) return {};
  std::size_t end = std::min(text.size(), kStatusBytesMax);
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

}  // namespace

void HostedProcess::read_notifications() {
  for (const NotifyMessage& message : notify_->receive()) {
    if (is_ours(message)) hear(message);
  }
}

// In one message STOPPING=1 wins over READY=1, and that over RELOADING=1.
void HostedProcess::hear(const NotifyMessage& message) {
  if (message.watchdog_usec) checks_.set_watchdog(to_milliseconds(*message.watchdog_usec));
  if (message.watchdog) checks_.feed_watchdog();
  const bool ready = message.ready && !message.stopping;
  InstanceEvent event{InstanceEvent::Kind::notified, order_.key, order_.life};
  event.notice = notice_of(message);
  resources_.post(std::move(event));
  if (ready) post(InstanceEvent::Kind::notified_ready);
}

Notice HostedProcess::notice_of(const NotifyMessage& message) const {
  Notice notice;
  notice.stopping = message.stopping;
  notice.reloading = message.reloading && !message.ready && !message.stopping;
  notice.watchdog_trigger = message.watchdog_trigger;
  if (message.status) notice.status = status_text(*message.status);
  if (message.extend_timeout_usec) notice.extension = to_milliseconds(*message.extend_timeout_usec);
  if (message.main_pid) {
    const std::vector<pid_t> members = tree();
    if (std::ranges::find(members, *message.main_pid) != members.end()) notice.main_pid = message.main_pid;
  }
  return notice;
}

void HostedProcess::post_answer(InstanceEvent::Kind kind, const ProbeAnswer& answer) {
  InstanceEvent event{kind, order_.key, order_.life};
  event.passed = answer.passed;
  event.note = answer.note;
  resources_.post(std::move(event));
}

void HostedProcess::read_ready_pipe() {
  const ReadyPipe::State state = ready_pipe_->read();
  if (state == ReadyPipe::State::waiting) return;
  ready_watcher_.stop();
  if (state == ReadyPipe::State::ready) post_answer(InstanceEvent::Kind::probed, {true, false, {}});
}

void HostedProcess::keep_for_probes(const LaunchPlan& plan) {
  const AppSpec& spec = *order_.spec;
  if (!spec.health && spec.ready.kind != Readiness::Kind::probe) return;
  probe_plan_.environment = without_instance_marks(plan.environment);
  probe_plan_.cwd = plan.cwd;
  probe_plan_.identity = plan.identity;
  add_limits(probe_plan_, spec, resources_.limits);
}

std::unique_ptr<ProbeRun> HostedProcess::start_probe(const Probe& probe, Milliseconds timeout,
                                                     ProbeDone done) {
  const auto variable = [this](std::string_view name) -> std::optional<std::string> {
    for (const std::string& entry : probe_plan_.environment) {
      if (entry.starts_with(name) && entry.substr(name.size()).starts_with('='))
        return entry.substr(name.size() + 1);
    }
    return std::nullopt;
  };
  auto target = resolve_probe(probe, variable);
  if (!target) return refuse_probe(resources_.io, target.error().message, std::move(done));
  if (probe.kind == Probe::Kind::exec) return start_command(target->argv, timeout, std::move(done));
  const auto address = target->address ? target->address : served_address();
  if (!address) return refuse_probe(resources_.io, "it serves no address yet", std::move(done));
  SocketProbe socket{*address, target->host, target->path};
  // Other instances answer at the app's own addresses, too.
  if (resources_.listeners.find_port(order_.app, address->port) != nullptr) {
    socket.is_ours = [this](ino_t inode) { return tree_holds_socket(tree(), inode); };
    socket.direct = [&listeners = resources_.listeners, app = order_.app, key = order_.key,
                     port = address->port](std::uint16_t client, bool on) {
      LaneGroup* group = listeners.find_port(app, port);
      if (group == nullptr) return;
      if (on) group->direct(key, client);
      if (!on) group->undirect(client);
    };
  }
  return start_socket_probe(resources_.io, socket, timeout, std::move(done));
}

std::unique_ptr<ProbeRun> HostedProcess::start_command(const std::vector<std::string>& argv,
                                                       Milliseconds timeout, ProbeDone done) {
  probe_plan_.argv = argv;
  return start_exec_probe(resources_.io, resources_.launcher_path, probe_plan_, resources_.probe_children,
                          timeout, std::move(done));
}

// The first one that this life uses and that somebody can connect to.
std::optional<ListenAddress> HostedProcess::served_address() const {
  const auto* held = resources_.listeners.groups(order_.app);
  if (held == nullptr) return std::nullopt;
  const auto found = std::ranges::find_if(
      *held, [&](const auto& group) { return group->listening() && group->users().contains(order_.key); });
  if (found == held->end()) return std::nullopt;
  return reachable((*found)->bound());
}

}  // namespace clusterd
