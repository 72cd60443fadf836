#include "daemon/socket_dialects.h"

#include <algorithm>
#include <functional>

namespace clusterd {
namespace {

bool is_unix(const ListenAddress& address) { return address.family == AddressFamily::unix_stream; }

bool is_any(const ListenAddress& address) {
  return std::ranges::all_of(address.ip, [](std::uint8_t byte) { return byte == 0; });
}

// "127.0.0.1:80", "[::1]:80", "[::]:80" for all addresses of both families, or the path.
std::string host_and_port(const ListenAddress& address) {
  if (is_unix(address)) return address.path;
  if (address.dual_stack && is_any(address)) return "[::]:" + std::to_string(address.port);
  return to_string(address);
}

std::string fd_text(std::size_t index) {
  return std::to_string(static_cast<std::size_t>(kFirstListenFd) + index);
}

class Dialects {
 public:
  Dialects(Environment& environment, const AppSpec& spec, const DialectFacts& facts)
      : environment_(environment), spec_(spec), facts_(facts) {}

  void add() {
    if (speaks(SocketProtocol::nginx)) set("NGINX", joined("", ";"));
    if (speaks(SocketProtocol::unicorn)) set("UNICORN_FD", listed(","));
    if (speaks(SocketProtocol::php_fpm)) add_php_fpm();
    if (speaks(SocketProtocol::puma)) add_puma();
    if (speaks(SocketProtocol::einhorn)) add_einhorn();
    if (speaks(SocketProtocol::server_starter)) add_server_starter();
    if (speaks(SocketProtocol::port)) add_port();
    if (speaks(SocketProtocol::gunicorn)) {
      set("GUNICORN_FD", listed(","));
      set("GUNICORN_PID", std::to_string(facts_.parent));
    }
    if (speaks(SocketProtocol::uwsgi)) {
      set("UPSTART_EVENTS", "socket");
      set("UPSTART_FDS", fd_text(0));
    }
    if (speaks(SocketProtocol::overseer)) add_overseer();
  }

 private:
  bool speaks(SocketProtocol protocol) const { return clusterd::speaks(spec_.socket_protocol, protocol); }

  void set(const std::string& name, std::string value) {
    if (!sets_variable(spec_, name)) environment_[name] = std::move(value);
  }

  std::string joined(const std::string& before, const std::string& after) const {
    std::string text;
    for (std::size_t i = 0; i < facts_.sockets.size(); ++i) text += before + fd_text(i) + after;
    return text;
  }

  std::string listed(const std::string& separator) const {
    std::string text = joined("", separator);
    text.resize(text.size() - separator.size());
    return text;
  }

  std::string addressed(const std::string& separator,
                        const std::function<std::string(const ListenAddress&)>& name) const {
    std::string text;
    for (std::size_t i = 0; i < facts_.sockets.size(); ++i) {
      if (i > 0) text += separator;
      text += name(facts_.sockets[i]) + "=" + fd_text(i);
    }
    return text;
  }

  void add_php_fpm() { set("FPM_SOCKETS", addressed(",", host_and_port)); }

  void add_puma() {
    for (std::size_t i = 0; i < facts_.sockets.size(); ++i) {
      const std::string scheme = is_unix(facts_.sockets[i]) ? "unix://" : "tcp://";
      set("PUMA_INHERIT_" + std::to_string(i), fd_text(i) + ":" + scheme + host_and_port(facts_.sockets[i]));
    }
  }

  void add_einhorn() {
    for (std::size_t i = 0; i < facts_.sockets.size(); ++i) {
      const std::string number = std::to_string(i);
      const AddressFamily family = facts_.sockets[i].family;
      set("EINHORN_FD_" + number, fd_text(i));
      set("EINHORN_FD_FAMILY_" + number, family == AddressFamily::tcp4   ? "AF_INET"
                                         : family == AddressFamily::tcp6 ? "AF_INET6"
                                                                         : "AF_UNIX");
    }
    set("EINHORN_FD_COUNT", std::to_string(facts_.sockets.size()));
    set("EINHORN_FDS", listed(" "));
    set("EINHORN_CHILD_INDEX", std::to_string(facts_.slot));
    set("EINHORN_MASTER_PID", std::to_string(facts_.parent));
  }

  void add_server_starter() {
    const auto name = [](const ListenAddress& address) {
      if (!is_unix(address) && address.dual_stack && is_any(address)) return std::to_string(address.port);
      return host_and_port(address);
    };
    set("SERVER_STARTER_PORT", addressed(";", name));
    set("SERVER_STARTER_GENERATION", std::to_string(facts_.generation));
  }

  void add_port() {
    const auto tcp = [](const ListenAddress& address) { return !is_unix(address); };
    if (std::ranges::count_if(facts_.sockets, tcp) != 1) return;
    // Whatever PORT there is, also that of the operator's shell, was meant for the app.
    environment_.emplace("PORT", std::to_string(std::ranges::find_if(facts_.sockets, tcp)->port));
  }

  void add_overseer() {
    set("OVERSEER_IS_SLAVE", "1");
    set("OVERSEER_NUM_FDS", std::to_string(facts_.sockets.size()));
    set("OVERSEER_SLAVE_ID", std::to_string(facts_.generation));
  }

  Environment& environment_;
  const AppSpec& spec_;
  const DialectFacts& facts_;
};

}  // namespace

bool sets_variable(const AppSpec& spec, const std::string& name) {
  const auto profile = spec.env_profiles.find(spec.env_profile);
  return spec.env.contains(name) || (profile != spec.env_profiles.end() && profile->second.contains(name));
}

void add_socket_dialects(Environment& environment, const AppSpec& spec, const DialectFacts& facts) {
  if (!facts.sockets.empty()) Dialects(environment, spec, facts).add();
}

}  // namespace clusterd
