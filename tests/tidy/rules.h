// The rules of the source tree that a machine can check; docs/hacking.md gives the reasons.
//
// Each takes one file and returns one sentence per violation, "path:line: what is wrong"; empty when all is
// well or the rule is not about this kind of file. Pure.
#pragma once

#include <string>
#include <vector>

#include "tests/tidy/source_text.h"

namespace clusterd::tidy {

using Violations = std::vector<std::string>;

inline constexpr int kFileLinesMax = 400;
inline constexpr int kFunctionLinesMax = 70;

Violations check_file_length(const SourceFile& file);
Violations check_function_length(const SourceFile& file);
Violations check_floors(const SourceFile& file);          // includes point down or sideways, never up
Violations check_core_is_pure(const SourceFile& file);    // no clock, no system call, no event loop, no log
Violations check_header_opening(const SourceFile& file);  // says what it is; #pragma once
Violations check_no_sleep(const SourceFile& file);        // unit tests and searches wait for nothing
Violations check_no_leftovers(const SourceFile& file);    // marks of unfinished work
Violations check_markdown_title(const SourceFile& file);  // one H1 in each document
Violations check_no_using_std(const SourceFile& file);

}  // namespace clusterd::tidy
