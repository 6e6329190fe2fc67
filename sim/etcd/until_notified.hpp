// An event as a task, for with_timeout.
#pragma once

#include "sim/task/combinators.hpp"
#include "sim/task/outcome.hpp"

namespace picklock {

// The event outlives it.
inline Task<Nothing> until_notified(Host, Event* event) {
  co_await event->wait();
  co_return Nothing{};
}

}  // namespace picklock
