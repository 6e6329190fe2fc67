// JSON that the results of all kinds of chunks share. Equal values have equal texts.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "campaigns/fault_summary.hpp"
#include "campaigns/table_verdict.hpp"
#include "checker/properties/properties.hpp"
#include "checker/properties/statistics.hpp"

namespace picklock {

nlohmann::json tally_json(const Tally& tally);
Tally read_tally(const nlohmann::json& json);
nlohmann::json fault_summaries_json(const FaultSummaries& faults);
FaultSummaries read_fault_summaries(const nlohmann::json& json);
nlohmann::json untested_json(const UntestedRuns& untested);  // key: the name of the reason
UntestedRuns read_untested(const nlohmann::json& json);
nlohmann::json errors_by_seed_json(const std::map<std::uint64_t, std::string>& errors);  // key: the seed
std::map<std::uint64_t, std::string> read_errors_by_seed(const nlohmann::json& json);
// Throws std::runtime_error if there is none of this name.
Property property_of(const std::string& name);

std::string chunk_text(const nlohmann::json& json);  // JSON text in one line
// Gives what `read(json)` gives; throws std::runtime_error if the text or the JSON is not of the wanted form.
template <class Read>
auto read_chunk(const std::string& text, const Read& read) {
  try {
    return read(nlohmann::json::parse(text));
  } catch (const std::exception& wrong) {
    throw std::runtime_error(std::string("the result of a chunk cannot be read: ") + wrong.what());
  }
}

}  // namespace picklock
