// Verifies an explanation without the explainer: from its JSON document alone, by playing the commands that it names.
#pragma once

#include <string>
#include <vector>

namespace picklock {

// Everything in the document that is not so, a line each, beginning with the kind of the claim: "needs: …".  `thorough`:
// all counts over other seeds are counted again, and not only those of the violation itself.
std::vector<std::string> wrong_claims(const std::string& explanation_json, bool thorough);

}  // namespace picklock
