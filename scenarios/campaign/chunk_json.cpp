#include "scenarios/campaign/chunk_json.hpp"

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

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace picklock
