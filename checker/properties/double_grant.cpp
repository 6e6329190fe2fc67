#include "checker/properties/double_grant.hpp"

#include <algorithm>

#include "checker/properties/words.hpp"

namespace picklock {
namespace {

struct Ownership {
  std::int64_t until = kNoTime;          // promised until
  std::uint32_t promised_by = kNowhere;  // index of the newest set or extension
  std::uint32_t moment = 0;              // the last moment at which it was touched
  bool promised = false;
  bool owned = false;
  bool owned_before = false;  // true: owned just before that moment
};

struct Promises {
  std::uint32_t writers = 0;
  std::uint32_t readers = 0;
};

struct Lapse {
  std::int64_t until = 0;
  HoldId hold = kNoHold;
  friend bool operator>(const Lapse& a, const Lapse& b) { return a.until > b.until; }
};

// Takes all that happens at one moment together, because intervals are half-open: a promise that
// ends at t does not conflict with ownership that begins at t, whichever was recorded first.
class Sweep {
 public:
  Sweep(const History& history, const JudgeOptions& options, Scratch& scratch)
      : history_(history),
        permits_(options.permits),
        owners_(scratch.workspace.table<Ownership>(history.holds.size())),
        locks_(scratch.workspace.table<Promises>(slots(history.names))),
        lapses_(scratch.workspace.table<Lapse>(history.grants.size())) {}

  Finding run() {
    const auto& grants = history_.grants;
    for (std::size_t first = 0; first < grants.size();) {
      std::size_t last = first;
      while (last < grants.size() && grants[last].time == grants[first].time) ++last;
      ++moment_;
      lapse(grants[first].time);
      for (std::size_t i = first; i < last; ++i) take(grants[i]);
      for (std::size_t i = first; i < last; ++i) {
        if (grants[i].change == GrantChange::begin) judge(grants[i]);
      }
      first = last;
    }
    return finding_;
  }

 private:
  void take(const GrantEvent& e) {
    Ownership& owner = owners_[e.hold];
    if (owner.moment != moment_) {
      owner.moment = moment_;
      owner.owned_before = owner.owned;
    }
    switch (e.change) {
      case GrantChange::begin:
        owner.owned = true;
        if (e.until != kNoTime) promise(e);
        break;
      case GrantChange::extend:
        if (owner.until != kNoTime && e.until != kNoTime) promise(e);
        break;
      case GrantChange::end:
        owner.owned = false;
        break;
      case GrantChange::released:
      case GrantChange::forced:
        owner.owned = false;
        owner.until = kNoTime;
        set_promised(e.hold, false);
        break;
      case GrantChange::wrong_release:
      case GrantChange::wrong_renewal:
        break;
    }
  }

  void promise(const GrantEvent& e) {
    Ownership& owner = owners_[e.hold];
    owner.until = e.until;
    owner.promised_by = e.index;
    set_promised(e.hold, e.until > e.time);
    if (owner.promised && e.until != kEndless) {
      lapses_[lapse_count_++] = Lapse{e.until, e.hold};
      std::push_heap(lapses_.begin(), heap_end(), std::greater<>{});
    }
  }

  void set_promised(HoldId hold, bool promised) {
    Ownership& owner = owners_[hold];
    if (owner.promised == promised) return;
    owner.promised = promised;
    const HoldInfo& info = history_.holds[hold];
    Promises& lock = locks_[slot(info.lock)];
    std::uint32_t& number = info.mode == HoldMode::write ? lock.writers : lock.readers;
    number = promised ? number + 1 : number - 1;
  }

  void lapse(std::int64_t now) {
    while (lapse_count_ > 0 && lapses_[0].until <= now) {
      const Lapse next = lapses_[0];
      std::pop_heap(lapses_.begin(), heap_end(), std::greater<>{});
      --lapse_count_;
      if (owners_[next.hold].until == next.until) set_promised(next.hold, false);
    }
  }

  // Does the ownership that begins here, and lasts, meet the promises of others?
  void judge(const GrantEvent& e) {
    Ownership& owner = owners_[e.hold];
    if (!owner.owned || owner.owned_before) return;
    owner.owned_before = true;  // happens once at each instant
    const HoldInfo& info = history_.holds[e.hold];
    const bool writes = info.mode == HoldMode::write;
    const Promises& lock = locks_[slot(info.lock)];
    const std::uint32_t own_writer = owner.promised && writes ? 1 : 0;
    const std::uint32_t own_reader = owner.promised && !writes ? 1 : 0;
    const std::uint32_t writers = lock.writers - own_writer + (writes ? 1 : 0);
    const std::uint32_t readers = lock.readers - own_reader + (writes ? 0 : 1);
    if (!conflict(writers, readers, permits_)) return;
    if (finding_.measure++ == 0) name_witness(e, writes);
  }

  // The first `permits` others by hold id; at least one of all is a writer.
  void name_witness(const GrantEvent& e, bool writes) {
    const auto is_other = [&](HoldId id) {
      return id != e.hold && owners_[id].promised && history_.holds[id].lock == history_.holds[e.hold].lock;
    };
    finding_.verdict = Verdict::violated;
    std::uint32_t wanted = permits_;
    bool has_writer = writes;
    for (HoldId id = 1; id < owners_.size() && wanted > 0; ++id) {
      if (!is_other(id)) continue;
      const bool writer = history_.holds[id].mode == HoldMode::write;
      if (wanted == 1 && !has_writer && !writer) continue;  // the last place is for a writer
      has_writer = has_writer || writer;
      --wanted;
      finding_.witness.add_hold(id);
      if (finding_.witness.event_count + 1u < Witness::kMostEvents) {
        finding_.witness.add_event(owners_[id].promised_by);
      }
    }
    finding_.witness.add_hold(e.hold);
    finding_.witness.add_event(e.index);
  }

  std::span<Lapse>::iterator heap_end() { return lapses_.begin() + static_cast<std::ptrdiff_t>(lapse_count_); }

  const History& history_;
  const std::uint32_t permits_;
  std::span<Ownership> owners_;
  std::span<Promises> locks_;
  std::span<Lapse> lapses_;  // a heap, the earliest first; those that were overtaken stay in it
  std::size_t lapse_count_ = 0;
  std::uint32_t moment_ = 0;
  Finding finding_;
};

}  // namespace

Finding double_grant(const History& history, const JudgeOptions& options, Scratch& scratch) {
  if (!history.omniscient) return not_applicable(Reason::needs_grants);
  if (!scratch.signs.promised_together) return {};
  return Sweep(history, options, scratch).run();
}

std::string explain_double_grant(const Finding& finding, const History& history, const JudgeOptions&) {
  const auto holds = finding.witness.all_holds();
  const auto events = finding.witness.all_events();
  const GrantEvent* const begin = find_record(history.grants, events.back());
  std::string text = lock_held(history, begin->hold) + " was granted to " + who(history, begin->hold) + " at " +
                     in_milliseconds(begin->time) + " while it was still promised to ";
  for (std::size_t i = 0; i < holds.size() && holds[i] != begin->hold; ++i) {
    if (i > 0) text += " and ";
    text += who(history, holds[i]);
    if (i + 1 >= events.size()) continue;
    const GrantEvent* const promise = find_record(history.grants, events[i]);
    text += promise->until == kEndless ? " without end"
                                       : " until " + in_milliseconds(promise->until) + " (" +
                                             in_milliseconds(promise->until - begin->time) + " too early)";
  }
  if (finding.measure > 1) {
    text += "; this happened " + std::to_string(finding.measure) + " times in the run";
  }
  return text;
}

}  // namespace picklock
