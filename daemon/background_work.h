// BackgroundWork: a thread for what may take as long as somebody else's file system likes, in turn, so that
// the daemon's loop never waits for it.
//
// Owned by whoever has such work. The thread begins with the first piece and is not waited for at the end:
// what hangs on a dead server must not keep the daemon from ending. What comes of a piece is told in the
// loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>

namespace clusterd {

class BackgroundWork {
 public:
  static constexpr std::size_t kWaitingMax = 4'096;  // pieces; more are left out

  explicit BackgroundWork(boost::asio::io_context& io);
  ~BackgroundWork();
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  // Runs in the thread, so it touches nothing but what it was given; what it returns runs in the loop.
  using Then = std::function<void()>;
  void add(std::function<Then()> piece);

 private:
  struct Shared;
  static void run(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;
};

}  // namespace clusterd
