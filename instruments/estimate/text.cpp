// Estimates as text, JSON and CSV.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "instruments/estimate/estimate.hpp"
#include "reports/campaigns/provenance.hpp"
#include "reports/untested.hpp"

namespace picklock {
namespace {

using Json = nlohmann::ordered_json;

bool has_estimate(const Estimated& e) { return e.refusal.empty() && e.error.empty() && !e.stopped; }

std::string method_in_words(const Estimated& e) {
  switch (e.method) {
    case EstimateMethod::automatic:
      return "none";
    case EstimateMethod::counting:
      return "counting plain runs";
    case EstimateMethod::conditional:
      return "conditional Monte Carlo over " + e.conditional->draw;
    case EstimateMethod::splitting:
      return "multilevel splitting with fixed effort";
  }
  return {};
}

double in_leases(Level level) { return static_cast<double>(level) / kLeaseOver; }

std::string conditional_text(const Conditional& c) {
  std::string text = fmt::format("law         {}\n", c.law);
  if (c.greatest != 0 || c.least != 0) {
    text += fmt::format("edge        {} violates from {} on, to {} in other seeds{}\n", c.draw,
                        to_readable(Duration{c.least}), to_readable(Duration{c.greatest}),
                        c.falling ? " (smaller values violate)" : "");
  }
  if (c.absent > 0) text += fmt::format("            {} of {} seeds do not draw it\n", c.absent, c.values.size());
  return text;
}

std::string splitting_text(const Splitting& s) {
  if (s.stages.empty()) return {};
  std::string text =
      "levels      share of the lease that is over when a stage begins, and of its trajectories that go on\n";
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    const SplittingStage& stage = s.stages[i];
    const double n = static_cast<double>(std::max<std::uint64_t>(stage.trajectories, 1));
    text += fmt::format("  {:>7.3f}   {:>6} trajectories", i == 0 ? 0 : in_leases(s.levels[i - 1]), stage.trajectories);
    if (i + 1 < s.stages.size())
      text += fmt::format(", {:5.1f} % reach the next level", 100 * static_cast<double>(stage.reached) / n);
    if (stage.violated > 0 || i + 1 == s.stages.size())
      text += fmt::format(", {:5.1f} % end in a violation", 100 * static_cast<double>(stage.violated) / n);
    text += "\n";
  }
  return text + fmt::format("ancestors   violations descend from {} first trajectories, in {} of {} replications\n",
                            s.ancestors, s.replications_with_any, s.values.size());
}

std::string plain_text(const Estimated& e) {
  std::string text = fmt::format("plain runs  {} of {} violate it", e.plain.count(Verdict::violated), e.plain.runs());
  const std::uint64_t left_out = e.faults_untested(), undecided = e.plain.runs() - e.plain.decided() - left_out;
  if (undecided > 0) text += fmt::format(", {} do not put it to the test and count as not violated", undecided);
  if (left_out > 0) text += fmt::format("; not tested: {}", reasons_untested(e.untested, e.plain.runs()));
  return text + "\n";
}

Json stages_json(const Splitting& s) {
  Json all = Json::array();
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    all.push_back({{"level", i == 0 ? 0 : in_leases(s.levels[i - 1])},
                   {"trajectories", s.stages[i].trajectories},
                   {"reached_next", s.stages[i].reached},
                   {"violated", s.stages[i].violated}});
  }
  return all;
}

Json rare_json(const Estimated& e, const EstimateHead& head) {
  if (!e.rare) return nullptr;
  Json recipe = Json::array(), pinned = Json::array();
  for (const Reseed& r : e.rare->recipe) recipe.push_back({{"at_ns", r.at.ns}, {"seed", r.seed}});
  for (const DrawOverride& d : e.rare->pinned) pinned.push_back({{"draw", d.name}, {"value", d.value}});
  return {{"seed", e.rare->seed}, {"recipe", recipe}, {"draws", pinned}, {"replay", head.replay}};
}

}  // namespace

