// Conversation: one request of one client while it is being answered.
//
// Made by the session for each request, kept alive by whoever will answer. Events in between, then exactly
// one response; a client that has gone is no error. `on_close` tells long conversations (log following) to
// end.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "common/result.h"

namespace clusterd {

class Conversation {
 public:
  virtual ~Conversation() = default;

  virtual void event(std::string_view name, nlohmann::json fields) = 0;
  virtual void succeed(nlohmann::json result) = 0;
  virtual void fail_with(const Error& error, nlohmann::json result) = 0;

  // For output of apps: the client must keep up; false if the text was dropped for lack of room.
  virtual bool offer(std::string_view name, nlohmann::json fields) = 0;
  // Called once, from the loop, as soon as offers are taken again; never if the client goes before.
  virtual void on_room(std::function<void()> handler) = 0;
  virtual bool open() const = 0;
  // Called once when the client has gone; at once if it has already.
  virtual void on_close(std::function<void()> handler) = 0;
};

using Reply = std::shared_ptr<Conversation>;

}  // namespace clusterd
