#include "instruments/envelope/envelope.hpp"

#include <algorithm>
#include <cmath>

#include "campaigns/in_parallel.hpp"
#include "campaigns/table_verdict.hpp"
#include "scenarios/generators/tame.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kMostEvents = 300'000;

// Result of one seed.
struct Edge {
  std::optional<std::int64_t> smallest;
  std::vector<AssumptionKind> broken;
  bool refutes = false;
  bool contended = false;
  std::int64_t tested_up_to = 0;
  bool interrupted = false;
  std::uint64_t runs = 0;
};

class Climber {
 public:
  Climber(const Contest& contest, const Hazard& hazard, std::uint64_t seed, const std::atomic<bool>* stop)
      : contest_(contest), hazard_(hazard), seed_(seed), stop_(stop) {}

  Edge climb() {
    if (hazard_.magnitude == Magnitude::none) {
      if (fails(0)) edge_.smallest = 0;
      return std::move(edge_);
    }
    std::int64_t below = 0;
    for (std::int64_t rung = hazard_.least(contest_.lease); rung <= hazard_.most(contest_.lease); rung *= 2) {
      if (!fails(rung)) {
        below = rung;
        continue;
      }
      edge_.smallest = narrowed(below, rung);
      break;
    }
    return std::move(edge_);
  }

 private:
  std::int64_t narrowed(std::int64_t below, std::int64_t failing) {
    while (failing - below > failing / 200 && failing - below > 1) {
      const std::int64_t between = below + (failing - below) / 2;
      (fails(between) ? failing : below) = between;
    }
    return failing;
  }

  // Are two clients in, wherever the hazard strikes?
  bool fails(std::int64_t magnitude) {
    bool failed = false, tested = false;
    for (Scenario& s : struck_by(contest_, hazard_, magnitude)) {
      if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
        edge_.interrupted = true;
        return failed;
      }
      s.event_budget = std::min(s.event_budget, kMostEvents);
      auto compiled = Runner::compile(s);
      auto* const runner = std::get_if<0>(&compiled);
      if (runner == nullptr) continue;
      const RunResult& result = (*runner)->run(seed_);
      ++edge_.runs;
      const TableVerdict verdict = table_verdict(result, Property::mutual_exclusion);
      const bool by_hazard =
          verdict.untested != Untested::fault_cut_off && verdict.untested != Untested::fault_after_contest;
      const bool contended = by_hazard && (result.happened & bit(Sometimes::contention)) != 0;
      edge_.contended = edge_.contended || contended;
      tested = tested || contended;
      if (!result.error.empty() || of(result.findings, Property::mutual_exclusion).verdict != Verdict::violated)
        continue;
      std::vector<AssumptionKind> broken;
      for (const Assessment& a : result.assumptions) {
        if (a.broken() && concerns(a, Property::mutual_exclusion)) broken.push_back(a.assumption.kind);
      }
      const bool known = std::none_of(result.assumptions.begin(), result.assumptions.end(), [](const Assessment& a) {
        return a.unknown && concerns(a, Property::mutual_exclusion);
      });
      edge_.refutes = edge_.refutes || (known && broken.empty());
      if (!failed) edge_.broken = std::move(broken);
      failed = true;
    }
    if (tested) edge_.tested_up_to = std::max(edge_.tested_up_to, magnitude);
    return failed;
  }

  const Contest& contest_;
  const Hazard& hazard_;
  const std::uint64_t seed_;
  const std::atomic<bool>* const stop_;
  Edge edge_;
};

// Two clients in from about the bound on: a lease ends a little after its holder has been told of it.
Fit fit_of(const HazardEdge& e) {
  if (e.refuting) return Fit::wrong;
  if (!e.bound) return Fit::unclaimed;
  if (e.edges.empty()) {
    const bool beyond = e.hazard->magnitude == Magnitude::none || e.tested_up_to.value_or(0) > *e.bound;
    return e.contended > 0 && beyond ? Fit::conservative : Fit::untested;
  }
  if (e.hazard->magnitude == Magnitude::none) return Fit::tight;
  const std::int64_t smallest = e.edges.front();
  if (smallest > *e.bound + *e.bound / 4) return Fit::conservative;
  return smallest >= *e.bound - *e.bound / 10 ? Fit::tight : Fit::covered;
}

HazardEdge measured(const Contest& contest, const Hazard& hazard, const EnvelopeOptions& options) {
  HazardEdge found;
  found.hazard = &hazard;
  found.seeds = options.seeds;
  found.bound = limit_of(contest.assumed, hazard.assumption);
  std::vector<Edge> edges(options.seeds);
  in_parallel(edges.size(), options.jobs,
              [&](std::size_t i) { edges[i] = Climber(contest, hazard, i + 1, options.stop).climb(); });
  const Edge* least = nullptr;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    found.runs += edges[i].runs;
    found.contended += edges[i].contended;
    found.interrupted = found.interrupted || edges[i].interrupted;
    if (edges[i].contended && (!found.tested_up_to || edges[i].tested_up_to < *found.tested_up_to))
      found.tested_up_to = edges[i].tested_up_to;
    if (edges[i].refutes && !found.refuting) found.refuting = i + 1;
    if (!edges[i].smallest) continue;
    ++found.violated;
    found.edges.push_back(*edges[i].smallest);
    if (least == nullptr || *edges[i].smallest < *least->smallest) least = &edges[i];
  }
  std::sort(found.edges.begin(), found.edges.end());
  if (least != nullptr) found.beside = least->broken;
  std::erase(found.beside, hazard.assumption);
  found.fit = fit_of(found);
  return found;
}

// Rank of the lower end of the interval for a median of n values (binomial, normal approximation).
std::size_t low_rank(std::size_t n) {
  const double rank = static_cast<double>(n) / 2 - 0.98 * std::sqrt(static_cast<double>(n));
  return rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1;
}

}  // namespace

std::string_view name(Fit fit) {
  constexpr std::string_view kNames[] = {"tight", "conservative", "covered", "wrong", "unclaimed", "untested"};
  return kNames[static_cast<std::size_t>(fit)];
}

std::int64_t HazardEdge::low() const { return edges[low_rank(edges.size())]; }
std::int64_t HazardEdge::high() const { return edges[edges.size() - 1 - low_rank(edges.size())]; }

std::optional<Envelope> envelope_of(std::string_view lock, const EnvelopeOptions& options) {
  const std::optional<Contest> contest = contest_of(lock);
  if (!contest) return std::nullopt;
  Envelope envelope{std::string(lock), contest->lease, contest->has_lease, {}};
  std::vector<const Hazard*> wanted = options.hazards;
  for (const Hazard& h : hazards()) {
    if (options.hazards.empty()) wanted.push_back(&h);
  }
  for (const Hazard* const hazard : wanted) {
    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) return envelope;
    HazardEdge edge = measured(*contest, *hazard, options);
    if (edge.interrupted) return envelope;
    envelope.edges.push_back(std::move(edge));
    if (options.progress) options.progress(envelope.edges.size(), wanted.size());
  }
  return envelope;
}

}  // namespace picklock
