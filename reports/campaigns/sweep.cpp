#include "reports/campaigns/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "base/width.hpp"
#include "reports/campaigns/provenance.hpp"
#include "reports/errors.hpp"
#include "reports/unseen.hpp"
#include "reports/untested.hpp"
#include "scenarios/file/lease.hpp"
#include "statistics/paired.hpp"
#include "statistics/sequential.hpp"
#include "statistics/survival.hpp"

namespace picklock {
namespace {

using Json = nlohmann::ordered_json;

// One row of the data: a cell and a property.
struct CellRow {
  const StopRule& until;
  const std::set<std::string>& times;  // paths whose values are durations in all cells
  const Cell& cell;
  const CellResult& result;
  Property property;
  const CellProperty& judged;

  std::uint64_t violated() const { return judged.tally.count(Verdict::violated); }
  std::uint64_t decided() const { return judged.tally.decided(); }
};

std::set<std::string> paths_of_times(const SweepTable& sweep) {
  std::set<std::string> times, others;
  for (const Cell& cell : sweep.cells) {
    for (const auto& [path, value] : cell.settings) (parse_duration(value) ? times : others).insert(path);
  }
  for (const std::string& path : others) times.erase(path);
  return times;
}

template <class Visit>
void for_each_row(const SweepTable& sweep, const Visit& visit) {
  const std::set<std::string> times = paths_of_times(sweep);
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    for (const auto& [property, judged] : sweep.results[i].properties) {
      visit(CellRow{sweep.until, times, sweep.cells[i], sweep.results[i], property, judged});
    }
  }
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string_view unit_of(Property property) {
  switch (info(property).unit) {
    case Unit::nanoseconds:
      return "ns";
    case Unit::count:
      return "count";
    case Unit::none:
      break;
  }
  return "";
}

std::string_view stopped_by(const CellResult& cell, const StopRule& rule) {
  if (cell.interrupted) return "interruption";
  return cell.meets(rule) ? "rule" : "seeds";
}

// Columns in their order. A share exists only where some run was decided; an interval for a fixed number of runs only
// where no rule looked at the runs in order to stop.
Json data_of(const CellRow& row) {
  const Tally& tally = row.judged.tally;
  const CellResult& r = row.result;
  const bool any = row.decided() > 0;
  const ShareInterval score = wilson(row.violated(), row.decided()),
                      exact = clopper_pearson(row.violated(), row.decided()),
                      sequence = confidence_sequence(row.violated(), row.decided());
  const auto share = [&](double value) { return any ? Json(value) : Json(nullptr); };
  const auto fixed = [&](double value) { return any && !row.until.any() ? Json(value) : Json(nullptr); };
  const auto lease = lease_told(row.cell.played).lasts;
  Json out = {{"scenario", row.cell.scenario}, {"lock", row.cell.lock}};
  for (const auto& [path, value] : row.cell.settings) {
    out[path] = value;
    if (row.times.count(path) > 0) out[path + "_ns"] = parse_duration(value)->ns;
  }
  out["lease_ns"] = lease ? Json(lease->ns) : Json(nullptr);
  out["property"] = info(row.property).name;
  out["runs"] = r.seeds;
  out["held"] = tally.count(Verdict::holds);
  out["violated"] = row.violated();
  out["undecided"] = tally.count(Verdict::undecided) - row.judged.untested.all();
  out["not_tested"] = row.judged.untested.all();
  out["not_applicable"] = tally.count(Verdict::not_applicable);
  out["not_tested_fault_cut_off"] = row.judged.untested[Untested::fault_cut_off];
  out["not_tested_fault_after_contest"] = row.judged.untested[Untested::fault_after_contest];
  out["faults_lasted_ns"] = Json::array();
  for (const FaultSummary& f : r.faults) {
    out["faults_lasted_ns"].push_back(f.shortest ? Json({f.shortest->ns, f.longest->ns}) : Json(nullptr));
  }
  out["share_violated"] = share(tally.share_violated());
  out["wilson_low"] = fixed(score.low);
  out["wilson_high"] = fixed(score.high);
  out["clopper_pearson_low"] = fixed(exact.low);
  out["clopper_pearson_high"] = fixed(exact.high);
  out["sequence_low"] = share(sequence.low);
  out["sequence_high"] = share(sequence.high);
  out["stopped_by"] = stopped_by(r, row.until);
  out["bound"] = or_null(row.until.bound);
  out["below_bound"] = row.until.bound ? or_null(decided_below(*row.until.bound, tally)) : Json(nullptr);
  out["measure_median"] = or_null(row.judged.measures.quantile(50));
  out["measure_most"] = or_null(row.judged.measures.most());
  out["measure_unit"] = unit_of(row.property);
  const auto survival = kaplan_meier(row.judged.violated_at_ns, row.judged.censored_at_ns);
  out["time_to_violation_median_ns"] = or_null(median_survival(survival));
  out["time_to_violation_least_ns"] = survival.empty() ? Json(nullptr) : Json(survival.front().time);
  out["acquires_asked"] = r.asked;
  out["acquires_granted"] = r.granted;
  out["latency_median_ns"] = or_null(r.latency_ns.quantile(50));
  out["latency_p95_ns"] = or_null(r.latency_ns.quantile(95));
  out["latency_most_ns"] = or_null(r.latency_ns.most());
  out["commands"] = r.commands;
  out["owner_never_named"] = r.unseen.runs;
  out["errors"] = r.errors.size();
  out["first_violating_seed"] = or_null(tally.seed_of(Verdict::violated));
  out["replay"] = row.cell.replay;
  out["scenario_sha1"] = scenario_sha1(row.cell.played);
  return out;
}

// "5..7;;1..1": a field for each fault.
std::string ranges_text(const Json& ranges) {
  std::string text;
  for (const Json& range : ranges) {
    text += (&range == &ranges.front() ? "" : ";") +
            (range.is_null() ? "" : range.front().dump() + ".." + range.back().dump());
  }
  return text;
}

std::string field_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_array()) return ranges_text(value);
  if (!value.is_string()) return value.dump();
  std::string text = value.get<std::string>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  for (std::size_t i = 0; (i = text.find('"', i)) != std::string::npos; i += 2) text.insert(i, 1, '"');
  return '"' + text + '"';
}

