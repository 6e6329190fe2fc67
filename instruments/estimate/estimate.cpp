#include "instruments/estimate/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "campaigns/in_order.hpp"
#include "campaigns/table_verdict.hpp"
#include "statistics/binomial.hpp"

namespace picklock {
namespace {

constexpr std::uint64_t kOften = 200;      // violations in the plain runs that are enough to count
constexpr double kFewestEffective = 30;    // samples of the conditional method
constexpr double kMostOfOne = 0.2;         // share of the estimate that may come from one seed
constexpr double kSkewed = 0.3;            // relative deviation from which on Student's t is not trusted
constexpr double kFewForInterval = 15;     // effective number of values below which no interval is
constexpr double kContradiction = 0.0005;  // risk on each side

struct PlainPart {
  Tally tally;
  UntestedRuns untested;
  Effort effort;
  std::string error;
  // Counts like a campaign, but also takes runs in which one client alone held the lock: the probability covers them.
  // A fault that was cut off, or came too late, is not the one that the scenario asks about.
  void add_verdict(const RunResult& run, Property property) {
    const TableVerdict verdict = table_verdict(run, property);
    const bool alone = verdict.untested == Untested::held_alone;
    tally.add(alone ? Verdict::holds : verdict.verdict, run.seed);
    if (!alone) untested.add(verdict);
  }
  void add(const PlainPart& other) {
    tally.add(other.tally);
    untested.add(other.untested);
    effort += other.effort;
    if (error.empty()) error = other.error;
  }
};

void play_plain(RunnerPool& pool, const EstimateOptions& o, Estimated& e) {
  SeedPlan plan;
  plan.seeds = {o.seed, o.seed + o.plain_runs - 1};
  plan.jobs = o.jobs;
  plan.stop = o.stop;
  if (o.progress) plan.progress = [&](std::uint64_t done, std::uint64_t all) { o.progress(done, all, "plain runs"); };
  PlainPart whole;
  const auto play = [&](std::size_t, const Chunk& chunk) -> std::optional<PlainPart> {
    PlainPart part;
    const auto runner = pool.take();
    for (std::uint64_t i = 0; i < chunk.seeds.size(); ++i) {
      if (plan.stopped()) return std::nullopt;
      const std::uint64_t seed = chunk.seeds.first + i;
      const RunResult& r = runner->run(seed);
      part.effort.add(r);
      part.add_verdict(r, o.property);
      if (part.error.empty()) part.error = r.error;
    }
    return part;
  };
  play_chunks_in_order(plan, whole, play, [](const PlainPart&) { return false; });
  e.plain = whole.tally;
  e.untested = whole.untested;
  e.plain_effort = whole.effort;
  e.error = whole.error;
  if (const auto seed = e.plain.seed_of(Verdict::violated)) e.rare = Trajectory{*seed, {}, {}};
}

std::uint64_t violated_plainly(const Estimated& e) { return e.plain.count(Verdict::violated); }

// Plain runs of which a probability is taken: all but those in which no fault was what the scenario asks for.
std::uint64_t counted_plainly(const Estimated& e) { return e.plain.runs() - e.faults_untested(); }

std::string count_of_plain(const Estimated& e) {
  return fmt::format("{} of {} plain runs", violated_plainly(e), counted_plainly(e));
}

ConditionalOptions conditional_options(const EstimateOptions& o) {
  ConditionalOptions c{
      .property = o.property, .seed = o.seed, .samples = o.samples, .jobs = o.jobs, .stop = o.stop, .progress = {}};
  if (o.progress) c.progress = [&o](std::uint64_t done, std::uint64_t all) { o.progress(done, all, "samples"); };
  return c;
}

void set_interval(Estimated& e, const std::vector<double>& values, std::string_view what) {
  const bool skewed = sample_of(values).relative_deviation() > kSkewed;
  e.probability = skewed ? skewed_interval(values) : student_interval(values);
  e.interval =
      fmt::format("Student's t{} over {} {}", skewed ? " and its bootstrap, the wider" : "", values.size(), what);
  if (const double even = effective_count(values); even < kFewForInterval) {
    e.caution = fmt::format("{} {} count like {:.1f} equal ones: the interval may be too narrow (more --trajectories)",
                            values.size(), what, even);
  }
}

void count(Estimated& e) {
  e.method = EstimateMethod::counting;
  const std::uint64_t k = violated_plainly(e), n = counted_plainly(e);
  if (k == 0) {
    e.refusal = fmt::format("{} violate it: counting says no more than how rare it is at most", count_of_plain(e));
    return;
  }
  const ShareInterval exact = clopper_pearson(k, n);
  e.probability = {static_cast<double>(k) / static_cast<double>(n), exact.low, exact.high};
  e.interval = fmt::format("Clopper-Pearson over {} runs", n);
}

// Names the one draw that decides, and says why it is the one; empty: there is none.
std::string choose_draw(RunnerPool& pool, const EstimateOptions& o, Estimated& e) {
  e.deciders = find_deciders(pool, conditional_options(o));
  const Deciders& d = *e.deciders;
  if (e.error.empty()) e.error = d.error;
  if (d.too_many) {
    e.why = fmt::format("runs draw too much ({} draws were tried) to ask for each draw whether it decides", d.tried);
  } else if (d.names.empty()) {
    e.why = fmt::format("none of {} draws decides alone", d.tried);
  } else if (d.names.size() > 1) {
    e.why = fmt::format("{} draws decide alone, such as {} and {}", d.names.size(), d.names.front(), d.names.back());
  } else if (!d.not_in_all.empty()) {
    e.why = fmt::format("{} decides, and not every run draws it", d.names.front());
  } else {
    e.why = fmt::format("of {} draws it alone decides", d.tried);
    return d.names.front();
  }
  return {};
}

void condition(RunnerPool& pool, const EstimateOptions& o, const std::string& draw, Estimated& e) {
  e.method = EstimateMethod::conditional;
  e.conditional = estimate_by_condition(pool, draw, conditional_options(o));
  const Conditional& c = *e.conditional;
  if (e.error.empty()) e.error = c.error;
  e.refusal = c.refusal;
  if (c.rare) e.rare = c.rare;
  if (!e.refusal.empty() || c.values.empty()) return;
  if (effective_count(c.values) < kFewestEffective || largest_share(c.values) > kMostOfOne) {
    e.refusal = fmt::format(
        "too few seeds carry the estimate: {} of them count like {:.1f} equal ones, and one has {:.0f} % (more "
        "--samples, or "
        "--method splitting)",
        c.values.size(), effective_count(c.values), 100 * largest_share(c.values));
    return;
  }
  set_interval(e, c.values, "seeds");
}

void split(RunnerPool& pool, const EstimateOptions& o, Estimated& e) {
  e.method = EstimateMethod::splitting;
  SplittingOptions s{.property = o.property,
                     .seed = o.seed,
                     .trajectories = o.trajectories,
                     .replications = o.replications,
                     .jobs = o.jobs,
                     .redraws_lengths = o.redraws_lengths,
                     .stop = o.stop,
                     .progress = {}};
  if (o.progress) s.progress = [&o](std::uint64_t done, std::uint64_t all) { o.progress(done, all, "replications"); };
  e.splitting = estimate_by_splitting(pool, s);
  if (e.error.empty()) e.error = e.splitting->error;
  e.refusal = e.splitting->refusal;
  if (e.splitting->rare) e.rare = e.splitting->rare;
  if (e.refusal.empty() && !e.splitting->values.empty()) set_interval(e, e.splitting->values, "replications");
}

// The plain runs have the last word: they need no condition.
void hold_against_plain(Estimated& e) {
  if (!e.refusal.empty() || e.method == EstimateMethod::counting) return;
  const auto n = counted_plainly(e), k = violated_plainly(e);
  const bool too_low = chance_of_at_least(k, n, std::min(e.probability.high, 1.0)) < kContradiction;
  const bool too_high = chance_of_at_most(k, n, std::min(e.probability.low, 1.0)) < kContradiction;
  if (too_low || too_high) {
    e.refusal = fmt::format("contradiction: the estimate is {:.2e} ({:.2e} to {:.2e}), but {} violate it",
                            e.probability.value, e.probability.low, e.probability.high, count_of_plain(e));
  }
}

void choose_and_estimate(RunnerPool& pool, const EstimateOptions& o, Estimated& e) {
  const bool automatic = o.method == EstimateMethod::automatic && o.draw.empty();
  if (o.method == EstimateMethod::counting || (automatic && violated_plainly(e) >= kOften)) {
    e.why = automatic ? fmt::format("{} violate it, often enough to count", count_of_plain(e)) : "as asked for";
    return count(e);
  }
  if (o.method == EstimateMethod::splitting) {
    e.why = "as asked for";
    return split(pool, o, e);
  }
  std::string draw = o.draw;
  if (draw.empty())
    draw = choose_draw(pool, o, e);
  else
    e.why = "as asked for";
  if (!e.error.empty()) return;
  if (!draw.empty()) {
    condition(pool, o, draw, e);
    if (e.refusal.empty() || !automatic) return;
    e.why = fmt::format("conditional Monte Carlo over {} refused: {}", draw, e.refusal);
  } else if (!automatic) {
    e.method = EstimateMethod::conditional;
    e.refusal = "no monotone draw for the conditional method: " + e.why;
    return;
  }
  split(pool, o, e);
}

}  // namespace

Effort Estimated::effort() const {
  Effort all = plain_effort;
  if (deciders) all += deciders->effort;
  if (conditional) all += conditional->effort;
  if (splitting) {
    all += splitting->pilot;
    all += splitting->effort;
  }
  return all;
}

double Estimated::relative_error() const {
  return probability.value > 0 ? (probability.high - probability.low) / 2 / probability.value : 0;
}

double Estimated::plain_runs_needed() const {
  const double radius = (probability.high - probability.low) / 2;
  return radius > 0 ? kNormal975 * kNormal975 * probability.value * (1 - probability.value) / (radius * radius) : 0;
}

std::variant<Estimated, std::vector<ScenarioProblem>> estimate_probability(const Scenario& scenario,
                                                                           const EstimateOptions& options) {
  RunnerPool pool(scenario);
  if (auto problems = pool.problems(); !problems.empty()) return problems;
  Estimated e;
  e.property = options.property;
  const auto stopped = [&] { return e.stopped = options.stop != nullptr && *options.stop; };
  play_plain(pool, options, e);
  if (stopped() || !e.error.empty()) return e;
  if (e.plain.decided() == 0) {
    const bool applies = e.plain.count(Verdict::not_applicable) < e.plain.runs();
    e.refusal = applies ? fmt::format("nothing to estimate: none of {} runs puts it to the test", e.plain.runs())
                        : "nothing to estimate: it does not apply to this scenario";
    return e;
  }
  if (counted_plainly(e) > 0 && violated_plainly(e) == 0) e.at_most = upper_bound_after_none(counted_plainly(e));
  choose_and_estimate(pool, options, e);
  if (e.method != EstimateMethod::counting && e.faults_untested() > 0 && e.caution.empty()) {
    e.caution = fmt::format(
        "{} of {} plain runs cut a fault off, or have it after all contention: this method counts such runs as not "
        "violated",
        e.faults_untested(), e.plain.runs());
  }
  if (stopped() || !e.error.empty()) return e;
  hold_against_plain(e);
  return e;
}

}  // namespace picklock
