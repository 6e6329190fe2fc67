#include "campaigns/comparison_part.hpp"

#include <algorithm>
#include <numeric>

#include "campaigns/chunk_json.hpp"
#include "campaigns/unseen_json.hpp"
#include "statistics/sequential.hpp"

namespace picklock {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kErrorsShown = 10;

Json seed_json(const std::optional<std::uint64_t>& seed) { return seed ? Json(*seed) : Json(nullptr); }
std::optional<std::uint64_t> read_seed(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<std::uint64_t>());
}

}  // namespace

ComparisonPart::ComparisonPart(const std::vector<Property>& properties, std::size_t contestants)
    : properties_(properties), contestants_(contestants), against_first_(contestants - 1), pair_(contestants) {
  for (Opposition& o : against_first_) {
    for (const Property p : properties_) o.properties.emplace_back().property = p;
  }
}

void ComparisonPart::add(std::size_t contestant, const RunResult& run, const Costs& costs) {
  ContestantResult& mine = contestants_[contestant];
  RunOutcome& outcome = pair_[contestant];
  outcome.verdicts.clear();
  for (const Property p : properties_) {
    const TableVerdict verdict = table_verdict(run, p);
    mine.tallies[p].add(verdict.verdict, run.seed);
    mine.untested[p].add(verdict);
    outcome.verdicts.push_back(verdict.verdict);
  }
  picklock::add(mine.faults, run.faults);
  outcome.granted = costs.granted;
  outcome.commands = costs.commands;
  outcome.latency_ns = std::accumulate(costs.latency_ns.begin(), costs.latency_ns.end(), std::int64_t{0});
  mine.unseen.add(run.unseen);
  mine.asked += costs.asked;
  mine.granted += costs.granted;
  mine.commands += costs.commands;
  mine.latency_ns += outcome.latency_ns;
  if (!run.error.empty() && mine.errors.size() < kErrorsShown) mine.errors.emplace(run.seed, run.error);
  if (contestant > 0) add_pair(against_first_[contestant - 1], pair_[0], outcome, run.seed);
}

void ComparisonPart::add(const ComparisonPart& later) {
  for (std::size_t i = 0; i < contestants_.size(); ++i) {
    ContestantResult& mine = contestants_[i];
    const ContestantResult& other = later.contestants_[i];
    for (const auto& [property, tally] : other.tallies) mine.tallies[property].add(tally);
    for (const auto& [property, runs] : other.untested) mine.untested[property].add(runs);
    picklock::add(mine.faults, other.faults);
    mine.unseen.add(other.unseen);
    mine.asked += other.asked;
    mine.granted += other.granted;
    mine.commands += other.commands;
    mine.latency_ns += other.latency_ns;
    mine.errors.insert(other.errors.begin(), other.errors.end());
    while (mine.errors.size() > kErrorsShown) mine.errors.erase(std::prev(mine.errors.end()));
  }
  for (std::size_t i = 0; i < against_first_.size(); ++i) {
    Opposition& mine = against_first_[i];
    const Opposition& other = later.against_first_[i];
    for (std::size_t p = 0; p < properties_.size(); ++p) add_table(mine.properties[p], other.properties[p]);
    mine.granted.add(other.granted);
    mine.latency_ns.add(other.latency_ns);
    mine.commands.add(other.commands);
  }
}

void ComparisonPart::finish(ComparisonResult& result) && {
  result.contestants = std::move(contestants_);
  result.against_first = std::move(against_first_);
  std::vector<double> all;
  for (Opposition& o : result.against_first) {
    for (PropertyPair& p : o.properties) {
      all.push_back(p.p = mcnemar_exact(p.table));
      p.p_at_every_look = anytime_p(0.5, p.table.only_b, p.table.differing());
    }
  }
  const std::vector<double> adjusted = holm(all);
  std::size_t next = 0;
  for (Opposition& o : result.against_first) {
    for (PropertyPair& p : o.properties) p.p_adjusted = adjusted[next++];
  }
}

void ComparisonPart::add_pair(Opposition& o, const RunOutcome& a, const RunOutcome& b, std::uint64_t seed) {
  for (std::size_t i = 0; i < o.properties.size(); ++i) {
    PropertyPair& pair = o.properties[i];
    const auto decided = [&](Verdict v) { return v == Verdict::holds || v == Verdict::violated; };
    if (!decided(a.verdicts[i]) || !decided(b.verdicts[i])) {
      ++pair.table.undecided;
      continue;
    }
    const bool in_a = a.verdicts[i] == Verdict::violated, in_b = b.verdicts[i] == Verdict::violated;
    ++(in_a ? (in_b ? pair.table.both : pair.table.only_a) : in_b ? pair.table.only_b : pair.table.neither);
    if (in_a && !in_b && !pair.seed_only_a) pair.seed_only_a = seed;
    if (in_b && !in_a && !pair.seed_only_b) pair.seed_only_b = seed;
  }
  o.granted.add(static_cast<std::int64_t>(a.granted), static_cast<std::int64_t>(b.granted));
  if (a.granted == 0 || b.granted == 0) return;
  const auto each = [](std::int64_t sum, std::uint64_t granted) { return sum / static_cast<std::int64_t>(granted); };
  o.latency_ns.add(each(a.latency_ns, a.granted), each(b.latency_ns, b.granted));
  o.commands.add(each(static_cast<std::int64_t>(a.commands) * 1000, a.granted),
                 each(static_cast<std::int64_t>(b.commands) * 1000, b.granted));
}

