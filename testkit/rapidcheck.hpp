// A lock's claims as a property: rc::check("my-lock", picklock::claims_of("my-lock"));
//
// RapidCheck draws the scenarios, one a case, and shrinks what fails; RC_PARAMS says how many and from which seed.
#pragma once

#include <fmt/format.h>
#include <rapidcheck.h>

#include <string>
#include <variant>

#include "checker/properties/properties.hpp"
#include "generators/scenario.hpp"
#include "testkit/check_lock.hpp"
#include "testkit/claims.hpp"
#include "testkit/print.hpp"

namespace picklock {

inline auto claims_of(std::string lock, CheckOptions options = {}) {
  return [lock = std::move(lock), options = std::move(options)] {
    const ScenarioBounds bounds{.mishaps = Mishaps::within,
                                .options = options.vary_options,
                                .operators = false,
                                .abandons = false,
                                .short_holds = true};
    const Scenario s = *arbitrary_scenario(scenario_of_lock(lock, options.set), bounds);
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
