#include "daemon/background_work.h"

#include <boost/asio/post.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace clusterd {

struct BackgroundWork::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<Then()>> waiting;
  boost::asio::io_context* io = nullptr;  // null: the owner has gone
  bool started = false;
};

BackgroundWork::BackgroundWork(boost::asio::io_context& io) : shared_(std::make_shared<Shared>()) {
  shared_->io = &io;
}

BackgroundWork::~BackgroundWork() {
  const std::lock_guard lock(shared_->mutex);
  shared_->io = nullptr;
  shared_->changed.notify_all();
}

void BackgroundWork::add(std::function<Then()> piece) {
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->waiting.size() >= kWaitingMax) return;
    shared_->waiting.push_back(std::move(piece));
  }
  shared_->changed.notify_one();
  if (!std::exchange(shared_->started, true)) std::thread([shared = shared_] { run(shared); }).detach();
}

void BackgroundWork::run(const std::shared_ptr<Shared>& shared) {
  for (;;) {
    std::unique_lock lock(shared->mutex);
    shared->changed.wait(lock, [&] { return shared->io == nullptr || !shared->waiting.empty(); });
    if (shared->io == nullptr) return;
    const auto piece = std::move(shared->waiting.front());
    shared->waiting.pop_front();
    lock.unlock();
    Then then = piece();
    lock.lock();
    if (shared->io == nullptr) return;
    boost::asio::post(*shared->io, std::move(then));
  }
}

}  // namespace clusterd
