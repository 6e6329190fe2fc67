// The trace: what happened, as 32-byte records, and the digest over all of them.
//
// Every run keeps the digest and the records of *journal* kinds, from which a history is made.  The other
// records are kept when the full trace is recorded.  Recording does not change the digest.  Details are not in it: they
// follow from records that are, as the arrival of a segment follows from its sending, and only a full trace has them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/core/clock.hpp"

namespace picklock {

// Kinds are numbered by folder: each takes a range and describes its own in a table of TraceKindInfo.
using TraceKind = std::uint16_t;
inline constexpr TraceKind kJournal = 0x8000;  // set in kinds that a history is made from
inline constexpr TraceKind kDetail = 0x4000;   // set in kinds that only a full trace has; never together with kJournal

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
    if ((r.kind & kDetail) != 0) {
      if (!recording_) return;
      ++details_;
    }
    block_[in_block_++] = r;
    if ((r.kind & kJournal) != 0) journal_.push_back(r);
    if (in_block_ == block_.size()) [[unlikely]]
      flush();
  }
  std::uint64_t digest() const;
  std::uint64_t records() const { return flushed_ + in_block_ - details_; }  // in the digest
  const std::vector<TraceRecord>& journal() const { return journal_; }
  const std::vector<TraceRecord>& full() {
    flush();
    return full_;
  }

  void record_fully(bool on) {  // from here on; survives reset()
    flush();
    recording_ = on;
  }
  void reset();

 private:
  void flush();

  std::uint64_t digest_ = 0;
  std::uint64_t flushed_ = 0, details_ = 0;
  std::uint32_t in_block_ = 0;
  bool recording_ = false;
  std::vector<TraceRecord> journal_, full_;
  alignas(64) std::array<TraceRecord, 128> block_;
};

namespace trace {

// Kinds of sim/core: 1 to 63.
inline constexpr TraceKind segment_sent = 1, segment_arrived = kDetail | 2, segment_lost = 3, mark_passed = kDetail | 4,
                           connection_opened = 5, connection_closed = 6, disk_write = 7, disk_synced = 8,
                           task_started = kDetail | 9, task_ended = kDetail | 10, rule_changed = 11;
inline constexpr TraceKind process_paused = kJournal | 32, process_continued = kJournal | 33,
                           process_killed = kJournal | 34, power_lost = kJournal | 35, process_started = kJournal | 36,
                           host_frozen = kJournal | 37, host_thawed = kJournal | 38, clock_rate = kJournal | 39,
                           clock_step = kJournal | 40, task_paused = kJournal | 41, task_continued = kJournal | 42,
                           deadline_announced = kJournal | 43, process_panicked = kJournal | 44;
std::span<const TraceKindInfo> core_kinds();

}  // namespace trace

}  // namespace picklock
