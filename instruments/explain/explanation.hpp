// The explanation of one run: what its violations need, where they begin, what they break, what ends them, and how
// general that is.  All of it was found by running again.
#pragma once

#include "instruments/explain/assumptions.hpp"
#include "instruments/explain/claims.hpp"
#include "instruments/explain/cures.hpp"
#include "instruments/explain/generality.hpp"
#include "instruments/explain/needs.hpp"
#include "instruments/explain/paragraph.hpp"
#include "instruments/explain/places.hpp"
#include "instruments/explain/thresholds.hpp"

namespace picklock {

// One finder for each kind of claim.
struct Finders {
  Needed (*needs)(Experiments&, const Trial&, Property) = needs_of;
  std::vector<Quantity> (*thresholds)(Experiments&, const Trial&, Property, const Needed&) = thresholds_of;
  Assumptions (*assumptions)(const Experiments&, const Trial&, Property) = assumptions_of;
  std::vector<Cure> (*cures)(Experiments&, const Trial&, const std::vector<Property>&) = cures_of;
  Generality (*generality)(Experiments&, const Trial&, const PropertyExplanation&,
                           const std::vector<Cure>&) = generality_of;
  std::vector<Sentence> (*paragraph)(const Explanation&) = paragraph_of;
  std::string (*place)(const Explanation&, const Sentence&) = place_of;
};

// Requires that the trial can be played.  Without a violation there are no properties.
Explanation explain_trial(Experiments& experiments, const Trial& base, const Finders& finders = {});

}  // namespace picklock
