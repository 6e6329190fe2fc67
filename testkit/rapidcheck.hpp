// A lock's claims as a property: rc::check("my-lock", picklock::claims_of("my-lock"));
//
// RapidCheck draws the scenarios, one a case, and shrinks what fails; RC_PARAMS says how many and from which seed.
#pragma once

#include <fmt/format.h>
#include <rapidcheck.h>

#include <string>
#include <variant>

#include "checker/properties/properties.hpp"
#include "scenarios/generators/scenario.hpp"
#include "scenarios/run/claims.hpp"
#include "scenarios/run/run.hpp"
#include "testkit/check_lock.hpp"
#include "testkit/print.hpp"
#include "testkit/turns.hpp"

namespace picklock {

inline auto claims_of(std::string lock, CheckOptions options = {}) {
  return [lock = std::move(lock), options = std::move(options)] {
    const auto turn = *rc::gen::inRange<std::uint64_t>(0, 64);
    const Scenario base = scenario_of_lock(lock, options.set);
    const Scenario s = *arbitrary_scenario(
        base, bounds_in_turn(turn, *find_lock_kind(lock), *base.lock.options, options.vary_options));
    const auto compiled = Runner::compile(s);
    RC_PRE(compiled.index() == 0u);
    const std::uint64_t seed = options.seed.value_or(1);
    const RunResult& run = std::get<0>(compiled)->run(seed);
    RC_CLASSIFY((run.happened & bit(Sometimes::contention)) != 0, "contended");
    RC_CLASSIFY(within_assumptions(run), "within the assumptions");
    for (const Property p : broken_claims(*find_lock_kind(lock), s, run)) {
      RC_FAIL(fmt::format("{}, seed {}: {}", info(p).name, seed,
                          explain(of(run.findings, p), *run.history, run.judged_with)));
    }
  };
}

}  // namespace picklock
