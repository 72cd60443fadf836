// FakeDaemon: a thread that listens on a Unix socket and answers each request with prepared lines.
//
// For the tests of this folder alone. Every connection gets the greeting; each request line is recorded and
// handed to the script, which returns the raw lines to send. A script may ask for hanging up afterwards.
#pragma once

#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

struct FakeAnswer {
  std::vector<std::string> lines;  // without '\n'
  bool hang_up = false;
};

class FakeDaemon {
 public:
  using Script = std::function<FakeAnswer(const nlohmann::json& request)>;

  FakeDaemon(const std::string& socket_path, Script script,
             std::string greeting = R"({"clusterd":"0.1.0","protocol":1,"pid":4711})");
  FakeDaemon(const FakeDaemon&) = delete;
  FakeDaemon& operator=(const FakeDaemon&) = delete;
  ~FakeDaemon();

  std::vector<nlohmann::json> requests() const;

  static std::string ok(const nlohmann::json& request, const nlohmann::json& result);
  static std::string failed(const nlohmann::json& request, const std::string& code,
                            const std::string& message,
                            const nlohmann::json& result = nlohmann::json::object());
  static std::string event(const nlohmann::json& request, const std::string& name, nlohmann::json fields);

 private:
  void serve();
  void converse(int fd);

  int listener_ = -1;
  int stop_pipe_[2] = {-1, -1};
  Script script_;
  std::string greeting_;
  mutable std::mutex mutex_;
  std::vector<nlohmann::json> requests_;
  std::thread thread_;
};
