#include "campaigns/cell_json.hpp"

#include "campaigns/chunk_json.hpp"
#include "campaigns/unseen_json.hpp"

namespace picklock {

using Json = nlohmann::json;

std::string cell_json(const CellResult& result) {
  Json out = {{"acquires_asked", result.asked},
              {"acquires_granted", result.granted},
              {"commands", result.commands},
              {"latency_ns", result.latency_ns.text()},
              {"properties", Json::object()},
              {"errors", errors_by_seed_json(result.errors)},
              {"faults", fault_summaries_json(result.faults)}};
  if (result.unseen.runs > 0) out["owner_never_named"] = unseen_json<Json>(result.unseen);
  for (const auto& [property, judged] : result.properties) {
    Json& one = out["properties"][std::string(info(property).name)];
    one = {{"verdicts", tally_json(judged.tally)},
           {"not_tested", untested_json(judged.untested)},
           {"measures", judged.measures.text()},
           {"violated_at_ns", judged.violated_at_ns.text()},
           {"censored_at_ns", judged.censored_at_ns.text()}};
    if (!judged.by_seed.empty()) one["by_seed"] = judged.by_seed;
  }
  return chunk_text(out);
}

CellResult read_cell_json(const std::string& text) {
  return read_chunk(text, [](const Json& json) {
    CellResult result;
    result.asked = json.at("acquires_asked");
    result.granted = json.at("acquires_granted");
    result.commands = json.at("commands");
    result.latency_ns = Histogram::of_text(json.at("latency_ns").get<std::string>());
    for (const auto& [name, one] : json.at("properties").items()) {
      CellProperty& judged = result.properties[property_of(name)];
      judged.tally = read_tally(one.at("verdicts"));
      judged.untested = read_untested(one.at("not_tested"));
      judged.measures = Histogram::of_text(one.at("measures").get<std::string>());
      judged.violated_at_ns = Histogram::of_text(one.at("violated_at_ns").get<std::string>());
      judged.censored_at_ns = Histogram::of_text(one.at("censored_at_ns").get<std::string>());
      if (const auto letters = one.find("by_seed"); letters != one.end()) judged.by_seed = *letters;
    }
    result.faults = read_fault_summaries(json.at("faults"));
    result.unseen = read_unseen(json);
    result.errors = read_errors_by_seed(json.at("errors"));
    return result;
  });
}

}  // namespace picklock
