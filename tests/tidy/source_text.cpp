#include "tests/tidy/source_text.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace clusterd::tidy {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[] = {".ci", "cli", "common", "config", "daemon", "docs", "packaging", "tests"};
const std::set<std::string> kExtensions = {".h", ".cpp", ".c", ".py", ".sh", ".md"};

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Walks through C++ text and blanks what is not code.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(code_);
  }

 private:
  void step() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("//")) return blank_until("\n", 2, 0);
    if (rest.starts_with("/*")) return blank_until("*/", 2, 2);
    if (rest.starts_with("R\"")) return blank_raw_string(rest);
    if (rest[0] == '"') return blank_literal('"');
    if (rest[0] == '\'' && !is_digit_separator()) return blank_literal('\'');
    if (rest[0] == '#' && is_first_on_line()) return blank_directive();
    code_ += text_[at_++];
  }

  bool is_digit_separator() const {
    return at_ > 0 && std::isxdigit(static_cast<unsigned char>(text_[at_ - 1]));
  }

  bool is_first_on_line() const {
    const std::size_t before = text_.substr(0, at_).find_last_not_of(" \t");
    return before == std::string_view::npos || text_[before] == '\n';
  }

  void blank(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_) code_ += text_[at_] == '\n' ? '\n' : ' ';
  }

  // From here to the end mark; `skipped` characters are part of the opening mark, `closing` of the end mark.
  void blank_until(std::string_view end_mark, std::size_t skipped, std::size_t closing) {
    const std::size_t end = text_.find(end_mark, at_ + skipped);
    blank(end == std::string_view::npos ? text_.size() - at_ : end + closing - at_);
  }

  void blank_raw_string(std::string_view rest) {
    const std::string end_mark = ")" + std::string(rest.substr(2, rest.find('(') - 2)) + "\"";
    blank_until(end_mark, 2, end_mark.size());
  }

  void blank_literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    blank(end + 1 - at_);
  }

  void blank_directive() {
    std::size_t end = text_.find('\n', at_);
    while (end != std::string_view::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
    blank((end == std::string_view::npos ? text_.size() : end) - at_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string code_;
};

std::vector<std::string_view> includes(std::string_view text, char open, char close) {
  std::vector<std::string_view> found;
  for (std::string_view line : lines_of(text)) {
    if (!line.starts_with("#include")) continue;
    const std::size_t begin = line.find(open);
    if (begin == std::string_view::npos) continue;
    found.push_back(line.substr(begin + 1, line.find(close, begin + 1) - begin - 1));
  }
  return found;
}

}  // namespace

std::vector<SourceFile> load_source_tree(const std::string& root) {
  std::vector<SourceFile> files;
  for (const char* folder : kFolders) {
    const fs::path top = fs::path(root) / folder;
    if (!fs::exists(top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      const fs::path& path = entry.path();
      const bool is_script = path.extension().empty() && (folder == std::string_view(".ci"));
      if (!entry.is_regular_file() || !(is_script || kExtensions.contains(path.extension()))) continue;
      files.push_back({fs::relative(path, root).string(), read_text(path)});
    }
  }
  return files;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), lines.back().size() + 1));
  }
  return lines;
}

std::string code_only(std::string_view text) { return Blanker(text).run(); }

std::vector<std::string_view> quoted_includes(std::string_view text) { return includes(text, '"', '"'); }
std::vector<std::string_view> system_includes(std::string_view text) { return includes(text, '<', '>'); }

}  // namespace clusterd::tidy
