// EventFeed: tells clients what happens to apps, as it happens.
//
// One per daemon, a listener of the Supervisor; costs nothing while nobody follows. A follower that does not
// keep up is never waited for: it is told how many events it has missed. Names and fields: docs/protocol.md,
// "Events of apps".
#pragma once

#include <list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string_view>

#include "daemon/conversation.h"
#include "daemon/supervisor.h"

namespace clusterd {

class EventFeed final : public SupervisorListener {
 public:
  // No apps are all apps, also those that come later. Ends with the conversation.
  void follow(const Reply& reply, std::set<AppKey> apps);

  void instance_moved(const App& app, const Instance& instance, Phase from) override;
  void app_removed(const AppKey& key) override;
  void rollout_ended(const App& app, Generation target, const Result<>& outcome) override;

 private:
  struct Follower;

  void tell(const AppKey& app, std::string_view topic, const nlohmann::json& fields);

  std::list<std::shared_ptr<Follower>> followers_;
};

}  // namespace clusterd
