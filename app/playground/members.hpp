// Members of JSON that comes from a page or a link: of another type they are as if absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace picklock {

inline const nlohmann::ordered_json* member_of(const nlohmann::ordered_json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(key);
  return found != json.end() ? &*found : nullptr;
}

inline std::string text_at(const nlohmann::ordered_json& json, const char* key) {
  const auto* const found = member_of(json, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

inline std::vector<std::string> texts_at(const nlohmann::ordered_json& json, const char* key) {
  std::vector<std::string> all;
  const auto* const found = member_of(json, key);
  if (found == nullptr || !found->is_array()) return all;
  for (const auto& one : *found) {
    if (one.is_string()) all.push_back(one.get<std::string>());
  }
  return all;
}

// Texts by name; of no more than `most` members.
inline std::map<std::string, std::string> named_texts_at(const nlohmann::ordered_json& json, const char* key,
                                                         std::size_t most) {
  std::map<std::string, std::string> all;
  const auto* const found = member_of(json, key);
  if (found == nullptr || !found->is_object()) return all;
  for (auto i = found->begin(); i != found->end() && all.size() < most; ++i) {
    if (i->is_string()) all.emplace(i.key(), i->get<std::string>());
  }
  return all;
}

inline std::optional<std::uint64_t> number_at(const nlohmann::ordered_json& json, const char* key) {
  const auto* const found = member_of(json, key);
  if (found == nullptr || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

}  // namespace picklock
