#include "config/jsonc.h"

#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

#include "common/json_text.h"
#include "common/utf8.h"
#include "config/jsonc_syntax.h"

namespace clusterd {
namespace {

using nlohmann::json;

// Lets the parser read text while we see how far it has come.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* consumed) : at_(at), consumed_(consumed) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*consumed_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* consumed_;
};

// Builds the value and remembers lines. Containers are built in place: open_ points into root, which is safe
// because a container is only appended to while it is the innermost open one.
class DocumentBuilder : public nlohmann::json_sax<json> {
 public:
  DocumentBuilder(const LineMap& line_map, const std::size_t& consumed, JsoncDocument& document)
      : line_map_(line_map), consumed_(consumed), document_(document) {}

  struct Fault {
    std::size_t offset;
    std::string message;
  };
  std::optional<Fault> fault;

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(value); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(value); }
  bool number_float(number_float_t value, const string_t&) override { return scalar(value); }
  bool string(string_t& value) override { return scalar(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // not in JSON text
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Container& innermost = open_.back();
    if (!innermost.keys.insert(name).second) {
      return refuse("the key \"" + name.substr(0, 80) + "\" stands twice in this object; remove one");
    }
    innermost.key = name;
    innermost.key_offset = last_offset();
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
    return refuse(explain_syntax_error(error.what(), error.id));
  }

 private:
  struct Container {
    json* value;
    std::string pointer;
    std::string key;  // of the member that comes next
    std::size_t key_offset = 0;
    std::set<std::string> keys{};
  };

  std::size_t last_offset() const { return consumed_ == 0 ? 0 : consumed_ - 1; }

  bool refuse(std::string message) {
    fault = Fault{start_of_string(line_map_.text(), last_offset()), std::move(message)};
    return false;
  }

  // A number ends only where something else begins, and that may be a newline.
  std::size_t value_offset() const {
    const std::size_t offset = last_offset();
    return offset > 0 && line_map_.is_newline(offset) ? offset - 1 : offset;
  }

  json* add(json value) {
    if (open_.empty()) {
      document_.root = std::move(value);
      document_.lines[""] = line_map_.place_of(value_offset()).line;
      return &document_.root;
    }
    Container& parent = open_.back();
    std::size_t offset = value_offset();
    last_pointer_ = parent.pointer;
    json* added = nullptr;
    if (parent.value->is_object()) {
      offset = parent.key_offset;
      last_pointer_ += pointer_step(parent.key);
      added = &((*parent.value)[parent.key] = std::move(value));
    } else {
      last_pointer_ += "/" + std::to_string(parent.value->size());
      parent.value->push_back(std::move(value));
      added = &parent.value->back();
    }
    document_.lines[last_pointer_] = line_map_.place_of(offset).line;
    return added;
  }

  bool scalar(json value) {
    add(std::move(value));
    return true;
  }

  bool open(json container) {
    if (open_.size() >= static_cast<std::size_t>(kJsonDepthMax)) {
      return refuse("nested deeper than " + std::to_string(kJsonDepthMax) + " levels");
    }
    json* added = add(std::move(container));
    open_.push_back({added, last_pointer_, {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const LineMap& line_map_;
  const std::size_t& consumed_;
  JsoncDocument& document_;
  std::vector<Container> open_;
  std::string last_pointer_;
};

std::unexpected<Error> fault_at(std::string_view file_name, Place place, std::string_view message) {
  return fail(ErrorCode::config, std::string(file_name) + ":" + std::to_string(place.line) + ":" +
                                     std::to_string(place.column) + ": " + std::string(message));
}

}  // namespace

int JsoncDocument::line_of(std::string_view pointer) const {
  while (true) {
    if (const auto found = lines.find(std::string(pointer)); found != lines.end()) return found->second;
    if (pointer.empty()) return 1;
    pointer = pointer.substr(0, pointer.rfind('/') == std::string_view::npos ? 0 : pointer.rfind('/'));
  }
}

std::string pointer_step(std::string_view key) {
  std::string step = "/";
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

Result<JsoncDocument> parse_jsonc(std::string_view text, std::string_view file_name) {
  if (const std::string fault = unreadable_reason(text); !fault.empty()) {
    return fail(ErrorCode::config, std::string(file_name) + ": " + fault);
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const LineMap line_map(text);
  if (const auto offset = first_ill_formed_utf8(text)) {
    return fault_at(file_name, line_map.place_of(*offset), "this is not UTF-8; save the file as UTF-8");
  }
  auto plain = blank_jsonc(text);
  if (!plain) return fault_at(file_name, line_map.place_of(plain.error().offset), plain.error().message);

  JsoncDocument document;
  std::size_t consumed = 0;
  DocumentBuilder builder(line_map, consumed, document);
  const CountingIterator begin(plain->data(), &consumed);
  const CountingIterator end(plain->data() + plain->size(), &consumed);
  const bool parsed = json::sax_parse(begin, end, &builder);
  if (!parsed) {
    const auto fault = builder.fault.value_or(DocumentBuilder::Fault{consumed, "this is not JSON"});
    return fault_at(file_name, line_map.place_of(fault.offset), fault.message);
  }
  return document;
}

}  // namespace clusterd
