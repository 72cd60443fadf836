#include "tests/tidy/rules.h"

#include <algorithm>
#include <regex>

#include "tests/tidy/function_length.h"

namespace clusterd::tidy {
namespace {

// The first entry whose folder a file is below says what it may include: folders, or single files.
struct Floor {
  std::string_view folder;
  std::vector<std::string_view> may_include;
};

const std::vector<Floor>& floors() {
  static const std::vector<Floor> all = {
      {"common/", {"common/"}},
      {"config/", {"common/", "config/"}},
      {"daemon/core/", {"common/", "config/", "daemon/core/"}},
      {"daemon/system/",
       {"common/", "config/", "daemon/system/", "daemon/launcher/launch_wire.h", "daemon/bpf/balancer_abi.h",
        "daemon/bpf/loader_wire.h"}},
      {"daemon/launcher/", {"daemon/launcher/"}},
      {"daemon/bpf/", {"daemon/bpf/"}},
      {"daemon/", {"common/", "config/", "daemon/"}},
      {"cli/", {"common/", "config/", "cli/"}},
  };
  return all;
}

std::string at_line(const SourceFile& file, std::size_t index, const std::string& what) {
  return file.path + ":" + std::to_string(index + 1) + ": " + what;
}

// One violation for each line of the text in which the pattern occurs.
Violations lines_matching(const SourceFile& file, std::string_view text, const std::regex& pattern,
                          const std::string& what) {
  Violations found;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::regex_search(lines[i].begin(), lines[i].end(), pattern)) found.push_back(at_line(file, i, what));
  }
  return found;
}

}  // namespace

Violations check_file_length(const SourceFile& file) {
  const std::size_t lines = lines_of(file.text).size();
  if (file.is_markdown() || lines <= kFileLinesMax) return {};
  return {file.path + ": " + std::to_string(lines) + " lines, the limit is " + std::to_string(kFileLinesMax)};
}

Violations check_function_length(const SourceFile& file) {
  Violations found;
  if (!file.is_cpp()) return found;
  for (const auto& function : function_lengths(code_only(file.text))) {
    if (function.lines <= kFunctionLinesMax) continue;
    found.push_back(at_line(file, static_cast<std::size_t>(function.first_line) - 1,
                            "a function of " + std::to_string(function.lines) + " lines, the limit is " +
                                std::to_string(kFunctionLinesMax)));
  }
  return found;
}

Violations check_floors(const SourceFile& file) {
  Violations found;
  const auto floor = std::ranges::find_if(floors(), [&](const Floor& f) { return file.is_below(f.folder); });
  if (!file.is_cpp() || floor == floors().end()) return found;
  for (const std::string_view include : quoted_includes(file.text)) {
    const bool allowed =
        std::ranges::any_of(floor->may_include, [&](auto prefix) { return include.starts_with(prefix); });
    if (!allowed) found.push_back(file.path + ": may not include " + std::string(include));
  }
  return found;
}

Violations check_core_is_pure(const SourceFile& file) {
  if (!file.is_below("daemon/core/")) return {};
  static const std::regex clock_call(R"(\bnow\s*\()");
  Violations found = lines_matching(file, code_only(file.text), clock_call, "the core reads no clock");
  for (const std::string_view include : system_includes(file.text)) {
    for (const std::string_view banned : {"boost/", "spdlog/", "sys/", "unistd.h", "fcntl.h"}) {
      if (include.starts_with(banned))
        found.push_back(file.path + ": the core may not include <" + std::string(include) + ">");
    }
  }
  return found;
}

Violations check_header_opening(const SourceFile& file) {
  if (!file.is_header()) return {};
  Violations found;
  const auto lines = lines_of(file.text);
  const bool has_essay = lines.size() >= 2 && lines[0].starts_with("// ") && lines[1].starts_with("//");
  if (!has_essay) found.push_back(file.path + ":1: a header opens with a comment that says what it is");
  if (std::ranges::find(lines, "#pragma once") == lines.end())
    found.push_back(file.path + ": no #pragma once");
  return found;
}

Violations check_no_sleep(const SourceFile& file) {
  if (!file.is_cpp() || !(file.is_below("tests/unit/") || file.is_below("tests/search/"))) return {};
  static const std::regex sleep_call(R"(\b(sleep_for|sleep_until|(u|nano)?sleep)\s*\()");
  return lines_matching(file, code_only(file.text), sleep_call, "a test that sleeps is slow or wrong");
}

Violations check_no_leftovers(const SourceFile& file) {
  // In pieces, so that this file passes.
  static const std::regex mark(R"(\b(FIX)"
                               "ME|TO"
                               "DO|XX"
                               R"(X)\b)");
  return lines_matching(file, file.text, mark, "a mark of unfinished work");
}

Violations check_markdown_title(const SourceFile& file) {
  if (!file.is_markdown() || !file.is_below("docs/")) return {};
  int titles = 0;
  bool in_code = false;
  for (const std::string_view line : lines_of(file.text)) {
    if (line.starts_with("```")) in_code = !in_code;
    if (!in_code && line.starts_with("# ")) ++titles;
  }
  if (titles == 1) return {};
  return {file.path + ": " + std::to_string(titles) +
          " titles (lines beginning with '# '), there must be one"};
}

Violations check_no_using_std(const SourceFile& file) {
  if (!file.is_cpp()) return {};
  static const std::regex using_std(R"(\busing\s+namespace\s+std\s*;)");
  return lines_matching(file, code_only(file.text), using_std,
                        "names of the standard library are written with std::");
}

}  // namespace clusterd::tidy
