#include "cli/prove/http_response.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace clusterd::cli {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return result;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::uint64_t> number(std::string_view text, int base) {
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Of a comma-separated list.
bool lists(std::string_view list, std::string_view word) {
  for (std::size_t begin = 0; begin <= list.size();) {
    std::size_t end = std::min(list.find(',', begin), list.size());
    if (trim(list.substr(begin, end - begin)) == word) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

ResponseParser::State ResponseParser::state() const {
  if (phase_ == Phase::complete) return State::complete;
  return phase_ == Phase::malformed ? State::malformed : State::incomplete;
}

ResponseParser::State ResponseParser::feed(std::string_view bytes) {
  bytes_ += bytes.size();
  while (!bytes.empty() && phase_ != Phase::malformed) {
    switch (phase_) {
      case Phase::complete:
        surplus_ += bytes.size();
        return State::complete;
      case Phase::until_close:
        return State::incomplete;
      case Phase::sized:
        bytes = take_body(bytes, Phase::complete);
        break;
      case Phase::chunk:
        bytes = take_body(bytes, Phase::chunk_end);
        break;
      case Phase::chunk_size:
      case Phase::chunk_end:
        bytes = take_line(bytes, kChunkLineBytesMax);
        break;
      default:
        bytes = take_line(bytes, kResponseHeadBytesMax);
    }
  }
  return state();
}

ResponseParser::State ResponseParser::finish() {
  if (phase_ == Phase::until_close) phase_ = Phase::complete;
  keep_alive_ = false;
  return state();
}

std::string_view ResponseParser::take_body(std::string_view bytes, Phase next) {
  std::uint64_t taken = std::min<std::uint64_t>(bytes.size(), left_);
  left_ -= taken;
  if (left_ == 0) phase_ = next;
  return bytes.substr(static_cast<std::size_t>(taken));
}

// Lines end with CR LF; a lone LF is taken as well, as RFC 9112 (2.2) allows.
std::string_view ResponseParser::take_line(std::string_view bytes, std::size_t bytes_max) {
  std::size_t end = bytes.find('\n');
  bool whole = end != std::string_view::npos;
  line_.append(bytes.substr(0, end));
  head_bytes_ += whole ? end + 1 : bytes.size();
  if (line_.size() > bytes_max || head_bytes_ > kResponseHeadBytesMax) {
    phase_ = Phase::malformed;
    return {};
  }
  if (!whole) return {};
  if (line_.ends_with('\r')) line_.pop_back();
  end_line();
  line_.clear();
  return bytes.substr(end + 1);
}

void ResponseParser::end_line() {
  switch (phase_) {
    case Phase::head:
      return end_head_line();
    case Phase::chunk_size:
      return begin_chunk();
    case Phase::chunk_end:
      phase_ = line_.empty() ? Phase::chunk_size : Phase::malformed;
      return;
    default:
      if (line_.empty()) phase_ = Phase::complete;  // trailers
  }
}

void ResponseParser::end_head_line() {
  if (status_ == 0) return read_status_line();
  if (line_.empty()) return end_head();
  read_field();
}

// "HTTP/1.1 200 OK"
void ResponseParser::read_status_line() {
  std::string_view line = line_;
  std::uint64_t code = line.size() >= 12 ? number(line.substr(9, 3), 10).value_or(0) : 0;
  bool known = line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ");
  if (!known || code < 100 || (line.size() > 12 && line[12] != ' ')) {
    phase_ = Phase::malformed;
    return;
  }
  status_ = static_cast<int>(code);
  keep_alive_ = line[7] == '1';
}

void ResponseParser::read_field() {
  std::size_t colon = line_.find(':');
  if (colon == std::string::npos) {
    phase_ = Phase::malformed;
    return;
  }
  std::string name = lower(std::string_view(line_).substr(0, colon));
  std::string value = lower(trim(std::string_view(line_).substr(colon + 1)));
  if (name == "content-length") {
    auto length = number(value, 10);
    if (!length || (has_length_ && *length != length_)) phase_ = Phase::malformed;
    has_length_ = true;
    length_ = length.value_or(0);
  } else if (name == "transfer-encoding") {
    encoded_ = true;
    chunked_ = lists(value, "chunked");
  } else if (name == "connection") {
    if (lists(value, "close")) keep_alive_ = false;
    if (lists(value, "keep-alive")) keep_alive_ = true;
  }
}

void ResponseParser::end_head() {
  bool interim = status_ < 200 && status_ != 101;
  if (interim) {
    *this = [kept = bytes_, body = body_] {
      ResponseParser fresh(body);
      fresh.bytes_ = kept;
      return fresh;
    }();
    return;
  }
  if (body_ == Body::none || status_ == 204 || status_ == 304 || status_ == 101) {
    phase_ = Phase::complete;
  } else if (chunked_) {
    phase_ = Phase::chunk_size;
  } else if (has_length_ && !encoded_) {
    begin_body(length_, Phase::sized, Phase::complete);
  } else {
    keep_alive_ = false;
    phase_ = Phase::until_close;
  }
}

// "1a;name=value"
void ResponseParser::begin_chunk() {
  head_bytes_ = 0;  // the limit is on each line from here on, and on the trailers
  auto size = number(trim(std::string_view(line_).substr(0, line_.find(';'))), 16);
  if (!size) {
    phase_ = Phase::malformed;
    return;
  }
  begin_body(*size, Phase::chunk, Phase::trailers);
}

void ResponseParser::begin_body(std::uint64_t length, Phase phase, Phase if_empty) {
  left_ = length;
  phase_ = length == 0 ? if_empty : phase;
}

}  // namespace clusterd::cli
