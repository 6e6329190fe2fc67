#include "app/validators.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "algorithms/lock.hpp"
#include "app/command.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "checker/properties/assumptions.hpp"
#include "checker/properties/properties.hpp"
#include "faults/fault_kinds.hpp"
#include "scenarios/campaign/sequential.hpp"
#include "sim/task/mark.hpp"

namespace picklock {

// What CLI11 takes for a number is not all of it: -1 becomes the largest, and nothing none.
std::string not_a_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) return "";
  return "found '" + text + "', expected an integer from 0 to 18446744073709551615";
}

std::string not_seeds(const std::string& text) {
  if (parse_seeds(text)) return "";
  return "found '" + text + "', expected A..B with A <= B, as in 1..1000, or a number of seeds, as in 1000";
}

std::string not_a_property(const std::string& text) {
  std::vector<std::string> names;
  for (const PropertyInfo& p : properties()) names.emplace_back(p.name);
  if (std::find(names.begin(), names.end(), text) != names.end()) return "";
  return "found '" + text + "', expected a property (picklock list properties)" + did_you_mean(text, names);
}

std::string not_a_lock_name(const std::string& text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz", kAll = "abcdefghijklmnopqrstuvwxyz0123456789-";
  const bool good = !text.empty() && text.size() <= 60 && kLetters.find(text[0]) != kLetters.npos &&
                    text.find_first_not_of(kAll) == text.npos && text.back() != '-' && text.find("--") == text.npos;
  if (!good) return "found '" + text + "', expected small letters, digits and single hyphens, as in my-lock";
  return find_lock_kind(text) == nullptr ? "" : "found '" + text + "', which is a lock that picklock has already";
}

std::string not_a_share(const std::string& text) {
  return parse_share(text) ? "" : "found '" + text + "', expected a share between 0 and 1, as in 1% or 0.01";
}

std::string not_a_shard(const std::string& text) {
  return parse_shard(text) ? "" : "found '" + text + "', expected I/N with I from 1 to N, as in 3/40";
}

std::string not_a_claim(const std::string& text) {
  return parse_claim(text) ? "" : "found '" + text + "', expected P< and a share between 0 and 1, as in P<1e-4";
}

std::string empty(const std::string& text) { return text.empty() ? "found an empty text" : ""; }

std::string not_a_fault(const std::string& text) {
  std::vector<std::string> names;
  for (const FaultKind& kind : fault_kinds()) names.emplace_back(kind.name);
  if (std::find(names.begin(), names.end(), text) != names.end()) return "";
  return "found '" + text + "', expected a kind of fault (picklock list faults)" + did_you_mean(text, names);
}

std::string not_an_event(const std::string& text) {
  std::vector<std::string> names = {"none"};
  for (const std::string_view mark : mark_names()) names.emplace_back(mark);
  if (std::find(names.begin(), names.end(), text) != names.end()) return "";
  return "found '" + text + "', expected an event or a verb, such as enters or writes, or none" +
         did_you_mean(text, names);
}

std::string not_instants(const std::string& text) {
  const std::optional<Law> law = parse_duration_law(text);
  const bool range = law && (law->kind() == Law::Kind::constant || law->kind() == Law::Kind::uniform);
  if (range && law->low() >= 0) return "";
  return "found '" + text + "', expected FROM..UNTIL with 0s <= FROM <= UNTIL, as in 1s..2s";
}

std::string not_an_assumption(const std::string& text) {
  std::vector<std::string> names;
  for (const AssumptionInfo& a : assumptions()) names.emplace_back(a.name);
  if (std::find(names.begin(), names.end(), text) != names.end()) return "";
  return "found '" + text + "', expected an assumption (picklock list assumptions)" + did_you_mean(text, names);
}

}  // namespace picklock
