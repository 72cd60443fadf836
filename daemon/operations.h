// Operations: what each word of the protocol does. Checks the request, changes what is wanted, and sees to it
// that the answer comes when it is true.
//
// One per daemon, used by every session. No operation blocks; several run at once. A request that cannot be
// understood is answered with an error and changes nothing.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/message.h"
#include "daemon/app_starter.h"
#include "daemon/conversation.h"
#include "daemon/core/selector.h"
#include "daemon/daemon_context.h"

namespace clusterd {

class Operations {
 public:
  explicit Operations(DaemonContext& context);

  void handle(const Request& request, const Reply& reply);

  // The same as the operations of these names, for signals and start-up.
  void reload_all();
  void shut_down(std::function<void()> then);
  Result<int> resurrect_all(const std::shared_ptr<Gather>& gather);

 private:
  using Handler = void (Operations::*)(const nlohmann::json& args, const Reply& reply);
  struct Entry {
    std::string_view name;
    Handler handler;
  };
  static const Entry* find_entry(std::string_view name);

  struct Target {
    App* app;
    std::vector<int> slots;  // empty: the whole app
    bool means(int slot) const;
  };
  Result<std::vector<Target>> targets_of(const nlohmann::json& args) const;
  Result<std::vector<Target>> targets_of(const std::vector<std::string>& words) const;
  struct Change {
    std::optional<AppSpec> spec;
    std::optional<int> count;
  };
  static Result<std::vector<Change>> changes_of(const std::vector<Target>& targets,
                                                const nlohmann::json& args,
                                                const std::optional<Environment>& environment);
  static bool names_targets(const nlohmann::json& args);
  Result<std::vector<Target>> targets_or_all(const nlohmann::json& args) const;  // no targets are all targets
  static Result<std::optional<Environment>> inherited_env_of(const nlohmann::json& args);
  Result<std::vector<std::size_t>> order_of(const std::vector<AppSpec>& specs) const;
  Result<std::vector<TakenSocket>> taken_for(const nlohmann::json& args,
                                             const std::vector<AppSpec>& specs) const;
  void give_sockets(const nlohmann::json& args, nlohmann::json& result, const AppSpec& spec,
                    std::vector<TakenSocket> sockets);
  void start_in_order(const std::shared_ptr<Gather>& gather,
                      const std::vector<std::pair<AppKey, std::vector<int>>>& starting);
  std::shared_ptr<Gather> gather(const nlohmann::json& args, const Reply& reply, nlohmann::json result) const;
  std::vector<std::string> log_files_of(const Target& target) const;

  void ping(const nlohmann::json& args, const Reply& reply);
  void start(const nlohmann::json& args, const Reply& reply);
  void plan(const nlohmann::json& args, const Reply& reply);
  std::vector<App*> apps_to_prune(const nlohmann::json& args, const std::vector<AppSpec>& kept) const;
  void start_known(const nlohmann::json& args, const Reply& reply);
  void stop(const nlohmann::json& args, const Reply& reply);
  void restart(const nlohmann::json& args, const Reply& reply);
  void reload(const nlohmann::json& args, const Reply& reply);
  void begin_canary(const nlohmann::json& args, const Reply& reply);
  void promote(const nlohmann::json& args, const Reply& reply);
  void abort(const nlohmann::json& args, const Reply& reply);
  Result<App*> canary_app(const nlohmann::json& args) const;
  void remove(const nlohmann::json& args, const Reply& reply);
  void scale(const nlohmann::json& args, const Reply& reply);
  void signal(const nlohmann::json& args, const Reply& reply);
  void send(const nlohmann::json& args, const Reply& reply);
  void reset(const nlohmann::json& args, const Reply& reply);
  void clear_saved(const nlohmann::json& args, const Reply& reply);
  void flush(const nlohmann::json& args, const Reply& reply);
  void reload_logs(const nlohmann::json& args, const Reply& reply);
  void list(const nlohmann::json& args, const Reply& reply);
  void describe(const nlohmann::json& args, const Reply& reply);
  void env(const nlohmann::json& args, const Reply& reply);
  void events(const nlohmann::json& args, const Reply& reply);
  void logs(const nlohmann::json& args, const Reply& reply);
  void save(const nlohmann::json& args, const Reply& reply);
  void resurrect(const nlohmann::json& args, const Reply& reply);
  void doctor(const nlohmann::json& args, const Reply& reply);
  void kill(const nlohmann::json& args, const Reply& reply);

  DaemonContext& context_;
  AppStarter starter_;
  bool ending_ = false;  // nothing is started any more
};

}  // namespace clusterd
