// The owner of a lock that is a queue: places in an order, each of one hold, each kept by a lease or session.
//
// ZooKeeper's and etcd's locks are of this form.  A place may be a hold's second one (a request that was
// answered late, and made again): the hold owns the lock while any of its places does.  A place may be found by a
// later hold, which takes it for its own.  If it is of the same client, that one is done with the earlier hold,
// whether its release has been heard of or not: the place passes on.  If not, the place is then of both.
#pragma once

#include <optional>
#include <vector>

#include "scenarios/recording/grants.hpp"

namespace picklock {

class QueueOwners {
 public:
  enum class Turn : std::uint8_t {
    first,       // the first place owns; also for a lock that has one place at most
    read_write,  // a shared place owns if none before it is exclusive; else the first
    permits      // the first places, as many as there are permits
  };
  explicit QueueOwners(Turn turn, std::int64_t permits = 1) : turn_(turn), permits_(permits) {}

  void reset();

  struct Entry {
    std::uint64_t id = 0;      // names the place
    std::int64_t order = 0;    // place in the queue
    std::uint64_t keeper = 0;  // a lease or session; 0: none, the place is promised for ever
    std::int64_t until = 0;    // end of the promise; 0: its keeper's
  };
  void join(const Entry& entry, const Provenance& by, std::int64_t time);
  // `cause`: the cause of an end for which no process of the client asked.
  void leave(std::uint64_t id, const Provenance& by, std::int64_t time, GrantEnd cause);
  void find(std::uint64_t id, const Provenance& by, std::int64_t time);
  // This lease or session promises all that it keeps until then, at least.
  void keep(std::uint64_t keeper, std::int64_t until, std::int64_t time);
  bool knows(std::uint64_t keeper) const;
  void keep_place(std::uint64_t id, std::int64_t until, std::int64_t time);
  std::optional<HoldId> hold_at(std::uint64_t id) const;

  // Takes the grants that have followed since the last call.
  void take(std::vector<GrantEvent>& grants, std::uint32_t& index);

 private:
  struct Place {
    Entry entry;
    HoldId hold = kNoHold;
    std::uint32_t client = 0;
    bool shared = false, owns = false;
  };
  struct Keeper {
    std::uint64_t id = 0;
    std::int64_t until = 0;
  };
  std::int64_t promised(const Place& p) const;
  static bool owns(const std::vector<Place>& places, HoldId hold);
  static GrantChange why_left(HoldId hold, const Provenance& by);
  // Turns come and go: before_, and which of those places have just left.
  void decide(std::int64_t time, const std::vector<HoldId>& gone, const Provenance& by,
              GrantEnd cause = GrantEnd::displaced);
  void say(GrantChange change, HoldId hold, HoldId by, std::int64_t time, std::int64_t until,
           GrantEnd cause = GrantEnd::unknown);

  Turn turn_;
  std::int64_t permits_;
  std::vector<Place> places_;    // places in their order; one that several holds share stands once for each
  std::vector<Keeper> keepers_;  // all keepers that ever existed
  std::vector<Place> before_;    // scratch
  std::vector<HoldId> gone_;     // scratch
  std::vector<GrantEvent> said_;
};

}  // namespace picklock
