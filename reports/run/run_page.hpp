// Pages for the browser: one run, or two side by side. A page is a file that stands alone, without a network.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/run/against.hpp"
#include "scenarios/run/record.hpp"

namespace picklock {

// A sentence of the explanation, and what of the picture it speaks of; nothing: it stands without a link.
struct PageSentence {
  std::string text;
  std::optional<std::size_t> fault{};   // index in the plan
  std::string client{};                 // a client's name, if not a fault
  std::optional<Property> violation{};  // the violated property, if the sentence says how
};

struct PageWords {
  std::vector<PageSentence> sentences;
  std::string rest{};  // text below them, as it is, under this heading
  std::string rest_title = "Verdicts";
};
// Tells each violation and how it came, a sentence each; below it all verdicts.
PageWords verdicts_for_page(const RunRecord& record, bool raw);

// The picture with its messages, the story and the words beside it.  Needs full_trace, bodies and story of RecordOptions.
std::string run_page(const RunRecord& record, const PageWords& words, const std::string& replay);

struct PlayedRun {
  const RunRecord& record;
  const RunTold& told;
};
// Shows both pictures at the same times, and the steps aligned.
std::string against_page(const PlayedRun& left, const PlayedRun& right);

}  // namespace picklock
