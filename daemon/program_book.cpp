#include "daemon/program_book.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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
  const auto package = nlohmann::json::parse(text, nullptr, false);
  if (!package.is_object()) return "";
  const auto version = package.find("version");
  if (version == package.end() || !version->is_string()) return "";
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

void ProgramBook::launched(const AppKey& app, InstanceKey instance, const AppSpec& spec) {
  ProgramFacts facts = look_at_program(spec);
  apps_[app] = {spec.script, facts};
  instances_[instance] = std::move(facts);
}

const ProgramFacts& ProgramBook::of(const AppKey& app, InstanceKey instance, const AppSpec& spec) {
  if (const auto known = instances_.find(instance); known != instances_.end()) return known->second;
  Latest& latest = apps_[app];
  if (latest.script != spec.script) latest = {spec.script, look_at_program(spec)};
  return latest.facts;
}

}  // namespace clusterd
