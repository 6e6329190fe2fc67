#include "scenarios/run/faults_played.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "scenarios/recording/journal.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kNever = -1, kToTheEnd = std::numeric_limits<std::int64_t>::max();

struct LastInterest {
  NameId client = kNoName;
  std::uint32_t open = 0;  // acquires and beliefs that have begun and have not ended
  std::int64_t last = kNever;
};

// Clients are few: a list is searched faster than a table is cleared.
class Interests {
 public:
  void begin(NameId client) { ++of(client).open; }
  void end(NameId client, std::int64_t time) {
    LastInterest& interest = of(client);
    if (interest.open > 0) --interest.open;
    interest.last = std::max(interest.last, time);
  }
  void end_all(NameId client, std::int64_t time) {
    LastInterest& interest = of(client);
    if (interest.open > 0) interest.last = std::max(interest.last, time);
    interest.open = 0;
  }
  // The client that comes second when the last instants are put in order.
  std::int64_t second() const {
    std::int64_t first = kNever, second = kNever;
    for (const LastInterest& interest : all_) {
      std::int64_t last = interest.open > 0 ? kToTheEnd : interest.last;
      if (last > first) std::swap(last, first);
      second = std::max(second, last);
    }
    return second;
  }

 private:
  LastInterest& of(NameId client) {
    const auto known =
        std::find_if(all_.begin(), all_.end(), [&](const LastInterest& i) { return i.client == client; });
    if (known != all_.end()) return *known;
    all_.push_back({client});
    return all_.back();
  }

  std::vector<LastInterest> all_;
};

bool acquires(const OperationEvent& e) {
  const auto f = static_cast<Function>(e.f);
  return f == Function::acquire || f == Function::acquire_read;
}

}  // namespace

bool FaultsPlayed::cut_off() const {
  return std::any_of(courses.begin(), courses.end(), [&](const FaultCourse& c) { return cuts_off(c); });
}

bool FaultsPlayed::came_late() const {
  return !courses.empty() && std::all_of(courses.begin(), courses.end(), [&](const FaultCourse& c) {
    return c.strike != Strike::injected || c.began > last_shared;
  });
}

TrueTime last_shared(const History& h) {
  std::uint32_t end = std::numeric_limits<std::uint32_t>::max();
  for (const PhaseEvent& e : h.phases) {
    if (e.phase == Phase::heal) end = std::min(end, e.index);
  }
  Interests interests;
  auto belief = h.beliefs.begin();
  auto process = h.processes.begin();
  const auto see_before = [&](std::uint32_t index) {
    for (;;) {
      const bool believes = belief != h.beliefs.end() && belief->index < index;
      const bool changes = process != h.processes.end() && process->index < index;
      if (!believes && !changes) return;
      if (believes && (!changes || belief->index < process->index)) {
        const NameId client = h.holds[belief->hold].client;
        if (belief->end == BeliefEnd::none) {
          interests.begin(client);
        } else {
          interests.end(client, belief->time);
        }
        ++belief;
      } else {
        if (process->change == ProcessChange::died) interests.end_all(process->client, process->time);
        ++process;
      }
    }
  };
  for (const OperationEvent& e : h.operations) {
    if (e.index >= end) break;
    if (!acquires(e) || e.hold == kNoHold) continue;
    see_before(e.index);
    const NameId client = h.holds[e.hold].client;
    if (e.type == OperationType::invoke) {
      interests.begin(client);
    } else {
      interests.end(client, e.time);
    }
  }
  see_before(end);
  return {std::max<std::int64_t>(interests.second(), 0)};
}

}  // namespace picklock