std::string estimate_text(const Scenario& scenario, const Estimated& e, const EstimateHead& head) {
  std::string text = fmt::format("{}: probability that a run violates {}\n\n", scenario.name, info(e.property).name);
  if (!e.error.empty()) return text + fmt::format("error of the simulation: {}\n", e.error);
  if (e.stopped) return text + "interrupted: nothing is estimated\n";
  if (has_estimate(e)) {
    text += fmt::format("  {:.3g}   95 %: {:.3g} to {:.3g} (± {:.1f} %, {})\n\n", e.probability.value,
                        e.probability.low, e.probability.high, 100 * e.relative_error(), e.interval);
    if (!e.caution.empty()) text += fmt::format("caution     {}\n", e.caution);
  } else {
    if (e.at_most)
      text += fmt::format("  at most {:.3g} (95 %, 1 - 0.05^(1/N)): none of {} plain runs violates it\n", *e.at_most,
                          e.plain.runs() - e.faults_untested());
    text += fmt::format("  refused: {}\n\n", e.refusal);
  }
  text += fmt::format("method      {}", method_in_words(e)) + (e.why.empty() ? "\n" : ": " + e.why + "\n");
  if (e.conditional && e.method == EstimateMethod::conditional) text += conditional_text(*e.conditional);
  if (e.splitting) text += splitting_text(*e.splitting);
  text += plain_text(e);
  const Effort effort = e.effort();
  text += fmt::format("cost        {} runs, {} events", effort.runs, effort.events);
  if (has_estimate(e) && e.plain_runs_needed() > 0)
    text += fmt::format("; as many plain runs as give this interval: {:.2g}", e.plain_runs_needed());
  text += "\n";
  if (!head.replay.empty()) text += fmt::format("rare run    {}\n", head.replay);
  return text + fmt::format("again       {}\n", head.command);
}

std::string estimate_json(const Scenario& scenario, const Estimated& e, const EstimateHead& head) {
  Json j = figures("estimate");
  j["scenario"] = scenario.name;
  j["scenario_sha1"] = scenario_sha1(scenario);
  j["lock"] = scenario.lock.name;
  j["property"] = info(e.property).name;
  j["method"] = e.method == EstimateMethod::automatic ? Json(nullptr) : Json(enum_name(e.method));
  j["why"] = e.why;
  j["refused"] = e.refusal.empty() ? Json(nullptr) : Json(e.refusal);
  j["error"] = e.error.empty() ? Json(nullptr) : Json(e.error);
  j["interrupted"] = e.stopped;
  const bool has = has_estimate(e);
  const auto figure = [&](double value) { return has ? Json(value) : Json(nullptr); };
  j["probability"] = figure(e.probability.value);
  j["low_95"] = figure(e.probability.low);
  j["high_95"] = figure(e.probability.high);
  j["at_most_95"] = e.at_most ? Json(*e.at_most) : Json(nullptr);
  j["interval"] = has ? Json(e.interval) : Json(nullptr);
  j["caution"] = has && !e.caution.empty() ? Json(e.caution) : Json(nullptr);
  j["plain"] = {{"runs", e.plain.runs()},
                {"violated", e.plain.count(Verdict::violated)},
                {"not_decided", e.plain.runs() - e.plain.decided()},
                {"not_tested_faults", e.faults_untested()}};
  const Effort effort = e.effort();
  j["cost"] = {{"runs", effort.runs},
               {"events", effort.events},
               {"plain_runs_for_same_interval", figure(e.plain_runs_needed())}};
  j["conditional"] = nullptr;
  if (e.conditional) {
    const Conditional& c = *e.conditional;
    j["conditional"] = {{"draw", c.draw},       {"law", c.law},          {"absent", c.absent},
                        {"falling", c.falling}, {"least_edge", c.least}, {"greatest_edge", c.greatest},
                        {"values", c.values}};
  }
  j["splitting"] = nullptr;
  if (e.splitting) {
    const Splitting& s = *e.splitting;
    j["splitting"] = {{"stages", stages_json(s)},
                      {"values", s.values},
                      {"ancestors", s.ancestors},
                      {"replications_with_any", s.replications_with_any}};
  }
  j["rare_run"] = rare_json(e, head);
  j["again"] = head.command;
  return j.dump(2) + "\n";
}

std::string estimate_csv(const Scenario& scenario, const Estimated& e) {
  const auto figure = [&](double value) { return has_estimate(e) ? fmt::format("{}", value) : std::string(); };
  const Effort effort = e.effort();
  return fmt::format(
      "scenario,scenario_sha1,lock,property,method,refused,caution,probability,low_95,high_95,at_most_95,plain_runs,"
      "plain_"
      "violated,runs,"
      "events\n"
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
      scenario.name, scenario_sha1(scenario), scenario.lock.name, info(e.property).name,
      e.method == EstimateMethod::automatic ? "" : enum_name(e.method), e.refusal.empty() ? "no" : "yes",
      has_estimate(e) && !e.caution.empty() ? "yes" : "no", figure(e.probability.value), figure(e.probability.low),
      figure(e.probability.high), e.at_most ? fmt::format("{}", *e.at_most) : "", e.plain.runs(),
      e.plain.count(Verdict::violated), effort.runs, effort.events);
}

}  // namespace picklock
