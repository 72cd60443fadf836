// Waiters: the requests that wait for something to come true, and those who are told when it has.
//
// Listens to the Supervisor; after every batch of events it asks the verdict for each waiter of the app and
// calls `done` exactly once. Closing a connection does not remove a waiter: the operation goes on, its answer
// is dropped. Callbacks run after the Supervisor's pump, from the event loop, so they may give new orders.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "common/result.h"
#include "daemon/process_host.h"
#include "daemon/supervisor.h"

namespace clusterd {

struct Outcome {
  std::optional<Error> error;
  std::string log_tail;  // last output of the instance that failed
};

struct Progress {
  AppKey app;
  std::string text;
  int done = 0;
  int total = 0;
};

using DoneHandler = std::function<void(const Outcome&)>;
using ProgressHandler = std::function<void(const Progress&)>;

class Waiters final : public SupervisorListener {
 public:
  Waiters(boost::asio::io_context& io, ProcessHost& host);

  // Every one of the slots is ready (or has run to its end); an empty list is all slots of the app.
  void until_up(const App& app, std::vector<int> slots, DoneHandler done, ProgressHandler progress);
  // Every process that the app has in these slots at this moment is gone; all slots: the surplus ones, too.
  void until_gone(const App& app, std::vector<int> slots, DoneHandler done, ProgressHandler progress);
  // The rollout has ended and, if it was committed, the processes it replaced are gone.
  void until_rolled_out(const App& app, Generation target, DoneHandler done, ProgressHandler progress);

  // Called from the loop after a rollout of the app has ended, whoever waits for it.
  void on_rollout_end(std::function<void(const AppKey&)> handler) { rollout_end_ = std::move(handler); }

  void instance_moved(const App& app, const Instance& instance, Phase from) override;
  void app_changed(const App& app) override;
  void app_removed(const AppKey& key) override;
  void instance_replaced(const App& app, const Instance& instance) override;
  void rollout_ended(const App& app, Generation target, const Result<>& outcome) override;

 private:
  struct Waiter {
    enum class Kind : std::uint8_t { up, gone, rolled_out } kind;
    std::vector<int> slots;  // up
    Generation target = 0;   // rolled_out
    DoneHandler done;
    ProgressHandler progress;
    // gone: who is not yet, of how many. Kept up to date, for each of thousands that go asks how far it is.
    std::unordered_set<InstanceKey> living{};
    int meant = 0;
    std::optional<Outcome> stuck{};  // somebody of them never will be
    std::string leftover{};          // somebody of a tree who is not
  };

  void check(const App& app);
  std::optional<Outcome> judge(const App& app, const Waiter& waiter) const;
  std::optional<Outcome> judge_up(const App& app, const Waiter& waiter) const;
  static std::optional<Outcome> judge_gone(const Waiter& waiter);
  Outcome failure(const App& app, const std::vector<InstanceKey>& culprits, int total) const;
  std::pair<int, int> count(const App& app, const Waiter& waiter) const;
  static Outcome gone_outcome(const Waiter& waiter);
  static void await_end(Waiter& waiter, const Instance& instance);
  void note_end(const App& app, const Instance& instance);
  void end_waiting(const App& app, Generation target, const Outcome& outcome);
  void finish(Waiter&& waiter, Outcome outcome);

  boost::asio::io_context& io_;
  ProcessHost& host_;
  std::map<AppKey, std::list<Waiter>> waiters_;
  std::function<void(const AppKey&)> rollout_end_;
};

}  // namespace clusterd
