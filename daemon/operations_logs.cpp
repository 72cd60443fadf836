// The `logs` operation: says where the output of apps is kept and how far it reaches at this instant, and
// lets the client follow from that very instant on.
#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "common/local_time.h"
#include "config/log_fields.h"
#include "daemon/client_follower.h"
#include "daemon/clock.h"
#include "daemon/log_paths.h"
#include "daemon/operations.h"

namespace clusterd {

using nlohmann::json;

namespace {

constexpr std::size_t kSourcesInEvent = 256;
constexpr std::size_t kMarkedSourcesMax = 2'000;  // 512 marks each at most: some MiB of JSON

// Looking at a log must not create it.
std::uintmax_t size_on_disk(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

// As [offset, wall-clock ms] after one another.
json marks_list(const std::vector<TimeMark>& marks) {
  const std::int64_t wall_of_zero = wall_now_ms() - monotonic_now().count();
  json list = json::array();
  for (const TimeMark& mark : marks) {
    list.push_back(mark.offset);
    list.push_back(wall_of_zero + mark.at.count());
  }
  return list;
}

// Sends the sources in events of bounded size; `more` in all but the last.
void send_sources(const Reply& reply, std::vector<json> sources) {
  std::size_t begin = 0;
  do {
    const std::size_t end = std::min(begin + kSourcesInEvent, sources.size());
    json part = json::array();
    for (std::size_t i = begin; i < end; ++i) part.push_back(std::move(sources[i]));
    reply->event("sources", {{"sources", std::move(part)}, {"more", end < sources.size()}});
    begin = end;
  } while (begin < sources.size());
}

}  // namespace

void Operations::logs(const json& args, const Reply& reply) {
  const bool some = names_targets(args);
  auto targets = targets_or_all(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  FollowFilter filter;
  filter.everything = !some;
  const json streams = args.value("streams", json::array({"out", "err"}));
  for (const json& stream : streams) filter.streams.insert(stream == "out" ? Stream::out : Stream::err);
  std::vector<json> sources;
  std::map<std::string, std::size_t> known;
  const LocalTime now = local_time(wall_now_ms());
  const auto add_file = [&](json& source, const std::string& path) {
    source["path"] = path;
    source["next_rotated"] = context_.host.log_keeper().next_name(path, now);
    const auto file = context_.host.logs().open_file(path);
    if (!file) {
      source["offset"] = size_on_disk(path);
      return;
    }
    const LogFile::Identity identity = file->identity();
    source["device"] = identity.device;
    source["inode"] = identity.inode;
    source["offset"] = file->size();
    if (known.size() > kMarkedSourcesMax) return;
    source["marks"] = marks_list(file->time_marks());
    const LogFile::Rotated& rotated = file->last_rotated();
    if (!rotated.name.empty())
      source["rotated"] = {{"name", rotated.name}, {"marks", marks_list(rotated.marks)}};
  };
  for (const Target& target : *targets) {
    const LogTargetKind kind = log_target_of(target.app->spec().log);
    for (std::size_t slot = 0; slot < target.app->slots.size(); ++slot) {
      const int id = target.app->slots[slot].id;
      const bool meant = target.slots.empty() ||
                         std::ranges::find(target.slots, static_cast<int>(slot)) != target.slots.end();
      if (!meant) continue;
      filter.ids.insert({target.app->key, target.slots.empty() ? -1 : id});
      const InstancePaths paths =
          instance_paths(context_.home, target.app->spec(), static_cast<int>(slot), id);
      for (const Stream stream : filter.streams) {
        json source{
            {"id", id},     {"name", target.app->key.name},  {"namespace", target.app->key.name_space},
            {"slot", slot}, {"stream", stream_name(stream)}, {"target", log_target_word(kind)}};
        if (!keeps_files(kind)) {
          sources.push_back(std::move(source));
          continue;
        }
        const std::string& path = stream == Stream::out ? paths.out_file : paths.error_file;
        const auto [entry, is_new] = known.emplace(path, sources.size());
        if (!is_new) {  // merged logs: once, and nobody's alone
          json& first = sources[entry->second];
          if (first["id"] != id) first["id"] = first["slot"] = nullptr;
          continue;
        }
        add_file(source, path);
        sources.push_back(std::move(source));
      }
    }
  }
  send_sources(reply, std::move(sources));
  if (!args.value("follow", false)) return reply->succeed(json::object());
  follow(context_.host.feed(), reply, std::move(filter));
}

}  // namespace clusterd
