// Results of some runs of a campaign, which are added up.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "campaigns/campaign.hpp"

namespace picklock {

// True if the scenario's lock and storage make the claim.
bool claimed(Claim claim, const Scenario& scenario, const Claims& claims);
bool lock_claims(Property property, const Scenario& scenario, const LockKind& kind);

struct CampaignPart {
  std::array<Tally, kPropertyCount> tallies;
  std::array<std::int64_t, kPropertyCount> largest{};
  std::array<Tally, kPropertyCount> counted;  // counts as in the tables of figures
  std::array<UntestedRuns, kPropertyCount> untested;
  std::array<Duration, kPropertyCount>
      settle{};  // the settle phase that decides all runs that ended too soon; 0: none did
  std::vector<AssumptionSummary> assumptions;
  FaultSummaries faults;
  UnseenOwners unseen;
  std::uint64_t runs = 0, digest = 0, events = 0, cut_off = 0, within = 0;
  std::optional<std::uint64_t> seed_within;
  std::map<std::uint64_t, std::string> errors;
  Costs costs;

  void add(const RunResult& r, const Scenario& scenario);
  void add(const CampaignPart& other);
  const Tally& figures(Property p) const { return counted[static_cast<std::size_t>(p)]; }
};

// Takes a part without costs.
std::string campaign_part_json(const CampaignPart& part);
// Throws std::runtime_error if the text is not of this form.
CampaignPart read_campaign_part(const std::string& text);

}  // namespace picklock
