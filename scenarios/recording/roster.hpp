// The names and clocks of one run, by the numbers that its records use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/clock.hpp"

namespace picklock {

// All locks of a run by number: first those with a name at the service, then the multi-locks.
struct LockTable {
  std::vector<std::string> names;   // names of single locks
  std::vector<std::string> multis;  // names of multi-locks: "x+y"
  std::string_view name(std::uint32_t number) const {
    return number < names.size() ? names[number] : multis[number - names.size()];
  }
};

struct Roster {
  std::vector<std::string> clients;                         // index: a client's first process
  std::vector<std::vector<std::uint32_t>> clients_of_node;  // index: NodeId; clients that run there
  LockTable locks;
  std::vector<std::string> resources;   // index: ResourceId
  std::vector<std::uint64_t> kept_at;   // index: ResourceId; hash of key or path in the lock's service; empty: storage
  std::vector<std::string> machines{};  // index: NodeId; machines beyond its end have no name
  std::vector<Clock> clocks;            // index: NodeId; clocks as the run begins
};

}  // namespace picklock
