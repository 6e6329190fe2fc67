// Plan of the locks that a client takes, in order: what `locks = ["x", "y:read", "x+y"]` says.
//
//   "x"       the lock of this name, alone
//   "x:read"  … shared with other readers ("x:write" is the same as "x")
//   "x+y"     one lock over both names, a multi-lock
//
// They are taken in this order, one inside the other, and given back in reverse (ReleaseOrder).  An entry that
// stands there twice is acquired twice by the same lock object, as a reentrant lock allows: the
// inner acquisition belongs to the hold of the outer.  So does "x:read" within "x", if the lock is
// reentrant and has readers; but if the client gives back the oldest first, then the reader's is a hold
// of its own, which begins when the writer's ends.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/lock.hpp"
#include "scenarios/recording/roster.hpp"

namespace picklock {

struct LockEntry {
  std::vector<std::string> names;  // one name, or several for a multi-lock
  Sharing sharing = Sharing::exclusive;
  bool operator==(const LockEntry&) const = default;
};

// Nothing if a name is empty or stands there twice.
std::optional<LockEntry> parse_lock_entry(std::string_view text);
std::string to_text(const LockEntry& entry);  // "x", "x:read", "x+y"

// One lock object of a client.
struct LockUse {
  std::vector<std::string_view> names;  // names as in LockTable::names
  std::vector<std::uint32_t> locks;     // numbers of the locks in that table
  std::uint32_t number = 0;             // number of the whole lock: its only name, or "x+y"
  Sharing sharing = Sharing::exclusive;

  bool several() const { return locks.size() > 1; }
  // Number of ids of one hold: its own and, of a multi-lock, one for each name after it.
  std::uint32_t ids() const { return several() ? static_cast<std::uint32_t>(locks.size()) + 1 : 1; }
  // The id of its hold on the i-th name, of which `hold` is the whole.
  std::uint32_t part(std::uint32_t hold, std::size_t i) const {
    return several() ? hold + 1 + static_cast<std::uint32_t>(i) : hold;
  }
};

struct LockPlan {
  std::vector<LockUse> uses;
  std::vector<std::uint32_t> order;  // one for each acquisition: the index in `uses`
};

// True if a client that holds the one may take the other within it, as a reader of what it writes.
bool reads_what_it_writes(const LockUse& held, const LockUse& asked, const Claims& claims);
// True if a plan has two such uses, the writer first.
bool reads_within_writer(const LockPlan& plan, const Claims& claims);

// Adds what is new in the entries of any client, as parsed; then plans can be made, whose names stay
// valid as long as the table is not changed.
void add_locks(std::span<const LockEntry> entries, LockTable& table);
LockPlan make_lock_plan(std::span<const LockEntry> entries, const LockTable& table);

}  // namespace picklock
