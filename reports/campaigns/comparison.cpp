#include "reports/campaigns/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/width.hpp"
#include "campaigns/chunk_json.hpp"
#include "campaigns/unseen_json.hpp"
#include "reports/campaigns/provenance.hpp"
#include "reports/errors.hpp"
#include "reports/unseen.hpp"
#include "reports/untested.hpp"
#include "scenarios/file/lease.hpp"

namespace picklock {
namespace {

constexpr double kRisk = 0.05;       // risk of one false difference in the whole comparison
constexpr double kNoticeable = 1.2;  // gain of pairing

char letter(std::size_t contestant) { return static_cast<char>('A' + contestant); }

std::optional<Duration> mean_latency(const ContestantResult& c) {
  if (c.granted == 0) return std::nullopt;
  return Duration{c.latency_ns / static_cast<std::int64_t>(c.granted)};
}

std::optional<double> commands_each(const ContestantResult& c) {
  if (c.granted == 0) return std::nullopt;
  return static_cast<double>(c.commands) / static_cast<double>(c.granted);
}

std::string p_text(double p) { return p < 0.001 ? fmt::format("{:.1e}", p) : fmt::format("{:.3f}", p); }

std::string percent_points(const Estimate& e) {
  return fmt::format("{:+.2f} percentage points (95 %: {:+.2f} to {:+.2f})", 100 * e.value, 100 * e.low, 100 * e.high);
}

std::string times_text(double ratio) { return std::isinf(ratio) ? "infinitely many" : fmt::format("{:.2f}", ratio); }

// --- text

// The usual reaction of a contestant's users to a loss, where the scenario leaves it to each client.
std::string usual_reaction(const Contestant& c) {
  const LockKind* const kind = find_lock_kind(c.scenario.lock.name);
  if (kind == nullptr || c.scenario.lock.on_loss != LockOnLoss::by_client) return "";
  return std::string(kind->terms.usually);
}

// Locks tell of a loss in different ways, or not at all: a comparison of them compares applications too.
std::string reactions(const std::vector<Contestant>& contestants) {
  const auto differ = [](const Contestant& a, const Contestant& b) { return usual_reaction(a) != usual_reaction(b); };
  if (std::adjacent_find(contestants.begin(), contestants.end(), differ) == contestants.end()) return "";
  std::string out = "The reactions to a loss differ: --set lock.on-loss=stop, or =ignore, makes them alike.\n";
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const std::string usual = usual_reaction(contestants[i]);
    out += fmt::format("   {}  users usually {}\n", letter(i), usual.empty() ? "hear of no loss" : usual);
  }
  return out;
}

std::string head(const std::vector<Contestant>& contestants, const ComparisonResult& result) {
  std::size_t width = 10;
  for (const Contestant& c : contestants) width = std::max(width, columns_of(c.name));
  std::string out = fmt::format("   {:<{}}  {:>8}  {:>20}  {:>12}  {:>12}\n", "contestant", width, "lease",
                                "acquires served", "mean wait", "commands each");
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const ContestantResult& c = result.contestants[i];
    const auto lease = lease_told(contestants[i].scenario).lasts;
    const auto wait = mean_latency(c);
    const auto commands = commands_each(c);
    out += fmt::format("{}  {}  {:>8}  {:>20}  {:>12}  {:>12}\n", letter(i), padded(contestants[i].name, width),
                       lease ? to_text(*lease) : "none", fmt::format("{} of {}", c.granted, c.asked),
                       wait ? to_readable(*wait) : "-", commands ? fmt::format("{:.2f}", *commands) : "-");
  }
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const FaultSummaries& faults = result.contestants[i].faults;
    if (const std::string lasted = lasted_text(faults); lasted != "-")
      out += fmt::format("   {}  faults lasted {}{}\n", letter(i), lasted, cut_off_runs(faults));
  }
  std::vector<std::string> leases;
  for (const Contestant& c : contestants) {
    const auto lease = lease_told(c.scenario).lasts;
    leases.push_back(lease ? to_text(*lease) : "none");
  }
  if (std::adjacent_find(leases.begin(), leases.end(), std::not_equal_to<>()) != leases.end()) {
    out += "The leases differ: a difference may be due to them, and not to the locks.\n";
  }
  return out + reactions(contestants);
}

std::string tally_text(const ContestantResult& c, Property property) {
  const Tally& tally = c.tallies.at(property);
  const UntestedRuns& untested = c.untested.at(property);
  if (untested.all() == 0) return print_share(tally);
  const std::string reasons = reasons_untested(untested, tally.runs());
  return fmt::format("{}; {} of these not tested{}{}", print_share(tally), untested.all(), reasons.empty() ? "" : ": ",
                     reasons);
}

