// Times without a connection of ZooKeeper's clients, read from a run's journal.
#pragma once

#include "base/time.hpp"
#include "sim/core/world.hpp"

namespace picklock {

// The longest time from the end of a client's connection until a server took its session again, the client gave
// the session up, its process died, or the run ended.
Duration longest_disconnection(const World& world);

}  // namespace picklock
