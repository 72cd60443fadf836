#include "config/process_limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>

namespace clusterd {
namespace {

constexpr std::array kResources{
    ResourceName{"as", RLIMIT_AS, true},
    ResourceName{"core", RLIMIT_CORE, true},
    ResourceName{"cpu", RLIMIT_CPU, false},
    ResourceName{"data", RLIMIT_DATA, true},
    ResourceName{"fsize", RLIMIT_FSIZE, true},
    ResourceName{"locks", RLIMIT_LOCKS, false},
    ResourceName{"memlock", RLIMIT_MEMLOCK, true},
    ResourceName{"msgqueue", RLIMIT_MSGQUEUE, true},
    ResourceName{"nice", RLIMIT_NICE, false},
    ResourceName{"nofile", RLIMIT_NOFILE, false},
    ResourceName{"nproc", RLIMIT_NPROC, false},
    ResourceName{"rss", RLIMIT_RSS, true},
    ResourceName{"rtprio", RLIMIT_RTPRIO, false},
    ResourceName{"rttime", RLIMIT_RTTIME, false},
    ResourceName{"sigpending", RLIMIT_SIGPENDING, false},
    ResourceName{"stack", RLIMIT_STACK, true},
};

}  // namespace

std::span<const ResourceName> resource_names() { return kResources; }

const ResourceName* find_resource(std::string_view name) {
  const auto found = std::ranges::find(kResources, name, &ResourceName::name);
  return found == kResources.end() ? nullptr : &*found;
}

}  // namespace clusterd
