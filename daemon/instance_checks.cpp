#include "daemon/instance_checks.h"

#include "daemon/core/health_record.h"
#include "daemon/core/seconds_text.h"

namespace clusterd {

InstanceChecks::InstanceChecks(boost::asio::io_context& io, std::shared_ptr<const AppSpec> spec, Start start,
                               std::function<void(InstanceEvent::Kind, const ProbeAnswer&)> post)
    : spec_(std::move(spec)),
      readiness_(readiness_of(*spec_)),
      start_(std::move(start)),
      post_(std::move(post)),
      pause_(io),
      watchdog_(spec_->watchdog.value_or(Milliseconds{0})),
      watchdog_timer_(io) {}

void InstanceChecks::run(Checks checks) {
  checks_ = checks;
  run_.reset();
  pause_.cancel();
  ++pause_turn_;
  watchdog_timer_.cancel();
  ++watchdog_turn_;
  ask();
  if (checks == Checks::health) wait_for_watchdog();
}

void InstanceChecks::ask() {
  const auto done = [this](const ProbeAnswer& answer) { answered(answer); };
  if (checks_ == Checks::readiness && readiness_.kind == Readiness::Kind::probe) {
    run_ = start_(readiness_.probe, readiness_.timeout, done);
  } else if (checks_ == Checks::health && spec_->health) {
    run_ = start_(spec_->health->probe, spec_->health->timeout, done);
  }
}

void InstanceChecks::answered(const ProbeAnswer& answer) {
  const bool health = checks_ == Checks::health;
  if (health) passed_once_ |= answer.passed;
  // What has worked and was not reached is neither sick nor well.
  const bool unknown = health && passed_once_ && answer.unreached;
  if (!unknown) post_(health ? InstanceEvent::Kind::checked : InstanceEvent::Kind::probed, answer);
  after(pause_, pause_turn_, health ? next_check_in(*spec_->health, passed_once_) : readiness_.interval,
        [this] { ask(); });
}

void InstanceChecks::feed_watchdog() {
  if (checks_ == Checks::health) wait_for_watchdog();
}

void InstanceChecks::set_watchdog(Milliseconds interval) {
  watchdog_ = interval;
  feed_watchdog();
}

void InstanceChecks::wait_for_watchdog() {
  if (watchdog_.count() == 0) {
    watchdog_timer_.cancel();
    ++watchdog_turn_;
    return;
  }
  after(watchdog_timer_, watchdog_turn_, watchdog_, [this] {
    post_(InstanceEvent::Kind::watchdog_missed,
          {false, false, "watchdog: no WATCHDOG=1 for " + seconds_text(watchdog_)});
  });
}

// A handler that is queued already is not cancelled with its timer; it finds that it is late by `turn`.
void InstanceChecks::after(boost::asio::steady_timer& timer, std::uint64_t& turn, Milliseconds delay,
                           std::function<void()> fn) {
  const std::uint64_t mine = ++turn;
  timer.expires_after(delay);
  timer.async_wait([alive = std::weak_ptr<int>(alive_), &turn, mine,
                    fn = std::move(fn)](const boost::system::error_code& error) {
    if (!error && !alive.expired() && turn == mine) fn();
  });
}

}  // namespace clusterd
