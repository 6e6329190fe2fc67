#include "scenarios/campaign/campaign_part.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "scenarios/campaign/chunk_json.hpp"

namespace picklock {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kMostErrors = 10;

}  // namespace

bool claimed(Claim claim, const Scenario& scenario, const Claims& claims) {
  switch (claim) {
    case Claim::exclusion:
    case Claim::progress:
    case Claim::waking:
    case Claim::clients:
      return true;
    case Claim::token:
      return claims.token;
    case Claim::fenced:
      return scenario.storage.fence == FenceMode::reads_and_writes && claims.token;
    case Claim::renewing:
      return claims.renewing;
    case Claim::fair:
      return claims.fair;
    case Claim::seats:
    case Claim::information:
      return false;
  }
  return false;
}

bool lock_claims(Property property, const Claims& claims) {
  switch (property) {
    case Property::mutual_exclusion:
    case Property::double_grant:
      return claims.mutual_exclusion;
    case Property::never_free_again:
    case Property::starvation:
      return claims.frees_after_crash;
    case Property::wrong_release:
      return claims.releases_only_own;
    case Property::wrong_renewal:
      return claims.renews_only_own;
    default:
      return true;
  }
}

void CampaignPart::add(const RunResult& r, const Scenario& scenario) {
  ++runs;
  digest += mix(r.digest, r.seed);  // a sum: the same for any order
  events += r.events;
  cut_off += r.cut_off;
  if (!r.error.empty() && errors.size() < kMostErrors) errors.emplace(r.seed, r.error);
  assumptions.resize(r.assumptions.size());
  bool met = true;
  for (std::size_t i = 0; i < r.assumptions.size(); ++i) {
    assumptions[i].assumption = r.assumptions[i].assumption;
    assumptions[i].broken += !r.assumptions[i].met;
    assumptions[i].largest = std::max(assumptions[i].largest, r.assumptions[i].observed);
    met = met && r.assumptions[i].met;
  }
  bool broke_a_claim = false;
  for (const Finding& v : r.findings) {
    const auto p = static_cast<std::size_t>(v.property);
    tallies[p].add(v.verdict, r.seed);
    not_tested[p] += v.reason == Reason::vacuous;
    if (v.verdict != Verdict::violated) continue;
    largest[p] = std::max(largest[p], v.measure);
    const Claim claim = info(v.property).claim;
    const LockKind& lock = *find_lock_kind(scenario.lock.name);
    broke_a_claim |=
        claim != Claim::clients && claimed(claim, scenario, lock.claims) && lock_claims(v.property, lock.claims);
  }
  if (met && broke_a_claim) {
    ++within;
    if (!seed_within || r.seed < *seed_within) seed_within = r.seed;
  }
}

void CampaignPart::add_strikes(const std::vector<Strike>& strikes) {
  idle_faults.resize(strikes.size());
  for (std::size_t i = 0; i < strikes.size(); ++i) idle_faults[i] += strikes[i] != Strike::injected;
}

void CampaignPart::add(const CampaignPart& other) {
  for (std::size_t p = 0; p < kPropertyCount; ++p) {
    tallies[p].add(other.tallies[p]);
    largest[p] = std::max(largest[p], other.largest[p]);
    not_tested[p] += other.not_tested[p];
  }
  if (assumptions.empty()) assumptions.resize(other.assumptions.size());
  for (std::size_t i = 0; i < other.assumptions.size(); ++i) {
    assumptions[i].assumption = other.assumptions[i].assumption;
    assumptions[i].broken += other.assumptions[i].broken;
    assumptions[i].largest = std::max(assumptions[i].largest, other.assumptions[i].largest);
  }
  idle_faults.resize(std::max(idle_faults.size(), other.idle_faults.size()));
  for (std::size_t i = 0; i < other.idle_faults.size(); ++i) idle_faults[i] += other.idle_faults[i];
  costs.add(other.costs);
  runs += other.runs;
  digest += other.digest;
  events += other.events;
  cut_off += other.cut_off;
  within += other.within;
  if (other.seed_within && (!seed_within || *other.seed_within < *seed_within)) seed_within = other.seed_within;
  errors.insert(other.errors.begin(), other.errors.end());
  while (errors.size() > kMostErrors) errors.erase(std::prev(errors.end()));
}

std::string campaign_part_json(const CampaignPart& part) {
  Json out = {{"runs", part.runs},
              {"digest", part.digest},
              {"events", part.events},
              {"cut_off", part.cut_off},
              {"lost_within_assumptions", part.within},
              {"seed_within_assumptions", part.seed_within ? Json(*part.seed_within) : Json(nullptr)},
              {"idle_faults", part.idle_faults},
              {"assumptions", Json::array()},
              {"properties", Json::object()},
              {"errors", errors_by_seed_json(part.errors)}};
  for (const AssumptionSummary& a : part.assumptions) {
    out["assumptions"].push_back({{"name", info(a.assumption.kind).name},
                                  {"limit", a.assumption.limit},
                                  {"broken", a.broken},
                                  {"largest", a.largest}});
  }
  for (const PropertyInfo& p : properties()) {
    const auto i = static_cast<std::size_t>(p.property);
    if (part.tallies[i].runs() == 0) continue;
    out["properties"][std::string(p.name)] = {
        {"verdicts", tally_json(part.tallies[i])}, {"not_tested", part.not_tested[i]}, {"largest", part.largest[i]}};
  }
  return text_of(out);
}

CampaignPart read_campaign_part(const std::string& text) {
  return read_chunk(text, [](const Json& json) {
    CampaignPart part;
    part.runs = json.at("runs");
    part.digest = json.at("digest");
    part.events = json.at("events");
    part.cut_off = json.at("cut_off");
    part.within = json.at("lost_within_assumptions");
    if (const Json& seed = json.at("seed_within_assumptions"); !seed.is_null()) part.seed_within = seed;
    part.idle_faults = json.at("idle_faults").get<std::vector<std::uint64_t>>();
    for (const Json& a : json.at("assumptions")) {
      const auto kind = find_assumption(a.at("name").get<std::string>());
      if (!kind) throw std::runtime_error("an assumption has no known name");
      part.assumptions.push_back({{*kind, a.at("limit")}, a.at("broken"), a.at("largest")});
    }
    for (const auto& [name, one] : json.at("properties").items()) {
      const auto i = static_cast<std::size_t>(property_of(name));
      part.tallies[i] = read_tally(one.at("verdicts"));
      part.not_tested[i] = one.at("not_tested");
      part.largest[i] = one.at("largest");
    }
    part.errors = read_errors_by_seed(json.at("errors"));
    return part;
  });
}

}  // namespace picklock
