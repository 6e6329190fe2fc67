// Shrinks a scenario that fails to a simple one that fails in the same way.
//
// Order: no faults at all; faults left out, first halves of them, at last one by one; smaller sets of the drawn faults, up to
// three at a time; calm draws; fewer clients; events instead of instants; numbers by bisection among those that people
// would write; what else a hunt has varied.  A step counts only if the run still fails as before (instruments/hunt/failure.hpp) and
// breaks no assumption that the first run kept.
//
// Every proper subset of the remaining faults is played at last (instruments/hunt/certificate.hpp).  If one fails the
// same property, in whatever way, it takes the place of the plan, and shrinking begins again with its failure.
#pragma once

#include <cstdint>
#include <functional>

#include "instruments/hunt/certificate.hpp"
#include "instruments/hunt/judge.hpp"

namespace picklock {

struct Shrunk {
  Scenario scenario;
  std::uint64_t seed = 1;
  Failure failure;
  std::uint32_t tries = 0;       // scenarios that were played to make it simpler
  std::uint32_t set_tries = 0;   // scenarios that were played to look for a smaller set of faults
  std::size_t drawn_faults = 0;  // number of faults in the plan as drawn
  Certificate certificate{};     // certificate of the shrunk scenario
  bool exhausted = false;        // the bound of tries ended the shrinking
  std::uint32_t all_tries() const { return tries + set_tries; }
};

struct ShrinkBounds {
  std::uint32_t most_tries = 400;  // most tries of both kinds together
  bool everything = false;         // clients and options as well, not faults alone
  bool keep_triggers = false;      // leaves instants and events as they are drawn
  // Asked when faults have been left out: is this a failure that is known, so that the rest is not worth its runs?
  std::function<bool(const Shrunk&)> known{};
};

// Requires that the scenario fails so with this seed.
Shrunk shrink(const Judge& judge, const Scenario& failing, std::uint64_t seed, const Failure& failure,
              const ShrinkBounds& bounds);

}  // namespace picklock
