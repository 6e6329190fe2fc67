#include "sim/core/wait.hpp"

namespace picklock {

// Opens what is not open yet, and sets the timer.
void WaitSlots::begin_otherwise(std::coroutine_handle<> me) {
  if (wait_ == 0) {
    wait_ = world_.tasks.wait(node_, me, for_.what);
  } else {
    world_.timers.wait_again(wait_, me);
  }
  if (!for_.until) {
    if (timer_ != 0) world_.tasks.release(std::exchange(timer_, 0));
  } else if (timer_ == 0) {
    timer_ = world_.tasks.wait_until(node_, me, *for_.until, for_.timer);
  } else {
    world_.timers.wait_again_until(timer_, me, *for_.until);
  }
  enter();
}

}  // namespace picklock
