// Seconds as sentences for people have them: "5.0 s". Pure; used where a reason is put into words.
// Rounded to tenths; never parsed again.
#pragma once

#include <chrono>
#include <string>

namespace clusterd {

std::string seconds_text(std::chrono::milliseconds duration);

}  // namespace clusterd