void ComparisonPart::add_table(PropertyPair& mine, const PropertyPair& other) {
  mine.table.both += other.table.both;
  mine.table.only_a += other.table.only_a;
  mine.table.only_b += other.table.only_b;
  mine.table.neither += other.table.neither;
  mine.table.undecided += other.table.undecided;
  if (!mine.seed_only_a) mine.seed_only_a = other.seed_only_a;
  if (!mine.seed_only_b) mine.seed_only_b = other.seed_only_b;
}

bool ComparisonPart::meets(const StopRule& rule) const {
  return rule.any() && std::all_of(contestants_.begin(), contestants_.end(), [&](const ContestantResult& c) {
           return std::all_of(c.tallies.begin(), c.tallies.end(), [&](const auto& t) { return rule.is_met(t.second); });
         });
}

std::string ComparisonPart::text() const {
  Json out = {{"contestants", Json::array()}, {"against_first", Json::array()}};
  for (const ContestantResult& c : contestants_) {
    Json properties = Json::object();
    for (const auto& [property, tally] : c.tallies) {
      properties[std::string(info(property).name)] = {{"verdicts", tally_json(tally)},
                                                      {"not_tested", untested_json(c.untested.at(property))}};
    }
    Json one = {{"properties", std::move(properties)},    {"acquires_asked", c.asked},
                {"acquires_granted", c.granted},          {"commands", c.commands},
                {"latency_sum_ns", c.latency_ns},         {"faults", fault_summaries_json(c.faults)},
                {"errors", errors_by_seed_json(c.errors)}};
    if (c.unseen.runs > 0) one["owner_never_named"] = unseen_json<Json>(c.unseen);
    out["contestants"].push_back(std::move(one));
  }
  for (const Opposition& o : against_first_) {
    Json tables = Json::array();
    for (const PropertyPair& p : o.properties) {
      tables.push_back({{"both", p.table.both},
                        {"only_first", p.table.only_a},
                        {"only_this", p.table.only_b},
                        {"neither", p.table.neither},
                        {"left_out", p.table.undecided},
                        {"seed_only_first", seed_json(p.seed_only_a)},
                        {"seed_only_this", seed_json(p.seed_only_b)}});
    }
    out["against_first"].push_back({{"pairs", std::move(tables)},
                                    {"granted", o.granted.text()},
                                    {"latency_ns", o.latency_ns.text()},
                                    {"commands_thousandths", o.commands.text()}});
  }
  return chunk_text(out);
}

ComparisonPart ComparisonPart::of_text(const std::string& text, const ComparisonPart& empty) {
  return read_chunk(text, [&](const Json& json) {
    ComparisonPart part = empty;
    for (std::size_t i = 0; i < part.contestants_.size(); ++i) {
      const Json& from = json.at("contestants").at(i);
      ContestantResult& c = part.contestants_[i];
      for (const auto& [name, one] : from.at("properties").items()) {
        c.tallies[property_of(name)] = read_tally(one.at("verdicts"));
        c.untested[property_of(name)] = read_untested(one.at("not_tested"));
      }
      c.asked = from.at("acquires_asked");
      c.granted = from.at("acquires_granted");
      c.commands = from.at("commands");
      c.latency_ns = from.at("latency_sum_ns");
      c.faults = read_fault_summaries(from.at("faults"));
      c.unseen = read_unseen(from);
      c.errors = read_errors_by_seed(from.at("errors"));
    }
    for (std::size_t i = 0; i < part.against_first_.size(); ++i) {
      const Json& from = json.at("against_first").at(i);
      Opposition& o = part.against_first_[i];
      for (std::size_t p = 0; p < o.properties.size(); ++p) {
        const Json& table = from.at("pairs").at(p);
        o.properties[p].table = {table.at("both"), table.at("only_first"), table.at("only_this"), table.at("neither"),
                                 table.at("left_out")};
        o.properties[p].seed_only_a = read_seed(table.at("seed_only_first"));
        o.properties[p].seed_only_b = read_seed(table.at("seed_only_this"));
      }
      o.granted = PairedDifferences::of_text(from.at("granted").get<std::string>());
      o.latency_ns = PairedDifferences::of_text(from.at("latency_ns").get<std::string>());
      o.commands = PairedDifferences::of_text(from.at("commands_thousandths").get<std::string>());
    }
    return part;
  });
}

}  // namespace picklock
