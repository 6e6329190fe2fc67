// The properties, and what a witness of each must show, by what they are about.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "checker/properties/reference/observer_lab.hpp"

namespace picklock::reference {

// Clients that are inside, and clients that may be.
class Exclusion : public Observer {
 public:
  using Observer::Observer;
  Finding mutual_exclusion() const;
  Finding double_grant() const;
  bool proves_mutual_exclusion(const Witness& w) const;
  bool proves_double_grant(const Witness& w) const;

 private:
  bool is_double(HoldId id, Time t) const;
};

// State of the resource.
class Effects : public Observer {
 public:
  using Observer::Observer;
  Finding lost_update() const;
  Finding stale_write() const;
  Finding late_write() const;
  Finding sold_twice() const;
  static bool loses(const EffectEvent& w, const EffectEvent& lost);
  static bool is_swallowed(const EffectEvent& write);  // true: refused, though its caller was told that it succeeded
  // `e` came before `write`, on behalf of a hold that was granted later.
  bool makes_stale(const EffectEvent& e, const EffectEvent& write) const;
  bool is_late(const EffectEvent& write) const;

 private:
  static bool took_effect(const EffectEvent& e);
  bool is_stale(const EffectEvent& write) const;
};

// Tokens, in the order of the grants, or of what a foreign history knows of it.
class Fencing : public Observer {
 public:
  using Observer::Observer;
  Finding fencing() const;
  bool out_of_order(HoldId a, HoldId b) const;

 private:
  // A foreign hold: the outermost acquire of a hold, or one without a hold.
  struct Acquisition {
    NameId lock;
    bool reads;
    std::int64_t token;
    std::uint32_t invoked, returned;
  };
  std::vector<Acquisition> acquisitions() const;
  static bool out_of_order(const Acquisition& a, const Acquisition& b);
  bool issues(const OperationEvent& e) const;
  std::int64_t token(HoldId id) const;
  bool granted_before(HoldId a, HoldId b) const;
  // Has it the place of an earlier hold, and its token?
  bool took_over(HoldId b) const;
};

// Holds that a command ended or prolonged.
class Releases : public Observer {
 public:
  using Observer::Observer;
  Finding wrong(GrantChange kind) const;
  Finding unreleased() const;
  // Was it told that all was given back, and did the service keep it?
  bool kept(HoldId id) const;
};

// Clients that wait, and for how long.
class Waiting : public Observer {
 public:
  using Observer::Observer;
  Finding never_free_again() const;
  Finding starvation() const;
  Finding overtaking() const;
  Finding lost_wake_up() const;
  // Judges one lock: holds, violated, or undecided and why.  nullopt: not probed.
  std::optional<Finding> probe(NameId name) const;
  bool overtakes(HoldId other, HoldId id) const;

 private:
  bool held_between(NameId name, Time from, Time until) const;
  Time asked(HoldId id) const;
};

// Service to clients that ask, and owners that are named without need.
class Serving : public Observer {
 public:
  using Observer::Observer;
  Finding orphaned() const;
  Finding unserved() const;
  bool is_orphan(HoldId id, Time t) const;
  // 0: this acquire is not unserved.
  Time unserved_for(const OperationEvent& asked) const;

 private:
  Time from() const;  // start of the time that counts
  Time settled() const;
  Time asks_until(const OperationEvent& asked) const;
  bool is_closed(const OperationEvent& asked) const;  // true: answered before the probe, or its client died
  bool stands_in_the_way(const OperationEvent& asked, Time t) const;
  bool heard_in_vain(HoldId id) const;  // true: the service heard of it, and never named it
  bool gave_up(const OperationEvent& asked, Time answered) const;
  // The longest time, from where it counts, in which nothing stood in its way; whether nothing ever did; how long nothing
  // has at the end, or -1.
  struct Way {
    Time longest = 0;
    bool never_obstructed = true;
    Time at_end = -1;
  };
  Way way_of(const OperationEvent& asked) const;
};

// Clients that wait for each other.
class Deadlocks : public Observer {
 public:
  using Observer::Observer;
  Finding deadlock() const;
  // Does each hold's client wait for the next hold when the cycle has closed?
  bool proves_deadlock(const Witness& w) const;

 private:
  // The hold for which this client waits at t; kNoHold if it does not wait.
  HoldId waits(NameId client, Time t) const;
  // Granted, and not given back since.
  bool got(HoldId id, Time t) const;
  bool blocks(HoldId held, HoldId wanted, Time t) const;
  std::set<NameId> clients() const;
  // Clients from which one comes back to oneself.
  std::set<NameId> in_cycles(Time t) const;
};

// Events that a verdict needs in order to mean something.
class Happenings : public Observer {
 public:
  using Observer::Observer;
  SometimesMask happened() const;

 private:
  struct Interest {
    NameId lock;
    std::int32_t process;
    std::uint32_t from;
    std::uint32_t until;
    bool instant;  // true: lasts for the instant `from` alone
  };
  bool contention() const;
  bool two_foreign_holds() const;
  bool two_holds() const;
  bool came_true(HoldId id) const;
  bool resource_shared() const;
  bool someone_acquired() const;
  template <class Records, class Test>
  bool any_of(const Records& records, Test test) const {
    return std::any_of(records.begin(), records.end(),
                       [&](const auto& e) { return e.index < probe_index() && test(e); });
  }
};

}  // namespace picklock::reference
