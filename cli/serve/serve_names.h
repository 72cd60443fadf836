// What `clusterd serve` and clusterd-serve call the same things.
// The variables are taken out of the server's environment when it has read them.
#pragma once

namespace clusterd::serve {

inline constexpr const char* kProgram = "clusterd-serve";  // beside clusterd
inline constexpr const char* kUserVariable = "CLUSTERD_SERVE_USERNAME";
inline constexpr const char* kPasswordVariable = "CLUSTERD_SERVE_PASSWORD";

}  // namespace clusterd::serve
