// For the tests of Curator's locks: sessions of 6 s, and calls that wait 5 s for a connection, as both the
// server's tick and the waits are to fit into few seconds.
#pragma once

#include "algorithms/curator/curator_mutex.hpp"
#include "algorithms/zookeeper/zoo_lock_lab.hpp"

namespace picklock::testing {

inline void quick(CuratorOptions& o) {
  o.session = seconds(6);
  o.connection = seconds(5);
}

struct CuratorLab : ZooLabOf<CuratorMutexOptions> {
  CuratorLab() : ZooLabOf("curator-mutex", [](auto& o) { quick(o.client); }) {}
};

}  // namespace picklock::testing
