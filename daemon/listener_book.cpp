#include "daemon/listener_book.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "daemon/system/listening_socket.h"
#include "daemon/system/socket_inode.h"

namespace clusterd {
namespace {

int errno_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::conflict:
      return EADDRINUSE;
    case ErrorCode::denied:
      return EACCES;
    default:
      return EADDRNOTAVAIL;
  }
}

CallVerdict refuse(int error, std::string note) {
  return {CallVerdict::Kind::refuse, -1, error, std::move(note)};
}

// The file of a unix socket is the daemon's: made with the listener, gone with it.
void remove_file(const Listener& listener) {
  if (listener.bound.family != AddressFamily::unix_stream || listener.bound.path.starts_with('@')) return;
  std::error_code ignored;
  if (std::filesystem::is_socket(listener.bound.path, ignored))
    std::filesystem::remove(listener.bound.path, ignored);
}

bool matches(const Listener& listener, const ListenAddress& address) {
  return listener.asked == address || listener.bound == address;
}

}  // namespace

Listener* ListenerBook::find(const AppKey& app, const ListenAddress& address) {
  const auto entry = apps_.find(app);
  if (entry == apps_.end()) return nullptr;
  const auto found =
      std::ranges::find_if(entry->second, [&](const Listener& one) { return matches(one, address); });
  return found == entry->second.end() ? nullptr : &*found;
}

const AppKey* ListenerBook::owner_of(const ListenAddress& address) const {
  for (const auto& [key, listeners] : apps_) {
    if (std::ranges::any_of(listeners, [&](const Listener& one) { return matches(one, address); }))
      return &key;
  }
  return nullptr;
}

Result<Listener*> ListenerBook::open(const AppKey& app, const ListenAddress& address,
                                     const SocketRights& rights) {
  if (const AppKey* owner = owner_of(address)) {
    return fail(ErrorCode::conflict, to_string(address) + " belongs to the app '" + owner->name + "'");
  }
  auto socket = open_listening_socket(address, rights);
  if (!socket) return fail(socket.error());
  const auto bound = local_address(socket->get());
  Listener listener;
  listener.asked = address;
  listener.rights = rights;
  listener.bound = bound ? *bound : address;
  listener.inode = socket_inode(socket->get());
  listener.fd = std::move(*socket);
  return &apps_[app].emplace_back(std::move(listener));
}

Result<std::vector<int>> ListenerBook::declare(const AppKey& app, InstanceKey user,
                                               std::span<const ListenEntry> entries) {
  std::vector<int> descriptors;
  for (const ListenEntry& entry : entries) {
    Listener* listener = find(app, entry.address);
    if (listener == nullptr) {
      auto opened = open(app, entry.address, entry.rights);
      if (!opened) return fail(opened.error());
      listener = *opened;
    } else if (listener->rights != entry.rights) {
      if (auto set = set_socket_rights(entry.address, entry.rights); !set) return fail(set.error());
      listener->rights = entry.rights;
    }
    listener->declared = true;
    if (!listener->listening) {
      if (auto started = start_listening(listener->fd.get()); !started) return fail(started.error());
      listener->listening = true;
    }
    listener->users.insert(user);
    descriptors.push_back(listener->fd.get());
  }
  return descriptors;
}

CallVerdict ListenerBook::on_bind(const AppKey& app, InstanceKey user, const SocketCall& call,
                                  const std::function<std::vector<pid_t>()>& tree) {
  if (!call.address) return {};
  Listener* listener = find(app, *call.address);
  if (listener == nullptr) {
    // The daemon may be privileged where the program is not: it lends nobody a port below 1024.
    if (!call.privileged_port_allowed) {
      return refuse(EACCES, to_string(*call.address) + ": this port needs CAP_NET_BIND_SERVICE or `listen`");
    }
    auto opened = open(app, *call.address);
    if (!opened) return refuse(errno_of(opened.error()), opened.error().message);
    listener = *opened;
  } else if (listener->users.contains(user) && !call.reuse_port && !listener->declared &&
             tree_holds_socket(tree(), listener->inode)) {
    return refuse(EADDRINUSE, to_string(*call.address) + " is already bound by this instance");
  }
  listener->users.insert(user);
  return {CallVerdict::Kind::substitute, listener->fd.get(), 0, {}};
}

CallVerdict ListenerBook::on_listen(const AppKey& app, const SocketCall& call) {
  const auto entry = apps_.find(app);
  if (entry == apps_.end() || call.socket_inode == 0) return {};
  const auto found = std::ranges::find(entry->second, call.socket_inode, &Listener::inode);
  if (found == entry->second.end()) return {};
  if (!found->listening) {
    if (auto started = start_listening(found->fd.get()); !started) {
      return refuse(errno_of(started.error()), started.error().message);
    }
    found->listening = true;
  }
  return {CallVerdict::Kind::succeed, -1, 0, {}};
}

void ListenerBook::forget_user(const AppKey& app, InstanceKey user) {
  const auto entry = apps_.find(app);
  if (entry == apps_.end()) return;
  for (Listener& listener : entry->second) listener.users.erase(user);
}

void ListenerBook::close_app(const AppKey& app) {
  const auto entry = apps_.find(app);
  if (entry == apps_.end()) return;
  for (const Listener& listener : entry->second) remove_file(listener);
  apps_.erase(entry);
}

void ListenerBook::close_unused(const AppKey& app, std::span<const ListenEntry> declared) {
  const auto entry = apps_.find(app);
  if (entry == apps_.end()) return;
  std::erase_if(entry->second, [&](const Listener& listener) {
    const bool wanted =
        std::ranges::any_of(declared, [&](const ListenEntry& one) { return matches(listener, one.address); });
    if (wanted || !listener.users.empty()) return false;
    remove_file(listener);
    return true;
  });
}

const std::list<Listener>* ListenerBook::listeners(const AppKey& app) const {
  const auto entry = apps_.find(app);
  return entry == apps_.end() ? nullptr : &entry->second;
}

}  // namespace clusterd
