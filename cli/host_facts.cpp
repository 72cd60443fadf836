#include "cli/host_facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace clusterd::cli {
namespace {

using nlohmann::json;

// "MemTotal:       16384 kB"
json memory_of(const std::string& field) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  std::string rest;
  while (file >> name >> kibibytes && std::getline(file, rest)) {
    if (name == field) return kibibytes * 1024;
  }
  return nullptr;
}

// PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"
json system_name() {
  std::ifstream file("/etc/os-release");
  const std::string key = "PRETTY_NAME=";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    line.erase(0, key.size());
    if (line.size() >= 2 && line.front() == '"') line = line.substr(1, line.size() - 2);
    return line;
  }
  return nullptr;
}

json uptime_seconds() {
  std::ifstream file("/proc/uptime");
  double seconds = 0;
  return file >> seconds ? json(static_cast<std::int64_t>(seconds)) : json(nullptr);
}

}  // namespace

json host_facts() {
  utsname names{};
  uname(&names);
  std::array<double, 3> load{};
  const bool has_load = getloadavg(load.data(), 3) == 3;
  return {{"hostname", names.nodename},
          {"system", system_name()},
          {"kernel", std::string(names.sysname) + " " + names.release},
          {"architecture", names.machine},
          {"cpus", sysconf(_SC_NPROCESSORS_ONLN)},
          {"load", has_load ? json(load) : json(nullptr)},
          {"memory_total", memory_of("MemTotal:")},
          {"memory_available", memory_of("MemAvailable:")},
          {"uptime_s", uptime_seconds()}};
}

}  // namespace clusterd::cli
