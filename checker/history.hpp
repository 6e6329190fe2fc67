// A history: what clients asked, what they were told and, for a simulated run, what was true.
//
// Operations (invoke, ok, fail, info) are what Jepsen and Knossos record.  Beside them stand events
// that only an omniscient observer can write down: beliefs (a client thinks that it holds), grants
// (the lock service names a hold as its owner) and effects (what reached the protected resource).
// A foreign history lacks those, and a property that needs them is *not applicable*.
//
// Records are plain structs of at most 48 bytes with interned names.  `index` numbers all records
// of a history in one sequence; it breaks ties of time.  Times are nanoseconds of true time since
// the start of the run (in a foreign history: recorded time).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "checker/names.hpp"
#include "checker/value.hpp"

namespace picklock {

using HoldId = std::uint32_t;  // 1, 2, …; 0 = none
inline constexpr HoldId kNoHold = 0;
inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kNoToken = std::numeric_limits<std::int64_t>::min();

enum class OperationType : std::uint8_t { invoke, ok, fail, info };

// One end of an operation. A crashed or timed-out operation ends in `info`, or not at all.
struct OperationEvent {
  std::int64_t time = 0;
  std::int64_t local_time = kNoTime;  // the process's own monotonic clock, if known
  Value value;                        // the value that was asked for or answered
  std::int64_t token = kNoToken;      // fencing token, on acquire.ok and on storage requests
  std::uint32_t index = 0;
  std::int32_t process = 0;  // >= 0: a client process; < 0: ~process is the NameId of e.g. nemesis
  HoldId hold = kNoHold;
  OperationType type = OperationType::invoke;
  std::uint8_t f = 0;       // index into History::functions: acquire, release, read, write, …
  NameId object = kNoName;  // the lock or resource that is meant, where it is named
};

enum class BeliefEnd : std::uint8_t { none, released, lost, deadline, died };

// A client begins, or ceases, to believe that it holds a lock.
struct BeliefEvent {
  std::int64_t time = 0;
  std::uint32_t index = 0;
  HoldId hold = kNoHold;
  BeliefEnd end = BeliefEnd::none;  // end of the belief; none: the belief begins here
};

enum class GrantChange : std::uint8_t {
  begin,     // the ownership rule names the hold from here on
  extend,    // the promise now lasts until `until`
  end,       // ownership ends: by release, expiry, force, or loss of data
  released,  // a release of the hold itself was applied: ends the promise as well
  forced,    // a declared force ended it: ends the promise as well
  // Marks beside the end or extend that they bring about, which follows with the same time:
  wrong_release,  // a command of `by` ended or decremented the ownership of `hold`
  wrong_renewal   // a command of `by` extended the ownership of `hold`
};

// Reason why the service names a hold no more (GrantChange::end).  For a begin: why the hold before it, whose promise
// is not over, does not stand against it (lost, not_replicated).
enum class GrantEnd : std::uint8_t {
  unknown,
  expired,         // the server's clock says that its time is over
  deleted,         // a command took it away
  overwritten,     // a command put another in its place
  lost,            // the server started again, and did not load it
  stopped,         // the server that named it is down
  demoted,         // the server that named it is in charge no more
  not_replicated,  // the server that is in charge now never heard of it
  session_over,    // the service ended the session that kept it
  lease_over,      // the service ended the lease that kept it
  displaced        // another hold stands before it now
};

// A change of a hold's ownership by the lock service.
struct GrantEvent {
  std::int64_t time = 0;
  std::int64_t until = kNoTime;  // begin, extend: promised until, true time; max() = without end
  std::uint32_t index = 0;
  HoldId hold = kNoHold;
  HoldId by = kNoHold;  // the hold on whose behalf the command was sent
  GrantChange change = GrantChange::begin;
  GrantEnd cause = GrantEnd::unknown;
  NameId server =
      kNoName;  // causes up to not_replicated: the server that decided, restarted, died or took over; deleted: none
};

enum class EffectKind : std::uint8_t { read, write, refused_read, refused_write };

// A request that reached the protected resource.
struct EffectEvent {
  std::int64_t time = 0;
  std::int64_t token = kNoToken;
  std::uint64_t version = 0;       // write: the version it created; read: the version it saw
  std::uint64_t read_version = 0;  // write: the version it was computed from
  std::uint32_t index = 0;
  HoldId hold = kNoHold;
  NameId resource = kNoName;
  EffectKind kind = EffectKind::read;
  bool acknowledged = false;     // true: the client was told that the write succeeded
  bool depends_on_read = false;  // true: `read_version` means something (a write after a read)
};

enum class ProcessChange : std::uint8_t { stopped, continued, died, started };

// Change of a client's process: stopped covers pause and freeze, died covers kill and
// power loss.
struct ProcessEvent {
  std::int64_t time = 0;
  std::uint32_t index = 0;
  NameId client = kNoName;
  ProcessChange change = ProcessChange::stopped;
};

enum class Phase : std::uint8_t { load, heal, settle, probe, end };

struct PhaseEvent {
  std::int64_t time = 0;
  std::uint32_t index = 0;
  Phase phase = Phase::load;
};

enum class HoldMode : std::uint8_t { write, read };

// Facts about a hold, by id.
struct HoldInfo {
  NameId lock = kNoName;
  NameId client = kNoName;
  std::int32_t process = 0;
  std::int64_t token = kNoToken;  // newest token
  HoldMode mode = HoldMode::write;
};

// A key of an operation record that OperationEvent has no field for, e.g. `:error :not-held`.
struct ExtraField {
  std::uint32_t index = 0;  // index of the operation's record
  NameId key = kNoName;     // the key without its colon: error
  Value value;
};

// Effect of an operation, by the name of its function.
enum class Role : std::uint8_t { other, acquire, release, extend, read, add };
Role role_of(std::string_view function);

struct History {
  Names names;
  ValueTable values;              // the texts behind Value
  std::vector<NameId> functions;  // index: OperationEvent::f; at most 255
  std::vector<Role> roles;        // roles of functions, if their maker knows them; empty: their names say them
  std::vector<HoldInfo> holds;    // index: HoldId; element 0 is unused

  std::vector<OperationEvent> operations;
  std::vector<ExtraField> extras;  // ascending by index; mostly empty
  std::vector<BeliefEvent> beliefs;
  std::vector<GrantEvent> grants;
  std::vector<EffectEvent> effects;
  std::vector<ProcessEvent> processes;
  std::vector<PhaseEvent> phases;

  bool omniscient = false;  // true: beliefs, grants and effects were recorded, even if there are none
  bool sound = false;       // true: its maker vouches that records of each kind ascend, and name only known things

  // Both keep the capacity: one history serves many runs.
  void clear();
  void clear_records();  // keeps the names and functions
};

static_assert(sizeof(OperationEvent) <= 56);
static_assert(sizeof(BeliefEvent) <= 48 && sizeof(GrantEvent) <= 48 && sizeof(EffectEvent) <= 48);

}  // namespace picklock
