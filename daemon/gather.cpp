#include "daemon/gather.h"

namespace clusterd {

Gather::Gather(Reply reply, nlohmann::json result, Patience patience)
    : reply_(std::move(reply)), patience_(patience), result_(std::move(result)) {}

// The last part has let go: everybody is done.
Gather::~Gather() {
  if (errors_.empty()) {
    reply_->succeed(std::move(result_));
    return;
  }
  Error error = errors_.front();
  for (std::size_t i = 1; i < errors_.size(); ++i) error.message += "\n" + errors_[i].message;
  if (!log_tail_.empty()) result_["log_tail"] = log_tail_;
  reply_->fail_with(error, std::move(result_));
}

DoneHandler Gather::part() {
  if (patience_ == Patience::answer_at_once) return [](const Outcome&) {};
  return [self = shared_from_this()](const Outcome& outcome) { self->note(outcome); };
}

ProgressHandler Gather::progress() {
  return [reply = reply_](const Progress& progress) {
    reply->event("progress", {{"app", progress.app.name},
                              {"namespace", progress.app.name_space},
                              {"text", progress.text},
                              {"done", progress.done},
                              {"total", progress.total}});
  };
}

void Gather::refuse(const Error& error) { errors_.push_back(error); }

void Gather::note(const Outcome& outcome) {
  if (outcome.error) errors_.push_back(*outcome.error);
  if (log_tail_.empty()) log_tail_ = outcome.log_tail;
}

}  // namespace clusterd
