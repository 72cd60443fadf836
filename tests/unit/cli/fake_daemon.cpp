#include "fake_daemon.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <utility>

using nlohmann::json;

FakeDaemon::FakeDaemon(const std::string& socket_path, Script script, std::string greeting)
    : script_(std::move(script)), greeting_(std::move(greeting)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, 16) != 0 || pipe(stop_pipe_) != 0) {
    throw std::runtime_error("the fake daemon cannot listen");
  }
  thread_ = std::thread([this] { serve(); });
}

FakeDaemon::~FakeDaemon() {
  close(stop_pipe_[1]);
  thread_.join();
  close(stop_pipe_[0]);
  close(listener_);
}

std::vector<json> FakeDaemon::requests() const {
  std::lock_guard lock(mutex_);
  return requests_;
}

std::string FakeDaemon::ok(const json& request, const json& result) {
  return json{{"id", request["id"]}, {"ok", true}, {"result", result}}.dump();
}

std::string FakeDaemon::failed(const json& request, const std::string& code, const std::string& message,
                               const json& result) {
  json error{{"code", code}, {"message", message}};
  return json{{"id", request["id"]}, {"ok", false}, {"error", error}, {"result", result}}.dump();
}

std::string FakeDaemon::event(const json& request, const std::string& name, json fields) {
  fields["id"] = request["id"];
  fields["event"] = name;
  return fields.dump();
}

void FakeDaemon::serve() {
  while (true) {
    pollfd fds[2] = {{listener_, POLLIN, 0}, {stop_pipe_[0], POLLIN, 0}};
    if (poll(fds, 2, -1) < 0 || fds[1].revents != 0) return;
    int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    converse(fd);
    close(fd);
  }
}

void FakeDaemon::converse(int fd) {
  auto send_line = [fd](std::string line) {
    line += '\n';
    return send(fd, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
  };
  if (!greeting_.empty() && !send_line(greeting_)) return;
  std::string input;
  while (true) {
    pollfd fds[2] = {{fd, POLLIN, 0}, {stop_pipe_[0], POLLIN, 0}};
    if (poll(fds, 2, -1) < 0 || fds[1].revents != 0) return;
    char buffer[4096];
    ssize_t count = recv(fd, buffer, sizeof buffer, 0);
    if (count <= 0) return;
    input.append(buffer, static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = input.find('\n')) != std::string::npos; input.erase(0, end + 1)) {
      json request = json::parse(input.substr(0, end));
      {
        std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      FakeAnswer answer = script_(request);
      for (const std::string& line : answer.lines) {
        if (!send_line(line)) return;
      }
      if (answer.hang_up) return;
    }
  }
}
