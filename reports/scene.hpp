// The scene of a run: who does what from when until when, in rows. A terminal and a file of graphics draw the same rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/history.hpp"
#include "checker/properties/options.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {

// A fault of the plan that struck in a run.
struct FaultSpan {
  std::size_t fault = 0;             // index in the plan
  std::string words;                 // "the pause of a"
  std::int64_t from = 0, until = 0;  // equal: over as soon as it has begun
  bool told = false;                 // of a client's own process, whose stops and deaths are told anyway
};
// Of the runner's last run, in the order of their beginnings.
std::vector<FaultSpan> faults_struck(Runner& runner);

enum class BarKind : std::uint8_t { waits, believes, stopped, stopped_believing, dead, owned, fault, conflict };
enum class SceneMarkKind : std::uint8_t { read, write, refused_read, refused_write, strike };

struct Bar {
  std::int64_t from = 0, until = 0;
  BarKind kind{};
  std::string text{};  // of a lock: its owner
};
struct SceneMark {
  std::int64_t time = 0;
  SceneMarkKind kind{};
};
enum class RowKind : std::uint8_t { client, lock, resource, fault, conflict };
struct SceneRow {
  std::string label;
  RowKind kind{};
  std::vector<Bar> bars{};  // ascending, without overlaps
  std::vector<SceneMark> marks{};
};
struct Scene {
  std::string title;
  std::int64_t end = 0;  // of what is drawn: the load, up to healing
  std::vector<SceneRow> rows;
};

// Clients, then every lock (as many rows as it has owners at a time), resources, faults, and where conflicting holds meet.
Scene scene_of(const Scenario& scenario, const RunResult& result, const std::vector<FaultSpan>& faults);

}  // namespace picklock
