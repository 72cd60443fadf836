#include "common/app_name.h"

#include <string>

#include "common/utf8.h"

namespace clusterd {
namespace {

std::string fault_of(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > kAppNameBytesMax) {
    return "is " + std::to_string(name.size()) + " bytes long; the limit is " +
           std::to_string(kAppNameBytesMax);
  }
  if (name == "all") return "is reserved: 'all' stands for every app on the command line";
  if (name.starts_with('-')) return "begins with '-', which would be read as an option";
  if (name.starts_with('.')) return "begins with '.', and it becomes part of file names";
  for (std::string_view rest = name; !rest.empty();) {
    const auto code_point = first_code_point(rest);
    if (!code_point) return "is not valid UTF-8";
    if (code_point->value == '/') return "contains '/', and it becomes part of file names";
    if (is_unprintable(code_point->value)) return "contains a control or an invisible character";
    rest.remove_prefix(code_point->size_bytes);
  }
  return {};
}

Result<void> check(std::string_view what, std::string_view name) {
  const std::string fault = fault_of(name);
  if (fault.empty()) return {};
  return fail(ErrorCode::config, std::string(what) + " " + fault);
}

}  // namespace

Result<void> check_app_name(std::string_view name) { return check("the name", name); }
Result<void> check_namespace(std::string_view name) { return check("the namespace", name); }

}  // namespace clusterd