std::string pair_text(const PropertyPair& pair, char b, std::size_t comparisons, bool by_rule) {
  const PairTable& t = pair.table;
  if (t.pairs() == 0) return "  not tested: no seed decided the property for both\n";
  std::string out =
      fmt::format("  violated in both {}, in A alone {}, in {} alone {}, in neither {}; {} seeds left out\n", t.both,
                  t.only_a, b, t.only_b, t.neither, t.undecided);
  if (const auto d = difference_of_shares(t))
    out += fmt::format("  {} minus A: {}, Agresti and Min\n", b, percent_points(*d));
  if (const auto r = ratio_of_differing(t)) {
    out += fmt::format("  {} alone {} times as often as A alone (95 %: {} to {}, Clopper and Pearson)\n", b,
                       times_text(r->value), times_text(r->low), times_text(r->high));
  }
  const std::string holm =
      comparisons > 1 ? fmt::format("; {} by Holm over {} tests", p_text(pair.p_adjusted), comparisons) : "";
  out += fmt::format("  exact McNemar test: p = {}{}: {}\n", p_text(pair.p), holm,
                     pair.p_adjusted < kRisk ? "they differ" : "no difference is shown");
  if (by_rule) {
    out += fmt::format("  a rule ended the comparison: p = {} is valid at every look; the figures above it are not\n",
                       p_text(pair.p_at_every_look));
  }
  if (const auto gain = gain_of_pairing(t)) {
    out += *gain < kNoticeable
               ? fmt::format("  pairing gained nothing: the variance is that of unpaired runs ({:.2f})\n", *gain)
               : fmt::format("  pairing: unpaired runs would need {:.1f} times as many seeds\n", *gain);
  }
  return out;
}

template <class Show>
std::string difference_text(const char* what, const PairedDifferences& d, char b, Show show) {
  const auto mean = d.mean();
  if (!mean) return fmt::format("  {:<18} no two seeds to compare\n", what);
  return fmt::format("  {:<18} {} (95 %: {} to {}); {} has less in {} seeds, more in {}, of {}\n", what,
                     show(mean->value), show(mean->low), show(mean->high), b, d.lower_in_b(), d.higher_in_b(),
                     d.pairs());
}

std::string signed_time(double ns) {
  const auto d = Duration{static_cast<std::int64_t>(std::llround(ns))};
  return (d.ns > 0 ? "+" : "") + to_readable(d);
}

std::string cost_text(const Opposition& o, char b) {
  return difference_text("acquires in a run", o.granted, b, [](double v) { return fmt::format("{:+.3f}", v); }) +
         difference_text("wait", o.latency_ns, b, signed_time) +
         difference_text("commands each", o.commands, b, [](double v) { return fmt::format("{:+.3f}", v / 1000); });
}

std::string errors_text(const std::vector<Contestant>& contestants, const ComparisonResult& result) {
  std::string out;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    out += errors_told_once(result.contestants[i].errors, fmt::format("{}  {}: seed", letter(i), contestants[i].name));
  }
  return out;
}

// --- JSON

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<Estimate>& e) {
  if (!e) return nullptr;
  const auto number = [](double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); };
  return {{"value", number(e->value)}, {"low", number(e->low)}, {"high", number(e->high)}};
}

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const PairedDifferences& d) {
  return {{"pairs", d.pairs()}, {"mean", json_of(d.mean())}, {"lower", d.lower_in_b()}, {"higher", d.higher_in_b()}};
}

Json json_of(const PropertyPair& pair) {
  const PairTable& t = pair.table;
  return {{"property", info(pair.property).name},
          {"violated_in_both", t.both},
          {"violated_in_first_alone", t.only_a},
          {"violated_in_this_alone", t.only_b},
          {"violated_in_neither", t.neither},
          {"left_out", t.undecided},
          {"mcnemar_p", pair.p},
          {"holm_p", pair.p_adjusted},
          {"p_at_every_look", pair.p_at_every_look},
          {"difference", json_of(difference_of_shares(t))},
          {"ratio_of_differing", json_of(ratio_of_differing(t))},
          {"gain_of_pairing", json_of(gain_of_pairing(t))},
          {"seed_first_alone", json_of(pair.seed_only_a)},
          {"seed_this_alone", json_of(pair.seed_only_b)}};
}

