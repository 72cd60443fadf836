// ClientFollower: one `logs --follow` of one client, between the LogFeed and the session.
//
// Lives in the feed until its conversation closes. Never waits for the client: what does not fit the outbox
// is counted in lines, and announced with a `dropped` event as soon as there is room.
#pragma once

#include <set>
#include <utility>

#include "daemon/conversation.h"
#include "daemon/log_feed.h"

namespace clusterd {

struct FollowFilter {
  bool everything = false;               // apps that come later, too
  std::set<std::pair<AppKey, int>> ids;  // -1: every instance of the app
  std::set<Stream> streams;
};

void follow(LogFeed& feed, const Reply& reply, FollowFilter filter);

}  // namespace clusterd
