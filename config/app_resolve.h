// What depends on several keys of one app: defaults taken from others, paths against cwd, the interpreter.
//
// Pure; the second step of config/app_file, after the single fields have been read.
#pragma once

#include <set>
#include <string_view>

#include "config/app_fields.h"
#include "config/app_file.h"

namespace clusterd {

using GivenFields = std::set<std::string_view>;  // names of the fields that were written (never aliases)

// Makes every path of `spec` absolute and fills in what was left out. Problems are at ".field", pointer
// "/field".
FieldProblems resolve_app(AppSpec& spec, const GivenFields& given, const AppFileContext& context);

}  // namespace clusterd
