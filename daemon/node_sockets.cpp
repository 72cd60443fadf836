#include "daemon/node_sockets.h"

#include "daemon/system/file_identity.h"
#include "daemon/system/listening_socket.h"

namespace clusterd {
namespace {

const Identity* pointer(const std::optional<Identity>& identity) { return identity ? &*identity : nullptr; }

}  // namespace

Result<int> NodeSockets::hand_out(const AppKey& app, InstanceKey user, const std::string& key,
                                  const NodeSocketWish& wish) {
  Shelf& shelf = apps_[app];
  const auto known = shelf.sockets.find(key);
  if (known != shelf.sockets.end() && known->second.file.in_place()) {
    known->second.users.insert(user);
    return known->second.fd.get();
  }
  if (known == shelf.sockets.end() && shelf.sockets.size() >= kNodeSocketsMax) {
    return fail(ErrorCode::failed, "more than " + std::to_string(kNodeSocketsMax) + " sockets of one app");
  }
  auto opened = open(wish);
  if (!opened) return fail(opened.error());
  // Who removed the file made the old socket unreachable; its workers keep it, newcomers share the new one.
  opened->users.insert(user);
  Entry& entry = shelf.sockets[key] = std::move(*opened);
  return entry.fd.get();
}

Result<NodeSockets::Entry> NodeSockets::open(const NodeSocketWish& wish) {
  Entry entry;
  entry.identity = wish.identity;
  const FileIdentity as_the_program(pointer(entry.identity));
  auto fd = wish.kind == NodeSocketWish::Kind::datagram ? open_datagram_socket(wish.address, wish.options)
                                                        : open_listening_socket(wish.address);
  if (!fd) return fail(fd.error());
  entry.fd = std::move(*fd);
  if (wish.address.family == AddressFamily::unix_stream) {
    entry.file = SocketFile::at(wish.address.path);
    entry.file.add_mode(wish.added_mode);
  }
  return entry;
}

void NodeSockets::remove_file(const Entry& entry) {
  const FileIdentity as_the_program(pointer(entry.identity));
  entry.file.remove();
}

std::string NodeSockets::shared_data(const AppKey& app, const std::string& key, const std::string& own) {
  auto& data = apps_[app].data;
  const auto known = data.find(key);
  if (known != data.end()) return known->second;
  if (own != "null" && own.size() <= kNodeServerDataBytesMax && data.size() < kNodeSocketsMax)
    data[key] = own;
  return own;
}

void NodeSockets::forget_user(const AppKey& app, InstanceKey user) {
  const auto shelf = apps_.find(app);
  if (shelf == apps_.end()) return;
  for (auto& [key, entry] : shelf->second.sockets) entry.users.erase(user);
}

void NodeSockets::close_app(const AppKey& app) {
  const auto shelf = apps_.find(app);
  if (shelf == apps_.end()) return;
  for (const auto& [key, entry] : shelf->second.sockets) remove_file(entry);
  apps_.erase(shelf);
}

void NodeSockets::close_unused(const AppKey& app) {
  const auto shelf = apps_.find(app);
  if (shelf == apps_.end()) return;
  std::erase_if(shelf->second.sockets, [](const auto& one) {
    if (!one.second.users.empty()) return false;
    remove_file(one.second);
    return true;
  });
}

}  // namespace clusterd