Json json_of(const Contestant& contestant, const ContestantResult& c, const std::string& replay) {
  const auto lease = lease_told(contestant.scenario).lasts;
  Json out = {{"name", contestant.name},
              {"scenario_sha1", scenario_sha1(contestant.scenario)},
              {"lock", contestant.scenario.lock.name},
              {"lease_ns", lease ? Json(lease->ns) : Json(nullptr)},
              {"acquires", {{"asked", c.asked}, {"granted", c.granted}}},
              {"commands", c.commands},
              {"latency_sum_ns", c.latency_ns},
              {"faults", fault_summaries_json(c.faults)},
              {"properties", Json::array()},
              {"errors", Json::array()},
              {"replay", replay}};
  for (const auto& [property, tally] : c.tallies) {
    const ShareInterval wilsons = wilson(tally.count(Verdict::violated), tally.decided());
    const ShareInterval exact = clopper_pearson(tally.count(Verdict::violated), tally.decided());
    const bool any = tally.decided() > 0;
    out["properties"].push_back({{"property", info(property).name},
                                 {"holds", tally.count(Verdict::holds)},
                                 {"violated", tally.count(Verdict::violated)},
                                 {"undecided", tally.count(Verdict::undecided)},
                                 {"not_tested", c.untested.at(property).all()},
                                 {"not_tested_by_reason", untested_json(c.untested.at(property))},
                                 {"not_applicable", tally.count(Verdict::not_applicable)},
                                 {"share", any ? Json(tally.share_violated()) : Json(nullptr)},
                                 {"wilson", any ? Json({wilsons.low, wilsons.high}) : Json(nullptr)},
                                 {"clopper_pearson", any ? Json({exact.low, exact.high}) : Json(nullptr)}});
  }
  if (c.unseen.runs > 0) out["owner_never_named"] = unseen_json<Json>(c.unseen);
  for (const auto& [seed, error] : c.errors) out["errors"].push_back({{"seed", seed}, {"error", error}});
  return out;
}

}  // namespace

std::string comparison_text(const std::vector<Contestant>& contestants, const ComparisonResult& result,
                            const std::vector<std::string>& replays) {
  if (result.seeds == 0) return "interrupted before any seed was played by all contestants\n";
  const std::uint64_t last = result.first_seed + result.seeds - 1;
  std::string out =
      fmt::format("{} contestants on seeds {}..{}{}: same faults, delays and think times\n\n", contestants.size(),
                  result.first_seed, last, result.interrupted ? " (interrupted: later seeds do not count)" : "");
  out += head(contestants, result);
  std::size_t comparisons = 0;
  for (const Opposition& o : result.against_first) comparisons += o.properties.size();
  std::vector<std::string> examples;
  const auto show = [&](std::string run) {
    if (std::find(examples.begin(), examples.end(), run) == examples.end()) examples.push_back(std::move(run));
  };
  for (std::size_t i = 1; i < contestants.size(); ++i) {
    const Opposition& o = result.against_first[i - 1];
    const char b = letter(i);
    for (const PropertyPair& pair : o.properties) {
      out += fmt::format("\n{}: {} {} against A {}\n", info(pair.property).name, b, contestants[i].name,
                         contestants[0].name);
      out += fmt::format("  A  {}\n  {}  {}\n", tally_text(result.contestants[0], pair.property), b,
                         tally_text(result.contestants[i], pair.property));
      out += pair_text(pair, b, comparisons, result.is_enough);
      if (pair.seed_only_a) show(replays[0] + std::to_string(*pair.seed_only_a));
      if (pair.seed_only_b) show(replays[i] + std::to_string(*pair.seed_only_b));
    }
    out += fmt::format("\nservice and cost: {} minus A, seed by seed\n{}", b, cost_text(o, b));
  }
  if (!examples.empty()) out += "\nruns that violate a property, where the other contestant's does not:\n";
  for (const std::string& run : examples) out += "  " + run + "\n";
  for (std::size_t i = 0; i < result.contestants.size(); ++i) {
    const UnseenOwners& unseen = result.contestants[i].unseen;
    if (unseen.runs > 0)
      out += fmt::format("\n{} ", letter(i)) + unseen_warning(contestants[i].scenario, unseen, result.seeds);
  }
  const std::string errors = errors_text(contestants, result);
  return out + (errors.empty() ? "" : "\n" + errors);
}

std::string comparison_json(const std::vector<Contestant>& contestants, const ComparisonResult& result,
                            const std::vector<std::string>& replays) {
  Json out = figures("comparison");
  out["seeds"] = {{"first", result.first_seed}, {"count", result.seeds}};
  out["interrupted"] = result.interrupted;
  out["stopped_by"] = result.interrupted ? "interruption" : result.is_enough ? "rule" : "seeds";
  out["contestants"] = Json::array();
  out["against_first"] = Json::array();
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    if (!result.contestants.empty())
      out["contestants"].push_back(json_of(contestants[i], result.contestants[i], replays[i]));
  }
  for (std::size_t i = 1; i < contestants.size(); ++i) {
    const Opposition& o = result.against_first[i - 1];
    Json properties = Json::array();
    for (const PropertyPair& pair : o.properties) properties.push_back(json_of(pair));
    out["against_first"].push_back({{"name", contestants[i].name},
                                    {"properties", properties},
                                    {"granted_difference", json_of(o.granted)},
                                    {"latency_ns_difference", json_of(o.latency_ns)},
                                    {"commands_thousandths_difference", json_of(o.commands)}});
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace picklock
