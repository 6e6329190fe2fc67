#include "tests/verdict_profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace picklock {
namespace {

constexpr std::string_view kAllHold = "everything holds";

bool concerns_few_locks(Property p) {
  return p == Property::fencing_monotonicity || p == Property::overtaking || p == Property::sold_twice;
}

// "violated", if that is the verdict of every run; otherwise "violated 13 holds 7".
std::string outcome(const Tally& tally) {
  std::string text;
  for (const Verdict v : {Verdict::violated, Verdict::holds, Verdict::undecided, Verdict::not_applicable}) {
    if (tally.count(v) == 0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : " ", name(v));
    if (tally.count(v) != tally.runs()) text += fmt::format(" {}", tally.count(v));
  }
  return text;
}

}  // namespace

std::string verdict_profile(const CampaignResult& result) {
  std::vector<std::pair<std::string, std::string>> groups;  // an outcome, and its properties
  const auto add = [&](const std::string& to, std::string_view property) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == to; });
    if (group == groups.end()) group = groups.emplace(groups.end(), to, "");
    group->second += fmt::format(" {}", property);
  };
  for (const PropertyInfo& p : properties()) {
    const auto found = std::find_if(result.properties.begin(), result.properties.end(),
                                    [&](const PropertySummary& s) { return s.property == p.property; });
    const bool applies = found != result.properties.end();
    const std::string now = applies ? outcome(found->tally) : "without";
    if (now != (concerns_few_locks(p.property) ? "without" : "holds")) add(now, p.name);
  }
  std::string text;
  for (const auto& [to, names] : groups) text += fmt::format("{}{}{}", text.empty() ? "" : " | ", to, names);
  return text.empty() ? std::string(kAllHold) : text;
}

VerdictProfiles read_verdict_profiles(std::string_view text) {
  VerdictProfiles all;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t colon = line.find(": ");
    if (line.empty() || line.front() == '#' || colon == line.npos) continue;
    all[std::string(line.substr(0, colon))] = line.substr(colon + 2);
  }
  return all;
}

std::string write_verdict_profiles(const VerdictProfiles& profiles) {
  std::string text =
      "# How the runs of each scenario end on seeds 1..20: tests/verdict_profiles.hpp explains a line. Written by\n"
      "# library_test with PICKLOCK_REWRITE_GOLDEN=1; a commit that changes a line says why.\n";
  for (const auto& [scenario, profile] : profiles) text += fmt::format("{}: {}\n", scenario, profile);
  return text;
}

}  // namespace picklock
