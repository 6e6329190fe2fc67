// The trace: what happened, as 32-byte records, and a digest of it.
//
// Every run keeps the *journal*, the records from which a history is made.  All others are details, which are kept when the
// full trace is recorded.  The digest covers the journal, and of the rest what cover() is told: when each segment
// arrives, each write to a disk.  Recording does not change it.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/lease_text.hpp"
#include "sim/core/clock.hpp"

namespace picklock {

// Kinds are numbered by folder: each takes a range and describes its own in a table of TraceKindInfo.
using TraceKind = std::uint16_t;
inline constexpr TraceKind kJournal = 0x8000;  // set in kinds of the journal; the others are details

struct TraceRecord {
  std::int64_t time = 0;  // true time, ns
  TraceKind kind = 0;
  std::uint16_t node = 0;
  std::uint32_t a = 0;
  std::uint64_t b = 0, c = 0;  // the kind gives them their meaning
  bool operator==(const TraceRecord&) const = default;
};
static_assert(sizeof(TraceRecord) == 32 && std::has_unique_object_representations_v<TraceRecord>);

struct TraceKindInfo {
  TraceKind kind = 0;
  std::string_view name;     // "segment-sent"
  std::string_view a, b, c;  // meaning of the fields; empty: unused
};

class Trace {
 public:
  [[gnu::always_inline]] void add(const TraceRecord& r) {
    if ((r.kind & kJournal) != 0) {
      if (size_ == journal_.size()) [[unlikely]]
        grow();
      journal_[size_++] = r;
    }
    if (recording_) [[unlikely]]
      full_.push_back(r);
  }
  // Adds to the digest a value that no record of the journal has, at this place among the records.
  void cover(std::uint64_t what) { covered_ = (std::rotl(covered_, 29) ^ what ^ size_) * 0x9fb21c651e98df25; }
  std::uint64_t digest() const;
  std::span<const TraceRecord> journal() const { return {journal_.data(), size_}; }
  const std::vector<TraceRecord>& full() const { return full_; }

  void record_fully(bool on) { recording_ = on; }  // takes effect now; survives reset()
  bool records_fully() const { return recording_; }
  // Names of the keys that servers write for clients, each once, in their order: records have their hashes alone.  They are
  // kept if they are asked for.
  void keep_keys(bool on) { keeps_keys_ = on; }  // takes effect now; survives reset()
  void wrote_key(std::string_view key) {
    if (keeps_keys_) [[unlikely]]
      keep_key(key);
  }
  const std::vector<std::string>& keys_written() const { return keys_; }
  // The form of a lease that a lock keeps in data; null: it keeps none.  Servers then record what their data say, as
  // lease_in_data and lease_gone.  It survives reset().
  void read_leases(const LeaseText* form) { leases_ = form; }
  const LeaseText* leases() const { return leases_; }
  void reset();

 private:
  void grow();
  void keep_key(std::string_view key);

  std::uint64_t covered_ = 0;
  std::size_t size_ = 0;            // number of valid records in the journal; later ones belong to earlier runs
  mutable std::size_t hashed_ = 0;  // number of its records that are in the hash
  mutable std::uint64_t hash_ = 0;
  bool recording_ = false, keeps_keys_ = false;
  std::vector<TraceRecord> journal_, full_;
  std::vector<std::string> keys_;
  const LeaseText* leases_ = nullptr;
};

namespace trace {

// Kinds of sim/core: 1 to 63.
inline constexpr TraceKind segment_sent = 1, segment_arrived = 2, segment_lost = 3, mark_passed = 4,
                           connection_opened = 5, connection_closed = 6, disk_write = 7, disk_synced = 8,
                           task_started = 9, task_ended = 10, rule_changed = 11;
inline constexpr TraceKind process_paused = kJournal | 32, process_continued = kJournal | 33,
                           process_killed = kJournal | 34, power_lost = kJournal | 35, process_started = kJournal | 36,
                           host_frozen = kJournal | 37, host_thawed = kJournal | 38, clock_rate = kJournal | 39,
                           clock_step = kJournal | 40, task_paused = kJournal | 41, task_continued = kJournal | 42,
                           deadline_announced = kJournal | 43, process_panicked = kJournal | 44;
// They precede the record of the change of their key or node.  For a lease in a value, b is the owner that the value
// names, or 0.
inline constexpr TraceKind lease_in_data = kJournal | 45,  // a: hold, b: hash of the field or member, c: its time in ns
    lease_gone = kJournal | 46;                            // a: hold, b: the same; or what is left names no time
constexpr bool is_of_leases(TraceKind k) { return k == lease_in_data || k == lease_gone; }
std::span<const TraceKindInfo> core_kinds();

}  // namespace trace

}  // namespace picklock
