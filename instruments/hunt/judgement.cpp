#include "instruments/hunt/judgement.hpp"

#include <algorithm>
#include <numeric>

#include "campaigns/table_verdict.hpp"
#include "checker/properties/properties.hpp"
#include "checker/properties/sometimes.hpp"
#include "checker/properties/waiting_bound.hpp"
#include "scenarios/run/claims.hpp"
#include "scenarios/run/deciding.hpp"

namespace picklock {
namespace {

// The assumption that keeps a run out of what the aim counts; empty: none does.  Who believes for too long, or is not renewed in
// time, has that of another: a pause, a delay, long work.
std::string_view out_of_bounds(const Aim& aim, const std::vector<Assessment>& assessed, Property property) {
  if (!aim.within_assumptions && !aim.beyond) return {};
  using Kind = AssumptionKind;
  const auto is_meant = [&](const Assessment& a) { return aim.beyond && a.assumption.kind == *aim.beyond; };
  const auto follows = [](const Assessment& a) {
    return a.assumption.kind == Kind::beliefs_shorter_than || a.assumption.kind == Kind::interruptions_shorter_than;
  };
  bool meant = false;
  for (const Assessment& a : assessed) {
    if (a.met || !concerns(a, property)) continue;
    if (a.unknown) return "no assumption that is known, as no grant was observed";
    if (is_meant(a)) {
      meant = true;
    } else if (!aim.beyond || !follows(a)) {
      return info(a.assumption.kind).name;
    }
  }
  if (!aim.beyond || meant) return {};
  return "no other assumption, and the wanted one was met";
}

std::string_view why(const Finding& finding) {
  return finding.reason == Reason::vacuous ? info(finding.missing).missing : words(finding.reason);
}

// A client that waits can violate these only after it has waited for a bound.
bool waits_for_a_bound(Property property) { return is_of_waiters(property) && property != Property::never_free_again; }

Judgement judge_violated(const Aim& aim, const Scenario& scenario, const RunResult& run, Property property) {
  Judgement j{.property = property, .bearing = Bearing::failed};
  if (!aim.promised_alone) return j;
  // A client may have to notice after a fault that its connection is dead, and to connect again: no lock shortens that.
  const std::int64_t excused = run.judged_with.starvation_bound + run.judged_with.wake_up_bound;
  if (property == Property::starvation && of(run.findings, property).measure <= excused && !scenario.faults.empty()) {
    j.bearing = Bearing::undecided;
    j.why = "a client waited for longer than the bound, but not for longer than that and a new connection";
    return j;
  }
  if (holds_when_played_on(scenario, run, property)) {
    j.bearing = Bearing::passed;
  } else if (is_of_waiters(property) && settle_that_outlasts(run, property) > scenario.phases.settle) {
    j.settle = settle_that_outlasts(run, property);  // one run then shows all consequences of this plan
  }
  return j;
}

Judgement judge_holding(const Aim& aim, const Scenario& scenario, const RunResult& run, Property property) {
  Judgement j{.property = property, .bearing = Bearing::passed};
  // Grants to one client alone say as little of two as its beliefs do.
  const Property counted = property == Property::double_grant ? Property::mutual_exclusion : property;
  Untested untested = table_verdict(run, property).untested;
  if (untested == Untested::no && of(run.findings, counted).verdict == Verdict::holds) {
    untested = table_verdict(run, counted).untested;
  }
  if (untested != Untested::no) {
    j.bearing = Bearing::undecided;
    j.why = words(untested);
    return j;
  }
  if (aim.plays_on || !waits_for_a_bound(property)) return j;
  if (scenario.phases.settle.ns > bound_of_waiting(property, run.judged_with)) return j;
  j.bearing = Bearing::undecided;
  j.why = "the settle phase is not longer than the bound of the property";
  j.settle = settle_longer_by_the_bound(property, run, scenario);
  return j;
}

}  // namespace

std::vector<Judgement> judge_run(const Aim& aim, const Scenario& scenario, const RunResult& run) {
  std::vector<Property> promised = aim.properties;
  if (aim.promised_alone) promised = promised_in(*find_lock_kind(scenario.lock.name), scenario, run);
  std::vector<Judgement> all;
  for (const Property p : aim.properties) {
    const Finding& finding = of(run.findings, p);
    Judgement& j = all.emplace_back();
    j.property = p;
    if (std::find(promised.begin(), promised.end(), p) == promised.end()) {
      j.bearing = Bearing::not_promised;
      continue;
    }
    j.why = out_of_bounds(aim, run.assumptions, p);
    if (!j.why.empty()) {
      j.bearing = Bearing::outside;
      continue;
    }
    switch (finding.verdict) {
      case Verdict::holds:
        j = judge_holding(aim, scenario, run, p);
        break;
      case Verdict::violated:
        j = judge_violated(aim, scenario, run, p);
        break;
      case Verdict::undecided:
        j.bearing = Bearing::undecided;
        j.why = why(finding);
        j.settle = deciding_settle(finding, run, scenario);
        break;
      case Verdict::not_applicable:
        j.bearing = Bearing::not_applicable;
        j.why = why(finding);
        break;
    }
  }
  return all;
}

void JudgedProperty::add(const Judgement& judgement) {
  ++plans[static_cast<std::size_t>(judgement.bearing)];
  const bool open = judgement.bearing == Bearing::undecided || judgement.bearing == Bearing::not_applicable;
  if (open) ++undecided_by[std::string(judgement.why)];
  if (judgement.bearing == Bearing::outside) ++outside_by[std::string(judgement.why)];
  if (judgement.bearing == Bearing::undecided && judgement.settle) settle = std::max(settle, *judgement.settle);
}

std::uint64_t JudgedProperty::all() const { return std::accumulate(plans.begin(), plans.end(), std::uint64_t{0}); }

}  // namespace picklock
