// Claims of an explanation, as values.  Each refers to the trials that show it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instruments/explain/experiments.hpp"

namespace picklock {

// --- what is needed

// A part of a scenario that can be left out: a fault, a clock, a link, a pinned draw, a client, or a step of a client.
struct Element {
  std::string kind;       // "fault", "clock", "link", "draw", "client", "step"
  std::string path;       // "fault[0]", "clients.b", "clients.a.rounds"
  std::string words;      // "the pause of a"
  ScenarioEdits removal;  // leaves it out
};

struct Removal {
  Element element;
  Trial trial;                     // trial that leaves it out
  std::vector<std::string> along;  // faults that name a removed client, and go with it
  bool needed = false;             // true: the property holds if it is left out
};

struct JointRemoval {                 // elements needed together: a smaller set does not suffice
  std::vector<std::size_t> elements;  // places in Needed::each
  Trial trial;
};

struct Needed {
  std::vector<Removal> each;
  std::vector<JointRemoval> sets;
  std::size_t sets_tried = 0;
  // The trial that leaves out as much as can be while the property is violated; each remaining element is needed.
  Trial smallest;
  std::vector<std::size_t> left;
  std::vector<Trial> one_less;  // trials that each leave out one more element than the smallest
};

// --- thresholds

struct Tried {
  std::string value;  // value as written for --set
  Trial trial;
  bool harmful = false;
};

// A quantity at which the verdict turns.
struct Threshold {
  Tried below, above;  // the two runs on either side, of which one is harmful
  // A tenth further away, where other seeds are tried: each seed has a threshold of its own.
  Tried far_below, far_above;
};

struct Quantity {
  std::string path;                   // "fault[0].lasts"
  std::string words;                  // "the length of the pause of a"
  std::string value;                  // value in the scenario
  std::vector<Tried> probes;          // values tried to find turns, ascending by size
  std::vector<Threshold> thresholds;  // ascending thresholds; none: the verdict is the same everywhere
};

// --- broken assumptions

struct BrokenAssumption {
  Assessment assessment;
  std::optional<Trial>
      alone;  // a trial that violates the property and breaks no other assumption; nothing: none was seen
};

struct Assumptions {
  std::vector<BrokenAssumption> broken;
  std::uint64_t searched = 0;       // trials of this lock that violate the property
  std::optional<Trial> unprovoked;  // trial that breaks none
};

// --- cures

enum class CureState : std::uint8_t { tried, already, does_not_apply };
constexpr auto enum_names(CureState) { return name_list("tried", "already", "does-not-apply"); }

struct Cure {
  std::string name;   // "tokens-on-writes"
  std::string words;  // "the resource checks tokens on writes"
  CureState state = CureState::tried;
  std::string why;  // reason, unless it was tried
  Trial trial;
  std::vector<Property> ended, remaining, added;  // violated properties: those that it ends, leaves, and brings
  // Trials for the cost of acquiring before and after the cure, in runs without faults.
  Trial calm_before, calm_after;
  std::optional<TrialCosts> before, after;
  std::uint64_t refused = 0;      // requests that the resource refuses in the trial
  std::vector<LessService> less;  // clients that are served less often in the trial

  bool ends(Property p) const { return std::find(ended.begin(), ended.end(), p) != ended.end(); }
  // It ends what it ends by keeping a client out: that is no cure.
  bool by_ending_service() const { return !ended.empty() && ends_service(less); }
};

// --- generality

struct Share {
  std::uint64_t hits = 0, of = 0;
  bool operator==(const Share&) const = default;
};

// A seed whose run is given up (Experiments::bound_by) is in no share: its violations are unknown.
struct Generality {
  std::uint64_t first = 0, last = 0;  // seeds, both included
  Share violated;                     // share of all seeds
  Share not_tested;
  std::vector<Share> needed;  // index: Needed::each; share of violating seeds on which leaving it out ends it
  struct Sides {
    Share below, above;
    bool operator==(const Sides&) const = default;
  };
  // For each quantity and threshold: on how many seeds its far sides are as its sides are here.
  std::vector<Sides> thresholds;
  std::vector<Share> cures;  // index: cure; share of violating seeds on which it ends the violation
};

// --- all of it

struct PropertyExplanation {
  Property property{};
  std::string finding;  // the finding in words
  Needed needs;
  std::vector<Quantity> quantities;
  Assumptions assumptions;
  Generality generality;
};

struct Sentence {
  std::string text;
  std::vector<std::string> claims;  // "needs/0", "thresholds/1/0", "cures/2", …
  std::vector<Trial> trials;        // trials that show it
  std::string about;  // part of the scenario that it links to: "fault[0]", "clients.a"; empty: the violation
};

struct Explanation {
  Trial base;
  Observed seen;
  std::string lock;
  std::vector<PropertyExplanation> properties;  // violated properties
  std::vector<Cure> cures;
  std::vector<Sentence> paragraph;
  std::uint64_t runs = 0;
};

}  // namespace picklock
