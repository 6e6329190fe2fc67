// Messages of a ZooKeeper ensemble in words: requests, replies, notifications, and those among servers.
#pragma once

#include <string>

#include "scenarios/services/service.hpp"

namespace picklock {

// "create /lock/l- ephemeral sequential", "ok /lock/l-0000000003", "proposal 1:7".
std::string zookeeper_message_words(const CarriedMessage& message);

}  // namespace picklock
