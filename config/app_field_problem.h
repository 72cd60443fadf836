// FieldProblem: what is wrong with the value of a key, and where inside it.
//
// Pure value; made by everything that reads a value of the app file, turned into sentences with file and line
// by config/app_file.
#pragma once

#include <string>
#include <vector>

namespace clusterd {

// Where: at "[2]" (pointer "/2") or ".PATH" ("/PATH"), or "" (the value itself).
struct FieldProblem {
  std::string at;
  std::string pointer;
  std::string message;
};
using FieldProblems = std::vector<FieldProblem>;

}  // namespace clusterd
