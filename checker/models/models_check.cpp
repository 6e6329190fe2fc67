// Compares every lock model with exhaustive search on random small histories.
//
//   checker_models_check [histories] [seed] [model]        a line for each model and kind of owner
//
// Exit status 1 if a verdict is wrong, or if valid or invalid histories are fewer than a fifth.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "checker/models/lock_models_lab.hpp"
#include "checker/models/random_history_lab.hpp"

int main(int argc, char** argv) {
  using namespace picklock;
  const int histories = argc > 1 ? std::atoi(argv[1]) : 100'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  int status = 0;
  const std::string_view only = argc > 3 ? argv[3] : "";
  for (const LockUnderTest& lock : kLocksUnderTest) {
    if (!only.empty() && only != lock.model) continue;
    const AgreementCount t = compare(lock.model, lock.owners, histories, seed);
    const bool fine = t.wrong == 0 && t.smaller_share() >= 20 && (t.undecided == 0 || lock.doubts);
    fmt::print("{:<26} {:<20} {:>7} valid {:>7} invalid {:>6} undecided {:>6} vacuous  {}\n", lock.model,
               lock.owners_name, t.valid, t.invalid, t.undecided, t.vacuous, fine ? "agrees" : "WRONG");
    if (!fine) status = 1;
    if (t.wrong > 0) fmt::print("{}\n", t.first);
    std::fflush(stdout);
  }
  fmt::print("seeds {} to {}; go on with: scripts/check-models {} {}\n", seed,
             seed + static_cast<std::uint64_t>(histories) - 1, histories, seed + static_cast<std::uint64_t>(histories));
  return status;
}
