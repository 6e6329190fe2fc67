// Mutants of the search: a search that forgets a kind of fault, an instant or a client finds less of the zoo.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "faults/fault_kinds.hpp"
#include "faults/text.hpp"
#include "generators/space.hpp"
#include "hunt/judge.hpp"
#include "hunt/strategy.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {

struct DefectOfZoo {
  std::string scenario, twin;
  Property property{};
};

struct SearchMutant {
  std::string name;                           // "forgets pause", "forgets instants before b reads", "forgets client b"
  std::function<bool(const Fault&)> forgets;  // faults that it never draws
};

inline SearchMutant sound_search() {
  return {"forgets nothing", [](const Fault&) { return false; }};
}
inline SearchMutant forgets_kind(const std::string& kind) {
  return {"forgets " + kind, [kind](const Fault& f) { return f.kind == kind; }};
}
inline SearchMutant forgets_mark(const std::string& mark) {
  return {"forgets instants: " + mark, [mark](const Fault& f) { return f.trigger.on.ends_with(" " + mark); }};
}
inline SearchMutant forgets_events() {
  return {"forgets all events", [](const Fault& f) { return !f.trigger.on.empty(); }};
}
// In targets as well as in triggers.
inline SearchMutant forgets_client(const std::string& client) {
  return {"forgets client " + client, [client](const Fault& f) {
            std::string text = " " + to_text(f) + " ";
            for (char& c : text) {
              if (c == '=' || c == '"' || c == '|') c = ' ';
            }
            return text.find(" " + client + " ") != std::string::npos;
          }};
}

// The first plan of strategy many that fails against the twin, without what the mutant forgets; `plans`: none does.
inline std::uint64_t plans_until_found(const DefectOfZoo& defect, const SearchMutant& mutant, std::uint64_t plans) {
  HuntSpace space{.base = load_scenario(defect.scenario).scenario, .faults = {}, .vary = {}, .kinds = {}};
  space.faults = fault_space_of(space.base);
  Aim aim;
  aim.properties = {defect.property};
  aim.twin = Aim::Twin{defect.twin, load_scenario(defect.twin).scenario};
  const Judge judge(space.base, aim);
  for (std::uint64_t plan = 0; plan < plans; ++plan) {
    Scenario drawn = draw_plan(space, aim, Strategy::many, 1, plan);
    std::erase_if(drawn.faults, mutant.forgets);
    if (judge.play(drawn, plan + 1).failure) return plan;
  }
  return plans;
}

}  // namespace picklock
