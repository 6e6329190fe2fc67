// Znodes whose data ZooKeeper's servers set (sim/zookeeper/inspect.hpp).  Their versions are zxids.
#pragma once

#include "scenarios/recording/change_reader.hpp"
#include "sim/zookeeper/inspect.hpp"

namespace picklock {

class ZooKeeperChanges final : public ChangeReader {
 public:
  void reset() override { zxid_ = znode_ = 0; }
  std::optional<KeptChange> see(const TraceRecord& r) override {
    switch (r.kind) {
      case trace::zoo_applied:
        zxid_ = r.b;
        return std::nullopt;
      case trace::zoo_znode:
      case trace::zoo_sequential_znode:
        znode_ = r.c;
        return std::nullopt;
      case trace::zoo_data_set:
        return KeptChange{znode_, r.a, zxid_};
      default:
        return std::nullopt;
    }
  }

 private:
  std::uint64_t zxid_ = 0;   // zxid of the change that is recorded next
  std::uint64_t znode_ = 0;  // hash of the changed path
};

}  // namespace picklock
