#include "bridge/values.hpp"

namespace picklock {

nlohmann::json json_of(const LuaValue& value) {
  switch (value.kind) {
    case LuaValue::Kind::boolean:
      return value.boolean;
    case LuaValue::Kind::number:
      return value.is_integer() ? nlohmann::json(value.as_integer()) : nlohmann::json(value.number);
    case LuaValue::Kind::text:
      return value.text;
    case LuaValue::Kind::table: {
      nlohmann::json object = nlohmann::json::object();
      for (const LuaEntry& e : value.entries) object[e.key.to_text()] = json_of(e.value);
      return object;
    }
    default:
      return nullptr;
  }
}

LuaValue value_of(const nlohmann::json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return LuaValue::integer(json.get<std::int64_t>());
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    std::vector<LuaValue> values;
    for (const auto& element : json) values.push_back(value_of(element));
    return LuaValue::list(std::move(values));
  }
  if (!json.is_object()) return {};
  LuaValue table = LuaValue::table();
  for (const auto& [key, element] : json.items()) table.set(key, value_of(element));
  return table;
}

}  // namespace picklock
