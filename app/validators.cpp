#include "app/validators.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "algorithms/lock.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "campaigns/stop_rule.hpp"
#include "checker/properties/assumptions.hpp"
#include "checker/properties/properties.hpp"
#include "faults/fault_kinds.hpp"
#include "sim/task/mark.hpp"

namespace picklock {
namespace {

// The whole text as an integer. CLI11 would take -1 for the largest, and an empty text for none.
std::optional<std::uint64_t> whole_number(std::string_view digits) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::string not_one_of(const std::vector<std::string>& names, const std::string& text, const char* expected) {
  if (std::find(names.begin(), names.end(), text) != names.end()) return "";
  return "found '" + text + "', expected " + expected + did_you_mean(text, names);
}

template <typename Infos>
std::vector<std::string> names_of_all(const Infos& infos) {
  std::vector<std::string> names;
  for (const auto& info : infos) names.emplace_back(info.name);
  return names;
}

}  // namespace

std::optional<Shard> parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto one = whole_number(std::string_view(text).substr(0, slash)),
             of = whole_number(std::string_view(text).substr(slash + 1));
  if (!one || !of || *one < 1 || *one > *of) return std::nullopt;
  return Shard{*one, *of};
}

std::optional<SeedRange> parse_seeds(const std::string& text) {
  const std::size_t dots = text.find("..");
  const auto first = dots == std::string::npos ? 1 : whole_number(std::string_view(text).substr(0, dots));
  const auto last = whole_number(dots == std::string::npos ? text : std::string_view(text).substr(dots + 2));
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  if (!first || !last || *first > *last || *last - *first == kMost) return std::nullopt;
  return SeedRange{*first, *last};
}

std::string not_a_seed(const std::string& text) {
  return whole_number(text) ? "" : "found '" + text + "', expected an integer from 0 to 18446744073709551615";
}

std::string not_a_property(const std::string& text) {
  return not_one_of(names_of_all(properties()), text, "a property (picklock list properties)");
}

std::string not_a_fault(const std::string& text) {
  return not_one_of(names_of_all(fault_kinds()), text, "a kind of fault (picklock list faults)");
}

std::string not_an_assumption(const std::string& text) {
  return not_one_of(names_of_all(assumptions()), text, "an assumption (picklock list assumptions)");
}

std::string not_an_event(const std::string& text) {
  std::vector<std::string> names = {"none"};
  for (const std::string_view mark : mark_names()) names.emplace_back(mark);
  return not_one_of(names, text, "an event or a verb, such as enters or writes, or none");
}

std::string not_seeds(const std::string& text) {
  if (parse_seeds(text)) return "";
  return "found '" + text + "', expected A..B with A <= B, as in 1..1000, or a number of seeds, as in 1000";
}

std::string not_a_lock_name(const std::string& text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz", kLegal = "abcdefghijklmnopqrstuvwxyz0123456789-";
  const bool good = !text.empty() && text.size() <= 60 && kLetters.find(text[0]) != kLetters.npos &&
                    text.find_first_not_of(kLegal) == text.npos && text.back() != '-' && text.find("--") == text.npos;
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

std::string not_instants(const std::string& text) {
  const std::optional<Law> law = parse_duration_law(text);
  const bool range = law && (law->kind() == Law::Kind::constant || law->kind() == Law::Kind::uniform);
  if (range && law->low() >= 0) return "";
  return "found '" + text + "', expected FROM..UNTIL with 0s <= FROM <= UNTIL, as in 1s..2s";
}

}  // namespace picklock
