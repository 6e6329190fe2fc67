// For the tests of the runner: faults, and scenarios compiled, or what is wrong with them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faults/pause.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {

inline std::unique_ptr<Runner> compile(const Scenario& s) {
  auto r = Runner::compile(s);
  if (const auto* problems = std::get_if<1>(&r)) {
    for (const auto& p : *problems) ADD_FAILURE() << p.where << ": " << p.found << ", expected " << p.expected;
    return nullptr;
  }
  return std::move(std::get<0>(r));
}

inline std::vector<ScenarioProblem> problems_of(const Scenario& s) {
  auto r = Runner::compile(s);
  auto* problems = std::get_if<1>(&r);
  return problems != nullptr ? std::move(*problems) : std::vector<ScenarioProblem>{};
}

// Compiles a scenario of the library.
inline std::unique_ptr<Runner> runner_of(std::string_view scenario) {
  ScenarioFile file = load_scenario(std::string(PICKLOCK_SOURCE_DIR "/scenarios/library/") + std::string(scenario));
  for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
  return compile(file.scenario);
}

template <class T>
Fault fault(std::string kind, std::string on, T options) {
  Fault f;
  f.kind = std::move(kind);
  f.trigger.on = std::move(on);
  f.options = AnyOptions::of(std::move(options));
  return f;
}

inline Fault pause(std::string node, std::string on, Duration lasts) {
  PauseOptions options;
  options.node = std::move(node);
  options.lasts = lasts;
  return fault("pause", std::move(on), std::move(options));
}

inline Verdict verdict(const RunResult& r, Property p) { return of(r.findings, p).verdict; }

}  // namespace picklock
