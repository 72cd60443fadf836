// The committed fuzzing corpus, for the unit tests that replay it.
//
// Reads tests/fuzz/corpus below the source folder; a missing folder fails the test by its exception.
// Reads files of the source tree and nothing else.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace clusterd {

// File name -> content of tests/fuzz/corpus/<name>.
inline std::map<std::string, std::string> read_corpus(const std::string& name) {
  std::map<std::string, std::string> corpus;
  const std::filesystem::path folder =
      std::filesystem::path(CLUSTERD_SOURCE_DIR) / "tests/fuzz/corpus" / name;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    corpus[entry.path().filename().string()] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  return corpus;
}

}  // namespace clusterd
