#include "tests/verdict_profiles.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace picklock {
namespace {

std::string counts(const Tally& tally) {
  std::string text;
  for (const Verdict r : {Verdict::violated, Verdict::holds, Verdict::undecided, Verdict::not_applicable}) {
    if (tally.count(r) == 0) continue;
    text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", name(r), tally.count(r), tally.runs());
  }
  return text;
}

}  // namespace

std::string verdict_profile(const CampaignResult& result) {
  std::size_t width = 0;
  for (const PropertySummary& p : result.properties) width = std::max(width, info(p.property).name.size());
  std::string text;
  for (const PropertySummary& p : result.properties)
    text += fmt::format("  {:<{}}  {}\n", info(p.property).name, width, counts(p.tally));
  return text;
}

VerdictProfiles read_verdict_profiles(std::string_view text) {
  VerdictProfiles all;
  std::string* current = nullptr;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line.front() == '#') continue;
    if (line.front() != ' ') {
      current = &all[std::string(line)];
    } else if (current != nullptr) {
      *current += fmt::format("{}\n", line);
    }
  }
  return all;
}

std::string write_verdict_profiles(const VerdictProfiles& profiles) {
  std::string text =
      "# How the runs of each scenario end on seeds 1..20. Written by library_test with PICKLOCK_REWRITE_GOLDEN=1;\n"
      "# a commit that changes a line says why.\n";
  for (const auto& [scenario, profile] : profiles) text += fmt::format("\n{}\n{}", scenario, profile);
  return text;
}

}  // namespace picklock
