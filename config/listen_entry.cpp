#include "config/listen_entry.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "config/field_values.h"

namespace clusterd {
namespace {

using nlohmann::json;

constexpr std::string_view kReference = "${socket.";
constexpr unsigned kModeMax = 0777;

void add_problem(FieldProblems& problems, const std::string& member, std::string message) {
  problems.push_back(
      {member.empty() ? "" : "." + member, member.empty() ? "" : "/" + member, std::move(message)});
}

bool is_socket_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kSocketNameBytesMax && std::ranges::all_of(name, plain);
}

// Octal digits as chmod takes them. A JSON number is refused: 660 would be taken for 01224.
std::optional<unsigned> mode_of(const json& value) {
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  unsigned mode = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '7' || mode > kModeMax) return std::nullopt;
    mode = mode * 8 + static_cast<unsigned>(digit - '0');
  }
  if (text.empty() || mode > kModeMax) return std::nullopt;
  return mode;
}

std::string mode_text(unsigned mode) {
  std::string text = "0";
  for (const unsigned shift : {6U, 3U, 0U}) text += static_cast<char>('0' + ((mode >> shift) & 7U));
  return text;
}

void read_address(const json& value, const std::string& member, ListenEntry& target,
                  FieldProblems& problems) {
  const auto port = value.is_number_float() ? value.get<double>() : 0.0;
  const bool whole = port >= 1 && port <= UINT16_MAX && port == static_cast<std::uint16_t>(port);
  const bool number = value.is_number_integer() || whole;
  if (!value.is_string() && !number) {
    return add_problem(
        problems, member,
        expected(R"(an address such as "127.0.0.1:3000", ":3000" or "unix:/run/app.sock")", value));
  }
  const auto address = parse_listen_address(!number ? value.get<std::string>()
                                            : whole ? std::to_string(static_cast<std::uint16_t>(port))
                                                    : value.dump());
  if (!address) return add_problem(problems, member, address.error().message);
  target.address = *address;
}

void read_account_member(const json& value, const std::string& member, std::string& target,
                         FieldProblems& problems) {
  FieldProblems own;
  read_account(value, target, own);
  for (FieldProblem& problem : own) add_problem(problems, member, std::move(problem.message));
}

void read_member(const std::string& key, const json& value, ListenEntry& target, FieldProblems& problems) {
  if (key == "address") return read_address(value, key, target, problems);
  if (key == "owner") return read_account_member(value, key, target.rights.owner, problems);
  if (key == "group") return read_account_member(value, key, target.rights.group, problems);
  if (key == "mode") {
    target.rights.mode = mode_of(value);
    if (!target.rights.mode)
      add_problem(problems, key, expected(R"(octal digits in quotes, as in "0660")", value));
    return;
  }
  if (key != "name") {
    return add_problem(problems, key, "unknown key; an address has address, name, mode, owner and group");
  }
  if (!value.is_string() || !is_socket_name(value.get_ref<const std::string&>())) {
    return add_problem(problems, key,
                       expected("a name of up to 64 letters, digits, '_', '-' and '.'", value));
  }
  target.name = value.get<std::string>();
}

// Calls visit(name) for each reference and puts what it answers in its place.
template <class Visit>
std::string replace_references(std::string_view text, Visit visit) {
  std::string result;
  for (std::size_t at = 0;;) {
    const std::size_t begin = text.find(kReference, at);
    const std::size_t end = begin == text.npos ? text.npos : text.find('}', begin);
    if (end == text.npos) return result.append(text.substr(at));
    result.append(text.substr(at, begin - at));
    result += visit(text.substr(begin + kReference.size(), end - begin - kReference.size()));
    at = end + 1;
  }
}

std::optional<std::size_t> index_of(std::string_view name, std::span<const ListenEntry> entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (socket_name(entries, i) == name) return i;
  }
  return std::nullopt;
}

}  // namespace

std::string socket_name(std::span<const ListenEntry> entries, std::size_t index) {
  return entries[index].name.empty() ? "listen" + std::to_string(index) : entries[index].name;
}

std::optional<std::string> find_unknown_socket(std::string_view text, std::span<const ListenEntry> entries) {
  std::optional<std::string> unknown;
  replace_references(text, [&](std::string_view name) {
    if (!unknown && !index_of(name, entries)) unknown = std::string(name);
    return std::string();
  });
  return unknown;
}

std::string expand_sockets(std::string_view text, std::span<const ListenEntry> entries) {
  return replace_references(text, [&](std::string_view name) {
    const auto index = index_of(name, entries);
    return index ? std::to_string(static_cast<std::size_t>(kFirstListenFd) + *index) : std::string();
  });
}

void read_listen_entry(const json& value, ListenEntry& target, FieldProblems& problems) {
  if (!value.is_object()) return read_address(value, "", target, problems);
  const std::size_t before = problems.size();
  for (const auto& [key, item] : value.items()) read_member(key, item, target, problems);
  if (!value.contains("address")) add_problem(problems, "", "'address' is missing");
  if (problems.size() != before || target.rights == SocketRights{}) return;
  const bool has_file =
      target.address.family == AddressFamily::unix_stream && !target.address.path.starts_with('@');
  if (!has_file) add_problem(problems, "", "mode, owner and group are for Unix sockets with a path");
}

json write_listen_entry(const ListenEntry& entry) {
  const std::string address = to_string(entry.address);
  if (entry == ListenEntry(entry.address)) return address;
  json item{{"address", address}};
  if (!entry.name.empty()) item["name"] = entry.name;
  if (entry.rights.mode) item["mode"] = mode_text(*entry.rights.mode);
  if (!entry.rights.owner.empty()) item["owner"] = entry.rights.owner;
  if (!entry.rights.group.empty()) item["group"] = entry.rights.group;
  return item;
}

}  // namespace clusterd
