// Library scenarios and small hunts for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "instruments/hunt/hunt.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/generators/space.hpp"

namespace picklock {

inline Scenario library(const std::string& name) {
  ScenarioFile file = load_scenario(name);
  EXPECT_TRUE(file.ok()) << name;
  return file.scenario;
}

inline HuntSpace space_of(const std::string& name) {
  HuntSpace space{.base = library(name), .faults = {}, .vary = {}, .kinds = {}};
  space.faults = fault_space_of(space.base);
  return space;
}

inline HuntOptions few_plans(std::uint64_t plans) {
  HuntOptions options;
  options.most_plans = plans;
  return options;
}

}  // namespace picklock
