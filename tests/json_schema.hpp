// Checks a JSON value against a schema, as far as docs/schema uses JSON Schema. A keyword that it does not know is a problem as well.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace picklock::testing {

class SchemaCheck {
 public:
  // Each problem with its place; empty: the value is valid.
  static std::vector<std::string> problems(const nlohmann::json& schema, const nlohmann::json& value) {
    SchemaCheck check;
    check.check(schema, value, "$");
    return check.problems_;
  }

 private:
  using Json = nlohmann::json;

  static bool is_of(const std::string& type, const Json& v) {
    if (type == "integer") return v.is_number_integer();
    if (type == "number") return v.is_number();
    return type == "null"      ? v.is_null()
           : type == "string"  ? v.is_string()
           : type == "boolean" ? v.is_boolean()
           : type == "array"   ? v.is_array()
                               : type == "object" && v.is_object();
  }

  void add(const std::string& place, const std::string& problem) { problems_.push_back(place + ": " + problem); }

  void check_type(const Json& types, const Json& v, const std::string& place) {
    const bool fits = types.is_string() ? is_of(types.get<std::string>(), v)
                                        : std::any_of(types.begin(), types.end(), [&](const Json& one) {
                                            return is_of(one.get<std::string>(), v);
                                          });
    if (!fits) add(place, "found " + v.dump() + ", expected " + types.dump());
  }

  void check_object(const Json& schema, const Json& v, const std::string& place) {
    for (const Json& key : schema.value("required", Json::array())) {
      if (!v.contains(key.get<std::string>())) add(place, "lacks " + key.dump());
    }
    const Json known = schema.value("properties", Json::object());
    for (const auto& [key, one] : v.items()) {
      if (known.contains(key)) {
        check(known.at(key), one, place + "." + key);
      } else if (schema.contains("additionalProperties")) {
        check(schema.at("additionalProperties"), one, place + "." + key);
      }
    }
  }

  void check_array(const Json& schema, const Json& v, const std::string& place) {
    if (v.size() < schema.value("minItems", std::size_t{0})) add(place, "has too few items");
    if (v.size() > schema.value("maxItems", SIZE_MAX)) add(place, "has too many items");
    if (!schema.contains("items")) return;
    for (std::size_t i = 0; i < v.size(); ++i) {
      check(schema.at("items"), v[i], place + "[" + std::to_string(i) + "]");
    }
  }

  void check(const Json& schema, const Json& v, const std::string& place) {
    static const std::set<std::string> kKnown = {"$schema", "$id",   "title",    "description",          "type",
                                                 "const",   "enum",  "required", "properties",           "minimum",
                                                 "maximum", "items", "pattern",  "additionalProperties", "minItems",
                                                 "maxItems"};
    for (const auto& [keyword, _] : schema.items()) {
      if (kKnown.count(keyword) == 0) add(place, "unknown keyword " + keyword);
    }
    if (schema.contains("type")) check_type(schema.at("type"), v, place);
    if (schema.contains("const") && v != schema.at("const")) add(place, "is not " + schema.at("const").dump());
    if (schema.contains("enum")) {
      const Json& all = schema.at("enum");
      if (std::find(all.begin(), all.end(), v) == all.end()) add(place, "is none of " + all.dump());
    }
    if (v.is_number() && schema.contains("minimum") && v < schema.at("minimum")) add(place, "is too small");
    if (v.is_number() && schema.contains("maximum") && v > schema.at("maximum")) add(place, "is too large");
    if (v.is_string() && schema.contains("pattern") &&
        !std::regex_search(v.get<std::string>(), std::regex(schema.at("pattern").get<std::string>()))) {
      add(place, "does not match " + schema.at("pattern").dump());
    }
    if (v.is_object()) check_object(schema, v, place);
    if (v.is_array()) check_array(schema, v, place);
  }

  std::vector<std::string> problems_;
};

}  // namespace picklock::testing
