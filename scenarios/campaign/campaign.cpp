#include "scenarios/campaign/campaign.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "faults/struck.hpp"
#include "scenarios/campaign/in_order.hpp"

namespace picklock {
namespace {

constexpr std::size_t kMostErrors = 10;

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

// Results of some runs.
struct Part {
  std::array<Tally, kPropertyCount> tallies;
  std::array<std::int64_t, kPropertyCount> largest{};
  std::array<std::uint64_t, kPropertyCount> not_tested{};
  std::vector<AssumptionSummary> assumptions;
  std::vector<std::uint64_t> idle_faults;
  std::uint64_t runs = 0, digest = 0, events = 0, cut_off = 0, within = 0;
  std::optional<std::uint64_t> seed_within;
  std::map<std::uint64_t, std::string> errors;
  Costs costs;

  void add(const RunResult& r, const Scenario& scenario) {
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

  void add_strikes(const std::vector<Strike>& strikes) {
    idle_faults.resize(strikes.size());
    for (std::size_t i = 0; i < strikes.size(); ++i) idle_faults[i] += strikes[i] != Strike::injected;
  }

  void add(const Part& other) {
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
};

PropertySummary summary_of(Property property, const Tally& tally, std::int64_t largest, const Scenario& scenario,
                           bool raw) {
  PropertySummary s;
  s.property = property;
  s.tally = tally;
  s.largest = largest;
  s.unit = info(property).unit;
  if (raw) {
    const Claim claim = info(property).claim;
    const Claims& claims = find_lock_kind(scenario.lock.name)->claims;
    const bool counts = claimed(claim, scenario, claims) || claim == Claim::seats || claim == Claim::fenced;
    s.fulfilment = counts ? raw_verdict(tally) : Fulfilment::as_expected;
    return s;
  }
  s.expectation = expected_of(property, scenario);
  if (s.expectation) s.fulfilment = fulfilment(*s.expectation, tally);
  return s;
}

}  // namespace

std::optional<Expectation> expected_of(Property property, const Scenario& scenario) {
  const auto stated = scenario.expect.find(std::string(info(property).name));
  if (stated != scenario.expect.end()) return stated->second;
  const LockKind* const lock = find_lock_kind(scenario.lock.name);
  if (lock == nullptr) return std::nullopt;
  const Claim claim = info(property).claim;
  // A renewing lock claims nothing about renewals in a scenario without renewals, and so on: such
  // properties are expected only where the scenario names them.
  const bool by_name =
      claim == Claim::renewing || claim == Claim::fair || claim == Claim::token || claim == Claim::waking;
  if (by_name) return std::nullopt;
  if (!claimed(claim, scenario, lock->claims) || !lock_claims(property, lock->claims)) return std::nullopt;
  return Expectation{Verdict::holds, Seeds::every};
}

PropertySummary summarize(const Finding& finding, std::uint64_t seed, const Scenario& scenario, bool raw) {
  Tally tally;
  tally.add(finding.verdict, seed);
  PropertySummary s =
      summary_of(finding.property, tally, finding.verdict == Verdict::violated ? finding.measure : 0, scenario, raw);
  s.not_tested = finding.reason == Reason::vacuous;
  return s;
}

std::variant<CampaignResult, std::vector<ScenarioProblem>> run_campaign(const Scenario& scenario,
                                                                        const CampaignOptions& options) {
  SeedPlan plan;
  plan.seeds = options.seeds;
  plan.jobs = options.jobs;
  plan.progress = options.progress;
  plan.stop = options.stop;
  std::vector<std::unique_ptr<Runner>> runners;
  for (std::size_t thread = 0; thread < plan.threads(); ++thread) {
    auto compiled = Runner::compile(scenario);
    if (auto* problems = std::get_if<1>(&compiled)) return std::move(*problems);
    runners.push_back(std::move(std::get<0>(compiled)));
  }
  Part whole;
  play_in_order(plan, Part(), whole, [&](std::size_t thread, std::uint64_t seed, Part& part) {
    Runner& runner = *runners[thread];
    const RunResult& run = runner.run(seed, {.full_trace = options.costs});
    part.add(run, scenario);
    part.add_strikes(strikes_of(runner.world(), scenario.faults.size()));
    if (options.costs) part.costs.add(costs_of(runner, run));
  });
  CampaignResult result;
  result.seeds = options.seeds;
  result.runs = whole.runs;
  result.interrupted = whole.runs < options.seeds.size();
  result.digest = whole.digest;
  result.events = whole.events;
  result.cut_off = whole.cut_off;
  result.lost_within_assumptions = whole.within;
  result.seed_within_assumptions = whole.seed_within;
  result.assumptions = std::move(whole.assumptions);
  result.idle_faults = std::move(whole.idle_faults);
  result.errors = std::move(whole.errors);
  if (options.costs) result.costs = std::move(whole.costs);
  std::vector<Fulfilment> fulfilments;
  for (const PropertyInfo& p : properties()) {
    const Tally& tally = whole.tallies[static_cast<std::size_t>(p.property)];
    PropertySummary s = summary_of(p.property, tally, whole.largest[static_cast<std::size_t>(p.property)],
                                   runners[0]->scenario(), options.raw);
    s.not_tested = whole.not_tested[static_cast<std::size_t>(p.property)];
    const bool applicable = tally.runs() != tally.count(Verdict::not_applicable);
    if (!applicable && !s.expectation) continue;
    if (s.expectation || options.raw) fulfilments.push_back(s.fulfilment);
    result.properties.push_back(s);
  }
  if (result.interrupted) fulfilments.push_back(Fulfilment::undecided);
  if (!result.errors.empty()) fulfilments.push_back(Fulfilment::not_as_expected);
  const int status = picklock::exit_status(fulfilments);
  result.fulfilment = status == 0   ? Fulfilment::as_expected
                      : status == 1 ? Fulfilment::not_as_expected
                                    : Fulfilment::undecided;
  return result;
}

int CampaignResult::exit_status() const {
  const std::array<Fulfilment, 1> one{fulfilment};
  return picklock::exit_status(one);
}

}  // namespace picklock
