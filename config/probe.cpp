#include "config/probe.h"

#include <algorithm>

#include "config/command_line.h"

namespace clusterd {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kTcp = "tcp://";
constexpr std::string_view kExec = "exec:";

std::unexpected<Error> bad_probe(std::string_view text, const std::string& reason) {
  return fail(ErrorCode::config, "\"" + std::string(text.substr(0, 120)) + "\": " + reason);
}

Result<std::string> expand_variables(std::string_view text, const VariableLookup& variable) {
  std::string result;
  for (std::size_t at = 0;;) {
    const std::size_t begin = text.find("${", at);
    const std::size_t end = begin == text.npos ? text.npos : text.find('}', begin);
    if (end == text.npos) return result.append(text.substr(at));
    const std::string_view name = text.substr(begin + 2, end - begin - 2);
    const auto value = variable(name);
    if (!value) return bad_probe(text, "the app has no variable " + std::string(name));
    result.append(text.substr(at, begin - at)).append(*value);
    at = end + 1;
  }
}

Result<ListenAddress> address_of(std::string_view text, std::string_view host_and_port) {
  const auto address = parse_listen_address(host_and_port);
  if (!address) return bad_probe(text, address.error().message);
  if (address->family != AddressFamily::unix_stream && address->port == 0)
    return bad_probe(text, "port 0 cannot be asked");
  return reachable(*address);
}

Result<ProbeTarget> http_target(std::string_view text) {
  const std::string_view rest = text.substr(kHttp.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  ProbeTarget target;
  const std::string_view place = rest.substr(0, slash);
  const bool has_port = place.rfind(':') != place.npos && !place.ends_with(']');
  auto address = address_of(text, has_port ? std::string(place) : std::string(place) + ":80");
  if (!address) return fail(address.error());
  target.address = *address;
  target.host = place.starts_with(':') ? "localhost" + std::string(place) : std::string(place);
  target.path = slash == rest.size() ? "/" : std::string(rest.substr(slash));
  const auto unfit = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; };
  if (std::ranges::any_of(target.path, unfit)) return bad_probe(text, "a path has no blanks");
  return target;
}

Result<ProbeTarget> exec_target(std::string_view text) {
  auto words = split_command_line(text.substr(kExec.size()));
  if (!words) return bad_probe(text, words.error().message);
  if (words->empty() || words->front().empty()) return bad_probe(text, "the command is missing");
  ProbeTarget target;
  target.argv = std::move(*words);
  return target;
}

}  // namespace

bool is_probe_text(std::string_view text) {
  return text == "tcp" || text.starts_with(kHttp) || text.starts_with(kTcp) || text.starts_with(kExec);
}

Result<Probe> parse_probe(std::string_view text) {
  if (text.size() > kProbeTextBytesMax) return bad_probe(text, "longer than 4096 bytes");
  if (text.find('\0') != text.npos) return bad_probe(text, "contains a NUL character");
  if (text.starts_with("https://"))
    return bad_probe(text, "https is not spoken here; check with \"exec:curl -fsS https://...\"");
  if (!is_probe_text(text))
    return bad_probe(text,
                     "expected \"http://:PORT/path\", \"tcp\", \"tcp://HOST:PORT\" or \"exec:COMMAND\"");
  Probe probe;
  probe.text = text;
  probe.kind = text.starts_with(kHttp)   ? Probe::Kind::http
               : text.starts_with(kExec) ? Probe::Kind::exec
                                         : Probe::Kind::tcp;
  // Whatever the variables hold, the rest has to make sense with them; of a host it cannot be said before.
  if (text.find("://${") != text.npos) return probe;
  const auto tried = resolve_probe(probe, [](std::string_view) { return std::string("1"); });
  if (!tried) return fail(tried.error());
  return probe;
}

Result<ProbeTarget> resolve_probe(const Probe& probe, const VariableLookup& variable) {
  if (probe.kind == Probe::Kind::exec) return exec_target(probe.text);
  if (probe.text == "tcp") return ProbeTarget{};
  const auto text = expand_variables(probe.text, variable);
  if (!text) return fail(text.error());
  if (probe.kind == Probe::Kind::http) return http_target(*text);
  auto address = address_of(*text, std::string_view(*text).substr(kTcp.size()));
  if (!address) return fail(address.error());
  ProbeTarget target;
  target.address = *address;
  return target;
}

ListenAddress reachable(ListenAddress address) {
  const bool any = std::ranges::all_of(address.ip, [](std::uint8_t byte) { return byte == 0; });
  if (address.family == AddressFamily::unix_stream || !any) return address;
  if (address.family == AddressFamily::tcp6 && !address.dual_stack) {
    address.ip[15] = 1;
    return address;
  }
  return {.family = AddressFamily::tcp4, .ip = {127, 0, 0, 1}, .port = address.port, .path = {}};
}

bool is_aimed(const Probe& probe) {
  return probe.kind == Probe::Kind::exec || probe.text.find("${") != std::string::npos;
}

}  // namespace clusterd
