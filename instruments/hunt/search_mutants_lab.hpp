// Mutants of the search: a search that forgets a kind of fault, an instant or a client finds less of the zoo.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "faults/fault_kinds.hpp"
#include "faults/text.hpp"
#include "instruments/hunt/harmless.hpp"
#include "instruments/hunt/judge.hpp"
#include "instruments/hunt/strategy.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/generators/space.hpp"

namespace picklock {

struct DefectOfZoo {
  std::string scenario, twin;
  Property property{};
};

struct SearchMutant {
  std::string name;                           // the part that it forgets: "pause", "the event reads", "client b"
  std::function<bool(const Fault&)> forgets;  // faults that it never draws
};

inline SearchMutant sound_search() {
  return {"nothing", [](const Fault&) { return false; }};
}
inline SearchMutant forgets_kind(const std::string& kind) {
  return {kind, [kind](const Fault& f) { return f.kind == kind; }};
}
inline SearchMutant forgets_mark(const std::string& mark) {
  return {"the event " + mark, [mark](const Fault& f) { return f.trigger.on.ends_with(" " + mark); }};
}
inline SearchMutant forgets_events() {
  return {"all events", [](const Fault& f) { return !f.trigger.on.empty(); }};
}
inline SearchMutant forgets_times() {
  return {"all times", [](const Fault& f) { return f.trigger.on.empty(); }};
}
// Forgets the client in targets as well as in triggers.
inline SearchMutant forgets_client(const std::string& client) {
  return {"client " + client, [client](const Fault& f) {
            std::string text = " " + to_text(f) + " ";
            for (char& c : text) {
              if (c == '=' || c == '"' || c == '|') c = ' ';
            }
            return text.find(" " + client + " ") != std::string::npos;
          }};
}
// Serves for comparison: as many faults as of one kind, whichever they are.
inline SearchMutant forgets_any() {
  return {"one fault of thirteen, whichever",
          [](const Fault& f) { return hash_of(to_text(f)) % fault_kinds().size() == 0; }};
}

// The space with all kinds of faults and all events.
inline HuntSpace whole_space(const DefectOfZoo& defect) {
  HuntSpace space{.base = load_scenario(defect.scenario).scenario, .faults = {}, .vary = {}, .kinds = {}};
  space.faults = fault_space_of(space.base);
  return space;
}

struct Scripted {
  std::set<std::string> kinds{}, marks{};
};
// The scenario's kinds of faults, and the events that they wait for.
inline Scripted scripted_by(const Scenario& scenario) {
  Scripted s;
  for (const Fault& f : scenario.faults) {
    s.kinds.insert(f.kind);
    if (!f.trigger.on.empty()) s.marks.insert(f.trigger.on.substr(f.trigger.on.rfind(' ') + 1));
  }
  return s;
}

// The space of the faults and events that the scenario of the defect scripts, and no others that could stand in for
// them: as with --faults and --events.
inline HuntSpace scripted_space(const DefectOfZoo& defect) {
  HuntSpace space = whole_space(defect);
  const Scripted scripted = scripted_by(space.base);
  space.kinds.assign(scripted.kinds.begin(), scripted.kinds.end());
  std::erase_if(space.faults.marks, [&](const std::string& m) { return scripted.marks.count(m) == 0; });
  return space;
}

// Plans of strategy many against the twin of a defect. A mutant plays the same plans without what it forgets; equal ones are
// played once.
class PlansOfDefect {
 public:
  PlansOfDefect(const DefectOfZoo& defect, HuntSpace space, std::uint64_t hunt_seed)
      : space_(std::move(space)), aim_(aim_of(defect)), judge_(space_.base, aim_), hunt_seed_(hunt_seed) {}
  PlansOfDefect(const PlansOfDefect&) = delete;
  PlansOfDefect& operator=(const PlansOfDefect&) = delete;

  // Number of plans that the search plays until one fails; most + 1: none does.
  std::uint64_t until_found(const SearchMutant& mutant, std::uint64_t most) {
    for (std::uint64_t plan = 0; plan < most; ++plan) {
      if (fails(plan, mutant)) return plan + 1;
    }
    return most + 1;
  }

 private:
  struct Plan {
    Scenario scenario;
    std::map<std::vector<bool>, bool> failed{};  // key: which of its faults are left
  };

  static Aim aim_of(const DefectOfZoo& defect) {
    Aim aim;
    aim.properties = {defect.property};
    aim.twin = Aim::Twin{defect.twin, load_scenario(defect.twin).scenario};
    return aim;
  }

  bool fails(std::uint64_t number, const SearchMutant& mutant) {
    while (plans_.size() <= number) {
      plans_.push_back({draw_plan(space_, aim_, Strategy::many, hunt_seed_, plans_.size())});
    }
    Plan& plan = plans_[number];
    std::vector<bool> kept;
    for (const Fault& f : plan.scenario.faults) kept.push_back(!mutant.forgets(f));
    const auto [at, unknown] = plan.failed.emplace(std::move(kept), false);
    if (unknown) {
      Scenario rest = plan.scenario;
      std::erase_if(rest.faults, mutant.forgets);
      at->second = play_what_spares_the_twin(judge_, rest, number + 1).failed();
    }
    return at->second;
  }

  const HuntSpace space_;
  const Aim aim_;
  const Judge judge_;
  const std::uint64_t hunt_seed_;
  std::vector<Plan> plans_;
};

}  // namespace picklock
