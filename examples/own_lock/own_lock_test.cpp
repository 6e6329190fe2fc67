// The lock keeps its claims in generated scenarios. PICKLOCK_SEED and PICKLOCK_EFFORT choose others, or more of them.
#include "own_lock.hpp"

#include "testkit/check_lock.hpp"

int main() {
  add_own_lock();
  return picklock::check_lock("own-lock", {.program = "build/own_lock", .report = stdout}) ? 0 : 1;
}
