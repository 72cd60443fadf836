// start_order: who has to be ready before whom, from `depends_on`.
//
// Pure; used by the daemon when several apps are started together (a file, the saved list). An app is known
// by "namespace:name", its full name. Dependencies on apps that are not among those given are left to the
// caller: they may be running already.
#pragma once

#include <string>
#include <vector>

#include "common/result.h"
#include "config/app_spec.h"

namespace clusterd {

std::string full_name(const std::string& name_space, const std::string& name);

// The full names of what the app depends on.
std::vector<std::string> dependencies_of(const AppSpec& spec);

// Indices in an order in which every app comes behind those it depends on, otherwise as given; or the names
// of a circle. `others` are known apps that are not started here, because a circle may lead through them.
Result<std::vector<std::size_t>> start_order(const std::vector<const AppSpec*>& specs,
                                             const std::vector<const AppSpec*>& others = {});

}  // namespace clusterd
