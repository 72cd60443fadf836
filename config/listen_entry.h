// ListenEntry: one item of `listen`: an address, the name its descriptor goes by, and the rights of its file.
//
// Pure value of AppSpec. The name is what LISTEN_FDNAMES says and what `${socket.NAME}` in args and env
// means; without one of its own an entry is called by its place: listen0, listen1 ... Rights are of Unix
// sockets with a path only; user and group are names or numbers, looked up by the daemon when the socket is
// opened.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/app_field_problem.h"
#include "config/listen_address.h"

namespace clusterd {

inline constexpr std::size_t kSocketNameBytesMax = 64;
inline constexpr int kFirstListenFd = 3;  // SD_LISTEN_FDS_START

struct SocketRights {
  std::optional<unsigned> mode;  // absent: 0755
  std::string owner;             // empty: the daemon's user
  std::string group;             // empty: the daemon's group

  bool operator==(const SocketRights&) const = default;
};

struct ListenEntry {
  ListenEntry() = default;
  ListenEntry(ListenAddress where, std::string called = {}, SocketRights access = {})
      : address(std::move(where)), name(std::move(called)), rights(std::move(access)) {}

  ListenAddress address;
  std::string name;  // empty: by its place
  SocketRights rights;

  bool operator==(const ListenEntry&) const = default;
};

// The name of entry number `index`, given or by its place.
std::string socket_name(std::span<const ListenEntry> entries, std::size_t index);

// "${socket.NAME}" becomes the number of the descriptor. find_unknown_socket: the first NAME that no entry
// has; what expand_sockets() is given has none.
std::optional<std::string> find_unknown_socket(std::string_view text, std::span<const ListenEntry> entries);
std::string expand_sockets(std::string_view text, std::span<const ListenEntry> entries);

// A text, a port number, or {"address", "name", "mode", "owner", "group"}; every wrong member is a problem.
void read_listen_entry(const nlohmann::json& value, ListenEntry& target, FieldProblems& problems);
// Text if there is nothing but an address.
nlohmann::json write_listen_entry(const ListenEntry& entry);

}  // namespace clusterd
