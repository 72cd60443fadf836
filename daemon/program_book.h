// ProgramBook: what the disk says about the programs of apps: the path of each, and the version of its
// package.
//
// Looked at in the background when a process is started, and once for an app that has never been, so that a
// question for all apps touches no file and nobody waits for a slow one; until then it is what was known
// before. The version is that of the nearest package.json at or above the script's folder that has one, as
// PM2's users know it; for a program found on PATH, which is not the app itself, from the working directory.
// Kept per instance: during a reload the old ones still are what they were. Owned by ProcessHost.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "daemon/background_work.h"
#include "daemon/instance_host.h"

namespace clusterd {

inline constexpr std::size_t kPackageBytesMax = 256 * 1024;
inline constexpr std::size_t kPackageVersionBytesMax = 64;
inline constexpr int kPackageFoldersMax = 64;

struct ProgramFacts {
  std::string path;     // of the script, absolute if it was found
  std::string version;  // empty: nobody says
};

// The `version` of a package.json; empty if it has none, or none that is fit to be shown.
std::string package_version(const std::string& text);

ProgramFacts look_at_program(const AppSpec& spec);

class ProgramBook {
 public:
  explicit ProgramBook(boost::asio::io_context& io) : looks_(io) {}

  void launched(const AppKey& app, InstanceKey instance, const AppSpec& spec);
  // `instance` may be one that has not been started, or 0: the latest that is known of the app.
  const ProgramFacts& of(const AppKey& app, InstanceKey instance, const AppSpec& spec);
  void forget(InstanceKey instance) { instances_.erase(instance); }
  void forget(const AppKey& app) { apps_.erase(app); }

 private:
  struct Latest {
    std::string script;  // what they were found for
    ProgramFacts facts;
  };
  Latest& latest_of(const AppKey& app, const AppSpec& spec);
  void look(const AppKey& app, InstanceKey instance, const AppSpec& spec);

  std::unordered_map<InstanceKey, ProgramFacts> instances_;
  std::map<AppKey, Latest> apps_;
  BackgroundWork looks_;
};

}  // namespace clusterd
