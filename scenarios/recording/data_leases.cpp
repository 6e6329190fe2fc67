#include "scenarios/recording/data_leases.hpp"

#include <algorithm>

namespace picklock {
namespace {

void say(GrantChange change, HoldId hold, HoldId by, std::int64_t time, std::int64_t until,
         std::vector<GrantEvent>& changes, GrantEnd cause = GrantEnd::unknown) {
  changes.push_back({time, until, 0, hold, by, change, cause});
}

}  // namespace

void DataLeases::reset() {
  parts_.clear();
  noted_.clear();
}

bool DataLeases::owns(HoldId hold) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& p) { return p.hold == hold; });
}

std::int64_t DataLeases::until(const TraceRecord& lease, const Provenance& by) const {
  const WallTime now = form_.by_server || by.hold == kNoHold ? by.here : by.wall;
  const std::int64_t left = static_cast<std::int64_t>(lease.c) - now.ns;
  return lease.time + left + (form_.begins ? lease_.ns : 0);
}

void DataLeases::apply(const Provenance& by, std::int64_t time, std::vector<GrantEvent>& changes) {
  for (const TraceRecord& r : noted_) {
    const std::uint64_t id = whole_ ? 0 : r.b;
    if (r.kind == trace::lease_gone) {
      end(id, by, GrantEnd::overwritten, time, changes);
    } else {
      wrote({id, whole_ ? r.b : 0, by.hold, until(r, by)}, by, time, changes);
    }
  }
  noted_.clear();
}

void DataLeases::wrote(const Part& written, const Provenance& by, std::int64_t time, std::vector<GrantEvent>& changes) {
  if (by.force || written.until <= time) return end(written.id, by, GrantEnd::overwritten, time, changes);
  const auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.id == written.id; });
  const bool there = part != parts_.end();
  const bool own = there && part->hold == by.hold;
  const bool names_the_same = there && written.owner != 0 && written.owner == part->owner;
  if (own || names_the_same) {
    if (!own && written.until > part->until)
      say(GrantChange::wrong_renewal, part->hold, by.hold, time, written.until, changes);
    part->until = written.until;
    part->owner = written.owner;
    return say(GrantChange::extend, part->hold, by.hold, time, written.until, changes);
  }
  if (there) end(written.id, by, GrantEnd::overwritten, time, changes);
  if (by.hold == kNoHold) return;
  const GrantChange change = owns(by.hold) ? GrantChange::extend : GrantChange::begin;
  parts_.push_back(written);
  say(change, by.hold, by.hold, time, written.until, changes);
}

void DataLeases::end(std::uint64_t id, const Provenance& by, GrantEnd cause, std::int64_t time,
                     std::vector<GrantEvent>& changes) {
  const auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.id == id; });
  if (part == parts_.end()) return;
  const Part was = *part;
  parts_.erase(part);
  if (by.force) return say(GrantChange::forced, was.hold, by.hold, time, kNoTime, changes);
  const bool own = was.hold == by.hold;
  const bool in_time = time < was.until;
  if (!own && by.hold != kNoHold && in_time) say(GrantChange::wrong_release, was.hold, by.hold, time, kNoTime, changes);
  if (owns(was.hold)) return;
  say(own ? GrantChange::released : GrantChange::end, was.hold, by.hold, time, kNoTime, changes,
      own ? GrantEnd::unknown : cause);
}

void DataLeases::end_all(const Provenance& by, GrantEnd cause, std::int64_t time, std::vector<GrantEvent>& changes) {
  noted_.clear();
  while (!parts_.empty()) end(parts_.front().id, by, cause, time, changes);
}

}  // namespace picklock
