#include "daemon/program_book.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/json_text.h"
#include "common/path_text.h"
#include "daemon/system/program_path.h"
#include "daemon/system/state_file.h"

namespace clusterd {
namespace {

std::string nearest_version(std::string folder) {
  for (int looked = 0; looked < kPackageFoldersMax && !folder.empty(); ++looked) {
    if (const auto text = read_whole(join_path(folder, "package.json"), kPackageBytesMax)) {
      if (std::string version = package_version(*text); !version.empty()) return version;
    }
    if (folder == "/") break;
    const std::size_t slash = folder.rfind('/');
    if (slash == std::string::npos) break;
    folder.resize(std::max<std::size_t>(slash, 1));
  }
  return "";
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, std::max<std::size_t>(slash, 1));
}

}  // namespace

std::string package_version(const std::string& text) {
  const auto package = parse_line(text);
  if (!package || !package->is_object()) return "";
  const auto version = package->find("version");
  if (version == package->end() || !version->is_string()) return "";
  const auto& word = version->get_ref<const std::string&>();
  const bool fit = word.size() <= kPackageVersionBytesMax &&
                   std::ranges::all_of(word, [](char byte) { return byte > ' ' && byte < '\x7f'; });
  return fit ? word : "";
}

ProgramFacts look_at_program(const AppSpec& spec) {
  if (is_absolute(spec.script)) return {spec.script, nearest_version(folder_of(spec.script))};
  const Environment environment = effective_environment(spec);
  const auto search_path = environment.find("PATH");
  std::string path = program_path(
      spec.script, search_path == environment.end() ? kPathIfUnset : search_path->second, spec.cwd);
  return {path.empty() ? spec.script : std::move(path), nearest_version(spec.cwd)};
}

ProgramBook::Latest& ProgramBook::latest_of(const AppKey& app, const AppSpec& spec) {
  Latest& latest = apps_[app];
  if (latest.script != spec.script) latest = {spec.script, {spec.script, ""}};
  return latest;
}

void ProgramBook::look(const AppKey& app, InstanceKey instance, const AppSpec& spec) {
  looks_.add([this, app, instance, spec] {
    return [this, app, instance, script = spec.script, facts = look_at_program(spec)] {
      if (const auto known = instances_.find(instance); known != instances_.end()) known->second = facts;
      const auto latest = apps_.find(app);
      if (latest != apps_.end() && latest->second.script == script) latest->second.facts = facts;
    };
  });
}

void ProgramBook::launched(const AppKey& app, InstanceKey instance, const AppSpec& spec) {
  instances_[instance] = latest_of(app, spec).facts;
  look(app, instance, spec);
}

const ProgramFacts& ProgramBook::of(const AppKey& app, InstanceKey instance, const AppSpec& spec) {
  if (const auto known = instances_.find(instance); known != instances_.end()) return known->second;
  const bool is_news = !apps_.contains(app) || apps_[app].script != spec.script;
  const ProgramFacts& facts = latest_of(app, spec).facts;
  if (is_news) look(app, instance, spec);
  return facts;
}

}  // namespace clusterd
