// Messages of an etcd cluster in words: requests, replies, and those of Raft.
#pragma once

#include <string>

#include "scenarios/services/service.hpp"

namespace picklock {

// "txn if create(lock/1)=0 then put …", "@7 then: put", "append of term 2: 1 entry after 5".
std::string etcd_message_words(const CarriedMessage& message);

}  // namespace picklock
