// Explains why a history is invalid, in the parts that text, JSON and pages share.
#pragma once

#include <string>
#include <vector>

#include "checker/graph/precedence.hpp"
#include "checker/models/check_file.hpp"

namespace picklock {

// The contradiction in which two holds of a witness stand, or the grants of a fenced lock: no order
// of their operations obeys real time, exclusion and tokens. Empty where the witness is of another
// kind: more permits than one, releases by those who do not hold, failed attempts, leases, locks that
// anyone may release, general models.
struct Contradiction {
  PrecedenceGraph graph;
  std::vector<PrecedenceStep> steps;  // a shortest cycle
};
Contradiction contradiction_of(const CheckResult& result);

// "These 3 operations have no order, …": the smallest set in words; ends with a line break.
std::string in_words(const MinimalWitness& witness, const Naming& naming, std::size_t most = 24);

// The sentence above, and the one about whether fewer would do.
std::string claim_of(const MinimalWitness& witness);

// "2 operations placed …": the longest partial linearization in words; ends with a line break.
// `most`: how many of the last operations and candidates are listed.
std::string in_words(const PartialLinearization& partial, const Naming& naming, std::size_t most = 12);

}  // namespace picklock
