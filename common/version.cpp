#include "common/version.h"

namespace clusterd {

const char* const kVersion = CLUSTERD_VERSION;

}  // namespace clusterd
