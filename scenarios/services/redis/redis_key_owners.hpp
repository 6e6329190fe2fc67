// One server's copy of one key: which holds it names as owners, by the lock's rule.
//
// It writes down the changes of ownership and marks that follow from a record, with what each hold
// is promised by this server alone.
#pragma once

#include <optional>
#include <vector>

#include "scenarios/recording/data_leases.hpp"
#include "scenarios/recording/grants.hpp"
#include "scenarios/recording/ownership.hpp"

namespace picklock {

// The rules by which a server's copy of a key names owners.
enum class RedisOwnership : std::uint8_t {
  key,           // the hold whose command made the key exist owns it while it exists
  stamp,         // the same; and a GETSET that replaced an expired stamp takes ownership over
  fields,        // the key is a hash: the hold whose command made a field exist owns it while that exists;
                 // a number in it counts acquisitions; the field "mode" is "read" while owners share
  timed_fields,  // the same, and each count may have a timer: a key that the same command sets right
                 // after counting up.  An owner with timers is promised until the last of them, not
                 // until the hash ends; once they have run out, a client that clears it away takes nothing
  lease_fields,  // each field of the hash has a lease, as its value says
  lease_scores,  // the same of the members of a sorted set, as their scores say
  lease_value    // the value of the key has one
};
// Rules in the order of the enumerators.
inline constexpr OwnershipRule kRedisOwnership[] = {
    {"redis-key", "the client that created the key"},
    {"redis-stamp", "the client that created the key, or replaced an expired stamp in it", false, false, true},
    {"redis-fields", "the client that created a field of the hash"},
    {"redis-timed-fields", "the client that created a field of the hash; readers until their own timers end"},
    {"redis-lease-fields", "the client that wrote a field of the hash, until the time in it", false, true, true},
    {"redis-lease-scores", "the client that wrote a member of the sorted set, until the time in its score", false, true,
     true},
    {"redis-lease-value", "the client that wrote the value, until the time in it", false, true, true}};

class RedisKeyOwners {
 public:
  // `lease`: what a stamp promises, and what a renewal gives; keys carry their own time to live.
  RedisKeyOwners(RedisOwnership rule, std::uint64_t key_hash, std::optional<Duration> lease, const DataLease& form = {})
      : rule_(rule), key_(key_hash), lease_(lease), data_(form, lease, rule == RedisOwnership::lease_value) {}

  void reset();
  // Appends to `changes`; their indices are not set.
  void see(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& changes);
  // Calls visit(hold) for each hold that it names, one of several owners more than once at most.
  template <class Visit>
  void for_each_owner(Visit&& visit) const {
    if (owner_ != kNoHold) visit(owner_);
    for (const FieldOwner& o : fields_) visit(o.hold);
    data_.for_each_owner(visit);
  }
  // A restart has said how many keys it will load, and has not loaded them all.
  bool loading() const { return to_load_ > 0; }
  // A replica that took this master's data names the same owners.  (As of now: what
  // the master has changed since it took its snapshot arrives with the stream, and changes nothing.)
  void copy_owners(const RedisKeyOwners& master);

 private:
  struct FieldChange {  // a change of a hash field, before the change of its key
    std::uint64_t field = 0;
    std::int64_t number = 0;
    HoldId by = kNoHold;
    TraceKind kind = 0;
  };
  struct Timer {  // time limit of one acquisition: a key of its own
    std::uint64_t key = 0;
    std::int64_t until = kNoTime;
  };
  struct FieldOwner {
    std::uint64_t field = 0;
    std::int64_t count = 1;  // acquisitions
    HoldId hold = kNoHold;
    bool timed = false;  // true: promised by its timers, and not by the hash
    std::vector<Timer> timers = {};
    std::int64_t promised()
        const;  // end of its first timer: an acquisition that it began with may be the one that this timer ends
    std::int64_t named() const;  // end of its last timer
    bool over(std::int64_t time) const { return timed && time >= named(); }
  };
  bool of_fields() const { return rule_ == RedisOwnership::fields || rule_ == RedisOwnership::timed_fields; }
  bool of_data() const { return rule_ >= RedisOwnership::lease_fields; }
  void data_changed(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& changes);
  void timer_changed(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& changes);
  void hash_changed(const TraceRecord& record, const Provenance& by, std::vector<GrantEvent>& changes);
  void field_changed(const FieldChange& change, const TraceRecord& record, std::int64_t until,
                     std::vector<GrantEvent>& changes);
  void end_fields(const Provenance& by, GrantEnd cause, std::int64_t time, std::vector<GrantEvent>& changes);
  bool owns_a_field(HoldId hold) const;
  // A command that gives the key this much time: the owner's own renews, as long or as short as it is; another's renews
  // what it lengthens or gives a whole lease, and takes away what it shortens to less.
  struct Timing {
    std::int64_t time, before, until;
  };
  void timed_anew(HoldId hold, HoldId by, bool own, const Timing& timing, std::vector<GrantEvent>& changes) const;
  void say(GrantChange change, HoldId hold, HoldId by, std::int64_t time, std::int64_t until,
           std::vector<GrantEvent>& changes, GrantEnd cause = GrantEnd::unknown) const;
  [[gnu::always_inline]] void key_changed(const TraceRecord& record, const Provenance& by,
                                          std::vector<GrantEvent>& changes);
  void loaded(std::int64_t time, std::vector<GrantEvent>& changes);
  void begin(HoldId hold, std::int64_t time, std::int64_t until, std::vector<GrantEvent>& changes);
  void add(GrantChange change, HoldId by, std::int64_t time, std::int64_t until, std::vector<GrantEvent>& changes,
           GrantEnd cause = GrantEnd::unknown) const;
  std::int64_t promise(std::int64_t time, std::int64_t ttl_ms) const;

  RedisOwnership rule_;
  std::uint64_t key_;
  std::optional<Duration> lease_;
  HoldId owner_ = kNoHold;              // owner of a key
  std::vector<FieldOwner> fields_;      // owners of a hash
  std::vector<FieldChange> unclaimed_;  // fields whose key comes next
  DataLeases data_;
  std::uint64_t counted_up_ = 0;  // the field whose timer may come next, or 0
  std::int64_t until_ = kNoTime;  // time when the key expires, by its last setting
  std::int64_t stamp_ms_ = 0, next_stamp_ms_ = 0;
  std::uint32_t to_load_ = 0;  // keys that a restart is about to load
  bool reloaded_ = false;      // true: this key was among them
};

}  // namespace picklock
