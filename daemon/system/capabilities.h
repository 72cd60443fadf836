// Capabilities of this process, as /proc/self/status shows them: asked before privileged ways are tried, so
// that what is missing can be named. Source: capabilities(7).
#pragma once

namespace clusterd {

enum class Capability : unsigned { net_admin = 12, sys_admin = 21, bpf = 39 };

bool has_capability(Capability capability);  // effective

}  // namespace clusterd