// --- text

std::string cell_name(const Cell& cell, bool with_scenario) {
  std::string name = with_scenario ? cell.scenario + " " + cell.lock : cell.lock;
  for (const auto& [path, value] : cell.settings) name += " " + path + "=" + value;
  return name;
}

std::string share_text(const CellRow& row) {
  if (row.decided() == 0) return "not tested";
  const bool fixed = !row.until.any();
  const ShareInterval i =
      fixed ? wilson(row.violated(), row.decided()) : confidence_sequence(row.violated(), row.decided());
  if (row.violated() == 0 && !fixed) return fmt::format("0 %, below {:.3f} %", 100 * i.high);
  if (row.violated() == 0) return fmt::format("0 %, below {:.3f} %", 100 * clopper_pearson(0, row.decided()).high);
  return fmt::format("{:.2f} % ({:.2f} to {:.2f})", 100 * row.judged.tally.share_violated(), 100 * i.low, 100 * i.high);
}

std::string measure_text(const CellRow& row, std::optional<std::int64_t> value) {
  if (!value) return "";
  switch (info(row.property).unit) {
    case Unit::nanoseconds:
      return to_readable(Duration{*value / 1000 * 1000});
    case Unit::count:
      return fmt::format("{}", *value);
    case Unit::none:
      break;
  }
  return "";
}

std::string service_text(const CellResult& r) {
  const auto wait = r.latency_ns.quantile(50);
  const double each = r.granted == 0 ? 0 : static_cast<double>(r.commands) / static_cast<double>(r.granted);
  return fmt::format("{:>15} {:>12} {:>9}", fmt::format("{}/{}", r.granted, r.asked),
                     wait ? to_readable(Duration{*wait / 1000 * 1000}) : "-",
                     r.granted == 0 ? "-" : fmt::format("{:.2f}", each));
}

std::string rule_text(const StopRule& rule) {
  std::string words;
  if (rule.width) words += fmt::format("the interval is at most {:g} % wide", 100 * *rule.width);
  if (rule.bound) words += fmt::format("{}P < {:g} is confirmed or refuted", words.empty() ? "" : " and ", *rule.bound);
  return words;
}

// Tells the seeds, and when the cells stopped.
std::string seeds_text(const SweepTable& sweep) {
  const std::uint64_t last = sweep.first_seed + sweep.seeds - 1;
  if (!sweep.until.any()) return fmt::format("seeds {}..{} in each", sweep.first_seed, last);
  return fmt::format("seeds from {} on, in each until {}; at most up to {}", sweep.first_seed, rule_text(sweep.until),
                     last);
}

std::string answer_text(const CellRow& row) {
  if (row.until.bound) {
    const auto below = decided_below(*row.until.bound, row.judged.tally);
    if (below) return fmt::format("P < {:g} is {}", *row.until.bound, *below ? "confirmed" : "refuted");
  }
  return row.until.is_met(row.judged.tally) ? "narrow enough" : "not decided";
}

// Tells the result of the rule, for each cell and property.
std::string stopped_text(const SweepTable& sweep, bool several) {
  if (!sweep.until.any()) return "";
  std::string out = "\n";
  for_each_row(sweep, [&](const CellRow& row) {
    out += fmt::format("{}, {}: {} after {} runs\n", cell_name(row.cell, several), info(row.property).name,
                       answer_text(row), row.result.seeds);
  });
  return out;
}

