// For tests: the search against every order, on random small histories.
#pragma once

#include <cstdint>
#include <string>

#include "checker/models/model.hpp"
#include "checker/search/random_calls_lab.hpp"
#include "checker/search/search.hpp"

namespace picklock {

inline constexpr TestModel kTestModels[] = {
    TestModel::reg, TestModel::cas_register, TestModel::try_cas_register, TestModel::multi_register,
    TestModel::set, TestModel::kv,           TestModel::kv_object};

// Judges by the model itself, its search so set up.  Not for kv_object, which needs the sweep.
ModelResult judge(TestModel model, const History& history, const SearchOptions& options,
                  const std::string& initial = "");

// Tries every order; `stuck` is left out for kv, where keys are judged apart.
TestVerdict truth(TestModel model, const TestHistory& history);

struct Comparison {
  int valid = 0;
  int invalid = 0;
  int wrong = 0;
  std::string first;  // first wrong case: its history, and the difference

  // The lesser of both verdicts, in percent.
  [[nodiscard]] int smaller_share() const { return 100 * (valid < invalid ? valid : invalid) / (valid + invalid); }
};

// Compares `check_history`, and the search with cuts wherever possible and with none: the verdict, the
// operation at which all orders end, and whether the order listed before it is one.
Comparison compare_general(TestModel model, int histories, std::uint64_t seed);

}  // namespace picklock
