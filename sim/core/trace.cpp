#include "sim/core/trace.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/hash.hpp"

namespace picklock {
namespace {

std::uint64_t chain(std::uint64_t h, const TraceRecord& r) {
  const auto word = [&](std::size_t i) {
    std::uint64_t w;
    std::memcpy(&w, reinterpret_cast<const char*>(&r) + i * sizeof w, sizeof w);
    return w;
  };
  const std::uint64_t x = multiply_fold(word(0) ^ 0xa0761d6478bd642f, word(1) ^ 0xe7037ed1a0b428db) ^
                          multiply_fold(word(2) ^ 0x8ebc6af09c88c6e3, word(3) ^ 0x589965cc75374cc3);
  return (std::rotl(h, 29) ^ x) * 0x9fb21c651e98df25;
}

}  // namespace

std::uint64_t Trace::digest() const {
  std::uint64_t h = hash_;
  for (const TraceRecord& r : journal().subspan(hashed_)) h = chain(h, r);
  hash_ = h;
  hashed_ = size_;
  return hash_ ^ mix(covered_ ^ kGolden);
}

void Trace::keep_key(std::string_view key) {
  if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) keys_.emplace_back(key);
}

void Trace::grow() { journal_.resize(std::max<std::size_t>(64, journal_.size() * 2)); }

void Trace::reset() {
  covered_ = hash_ = kGolden;
  size_ = hashed_ = 0;
  full_.clear();
  keys_.clear();
}

std::span<const TraceKindInfo> trace::core_kinds() {
  static constexpr std::array<TraceKindInfo, 26> kKinds = {{
      {segment_sent, "segment-sent", "connection", "call", "body hash"},
      {segment_arrived, "segment-arrived", "connection", "call", "kind"},
      {segment_lost, "segment-lost", "connection", "attempt", ""},
      {mark_passed, "mark-passed", "mark", "side", "operation"},
      {connection_opened, "connection-opened", "connection", "peer", ""},
      {connection_closed, "connection-closed", "connection", "how", ""},
      {disk_write, "disk-write", "file", "bytes", ""},
      {disk_synced, "disk-synced", "file", "bytes", ""},
      {task_started, "task-started", "task", "name", ""},
      {task_ended, "task-ended", "task", "", ""},
      {rule_changed, "network-rule", "rule", "installed", ""},
      {process_paused, "process-paused", "", "", ""},
      {process_continued, "process-continued", "", "waiting", ""},
      {process_killed, "process-killed", "tasks", "", ""},
      {power_lost, "power-lost", "tasks", "", ""},
      {process_started, "process-started", "incarnation", "", ""},
      {host_frozen, "host-frozen", "", "", ""},
      {host_thawed, "host-thawed", "", "frozen for ns", "catches up"},
      {clock_rate, "clock-rate", "", "ppm", ""},
      {clock_step, "clock-step", "", "ns", ""},
      {task_paused, "task-paused", "task", "", ""},
      {task_continued, "task-continued", "task", "", ""},
      {deadline_announced, "deadline-announced", "what", "local ns", "hold"},
      {process_panicked, "process-panicked", "tasks", "why", ""},
      {lease_in_data, "lease-in-data", "hold", "owner", "ns"},
      {lease_gone, "lease-gone", "hold", "owner", ""},
  }};
  return kKinds;
}

}  // namespace picklock
