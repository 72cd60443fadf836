// BpfMap: an eBPF map that somebody else has created, as far as the balancer needs it.
//
// Owns the descriptor. Used by kernel_balancer; a thin layer over bpf(2), so errors are those of the kernel.
#pragma once

#include <cerrno>

#include "daemon/system/unique_fd.h"

namespace clusterd {

class BpfMap {
 public:
  BpfMap() = default;
  explicit BpfMap(UniqueFd fd) : fd_(std::move(fd)) {}

  // 0 or errno. Key and value must have the sizes the map was created with.
  template <class Key, class Value>
  int set(const Key& key, const Value& value) {
    return update(&key, &value);
  }
  template <class Key>
  int erase(const Key& key) {
    return remove(&key);
  }
  int fd() const { return fd_.get(); }

 private:
  int update(const void* key, const void* value);
  int remove(const void* key);

  UniqueFd fd_;
};

}  // namespace clusterd
