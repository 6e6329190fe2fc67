// Compares every general model with a search of every order on random small histories.
//
//   checker_search_check [histories] [seed] [model]        a line for each model
//
// Exit status 1 if anything is wrong, or if valid or invalid histories are fewer than a fifth.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "checker/search/agreement_lab.hpp"

int main(int argc, char** argv) {
  using namespace picklock;
  const int histories = argc > 1 ? std::atoi(argv[1]) : 100'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  int status = 0;
  const std::string_view only = argc > 3 ? argv[3] : "";
  for (const TestModel model : kTestModels) {
    if (!only.empty() && only != name_of(model)) continue;
    const Comparison c = compare_general(model, histories, seed);
    const bool fine = c.wrong == 0 && c.smaller_share() >= 20;
    fmt::print("{:<26} {:<20} {:>7} valid {:>7} invalid  {}\n", name_of(model),
               model == TestModel::kv_object ? "by :object" : "", c.valid, c.invalid, fine ? "agrees" : "WRONG");
    if (c.wrong > 0) fmt::print("{} of {}: {}\n", c.wrong, histories, c.first);
    if (!fine) status = 1;
    std::fflush(stdout);
  }
  return status;
}
