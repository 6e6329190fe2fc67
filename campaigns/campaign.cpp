#include "campaigns/campaign.hpp"

#include <algorithm>

#include "campaigns/campaign_part.hpp"
#include "campaigns/chunk_memory.hpp"
#include "campaigns/in_order.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

// A scenario that expects something speaks of what the checker finds.  A claim of the lock, and a verdict that counts by
// itself, need a run that puts the property to the test: a lock that always gives up keeps no promise.
PropertySummary summary_of(Property property, const Tally& tally, const std::optional<Tally>& counted,
                           std::int64_t largest, const Scenario& scenario, bool raw) {
  PropertySummary s;
  s.property = property;
  s.tally = tally;
  s.counted = counted;
  s.largest = largest;
  s.unit = info(property).unit;
  const bool tested = s.figures().decided() > 0 || s.held_untested() == 0;
  if (raw) {
    const Claim claim = info(property).claim;
    const Claims& claims = find_lock_kind(scenario.lock.name)->claims;
    const bool counts = claimed(claim, scenario, claims) || claim == Claim::seats || claim == Claim::fenced;
    s.fulfilment = !counts ? Fulfilment::as_expected : tested ? raw_verdict(tally) : Fulfilment::undecided;
    return s;
  }
  s.expectation = expected_of(property, scenario);
  const bool stated = scenario.expect.count(std::string(info(property).name)) > 0;
  if (s.expectation) s.fulfilment = stated || tested ? fulfilment(*s.expectation, tally) : Fulfilment::undecided;
  return s;
}

bool is_enough(const CampaignPart& part, const CampaignOptions& options) {
  return options.until.any() && !options.until_of.empty() &&
         std::all_of(options.until_of.begin(), options.until_of.end(),
                     [&](Property p) { return options.until.is_met(part.figures(p)); });
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
  if (!claimed(claim, scenario, lock->claims) || !lock_claims(property, scenario, *lock)) return std::nullopt;
  return Expectation{Verdict::holds, Seeds::every};
}

PropertySummary summarize(const Finding& finding, std::uint64_t seed, const Scenario& scenario, bool raw) {
  Tally tally;
  tally.add(finding.verdict, seed);
  PropertySummary s = summary_of(finding.property, tally, std::nullopt,
                                 finding.verdict == Verdict::violated ? finding.measure : 0, scenario, raw);
  if (finding.reason == Reason::vacuous) s.untested.add({finding.verdict, Untested::vacuous});
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
  const auto play = [&](std::size_t thread, SeedRange seeds) -> std::optional<CampaignPart> {
    CampaignPart part;
    Runner& runner = *runners[thread];
    for (std::uint64_t i = 0; i < seeds.size(); ++i) {
      if (plan.stopped()) return std::nullopt;
      const RunResult& run = runner.run(seeds.first + i, {.full_trace = options.costs});
      part.add(run, scenario);
      if (options.costs) part.costs.add(costs_of(runner.record()));
    }
    return part;
  };
  CampaignPart whole;
  play_chunks_in_order(
      plan, whole,
      [&](std::size_t thread, const Chunk& chunk) {
        return remembered(
            options.memory, chunk.seeds, [&] { return play(thread, chunk.seeds); }, campaign_part_json,
            read_campaign_part);
      },
      [&](const CampaignPart& so_far) { return is_enough(so_far, options); });
  CampaignResult result;
  result.seeds = options.seeds;
  result.runs = whole.runs;
  result.is_enough = is_enough(whole, options);
  if (result.is_enough) result.seeds.last = result.seeds.first + whole.runs - 1;
  result.interrupted = whole.runs < options.seeds.size() && !result.is_enough;
  result.digest = whole.digest;
  result.events = whole.events;
  result.cut_off = whole.cut_off;
  result.lost_within_assumptions = {whole.within, whole.seed_within};
  result.assumptions = std::move(whole.assumptions);
  result.faults = std::move(whole.faults);
  result.unseen = std::move(whole.unseen);
  result.errors = std::move(whole.errors);
  if (options.costs) result.costs = std::move(whole.costs);
  std::vector<Fulfilment> fulfilments;
  for (const PropertyInfo& p : properties()) {
    const Tally& tally = whole.tallies[static_cast<std::size_t>(p.property)];
    PropertySummary s =
        summary_of(p.property, tally, whole.figures(p.property), whole.largest[static_cast<std::size_t>(p.property)],
                   runners[0]->scenario(), options.raw);
    s.untested = whole.untested[static_cast<std::size_t>(p.property)];
    s.settle = whole.settle[static_cast<std::size_t>(p.property)];
    const bool applicable = tally.runs() != tally.count(Verdict::not_applicable);
    if (!applicable && !s.expectation) continue;
    if (s.expectation || options.raw) fulfilments.push_back(s.fulfilment);
    result.properties.push_back(s);
  }
  // A run to which an expected property does not apply leaves the expectation open.
  if (options.raw && result.unseen.runs > 0) fulfilments.push_back(Fulfilment::undecided);
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
