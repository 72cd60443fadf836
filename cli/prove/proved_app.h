// ProvedApp: an app under test, as the private daemon sees it, and the orders `prove` gives it.
//
// Used by the rounds. Every call is a request of the public protocol and waits for its answer; nothing is
// known here that any other client could not know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/client.h"

namespace clusterd::cli {

struct ProvedInstance {
  std::int64_t id = 0;
  std::optional<std::int64_t> pid;
  bool online = false;
};

class ProvedApp {
 public:
  ProvedApp(Client& client, std::string name, std::string target)
      : client_(client), name_(std::move(name)), target_(std::move(target)) {}

  const std::string& name() const { return name_; }

  // Addresses the app listens at now, as the daemon writes them.
  Result<std::vector<std::string>> addresses();
  Result<std::vector<ProvedInstance>> instances();

  Result<> reload();
  Result<> restart(std::int64_t id);
  Result<> kill(std::int64_t id);  // SIGKILL to the instance's main process
  Result<> scale(std::size_t count);

 private:
  Result<nlohmann::json> ask(const std::string& op, nlohmann::json args);

  Client& client_;
  std::string name_;
  std::string target_;  // "namespace/name"
};

}  // namespace clusterd::cli
