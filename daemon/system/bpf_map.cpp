#include "daemon/system/bpf_map.h"

#include <linux/bpf.h>
#include <sys/syscall.h>

#include <cstdint>

namespace clusterd {
namespace {

int bpf(bpf_cmd command, bpf_attr& attributes) {
  return syscall(SYS_bpf, command, &attributes, sizeof attributes) < 0 ? errno : 0;
}

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

int BpfMap::update(const void* key, const void* value) {
  bpf_attr attributes{};
  attributes.map_fd = static_cast<std::uint32_t>(fd_.get());
  attributes.key = address_of(key);
  attributes.value = address_of(value);
  return bpf(BPF_MAP_UPDATE_ELEM, attributes);
}

int BpfMap::remove(const void* key) {
  bpf_attr attributes{};
  attributes.map_fd = static_cast<std::uint32_t>(fd_.get());
  attributes.key = address_of(key);
  return bpf(BPF_MAP_DELETE_ELEM, attributes);
}

}  // namespace clusterd
