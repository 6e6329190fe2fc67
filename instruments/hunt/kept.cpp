#include "instruments/hunt/kept.hpp"

#include <fmt/format.h>

#include "reports/run/idle_faults.hpp"

namespace picklock {

std::string words_of_faults(const FaultPlan& faults) {
  if (faults.empty()) return "no fault at all";
  std::string text;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (i > 0) text += i + 1 == faults.size() ? " and " : ", ";
    text += words_of_fault(faults[i]);
  }
  return text;
}

KeepOptions kept_as(const HuntFinding& finding, const std::string& origin) {
  std::string story = fmt::format(
      "A hunt around {} found it. It takes {}.\nBroken assumptions of the lock: {}.\n{}Of {} other seeds {} fail in "
      "the "
      "same way{}.\n",
      origin, words_of_faults(finding.shrunk.scenario.faults), print_broken(finding.cause.failure),
      finding.right_end.told.empty() ? "" : fmt::format("End of the right: {}.\n", finding.right_end.told),
      HuntFinding::kOtherSeeds, finding.others, finding.fragile() ? ": the failure hangs on its seed as well" : "");
  KeepOptions options;
  options.properties = {finding.cause.failure.property};
  for (const Property p : finding.shrunk.certificate.also) options.properties.push_back(p);
  options.story = [story = std::move(story)](const RunRecord&) { return story; };
  return options;
}

}  // namespace picklock
