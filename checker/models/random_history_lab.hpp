// For tests: small random histories of a lock, and how a model's verdicts on them compare with
// exhaustive search.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "checker/history.hpp"
#include "checker/models/exhaustive_lab.hpp"
#include "checker/random_lab.hpp"

namespace picklock {

enum class Owners {
  processes,  // a crashed process goes on under a fresh number
  outliving,  // processes go on after a crash
  named,      // a few names that all processes use, at the same time
  holds       // each acquire has its own name, which releases repeat
};

// A real lock whose answers are now and then wrong.
History random_history(LabRandom& random, const PlainSpec& spec, Owners owners);

struct AgreementCount {
  int valid = 0, invalid = 0, undecided = 0, vacuous = 0;
  int wrong = 0;      // number of wrong verdicts
  std::string first;  // the first wrong one, with its history
  // The smaller of the shares of valid and invalid ones, in percent.
  [[nodiscard]] int smaller_share() const;
};

// `twin` may spoil what the sweep gets to see.
AgreementCount compare(const std::string& model, Owners owners, int histories, std::uint64_t seed,
                       const std::string& checked_as = "", const std::function<void(History&)>& twin = nullptr,
                       int stop_after = 1);

}  // namespace picklock
