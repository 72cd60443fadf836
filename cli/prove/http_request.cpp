#include "cli/prove/http_request.h"

#include <strings.h>

#include <algorithm>

namespace clusterd::cli {
namespace {

bool is_given(const ProveOptions& options, std::string_view name) {
  return std::ranges::any_of(options.headers, [&](const std::string& line) {
    return line.find(':') == name.size() && strncasecmp(line.c_str(), name.data(), name.size()) == 0;
  });
}

}  // namespace

std::string request_line(const ProveOptions& options) {
  return options.method + " " + options.path + " HTTP/1.1";
}

std::string http_request(const ProveOptions& options, ClientKind kind, const LoadAddress& address) {
  std::string text = request_line(options) + "\r\n";
  auto add_default = [&](const std::string& name, const std::string& value) {
    if (!is_given(options, name)) text += name + ": " + value + "\r\n";
  };
  add_default("Host", address.host);
  add_default("User-Agent", "clusterd-prove");
  add_default("Accept", "*/*");
  for (const std::string& line : options.headers) text += line + "\r\n";
  bool has_body = options.method == "POST" || options.method == "PUT" || options.method == "PATCH";
  if (has_body) text += "Content-Length: 0\r\n";
  text += kind == ClientKind::kept ? "Connection: keep-alive\r\n" : "Connection: close\r\n";
  return text + "\r\n";
}

}  // namespace clusterd::cli
