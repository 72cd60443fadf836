// Function lengths by counting braces: a block is a function body when it stands in a namespace or class, is
// not one itself, and a parameter list comes before it. Good enough for formatted code, and it needs no
// compiler.
//
// Used by the rule about long functions. `code` is the result of code_only().
#pragma once

#include <string_view>
#include <vector>

namespace clusterd::tidy {

struct FunctionLength {
  int first_line = 0;  // of the opening brace, from 1
  int lines = 0;       // both braces included
};

std::vector<FunctionLength> function_lengths(std::string_view code);

}  // namespace clusterd::tidy
