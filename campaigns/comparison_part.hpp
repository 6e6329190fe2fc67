// Results of some seeds of a comparison, which are added up.
#pragma once

#include <string>
#include <vector>

#include "campaigns/comparison.hpp"

namespace picklock {

class ComparisonPart {
 public:
  ComparisonPart(const std::vector<Property>& properties, std::size_t contestants);

  // All contestants in their order, for each seed.
  void add(std::size_t contestant, const RunResult& run, const Costs& costs);
  void add(const ComparisonPart& later);  // `later` holds later seeds
  bool meets(const StopRule& rule) const;
  void finish(ComparisonResult& result) &&;

  std::string text() const;
  // Reads a part of a comparison like `empty`. Throws std::runtime_error if the text is not of this form.
  static ComparisonPart of_text(const std::string& text, const ComparisonPart& empty);

 private:
  // One run, as far as it is compared.
  struct RunOutcome {
    std::vector<Verdict> verdicts;  // one verdict for each compared property
    std::uint64_t granted = 0, commands = 0;
    std::int64_t latency_ns = 0;
  };
  static void add_pair(Opposition& o, const RunOutcome& a, const RunOutcome& b, std::uint64_t seed);
  static void add_table(PropertyPair& mine, const PropertyPair& other);

  std::vector<Property> properties_;
  std::vector<ContestantResult> contestants_;
  std::vector<Opposition> against_first_;
  std::vector<RunOutcome> pair_;  // outcomes of the current seed
};

}  // namespace picklock
