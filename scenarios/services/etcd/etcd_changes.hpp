// Keys that etcd's members create or change (sim/etcd/inspect.hpp).  Their versions are revisions.
#pragma once

#include "scenarios/recording/change_reader.hpp"
#include "sim/etcd/inspect.hpp"

namespace picklock {

class EtcdChanges final : public ChangeReader {
 public:
  void reset() override { revision_ = 0; }
  std::optional<KeptChange> see(const TraceRecord& r) override {
    switch (r.kind) {
      case trace::etcd_at:
        revision_ = r.c;
        return std::nullopt;
      case trace::etcd_key_created:
      case trace::etcd_key_changed:
        return KeptChange{r.b, r.a, revision_};
      default:
        return std::nullopt;
    }
  }

 private:
  std::uint64_t revision_ = 0;  // revision of the change that is recorded next
};

}  // namespace picklock
