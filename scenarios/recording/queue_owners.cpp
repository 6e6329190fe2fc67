#include "scenarios/recording/queue_owners.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace picklock {
namespace {

constexpr std::int64_t kWithoutEnd = std::numeric_limits<std::int64_t>::max();

}  // namespace

void QueueOwners::reset() {
  places_.clear();
  keepers_.clear();
  said_.clear();
}

std::int64_t QueueOwners::promised(const Place& p) const {
  if (p.entry.until != 0) return p.entry.until;
  if (p.entry.keeper == 0) return kWithoutEnd;
  for (const Keeper& k : keepers_) {
    if (k.id == p.entry.keeper) return k.until;
  }
  return kNoTime;  // a lease that no server granted is endless
}

bool QueueOwners::owns(const std::vector<Place>& places, HoldId hold) {
  return std::any_of(places.begin(), places.end(), [&](const Place& p) { return p.hold == hold && p.owns; });
}

std::optional<HoldId> QueueOwners::hold_at(std::uint64_t id) const {
  const auto found = std::find_if(places_.begin(), places_.end(), [&](const Place& p) { return p.entry.id == id; });
  if (found == places_.end()) return std::nullopt;
  return found->hold;
}

void QueueOwners::say(GrantChange change, HoldId hold, HoldId by, std::int64_t time, std::int64_t until,
                      GrantEnd cause) {
  if (change != GrantChange::end) cause = GrantEnd::unknown;
  if (hold != kNoHold) said_.push_back({time, until, 0, hold, by, change, cause});
}

bool QueueOwners::knows(std::uint64_t keeper) const {
  return std::any_of(keepers_.begin(), keepers_.end(), [&](const Keeper& k) { return k.id == keeper; });
}

GrantChange QueueOwners::why_left(HoldId hold, const Provenance& by) {
  if (by.force) return GrantChange::forced;
  return by.hold == hold ? GrantChange::released : GrantChange::end;
}

void QueueOwners::join(const Entry& entry, const Provenance& by, std::int64_t time) {
  before_ = places_;
  gone_.clear();
  const auto after = std::upper_bound(places_.begin(), places_.end(), entry.order,
                                      [](std::int64_t o, const Place& p) { return o < p.entry.order; });
  places_.insert(after, {entry, by.hold, by.client, by.shared, false});
  decide(time, gone_, by);
}

void QueueOwners::leave(std::uint64_t id, const Provenance& by, std::int64_t time, GrantEnd cause) {
  before_ = places_;
  gone_.clear();
  for (const Place& p : before_) {
    if (p.entry.id == id) gone_.push_back(p.hold);
  }
  if (gone_.empty()) return;
  std::erase_if(places_, [&](const Place& p) { return p.entry.id == id; });
  for (const Place& p : before_) {
    const bool anothers = p.entry.id == id && p.owns && !by.force && by.hold != kNoHold && by.hold != p.hold;
    if (anothers) say(GrantChange::wrong_release, p.hold, by.hold, time, kNoTime);
  }
  decide(time, gone_, by, cause);
}

void QueueOwners::find(std::uint64_t id, const Provenance& by, std::int64_t time) {
  const auto is_there = [&](const Place& p) { return p.entry.id == id; };
  const auto place = std::find_if(places_.begin(), places_.end(), is_there);
  if (place == places_.end()) return;
  before_ = places_;
  gone_.clear();
  const auto same =
      std::find_if(place, places_.end(), [&](const Place& p) { return is_there(p) && p.client == by.client; });
  if (same == places_.end()) {
    const Place beside{place->entry, by.hold, by.client, by.shared, false};
    places_.insert(place + 1, beside);
    return decide(time, gone_, by);
  }
  const HoldId earlier = std::exchange(same->hold, by.hold);
  if (earlier == by.hold) return;
  if (same->owns && !owns(places_, earlier)) {
    say(GrantChange::released, earlier, by.hold, time, kNoTime);
    before_[static_cast<std::size_t>(same - places_.begin())].owns = false;
  }
  decide(time, gone_, by);
}

void QueueOwners::decide(std::int64_t time, const std::vector<HoldId>& gone, const Provenance& by, GrantEnd cause) {
  std::int64_t rank = 0;
  bool only_shared_before = true;
  for (Place& p : places_) {
    p.owns = turn_ == Turn::permits                  ? rank < permits_
             : turn_ == Turn::read_write && p.shared ? only_shared_before
                                                     : p.entry.id == places_.front().entry.id;
    only_shared_before = only_shared_before && p.shared;
    ++rank;
  }
  for (const Place& p : before_) {
    if (!p.owns || owns(places_, p.hold)) continue;
    const bool left = std::find(gone.begin(), gone.end(), p.hold) != gone.end();
    say(left ? why_left(p.hold, by) : GrantChange::end, p.hold, left ? by.hold : kNoHold, time, kNoTime,
        left ? cause : GrantEnd::displaced);
  }
  for (const Place& p : places_) {
    if (p.owns && !owns(before_, p.hold)) say(GrantChange::begin, p.hold, p.hold, time, promised(p));
  }
}

void QueueOwners::keep(std::uint64_t keeper, std::int64_t until, std::int64_t time) {
  const auto known = std::find_if(keepers_.begin(), keepers_.end(), [&](const Keeper& k) { return k.id == keeper; });
  if (known == keepers_.end()) {
    keepers_.push_back({keeper, until});
    return;
  }
  if (until <= known->until) return;
  known->until = until;
  for (const Place& p : places_) {
    if (p.entry.keeper == keeper && p.owns) say(GrantChange::extend, p.hold, p.hold, time, promised(p));
  }
}

void QueueOwners::keep_place(std::uint64_t id, std::int64_t until, std::int64_t time) {
  for (Place& p : places_) {
    if (p.entry.id != id) continue;
    p.entry.until = until;
    if (p.owns) say(GrantChange::extend, p.hold, p.hold, time, until);
  }
}

void QueueOwners::take(std::vector<GrantEvent>& grants, std::uint32_t& index) {
  for (GrantEvent& e : said_) {
    e.index = index++;
    grants.push_back(e);
  }
  said_.clear();
}

}  // namespace picklock
