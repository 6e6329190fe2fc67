#include "reports/campaigns/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "reports/errors.hpp"
#include "reports/run/idle_faults.hpp"
#include "reports/unseen.hpp"
#include "reports/untested.hpp"
#include "reports/words.hpp"
#include "scenarios/file/lease.hpp"
#include "scenarios/run/deciding.hpp"

namespace picklock {
namespace {

std::string share_of(const Tally& tally) {
  if (tally.decided() == 0) return "-";
  const std::uint64_t hits = tally.count(Verdict::violated);
  if (hits == 0) return fmt::format("0 %, below {:.3f} %", 100 * upper_bound_after_none(tally.decided()));
  const ShareInterval i = wilson(hits, tally.decided());
  return fmt::format("{:.2f} % ({:.2f} to {:.2f})", 100 * tally.share_violated(), 100 * i.low, 100 * i.high);
}

std::string amount(const PropertySummary& s) {
  if (s.tally.count(Verdict::violated) == 0) return "";
  switch (s.unit) {
    case Unit::nanoseconds:
      return to_readable(Duration{s.largest / 1000 * 1000});
    case Unit::count:
      return fmt::format("{}", s.largest);
    case Unit::none:
      break;
  }
  return "";
}

// A run to which an expected property does not apply leaves the expectation open as well.
std::uint64_t undecided_runs_of(const PropertySummary& s) {
  const Tally& t = s.figures();
  return t.count(Verdict::undecided) + (s.expectation ? t.count(Verdict::not_applicable) : 0);
}

std::string expectation_of(const PropertySummary& s, bool raw) {
  if (raw) return "";
  if (!s.expectation) return s.not_tested() > 0 && s.not_tested() == s.tally.runs() ? "not tested" : "-";
  if (s.fulfilment == Fulfilment::not_as_expected) return "NOT as expected, see below";
  const bool untested = s.figures().decided() == 0 && s.held_untested() > 0 && s.expectation->seeds != Seeds::any;
  const std::string_view mark = s.fulfilment == Fulfilment::as_expected  ? (untested ? "yes, but not tested" : "yes")
                                : s.not_tested() == undecided_runs_of(s) ? "not tested"
                                                                         : "undecided";
  return fmt::format("{}: {}", mark, print(*s.expectation));
}

// Runs that hold and do not test the property; properties of which the same is to be said share a line.
std::string untested_runs(const CampaignResult& r) {
  std::vector<std::pair<std::string, std::string>> lines;  // names, words
  for (const PropertySummary& s : r.properties) {
    if (s.held_untested() == 0) continue;
    const std::uint64_t runs = s.tally.runs(), decided = s.figures().decided();
    std::string words = fmt::format("{}: they do not test it, and count as undecided; {} runs ({:.1f} %) test it",
                                    reasons_untested(s.untested, runs), decided,
                                    100.0 * static_cast<double>(decided) / static_cast<double>(runs));
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.second == words; });
    if (same == lines.end()) {
      lines.emplace_back(info(s.property).name, std::move(words));
    } else {
      same->first += ", " + std::string(info(s.property).name);
    }
  }
  std::string text;
  for (const auto& [names, words] : lines) text += fmt::format("\n{}: {}\n", names, words);
  return text;
}

// Names the setting that decides the runs that ended while a client still waited.
std::string settles_too_soon(const CampaignResult& r, Duration settle) {
  std::string text;
  for (const PropertySummary& s : r.properties) {
    if (s.settle > settle) text += fmt::format("\n{}: {}\n", info(s.property).name, settles_later(settle, s.settle));
  }
  return text;
}

}  // namespace

std::string campaign_table(const Scenario& scenario, const CampaignResult& r, bool raw, const std::string& replay) {
  std::string out =
      fmt::format("{}: {} on {}, seeds {}..{}, {} runs{}\n\n", scenario.name, scenario.lock.name, scenario.lock.key,
                  r.seeds.first, r.seeds.last, r.runs, r.interrupted ? " (interrupted: these are the first ones)" : "");
  constexpr std::string_view kRow = "{:<21} {:>9} {:>9} {:>9}  {:<28} {:>12} {:>7}  {}\n";
  out += fmt::format(kRow, "property", "holds", "violated", "undecided", "share violated (95 %)", "worst", "seed",
                     raw ? "" : "as expected");
  std::optional<std::uint64_t> lowest;
  for (const PropertySummary& s : r.properties) {
    const auto seed = s.tally.seed_of(Verdict::violated);
    if (seed && (!lowest || *seed < *lowest)) lowest = seed;
    out += fmt::format(kRow, info(s.property).name, s.figures().count(Verdict::holds), s.tally.count(Verdict::violated),
                       undecided_runs_of(s), share_of(s.figures()), amount(s), seed ? fmt::format("{}", *seed) : "",
                       expectation_of(s, raw));
  }
  out += untested_runs(r) + settles_too_soon(r, scenario.phases.settle);
  std::string unmet;
  for (const PropertySummary& s : r.properties) {
    if (!raw && s.fulfilment == Fulfilment::not_as_expected) unmet += unmet_expectation(scenario, s);
  }
  if (!unmet.empty()) out += "\n" + unmet;
  out += fmt::format("\nlease: {}\n", lease_told(scenario).text);
  if (!r.assumptions.empty()) {
    out += fmt::format("\n{} is safe if:\n", scenario.lock.name);
    for (const AssumptionSummary& a : r.assumptions) {
      const std::string unknown = a.unknown == 0 ? "" : fmt::format(", unknown in {}", a.unknown);
      out += fmt::format("  {:<40} broken in {} of {} runs{}\n", print(a.assumption), a.broken, r.runs, unknown);
    }
  }
  if (r.unseen.runs > 0) out += "\n" + unseen_warning(scenario, r.unseen, r.runs);
  out += lasted_table(scenario, r.faults);
  out += idle_faults_table(scenario, r.faults);
  if (r.lost_within_assumptions.runs > 0) {
    out +=
        fmt::format("\n{} runs violated what the lock claims although all its assumptions were met (lowest seed {})\n",
                    r.lost_within_assumptions.runs, *r.lost_within_assumptions.seed);
  }
  if (r.cut_off > 0) out += fmt::format("\n{} runs exhausted their budget of events: undecided\n", r.cut_off);
  if (!r.errors.empty()) out += "\n" + errors_told_once(r.errors, "seed");
  out += fmt::format("\n{} events, digest {:016x}\n", r.events, r.digest);
  const std::uint64_t shown = lowest.value_or(r.seeds.first);
  out += fmt::format("{}:  {}{}\n", lowest ? "lowest violating seed" : "one of the runs", replay, shown);
  return out;
}

}  // namespace picklock
