// The state of a history at any instant: looked up anew each time, from the events alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/history.hpp"
#include "checker/properties/finding.hpp"
#include "checker/properties/options.hpp"

namespace picklock::reference {

using Time = std::int64_t;
inline constexpr Time kEver = std::numeric_limits<Time>::max();
inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

template <class Records>
const typename Records::value_type* find(const Records& records, std::uint32_t index) {
  for (const auto& e : records) {
    if (e.index == index) return &e;
  }
  return nullptr;
}

class Observer {
 public:
  Observer(const History& history, const JudgeOptions& options) : h(history), o(options) {}

  // --- time and names
  Time horizon() const;
  const PhaseEvent* phase(Phase wanted) const;
  std::uint32_t probe_index() const;
  std::vector<HoldId> all() const;
  bool reads(HoldId id) const;
  // Do the holds of this set conflict?
  bool conflict(const std::vector<HoldId>& set) const;
  std::set<NameId> locks() const;
  std::set<std::string> names_in(NameId lock) const;

  // --- beliefs
  struct Belief {
    Time from = 0;
    Time until = kEver;
    std::uint32_t began = 0;
    std::uint32_t ended = kNoIndex;
  };
  std::optional<Belief> belief(HoldId id) const;
  bool believes(HoldId id, Time t) const;
  bool runs(NameId client, Time t) const;

  // --- grants
  static bool ends(GrantChange change);
  // The grant that a hold rests on: the last before its belief, otherwise its first.
  const GrantEvent* grant_of(HoldId id) const;
  bool owns(HoldId id, Time t) const;
  bool promised(HoldId id, Time t) const;

  // Was it believed in, and no grant of it recorded?
  bool unseen(NameId lock) const;

  // --- operations
  std::string_view function(const OperationEvent& e) const;
  // The next record of the same process after an invocation.
  const OperationEvent* next(const OperationEvent& invoked) const;
  const OperationEvent* invocation(const OperationEvent& answer) const;
  NameId lock(const OperationEvent& invoked) const;
  std::vector<OperationEvent> invoked(std::string_view name) const;
  bool by_probe(const OperationEvent& e) const;
  // The acquire or release that this client has pending at t.
  const OperationEvent* pending(NameId client, Time t) const;
  // The hold on "x+y" that this client asked for together with this one, on x.
  HoldId whole(HoldId part) const;
  // Time of the death that ended an invocation without any later record of its process.
  Time death(const OperationEvent& invoked) const;

  static Finding violated_if(bool yes, Finding v);

  const History& h;
  const JudgeOptions& o;
};

}  // namespace picklock::reference
