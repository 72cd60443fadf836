#include "config/node_role.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "config/interpreter.h"

namespace clusterd {
namespace {

// With these Node runs no file, and then it leaves the variables of a worker to whatever it starts.
constexpr std::array<std::string_view, 5> kNoScript{"-e", "--eval", "-p", "--print", "-pe"};

bool runs_a_script(const AppSpec& spec) {
  if (!is_node(spec.script)) return true;
  if (spec.args.empty()) return false;
  return std::ranges::none_of(spec.args, [](const std::string& argument) {
    return std::ranges::find(kNoScript, argument) != kNoScript.end();
  });
}

bool is_run_by_node(const AppSpec& spec) {
  if (!spec.interpreter.empty()) return is_node(spec.interpreter);
  if (is_node(spec.script)) return true;
  return spec.by_node && !expects_sigint(spec.script);
}

}  // namespace

NodeRole node_role_of(const AppSpec& spec) {
  if (!is_run_by_node(spec)) return NodeRole::none;
  const bool asked_for = spec.instances_given || spec.exec_mode_given;
  const bool worker = asked_for && spec.exec_mode == ExecMode::cluster && runs_a_script(spec);
  return worker ? NodeRole::worker : NodeRole::child;
}

}  // namespace clusterd
