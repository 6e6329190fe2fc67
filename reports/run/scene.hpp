// The scene of a run: who does what from when until when, in rows. A terminal and a file of graphics draw the same rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/history.hpp"
#include "checker/properties/options.hpp"
#include "scenarios/run/record.hpp"
#include "sim/task/runtime.hpp"

namespace picklock {

// A fault of the plan that struck in a run.
struct FaultSpan {
  std::size_t fault = 0;             // index in the plan
  std::string words;                 // "the pause of a"
  std::int64_t from = 0, until = 0;  // equal: the fault is over as soon as it has begun
  bool told = false;                 // true: another line tells it already, such as a client's stop or death
};
// Faults in the order of their beginnings.
std::vector<FaultSpan> faults_struck(const RunRecord& record);

// Bars in the order in which one hides another.
enum class BarKind : std::uint8_t {
  waits,
  believes,
  believes_and_waits,  // waits for another lock, or for the same again
  promised,            // a lock's lease runs, though the service names its owner no more
  owned,
  overdue,  // the service names an owner whose lease of the lock has run out
  names,    // the owner that a server names
  leads,    // the server that leads
  clock,    // the difference of a machine's clock
  stopped,
  stopped_believing,
  dead,
  fault,
  conflict
};
inline constexpr std::size_t kBarKinds = 14;
enum class SceneMarkKind : std::uint8_t { read, write, refused_read, refused_write, strike };

struct Bar {
  std::int64_t from = 0, until = 0;
  BarKind kind{};
  std::string text{};  // the owner, the leader, the difference
};
struct SceneMark {
  std::int64_t time = 0;
  SceneMarkKind kind{};
};
enum class RowKind : std::uint8_t { client, server, leader, clock, lock, resource, fault, conflict };
struct SceneRow {
  std::string label;
  RowKind kind{};
  std::vector<Bar> bars{};  // ascending; on a server's row, interruptions lie over its names
  std::vector<SceneMark> marks{};
  NodeId node = 0;  // machine of the client or server
};
struct Scene {
  std::string title;
  // Times that are drawn: from shortly before the first client or fault does anything, if that is late, up to healing.
  std::int64_t begin = 0, end = 0;
  std::vector<SceneRow> rows;
};

// Round instants from `begin` up to `end`, at most this many.
std::vector<std::int64_t> ticks_of(std::int64_t begin, std::int64_t end, std::int64_t most);
// One of them in words: all in seconds, if the last is in seconds and they are whole.
std::string tick_words(const std::vector<std::int64_t>& ticks, std::int64_t tick);

// Clients; servers with the owner that each names, and which of them leads; clocks that differ; every lock with its
// leases (as many rows as it has owners at a time); resources, faults, and where conflicting holds meet.  Needs
// RecordOptions::story.
Scene scene_of(const RunRecord& record, const std::vector<FaultSpan>& faults);

}  // namespace picklock
