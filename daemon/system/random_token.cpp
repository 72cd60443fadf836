#include "daemon/system/random_token.h"

#include <sys/random.h>

#include <array>
#include <cstdio>

namespace clusterd {

std::string random_token() {
  unsigned long long bits = 0;
  // Never short and never blocks once the machine has booted: getrandom(2), up to 256 bytes.
  if (getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) std::perror("getrandom");
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", bits);
  return text.data();
}

}  // namespace clusterd
