#include "instruments/explain/places.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "instruments/explain/citations.hpp"

namespace picklock {
namespace {

constexpr std::string_view kFault = "fault[", kClient = "clients.";

// The number at the beginning of a text.
std::optional<std::size_t> number_at(std::string_view text) {
  std::size_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr == text.data()) return std::nullopt;
  return number;
}

// The path that a claim is about: "fault[0]" of "properties/0/needs/each/0"; empty: none.
std::string path_of(const PropertyExplanation& property, std::string_view claim) {
  const auto place = [&](std::string_view kind) {
    return claim.starts_with(kind) ? number_at(claim.substr(kind.size())) : std::nullopt;
  };
  if (const auto at = place("properties/0/needs/sets/"); at && *at < property.needs.sets.size())
    return property.needs.each[property.needs.sets[*at].elements.front()].element.path;
  if (const auto at = place("properties/0/needs/each/"); at && *at < property.needs.each.size())
    return property.needs.each[*at].element.path;
  if (const auto at = place("properties/0/quantities/"); at && *at < property.quantities.size())
    return property.quantities[*at].path;
  return {};
}

}  // namespace

std::string place_of(const Explanation& explanation, const Sentence& sentence) {
  std::string client;
  for (const std::string& claim : sentence.claims) {
    const std::string path = path_of(explanation.properties.front(), claim);
    if (path.starts_with(kFault)) return path.substr(0, path.find(']') + 1);
    if (client.empty() && path.starts_with(kClient)) client = path.substr(0, path.find('.', kClient.size()));
  }
  return client;
}

PageWords words_for_page(const Explanation& explanation, std::string rest) {
  PageWords words;
  words.rest = std::move(rest);
  words.rest_title = "Claims and runs";
  Citations citations;  // the same numbers as in the text
  (void)citations.of(explanation.base);
  for (const Sentence& s : explanation.paragraph) {
    std::vector<std::size_t> numbers;
    for (const Trial& t : s.trials) numbers.push_back(citations.of(t));
    PageSentence& sentence = words.sentences.emplace_back();
    sentence.text = fmt::format("{} [{}]", s.text, fmt::join(numbers, ","));
    sentence.violation = explanation.properties.front().property;
    const std::string_view about = s.about;
    if (about.starts_with(kFault)) sentence.fault = number_at(about.substr(kFault.size()));
    if (about.starts_with(kClient)) sentence.client = about.substr(kClient.size());
  }
  return words;
}

}  // namespace picklock
