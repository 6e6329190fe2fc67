// Owners of a lock whose lease is kept in data: a number in a field, a score, or a value says when it ends.
//
// The hold that wrote a part owns it.  Its promise is what the data say, turned into true time when they are written: as much
// as was left by the clock that they are read by.  Nothing but a command ends such a lease, so once its time is over any
// client may take it over; before that it is a wrong release.  A hold that gives its lease an end which has come has given it
// back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/lease_text.hpp"
#include "scenarios/recording/grants.hpp"

namespace picklock {

class DataLeases {
 public:
  // `whole`: one value has one lease, and may name its owner; else each field or member is a part, and has one.
  DataLeases(const DataLease& form, std::optional<Duration> lease, bool whole)
      : form_(form), lease_(lease.value_or(Duration{})), whole_(whole) {}

  void reset();
  // A record of trace::is_of_leases: it is kept until the change that it belongs to is known.
  void note(const TraceRecord& record) { noted_.push_back(record); }
  void forget_noted() { noted_.clear(); }
  // The change of the key or node has come: what was noted holds.
  void apply(const Provenance& by, std::int64_t time, std::vector<GrantEvent>& changes);
  // The key or node is gone, with all its parts.
  void end_all(const Provenance& by, GrantEnd cause, std::int64_t time, std::vector<GrantEvent>& changes);

  template <class Visit>
  void for_each_owner(Visit&& visit) const {
    for (const Part& p : parts_) visit(p.hold);
  }

 private:
  struct Part {
    std::uint64_t id = 0;     // hash of the field or member; 0: the value
    std::uint64_t owner = 0;  // hash of the name in the value; 0: it names none
    HoldId hold = kNoHold;
    std::int64_t until = kNoTime;  // true time
  };
  std::int64_t until(const TraceRecord& lease, const Provenance& by) const;
  void wrote(const Part& written, const Provenance& by, std::int64_t time, std::vector<GrantEvent>& changes);
  void end(std::uint64_t id, const Provenance& by, GrantEnd cause, std::int64_t time, std::vector<GrantEvent>& changes);
  bool owns(HoldId hold) const;

  DataLease form_;
  Duration lease_;
  bool whole_;
  std::vector<Part> parts_;
  std::vector<TraceRecord> noted_;
};

}  // namespace picklock
