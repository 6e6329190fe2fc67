// The places in a picture that the sentences of an explanation link to.
#pragma once

#include <string>

#include "instruments/explain/claims.hpp"
#include "reports/run/run_page.hpp"

namespace picklock {

// The part of the scenario that the sentence is about: the fault of its claims, "fault[0]", otherwise their client, "clients.a".
// Empty: the violation itself.
std::string place_of(const Explanation& explanation, const Sentence& sentence);

// The paragraph for the page of the explained run, each sentence with the numbers of its runs; below it `rest`.
PageWords words_for_page(const Explanation& explanation, std::string rest);

}  // namespace picklock
