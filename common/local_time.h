// local_time: the wall clock as people in the time zone of the process read it. For stamps, names and periods
// of logs.
//
// The only place that looks at the time zone. Follows a change of TZ or /etc/localtime no later than the C
// library does, which is at the next start.
#pragma once

#include <cstdint>

#include "common/date_format.h"

namespace clusterd {

LocalTime local_time(std::int64_t epoch_ms);

}  // namespace clusterd
