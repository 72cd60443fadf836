// Source text: the files of the source tree, and a view of a C++ file without its comments and literals.
//
// Used by the rules of this folder. Reads files once; changes nothing. Paths are relative to the tree's root.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clusterd::tidy {

struct SourceFile {
  std::string path;  // "daemon/core/lifecycle.cpp"
  std::string text;

  bool is_below(std::string_view folder) const { return path.starts_with(folder); }
  bool is_header() const { return path.ends_with(".h"); }
  bool is_cpp() const { return is_header() || path.ends_with(".cpp"); }
  bool is_markdown() const { return path.ends_with(".md"); }
};

// Every source, script and document that belongs to the project; nothing that a build made.
std::vector<SourceFile> load_source_tree(const std::string& root);

std::vector<std::string_view> lines_of(std::string_view text);

// The same text with blanks in place of comments, of the content of literals, and of preprocessor directives.
// Every character keeps its line.
std::string code_only(std::string_view text);

// The text between the quotes of every #include "..." directive.
std::vector<std::string_view> quoted_includes(std::string_view text);
// The text between the brackets of every #include <...> directive.
std::vector<std::string_view> system_includes(std::string_view text);

}  // namespace clusterd::tidy
