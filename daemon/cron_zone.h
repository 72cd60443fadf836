// cron_zone: the time zone by which the cron patterns of an app go.
//
// Used by CronRestarts and LogKeeper. Reads a zone file at its first use.
#pragma once

#include <memory>
#include <string>

#include "config/app_spec.h"
#include "daemon/system/time_zone.h"

namespace clusterd {

// What was said for the patterns counts more than what the app is told (TZ); empty: the daemon's own.
std::string cron_zone_name(const AppSpec& spec);

// The daemon's own with a word in its log, in the name of `who`, if there is no such zone.
std::shared_ptr<const TimeZone> cron_zone(const std::string& name, const std::string& who);

}  // namespace clusterd
