// Records as EDN maps.
#pragma once

#include <string>
#include <vector>

#include "checker/io/record_text.hpp"

namespace picklock {

class EdnRecords final : public RecordText {
 public:
  explicit EdnRecords(const History& history) : history_(history), names_(history.names.size()) {}

  void begin() override;
  void integer(std::string_view key, std::int64_t number) override;
  void natural(std::string_view key, std::uint64_t number) override;
  void truth(std::string_view key) override;
  void word(std::string_view key, std::string_view text) override;
  void name(std::string_view key, NameId name) override;
  void value(std::string_view key, Value value) override;
  void end() override;
  void finish() override {}

 private:
  void separate();
  void put_key(std::string_view key);  // writes one of picklock's own keys

  const History& history_;
  std::vector<std::string> names_;  // names as written, made when first needed
  bool first_key_ = true;
};

}  // namespace picklock
