#include "scenarios/campaign/cell_json.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "checker/properties/properties.hpp"

namespace picklock {
namespace {

using Json = nlohmann::json;  // keys in alphabetical order

constexpr Verdict kVerdicts[] = {Verdict::holds, Verdict::violated, Verdict::undecided, Verdict::not_applicable};
static_assert(std::size(kVerdicts) == kVerdictCount);

Json of(const Histogram& h) { return h.text(); }

Histogram histogram(const Json& json) { return Histogram::of_text(json.get<std::string>()); }

Json of(const Tally& tally) {
  Json out = Json::object();
  for (const Verdict v : kVerdicts) {
    if (tally.count(v) > 0) out[std::string(name(v))] = {{"lowest_seed", *tally.seed_of(v)}, {"runs", tally.count(v)}};
  }
  return out;
}

Tally tally(const Json& json) {
  Tally t;
  for (const Verdict v : kVerdicts) {
    const auto found = json.find(std::string(name(v)));
    if (found == json.end()) continue;
    t.counts[static_cast<std::size_t>(v)] = found->at("runs");
    t.lowest_seed[static_cast<std::size_t>(v)] = found->at("lowest_seed").get<std::uint64_t>();
  }
  return t;
}

Property property_of(const std::string& name) {
  for (const PropertyInfo& p : properties()) {
    if (p.name == name) return p.property;
  }
  throw std::runtime_error("found the property '" + name + "', expected one of picklock list properties");
}

}  // namespace

std::string cell_json(const CellResult& result) {
  Json out = {{"acquires_asked", result.asked}, {"acquires_granted", result.granted},
              {"commands", result.commands},    {"latency_ns", of(result.latency_ns)},
              {"properties", Json::object()},   {"errors", Json::object()}};
  for (const auto& [property, judged] : result.properties) {
    out["properties"][std::string(info(property).name)] = {{"verdicts", of(judged.tally)},
                                                           {"not_tested", judged.not_tested},
                                                           {"measures", of(judged.measures)},
                                                           {"violated_at_ns", of(judged.violated_at_ns)},
                                                           {"censored_at_ns", of(judged.censored_at_ns)}};
  }
  for (const auto& [seed, error] : result.errors) out["errors"][std::to_string(seed)] = error;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

CellResult read_cell_json(const std::string& text) {
  CellResult result;
  try {
    const Json json = Json::parse(text);
    result.asked = json.at("acquires_asked");
    result.granted = json.at("acquires_granted");
    result.commands = json.at("commands");
    result.latency_ns = histogram(json.at("latency_ns"));
    for (const auto& [name, one] : json.at("properties").items()) {
      CellProperty& judged = result.properties[property_of(name)];
      judged.tally = tally(one.at("verdicts"));
      judged.not_tested = one.at("not_tested");
      judged.measures = histogram(one.at("measures"));
      judged.violated_at_ns = histogram(one.at("violated_at_ns"));
      judged.censored_at_ns = histogram(one.at("censored_at_ns"));
    }
    for (const auto& [seed, error] : json.at("errors").items()) result.errors.emplace(std::stoull(seed), error);
  } catch (const std::exception& wrong) {
    throw std::runtime_error(std::string("the result of a chunk cannot be read: ") + wrong.what());
  }
  return result;
}

}  // namespace picklock
