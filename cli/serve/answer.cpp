#include "cli/serve/answer.h"

#include <algorithm>
#include <ctime>

#include "cli/serve/basic_auth.h"
#include "cli/serve/byte_range.h"
#include "cli/serve/media_type.h"

namespace clusterd::serve {
namespace {

constexpr const char* kHttpDate = "%a, %d %b %Y %H:%M:%S GMT";  // RFC 9110, 5.6.7

std::string http_date(std::time_t moment) {
  std::tm parts{};
  gmtime_r(&moment, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, kHttpDate, &parts)};
}

std::optional<std::time_t> moment_of(std::string_view http_date) {
  std::tm parts{};
  const std::string text(http_date);
  const char* end = strptime(text.c_str(), kHttpDate, &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return timegm(&parts);
}

std::string entity_tag(const FoundFile& file) {
  return "\"" + std::to_string(file.modified.tv_sec) + "." + std::to_string(file.modified.tv_nsec) + "-" +
         std::to_string(file.size) + "\"";
}

Answer sentence(unsigned status, std::string text) {
  Answer answer;
  answer.status = status;
  answer.headers = {{"Content-Type", "text/plain; charset=utf-8"}};
  answer.body = std::move(text) + "\n";
  answer.length = answer.body.size();
  return answer;
}

bool lists(std::string_view header, std::string_view tag) {
  return header == "*" || header.find(tag) != std::string_view::npos;
}

bool is_unchanged(const Request& request, const FoundFile& file, const std::string& tag) {
  if (!request.if_none_match.empty()) return lists(request.if_none_match, tag);
  const auto since = moment_of(request.if_modified_since);
  return since && file.modified.tv_sec <= *since;
}

// A part is of use only beside the version that the client has the rest of.
bool wants_range(const Request& request, const FoundFile& file, const std::string& tag) {
  if (request.if_range.empty() || request.if_range == tag) return true;
  const auto version = moment_of(request.if_range);
  return version && file.modified.tv_sec == *version;
}

Answer file_answer(const Request& request, FoundFile file) {
  const std::string tag = entity_tag(file);
  Answer answer;
  answer.headers = {{"ETag", tag},
                    {"Last-Modified", http_date(file.modified.tv_sec)},
                    {"Cache-Control", "no-cache"},  // to be asked for again: 304 costs next to nothing
                    {"Accept-Ranges", "bytes"},
                    {"X-Content-Type-Options", "nosniff"}};
  if (is_unchanged(request, file, tag)) {
    answer.status = 304;
    return answer;
  }
  const ByteRange range =
      byte_range(wants_range(request, file, tag) ? request.range : std::string_view(), file.size);
  if (range.kind == ByteRange::Kind::unsatisfiable) {
    answer = sentence(416, "There are no such bytes.");
    answer.headers.emplace_back("Content-Range", "bytes */" + std::to_string(file.size));
    return answer;
  }
  if (range.kind == ByteRange::Kind::part) {
    answer.status = 206;
    answer.headers.emplace_back("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                                     std::to_string(range.first + range.length - 1) + "/" +
                                                     std::to_string(file.size));
  }
  answer.headers.emplace_back("Content-Type", media_type(file.path));
  answer.first = range.first;
  answer.length = range.length;
  answer.file = std::move(file.fd);
  return answer;
}

}  // namespace

Answer answer_to(const Request& request, const Site& site, const Policy& policy) {
  if (!policy.user.empty() && !is_authorized(request.authorization, policy.user, policy.password)) {
    Answer answer = sentence(401, "A user name and a password are needed.");
    answer.headers.emplace_back("WWW-Authenticate", "Basic realm=\"clusterd serve\", charset=\"UTF-8\"");
    return answer;
  }
  if (request.method != "GET" && request.method != "HEAD") {
    Answer answer = sentence(405, "Only GET and HEAD.");
    answer.headers.emplace_back("Allow", "GET, HEAD");
    return answer;
  }
  Lookup found = site.find(request.target);
  if (found.kind == Lookup::Kind::missing && policy.spa) found = site.index();
  switch (found.kind) {
    case Lookup::Kind::file:
      return file_answer(request, std::move(found.file));
    case Lookup::Kind::folder_without_slash: {
      const std::size_t end = std::min(request.target.find_first_of("?#"), request.target.size());
      Answer answer = sentence(301, "It is a folder.");
      // One slash: "//host/" would be another host.
      std::string path(request.target.substr(0, end));
      path.erase(0, path.find_first_not_of('/'));
      answer.headers.emplace_back("Location", "/" + path + "/" + std::string(request.target.substr(end)));
      return answer;
    }
    case Lookup::Kind::malformed:
      return sentence(400, "The address makes no sense.");
    case Lookup::Kind::missing:
      break;
  }
  return sentence(404, "There is nothing here.");
}

}  // namespace clusterd::serve
