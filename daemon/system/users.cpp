#include "daemon/system/users.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <vector>

#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

constexpr std::size_t kEntryBytesMax = 1024 * 1024;  // a group with thousands of members
constexpr int kGroupsMax = 65'536;                   // NGROUPS_MAX of the kernel

struct UserEntry {
  uid_t uid;
  gid_t gid;
  std::string name, home, shell;
};

std::optional<unsigned> to_id(const std::string& text) {
  unsigned id = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, id);
  if (parsed.ec != std::errc{} || parsed.ptr != end || id == ~0u) return std::nullopt;
  return id;
}

// Calls a getXXX_r function with a buffer that grows until the entry fits. 0 and a null entry: not known.
template <class Entry, class Lookup>
int look_up(Entry& entry, Entry*& found, std::vector<char>& buffer, Lookup lookup) {
  int error = ERANGE;
  for (std::size_t size = 4096; error == ERANGE && size <= kEntryBytesMax; size *= 4) {
    buffer.resize(size);
    error = lookup(&entry, buffer.data(), buffer.size(), &found);
  }
  // Some name services answer "not known" with an errno of their own.
  return error == ENOENT || error == ESRCH || error == EBADF || error == EPERM ? 0 : error;
}

template <class Lookup>
Result<std::optional<UserEntry>> find_user(const std::string& text, Lookup lookup) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer;
  const int error = look_up(entry, found, buffer, lookup);
  if (error != 0) return system_error("cannot look up user '" + text + "'", error);
  if (!found) return std::nullopt;
  return UserEntry{found->pw_uid, found->pw_gid, found->pw_name, found->pw_dir, found->pw_shell};
}

Result<std::optional<UserEntry>> user_by_id(uid_t uid) {
  return find_user(std::to_string(uid), [uid](passwd* entry, char* buffer, std::size_t size, passwd** found) {
    return getpwuid_r(uid, entry, buffer, size, found);
  });
}

Result<std::optional<UserEntry>> user_by_name(const std::string& name) {
  return find_user(name, [&](passwd* entry, char* buffer, std::size_t size, passwd** found) {
    return getpwnam_r(name.c_str(), entry, buffer, size, found);
  });
}

Result<gid_t> group_id(const std::string& text) {
  group entry{};
  group* found = nullptr;
  std::vector<char> buffer;
  const int error = look_up(entry, found, buffer, [&](group* e, char* b, std::size_t size, group** f) {
    return getgrnam_r(text.c_str(), e, b, size, f);
  });
  if (error != 0) return system_error("cannot look up group '" + text + "'", error);
  if (found) return found->gr_gid;
  if (const auto id = to_id(text)) return *id;
  return fail(ErrorCode::config, "gid: there is no group '" + text + "' on this machine");
}

Result<std::vector<gid_t>> supplementary_groups(const std::string& name, gid_t gid) {
  std::vector<gid_t> groups(64);
  for (;;) {
    int count = static_cast<int>(groups.size());
    if (getgrouplist(name.c_str(), gid, groups.data(), &count) >= 0) {
      groups.resize(static_cast<std::size_t>(count));
      return groups;
    }
    if (count <= static_cast<int>(groups.size()) || count > kGroupsMax) {
      return fail(ErrorCode::failed, "cannot find out the groups of user '" + name + "'");
    }
    groups.resize(static_cast<std::size_t>(count));
  }
}

// The entry may be missing for a number the database does not know; then only its uid is set.
Result<std::optional<UserEntry>> find_user_of(const std::string& text, uid_t& uid) {
  if (text.empty()) {
    uid = geteuid();
    return user_by_id(uid);
  }
  auto entry = user_by_name(text);
  if (!entry) return entry;
  if (!*entry) {
    const auto id = to_id(text);
    if (!id) return fail(ErrorCode::config, "uid: there is no user '" + text + "' on this machine");
    uid = *id;
    return user_by_id(uid);
  }
  uid = (*entry)->uid;
  return entry;
}

}  // namespace

Result<ResolvedUser> resolve_user(const std::string& uid_text, const std::string& gid_text) {
  uid_t uid = 0;
  const auto entry = find_user_of(uid_text, uid);
  if (!entry) return fail(entry.error());
  ResolvedUser user;
  user.identity.uid = uid;
  user.name = *entry ? (*entry)->name : std::to_string(uid);
  user.home = *entry ? (*entry)->home : "/";
  user.shell = *entry ? (*entry)->shell : "/bin/sh";
  if (!gid_text.empty()) {
    const auto gid = group_id(gid_text);
    if (!gid) return fail(gid.error());
    user.identity.gid = *gid;
  } else if (*entry) {
    user.identity.gid = (*entry)->gid;
  } else if (uid_text.empty()) {
    user.identity.gid = getegid();
  } else {
    return fail(ErrorCode::config,
                "uid: user " + std::to_string(uid) + " has no login group here: give gid too");
  }
  if (*entry) {
    auto groups = supplementary_groups(user.name, user.identity.gid);
    if (!groups) return fail(groups.error());
    user.identity.groups = std::move(*groups);
  }
  return user;
}

Result<FileOwner> resolve_owner(const std::string& owner_text, const std::string& group_text) {
  FileOwner result;
  if (!owner_text.empty()) {
    const auto entry = user_by_name(owner_text);
    if (!entry) return fail(entry.error());
    const auto id = to_id(owner_text);
    if (!*entry && !id)
      return fail(ErrorCode::config, "owner: there is no user '" + owner_text + "' on this machine");
    result.uid = *entry ? (*entry)->uid : *id;
  }
  if (!group_text.empty()) {
    const auto gid = group_id(group_text);
    if (!gid && gid.error().code != ErrorCode::config) return fail(gid.error());
    if (!gid) return fail(ErrorCode::config, "group: there is no group '" + group_text + "' on this machine");
    result.gid = *gid;
  }
  return result;
}

std::string user_name(uid_t uid) {
  const auto entry = user_by_id(uid);
  return entry && *entry ? (*entry)->name : std::to_string(uid);
}

}  // namespace clusterd
