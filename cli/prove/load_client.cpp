#include "cli/prove/load_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/prove/http_request.h"

namespace clusterd::cli {
namespace {

using std::chrono::milliseconds;

// Of this machine's making, not of the app's.
bool is_local_trouble(int error) {
  constexpr std::array kLocal{EADDRNOTAVAIL, EMFILE, ENFILE, ENOBUFS, ENOMEM};
  return std::ranges::count(kLocal, error) > 0;
}

std::string system_text(int error) { return std::strerror(error); }

}  // namespace

LoadClient::LoadClient(LoadRound& round, ClientKind kind, std::size_t number)
    : round_(round), kind_(kind), next_address_(number) {}

LoadClient::LoadClient(LoadClient&& other) noexcept
    : round_(other.round_),
      kind_(other.kind_),
      next_address_(other.next_address_),
      address_(other.address_),
      fd_(std::exchange(other.fd_, -1)),
      phase_(other.phase_),
      reused_(other.reused_),
      opened_at_(other.opened_at_),
      deadline_(other.deadline_),
      wake_at_(other.wake_at_),
      sent_at_(other.sent_at_),
      request_(std::move(other.request_)),
      sent_(other.sent_),
      parser_(std::move(other.parser_)),
      excerpt_(std::move(other.excerpt_)) {}

LoadClient::~LoadClient() { close_connection(); }

void LoadClient::begin(SteadyTime now) {
  if (fd_ >= 0 && is_closed_by_server()) close_connection();  // between requests it may do so
  reused_ = fd_ >= 0;
  sent_ = 0;
  excerpt_.clear();
  parser_ = ResponseParser(round_.options.method == "HEAD" ? ResponseParser::Body::none
                                                           : ResponseParser::Body::expected);
  deadline_ = now + round_.options.timeout + (kind_ == ClientKind::slow ? 2 * kSlowSending : milliseconds{0});
  if (reused_) return start_sending(now);
  address_ = &round_.addresses[next_address_++ % round_.addresses.size()];
  request_ = http_request(round_.options, kind_, *address_);
  open(now);
}

short LoadClient::wanted_events() const {
  switch (phase_) {
    case Phase::connecting:
      return POLLOUT;
    case Phase::sending:
      return POLLIN | POLLOUT;
    case Phase::send_pause:  // an answer before the end of the request
    case Phase::receiving:
      return POLLIN;
    default:
      return 0;
  }
}

SteadyTime LoadClient::wake_at() const {
  bool pauses =
      phase_ == Phase::send_pause || phase_ == Phase::read_pause || (phase_ == Phase::connecting && fd_ < 0);
  return pauses ? std::min(wake_at_, deadline_) : deadline_;
}

void LoadClient::advance(short events, SteadyTime now) {
  if (is_idle()) return;
  if (now >= deadline_) {
    return conclude(Outcome::timed_out, now, "no whole answer in time");
  }
  switch (phase_) {
    case Phase::connecting:
      if (fd_ < 0 && now >= wake_at_) return open(now);
      if (fd_ >= 0 && events != 0) return finish_connecting(now);
      return;
    case Phase::send_pause:
      if (events != 0) return receive_some(now);
      if (now >= wake_at_) phase_ = Phase::sending;
      return;
    case Phase::sending:
      if ((events & (POLLIN | POLLHUP | POLLERR)) != 0) return receive_some(now);
      if (events != 0) return send_some(now);
      return;
    case Phase::read_pause:
      if (now >= wake_at_) phase_ = Phase::receiving;
      return;
    default:
      if (events != 0) receive_some(now);
  }
}

void LoadClient::open(SteadyTime now) {
  phase_ = Phase::connecting;
  const auto* where = reinterpret_cast<const sockaddr*>(&address_->storage);
  fd_ = socket(where->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return fail_to_connect(errno, now);
  opened_at_ = now;
  if (connect(fd_, where, address_->length) == 0) return start_sending(now);
  if (errno != EINPROGRESS && errno != EINTR) fail_to_connect(errno, now);
}

void LoadClient::finish_connecting(SteadyTime now) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return fail_to_connect(error, now);
  start_sending(now);
}

void LoadClient::fail_to_connect(int error, SteadyTime now) {
  if (error == EAGAIN) {  // the queue of a Unix socket is full; TCP waits by itself
    close_connection();
    wake_at_ = now + kLocalTroublePause;
    return;
  }
  if (is_local_trouble(error)) {
    close_connection();
    phase_ = Phase::idle;
    wake_at_ = now + kLocalTroublePause;
    return;
  }
  Outcome outcome = Outcome::refused;
  if (error == ETIMEDOUT) outcome = Outcome::timed_out;
  if (error == ECONNRESET || error == EPIPE) outcome = Outcome::reset;
  conclude(outcome, now, "connecting: " + system_text(error));
}

void LoadClient::start_sending(SteadyTime now) {
  phase_ = Phase::sending;
  send_some(now);
}

void LoadClient::send_some(SteadyTime now) {
  std::size_t left = request_.size() - sent_;
  std::size_t piece = kind_ == ClientKind::slow ? request_.size() / kSlowPieces + 1 : left;
  ssize_t count = send(fd_, request_.data() + sent_, std::min(piece, left), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0) return receive_some(now);  // the server may have answered before it closed
  sent_ += static_cast<std::size_t>(count);
  if (sent_ == request_.size()) {
    phase_ = Phase::receiving;
    sent_at_ = now;
  } else if (kind_ == ClientKind::slow) {
    phase_ = Phase::send_pause;
    wake_at_ = now + kSlowSending / kSlowPieces;
  }
}

void LoadClient::receive_some(SteadyTime now) {
  std::array<char, 64 * 1024> buffer;
  bool slowly = kind_ == ClientKind::slow && phase_ == Phase::receiving && now < sent_at_ + kSlowSending;
  ssize_t count = recv(fd_, buffer.data(), slowly ? kSlowReadBytes : buffer.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return handle_close(count < 0 ? errno : 0, now);
  std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
  if (excerpt_.size() < kExcerptBytes) excerpt_.append(bytes.substr(0, kExcerptBytes - excerpt_.size()));
  switch (parser_.feed(bytes)) {
    case ResponseParser::State::incomplete:
      break;
    case ResponseParser::State::malformed:
      return conclude(Outcome::wrong_status, now, "the answer is not HTTP/1.1");
    case ResponseParser::State::complete:
      bool wanted = round_.options.accepts(parser_.status());
      return conclude(wanted ? Outcome::ok : Outcome::wrong_status, now,
                      "status " + std::to_string(parser_.status()));
  }
  if (!slowly) return;
  phase_ = Phase::read_pause;
  wake_at_ = now + kSlowReadPause;
}

void LoadClient::handle_close(int error, SteadyTime now) {
  std::string detail = error == 0 ? "the server closed the connection" : system_text(error);
  if (parser_.bytes() == 0) {
    bool race = reused_ && is_idempotent(round_.options.method);
    return conclude(race ? Outcome::raced : Outcome::reset, now, detail);
  }
  if (error != 0 || parser_.finish() != ResponseParser::State::complete) {
    return conclude(Outcome::truncated, now, detail);
  }
  bool wanted = round_.options.accepts(parser_.status());
  conclude(wanted ? Outcome::ok : Outcome::wrong_status, now, "status " + std::to_string(parser_.status()));
}

bool LoadClient::is_closed_by_server() const {
  char byte = 0;
  ssize_t count = recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count >= 0 || (errno != EAGAIN && errno != EINTR);  // unasked bytes are no use either
}

void LoadClient::conclude(Outcome outcome, SteadyTime now, std::string detail) {
  bool was_cut = outcome == Outcome::reset || outcome == Outcome::truncated || outcome == Outcome::raced;
  if (was_cut && round_.journal.may_be_cut_by_kill(opened_at_, now)) outcome = Outcome::cut_by_kill;
  if (outcome == Outcome::ok) {
    round_.tally.add(outcome);
  } else {
    round_.tally.add_failure(describe(outcome, now, std::move(detail)));
  }
  if (kind_ != ClientKind::kept || !parser_.keeps_connection()) close_connection();
  phase_ = Phase::idle;
  wake_at_ = outcome == Outcome::refused ? now + kLocalTroublePause : now;  // no use in asking at full speed
}

FailedRequest LoadClient::describe(Outcome outcome, SteadyTime now, std::string detail) const {
  FailedRequest failure;
  failure.at = std::chrono::duration_cast<milliseconds>(now - round_.began_at);
  failure.kind = kind_;
  failure.outcome = outcome;
  failure.address = address_->name;
  failure.event = round_.journal.at_this_moment();
  failure.sent = std::to_string(sent_) + " of " + std::to_string(request_.size()) + " bytes of " +
                 request_line(round_.options);
  failure.received = std::to_string(parser_.bytes()) + " bytes";
  if (!excerpt_.empty()) failure.received += ": " + excerpt_;
  failure.detail = std::move(detail);
  return failure;
}

void LoadClient::close_connection() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

}  // namespace clusterd::cli
