// "did you mean": the candidate a mistyped word most likely stands for.
//
// Pure; used wherever a word of the user is looked up in a list (operations, arguments, config keys, apps).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace clusterd {

// The nearest candidate by edit distance (a swap of neighbours counts as one), if it is near enough that a
// person would see the slip: one edit in short words, a third of the letters in long ones. The result views
// a string of `candidates`.
std::optional<std::string_view> closest(std::string_view word, std::span<const std::string_view> candidates);

// "; did you mean 'web'?" or nothing; to be appended to an error message.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace clusterd
