// Records as the objects of a JSON array, by nlohmann-json.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checker/io/record_text.hpp"

namespace picklock {

class JsonRecords final : public RecordText {
 public:
  explicit JsonRecords(const History& history)
      : history_(history), names_(history.names.size()), texts_(history.values.size()) {}

  void begin() override;
  void integer(std::string_view key, std::int64_t number) override { put(key, number); }
  void natural(std::string_view key, std::uint64_t number) override { put(key, number); }
  void truth(std::string_view key) override { put(key, true); }
  void word(std::string_view key, std::string_view text) override { put(key, text); }
  void name(std::string_view key, NameId name) override;
  void value(std::string_view key, Value value) override;
  void end() override;
  void finish() override;

 private:
  using Json = nlohmann::ordered_json;
  void put(std::string_view key, Json value);

  const History& history_;
  std::vector<std::optional<Json>> names_;  // names as JSON, made when first needed
  std::vector<std::optional<Json>> texts_;  // parsed texts behind values, made when first needed
  Json record_;
  bool first_ = true;
};

}  // namespace picklock
