// The `logs` operation: says where the output of apps is kept and how far it reaches at this instant, and
// lets the client follow from that very instant on.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <map>

#include "daemon/client_follower.h"
#include "daemon/clock.h"
#include "daemon/log_paths.h"
#include "daemon/operations.h"

namespace clusterd {

using nlohmann::json;

namespace {

constexpr std::size_t kSourcesInEvent = 256;
constexpr std::size_t kMarksInAll = 100'000;  // of all sources together: a few MiB of JSON

// The latest ones, as [offset, wall-clock ms] after one another.
json marks_of(const LogFile& file, std::size_t count_max) {
  const std::vector<TimeMark>& marks = file.time_marks();
  const std::int64_t wall_of_zero = wall_now_ms() - monotonic_now().count();
  json list = json::array();
  for (std::size_t i = marks.size() - std::min(marks.size(), count_max); i < marks.size(); ++i) {
    list.push_back(marks[i].offset);
    list.push_back(wall_of_zero + marks[i].at.count());
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
  std::vector<std::shared_ptr<LogFile>> files;
  std::map<std::string, std::size_t> known;
  for (const Target& target : *targets) {
    for (std::size_t slot = 0; slot < target.app->slots.size(); ++slot) {
      const int id = target.app->slots[slot].id;
      const bool meant = target.slots.empty() ||
                         std::ranges::find(target.slots, static_cast<int>(slot)) != target.slots.end();
      if (!meant) continue;
      filter.ids.insert({target.app->key, target.slots.empty() ? -1 : id});
      const InstancePaths paths =
          instance_paths(context_.home, target.app->spec(), static_cast<int>(slot), id);
      for (const Stream stream : filter.streams) {
        const std::string& path = stream == Stream::out ? paths.out_file : paths.error_file;
        const auto [entry, is_new] = known.emplace(path, sources.size());
        if (!is_new) {  // merged logs: once, and nobody's alone
          json& source = sources[entry->second];
          if (source["id"] != id) source["id"] = source["slot"] = nullptr;
          continue;
        }
        files.push_back(context_.host.logs().file_for(path));
        const LogFile::Identity identity = files.back()->identity();
        sources.push_back({{"id", id},
                           {"name", target.app->key.name},
                           {"namespace", target.app->key.name_space},
                           {"slot", slot},
                           {"stream", stream_name(stream)},
                           {"path", path},
                           {"device", identity.device},
                           {"inode", identity.inode},
                           {"offset", files.back()->size()}});
      }
    }
  }
  const std::size_t marks_each = files.empty() ? 0 : kMarksInAll / files.size();
  for (std::size_t i = 0; i < files.size(); ++i) sources[i]["marks"] = marks_of(*files[i], marks_each);
  send_sources(reply, std::move(sources));
  if (!args.value("follow", false)) return reply->succeed(json::object());
  follow(context_.host.feed(), reply, std::move(filter));
}

}  // namespace clusterd
