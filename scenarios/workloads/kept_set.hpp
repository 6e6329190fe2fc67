// A set that is kept in the lock's own service, beside the lock that protects it.
//
// The items stand in one place there, as text.  A section reads them, works, and writes them back with one item
// more; what the write is tied to is the kind's business.  Versions of the history are the service's own: revisions
// of etcd, zxids of ZooKeeper.  That a write took effect is read from what the servers record, not from answers;
// reads and refused writes change nothing there: the client records the answers that it got, and the history takes them
// for effects.
//
// Left out:  sets too large for one request.
#pragma once

#include <string>
#include <vector>

#include "scenarios/workloads/workload.hpp"

namespace picklock {

class KeptSet : public Workload {
 public:
  Task<void> run(Section& s) final { return body(s.host, this, &s); }

 protected:
  static constexpr ResourceId kSet = 0;

  // Puts `next` in place of what was read: its version is that of the read.  yes: with the version that it became.
  virtual Task<Outcome<Stored>> write(Section& s, Stored next) const = 0;
  // Records a write that the service refused, at this version.
  static void record_refused_write(const Section& s, std::uint64_t version);

  static std::string text_of(const std::vector<std::int64_t>& items);
  static std::vector<std::int64_t> items_of(const std::string& text);

 private:
  static Task<void> body(Host host, const KeptSet* self, Section* s);
};

}  // namespace picklock
