// The version of this build, as CMakeLists.txt says. Both executables print it; the greeting carries it.
// Pure; defined in one source so that a new version recompiles one file.
#pragma once

namespace clusterd {

extern const char* const kVersion;

}  // namespace clusterd
