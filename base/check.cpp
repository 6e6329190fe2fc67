#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace picklock {

void check_failed(const char* file, int line, const char* condition) noexcept {
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, condition);
  std::abort();
}

}  // namespace picklock
