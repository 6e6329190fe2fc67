// A store keeps this text of a chunk of a campaign.

#include <stdexcept>

#include "campaigns/campaign_part.hpp"
#include "campaigns/chunk_json.hpp"
#include "campaigns/unseen_json.hpp"

namespace picklock {

using Json = nlohmann::json;

std::string campaign_part_json(const CampaignPart& part) {
  Json out = {{"runs", part.runs},
              {"digest", part.digest},
              {"events", part.events},
              {"cut_off", part.cut_off},
              {"lost_within_assumptions", part.within},
              {"seed_within_assumptions", part.seed_within ? Json(*part.seed_within) : Json(nullptr)},
              {"faults", fault_summaries_json(part.faults)},
              {"assumptions", Json::array()},
              {"properties", Json::object()},
              {"errors", errors_by_seed_json(part.errors)}};
  for (const AssumptionSummary& a : part.assumptions) {
    out["assumptions"].push_back({{"name", info(a.assumption.kind).name},
                                  {"limit", a.assumption.limit},
                                  {"needed_by", a.assumption.needed_by.bits},
                                  {"broken", a.broken},
                                  {"unknown", a.unknown},
                                  {"largest", a.largest}});
  }
  if (part.unseen.runs > 0) out["owner_never_named"] = unseen_json<Json>(part.unseen);
  for (const PropertyInfo& p : properties()) {
    const auto i = static_cast<std::size_t>(p.property);
    if (part.tallies[i].runs() == 0) continue;
    out["properties"][std::string(p.name)] = {{"verdicts", tally_json(part.tallies[i])},
                                              {"counted", tally_json(part.counted[i])},
                                              {"not_tested", untested_json(part.untested[i])},
                                              {"settle_ns", part.settle[i].ns},
                                              {"largest", part.largest[i]}};
  }
  return chunk_text(out);
}

CampaignPart read_campaign_part(const std::string& text) {
  return read_chunk(text, [](const Json& json) {
    CampaignPart part;
    part.runs = json.at("runs");
    part.digest = json.at("digest");
    part.events = json.at("events");
    part.cut_off = json.at("cut_off");
    part.within = json.at("lost_within_assumptions");
    if (const Json& seed = json.at("seed_within_assumptions"); !seed.is_null()) part.seed_within = seed;
    part.faults = read_fault_summaries(json.at("faults"));
    for (const Json& a : json.at("assumptions")) {
      const auto kind = find_assumption(a.at("name").get<std::string>());
      if (!kind) throw std::runtime_error("an assumption has no known name");
      const ClaimSet needed_by{a.at("needed_by").get<std::uint8_t>()};
      part.assumptions.push_back({{*kind, a.at("limit"), needed_by}, a.at("broken"), a.at("unknown"), a.at("largest")});
    }
    for (const auto& [name, one] : json.at("properties").items()) {
      const auto i = static_cast<std::size_t>(property_of(name));
      part.tallies[i] = read_tally(one.at("verdicts"));
      part.counted[i] = read_tally(one.at("counted"));
      part.untested[i] = read_untested(one.at("not_tested"));
      part.settle[i] = Duration{one.at("settle_ns").get<std::int64_t>()};
      part.largest[i] = one.at("largest");
    }
    part.unseen = read_unseen(json);
    part.errors = read_errors_by_seed(json.at("errors"));
    return part;
  });
}

}  // namespace picklock
