// Messages of a Redis deployment in words: commands, replies, and what a master sends to its replicas.
//
// Left out: packets between the nodes of a cluster.
#pragma once

#include <string>

#include "scenarios/services/service.hpp"

namespace picklock {

// "set lock 1f0c… NX PX 100", "OK", "replication: del lock"; long arguments, as texts of scripts are, are cut.
std::string redis_message_words(const CarriedMessage& message);

}  // namespace picklock
