#include "tests/tidy/function_length.h"

#include <algorithm>
#include <regex>
#include <string>

namespace clusterd::tidy {
namespace {

enum class Block {
  scope,  // namespace, class and their kin
  function,
  member_initializer,  // "a_{1}" in front of a constructor's body
  other,
};

// `head` is the text between the previous ';', '{' or '}' and the opening brace.
Block kind_of(const std::string& head) {
  static const std::regex scope_word(R"(\b(namespace|class|struct|union|enum|extern)\b)");
  static const std::regex initializer(R"(\)\s*(noexcept\s*)?:[^:].*[\w>]\s*$)");
  static const std::regex body_start(
      R"(\)\s*((const|noexcept|override|final|try|mutable)\s*)*(->[^=]*|:[^:].*)?\s*$)");
  // The parameters of a template are no scope: "template <class T> void f() {".
  static const std::regex template_list(R"(template\s*<[^>]*>)");

  const std::string plain = std::regex_replace(head, template_list, " ");
  if (std::regex_search(plain, initializer)) return Block::member_initializer;
  if (std::regex_search(plain, body_start)) return Block::function;
  const std::string before_parameters = plain.substr(0, plain.find('('));
  return std::regex_search(before_parameters, scope_word) ? Block::scope : Block::other;
}

// Reads code character by character and keeps the blocks that are open.
class Reader {
 public:
  void read(char c) {
    if (c == '{') return begin_block();
    if (c == '}') return end_block();
    if (c == '\n') ++line_;
    if (c == ';') return head_.clear();
    head_ += c == '\n' ? ' ' : c;
  }

  std::vector<FunctionLength> found;

 private:
  struct Open {
    Block block;
    int line;
    std::string head;
  };

  void begin_block() {
    const bool in_scopes = std::ranges::all_of(open_, [](const Open& o) { return o.block == Block::scope; });
    open_.push_back({in_scopes ? kind_of(head_) : Block::other, line_, std::move(head_)});
    head_.clear();
  }

  void end_block() {
    head_.clear();
    if (open_.empty()) return;
    const Open& ended = open_.back();
    if (ended.block == Block::function) found.push_back({ended.line, line_ - ended.line + 1});
    if (ended.block == Block::member_initializer) head_ = ended.head + "()";
    open_.pop_back();
  }

  std::vector<Open> open_;
  std::string head_;
  int line_ = 1;
};

}  // namespace

std::vector<FunctionLength> function_lengths(std::string_view code) {
  Reader reader;
  for (const char c : code) reader.read(c);
  return reader.found;
}

}  // namespace clusterd::tidy