// Tells why runs do not test a cell, for reasons other than the checker's.
std::string untested_text(const SweepTable& sweep, bool several) {
  std::string out;
  for_each_row(sweep, [&](const CellRow& row) {
    const std::string reasons = reasons_untested(row.judged.untested, row.result.seeds);
    if (reasons.empty()) return;
    out += fmt::format("{}{}, {}: {}: not tested\n", out.empty() ? "\n" : "", cell_name(row.cell, several),
                       info(row.property).name, reasons);
  });
  return out;
}

std::string trouble_text(const SweepTable& sweep) {
  std::string out;
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    const CellResult& r = sweep.results[i];
    if (r.interrupted) {
      out += fmt::format("interrupted: {} has the first {} of {} seeds\n", cell_name(sweep.cells[i], true), r.seeds,
                         sweep.seeds);
    }
    if (r.unseen.runs > 0) {
      out += cell_name(sweep.cells[i], true) + ": " + unseen_warning(sweep.cells[i].played, r.unseen, r.seeds);
    }
    std::string replay = sweep.cells[i].replay;
    while (replay.ends_with(' ')) replay.pop_back();
    out += errors_told_once(r.errors, replay);
  }
  if (sweep.missing > 0) out += fmt::format("interrupted: {} cells were not begun\n", sweep.missing);
  return out;
}

}  // namespace

std::string sweep_text(const SweepTable& sweep) {
  if (sweep.cells.empty()) return trouble_text(sweep);
  const bool several = std::any_of(sweep.cells.begin(), sweep.cells.end(),
                                   [&](const Cell& c) { return c.scenario != sweep.cells[0].scenario; });
  std::size_t width = 4;
  for (const Cell& c : sweep.cells) width = std::max(width, columns_of(cell_name(c, several)));
  std::size_t lasted = 12;
  for (const CellResult& r : sweep.results) lasted = std::max(lasted, lasted_text(r.faults).size());
  std::string out = fmt::format("{}: {} cells, {}\n", several ? "several scenarios" : sweep.cells[0].scenario,
                                sweep.cells.size(), seeds_text(sweep));
  if (sweep.results[0].properties.empty()) return out + trouble_text(sweep);
  for (const auto& entry : sweep.results[0].properties) {
    const Property property = entry.first;
    out += fmt::format("\n{}\n{:<{}} {:>8} {:>{}} {:>7} {:>8} {:>7} {:>27} {:>11} {:>11} {:>15} {:>12} {:>9}\n",
                       info(property).name, "cell", width, "lease", "fault lasted", lasted, "held", "violated",
                       "tested", "share violated (95 %)", "median", "worst", "served", "median wait", "commands");
    for_each_row(sweep, [&](const CellRow& row) {
      if (row.property != property) return;
      const auto lease = lease_told(row.cell.played).lasts;
      const std::uint64_t seeds = std::max<std::uint64_t>(row.result.seeds, 1);
      out += fmt::format("{} {:>8} {:>{}} {:>7} {:>8} {:>6.1f}% {:>27} {:>11} {:>11} {}\n",
                         padded(cell_name(row.cell, several), width), lease ? to_text(*lease) : "none",
                         lasted_text(row.result.faults), lasted, row.judged.tally.count(Verdict::holds), row.violated(),
                         100.0 * static_cast<double>(row.decided()) / static_cast<double>(seeds), share_text(row),
                         measure_text(row, row.judged.measures.quantile(50)),
                         measure_text(row, row.judged.measures.most()), service_text(row.result));
    });
  }
  out += untested_text(sweep, several);
  out += stopped_text(sweep, several);
  const std::string trouble = trouble_text(sweep);
  return out + (trouble.empty() ? "" : "\n" + trouble);
}

std::string sweep_csv(const SweepTable& sweep) {
  std::string out;
  for_each_row(sweep, [&](const CellRow& row) {
    const Json data = data_of(row);
    std::string head, line;
    for (const auto& [column, value] : data.items()) {
      head += (head.empty() ? "" : ",") + field_text(column);
      line += (line.empty() ? "" : ",") + field_text(value);
    }
    out += (out.empty() ? head + "\n" : "") + line + "\n";
  });
  return out;
}

std::string sweep_json(const SweepTable& sweep) {
  Json out = figures("sweep");
  out["seeds"] = {{"first", sweep.first_seed}, {"count", sweep.seeds}};
  out["cells_not_begun"] = sweep.missing;
  out["rows"] = Json::array();
  out["errors"] = Json::array();
  for_each_row(sweep, [&](const CellRow& row) { out["rows"].push_back(data_of(row)); });
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    for (const auto& [seed, error] : sweep.results[i].errors) {
      out["errors"].push_back({{"replay", sweep.cells[i].replay + std::to_string(seed)}, {"error", error}});
    }
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace picklock
