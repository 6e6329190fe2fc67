#include "campaigns/chunk_json.hpp"

#include <stdexcept>

namespace picklock {

using Json = nlohmann::json;  // keys in alphabetical order

namespace {

constexpr Verdict kVerdicts[] = {Verdict::holds, Verdict::violated, Verdict::undecided, Verdict::not_applicable};
static_assert(std::size(kVerdicts) == kVerdictCount);

}  // namespace

Json tally_json(const Tally& tally) {
  Json out = Json::object();
  for (const Verdict v : kVerdicts) {
    if (tally.count(v) > 0) out[std::string(name(v))] = {{"lowest_seed", *tally.seed_of(v)}, {"runs", tally.count(v)}};
  }
  return out;
}

Tally read_tally(const Json& json) {
  Tally t;
  for (const Verdict v : kVerdicts) {
    const auto found = json.find(std::string(name(v)));
    if (found == json.end()) continue;
    t.counts[static_cast<std::size_t>(v)] = found->at("runs");
    t.lowest_seed[static_cast<std::size_t>(v)] = found->at("lowest_seed").get<std::uint64_t>();
  }
  return t;
}

Json fault_summaries_json(const FaultSummaries& faults) {
  const auto ns = [](const std::optional<Duration>& d) { return d ? Json(d->ns) : Json(nullptr); };
  Json out = Json::array();
  for (const FaultSummary& f : faults) {
    out.push_back({{"runs", f.runs},
                   {"struck", f.struck},
                   {"cut_off", f.cut_off},
                   {"shortest_ns", ns(f.shortest)},
                   {"longest_ns", ns(f.longest)}});
  }
  return out;
}

FaultSummaries read_fault_summaries(const Json& json) {
  const auto duration = [](const Json& ns) {
    return ns.is_null() ? std::nullopt : std::optional(Duration{ns.get<std::int64_t>()});
  };
  FaultSummaries all;
  for (const Json& f : json) {
    all.push_back(
        {f.at("runs"), f.at("struck"), f.at("cut_off"), duration(f.at("shortest_ns")), duration(f.at("longest_ns"))});
  }
  return all;
}

Json untested_json(const UntestedRuns& untested) {
  Json out = Json::object();
  for (std::size_t i = 1; i < kUntestedCount; ++i) out[std::string(kUntestedNames[i])] = untested.counts[i];
  return out;
}

UntestedRuns read_untested(const Json& json) {
  UntestedRuns untested;
  for (std::size_t i = 1; i < kUntestedCount; ++i) untested.counts[i] = json.at(std::string(kUntestedNames[i]));
  return untested;
}

Json errors_by_seed_json(const std::map<std::uint64_t, std::string>& errors) {
  Json out = Json::object();
  for (const auto& [seed, error] : errors) out[std::to_string(seed)] = error;
  return out;
}

std::map<std::uint64_t, std::string> read_errors_by_seed(const Json& json) {
  std::map<std::uint64_t, std::string> errors;
  for (const auto& [seed, error] : json.items()) errors.emplace(std::stoull(seed), error);
  return errors;
}

Property property_of(const std::string& name) {
  for (const PropertyInfo& p : properties()) {
    if (p.name == name) return p.property;
  }
  throw std::runtime_error("found the property '" + name + "', expected one of picklock list properties");
}

std::string chunk_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace picklock
