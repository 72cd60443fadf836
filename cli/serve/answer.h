// Answer: what the file server says to one request. Pure but for the opening of the file.
//
// Made by answer_to(), sent by http_server.cpp. Follows RFC 9110: conditional requests, one range, HEAD.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/serve/site.h"

namespace clusterd::serve {

struct Policy {
  bool spa = false;  // what is not there is index.html: the page's own router knows it
  std::string user;  // empty: everybody may read
  std::string password;
};

struct Request {
  std::string_view method{};
  std::string_view target{};
  std::string_view authorization{};
  std::string_view range{};
  std::string_view if_range{};
  std::string_view if_none_match{};
  std::string_view if_modified_since{};
};

struct Answer {
  unsigned status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;                // where there is no file
  std::optional<FileHandle> file;  // from `first`, `length` bytes
  std::uint64_t first = 0;
  std::uint64_t length = 0;  // of the body, whatever it comes from
};

Answer answer_to(const Request& request, const Site& site, const Policy& policy);

}  // namespace clusterd::serve
