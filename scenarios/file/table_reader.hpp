// Reads the fields of one table of a scenario file, and says where it is wrong.
#pragma once

#include <toml++/toml.h>

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/file/parts.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {

SourcePosition position_of(const toml::source_region& source);
// The node's name in an error: "the integer 7".
std::string describe(const toml::node& node);

// The errors of a file, as far as anybody wants to read them.
class FileComplaints {
 public:
  static constexpr std::size_t kMost = 100;

  explicit FileComplaints(ScenarioFile& file) : file_(file), positions_(&file.positions) {}
  void complain(SourcePosition at, std::string found, std::string expected, std::string nearest = {});
  void complain(SourcePosition at, Complaint c) {
    complain(at, std::move(c.found), std::move(c.expected), std::move(c.nearest));
  }
  std::size_t count() const { return count_; }  // counts entries beyond the limit, too
  // Positions of the part of the file that is being read.
  ScenarioPositions& positions() { return *positions_; }
  void note_positions_in(ScenarioPositions& positions) { positions_ = &positions; }

 private:
  ScenarioFile& file_;
  ScenarioPositions* positions_;
  std::size_t count_ = 0;
};

class TableReader final : public FieldVisitor {
 public:
  // `node`: a table, or the value of its shorthand.
  TableReader(FileComplaints& complaints, const ScenarioPart& part, const toml::node& node)
      : complaints_(complaints), part_(part), table_(node.as_table()), node_(node) {}

  void visit(const FieldInfo& f, FieldValue value) override;

  // Unknown keys of the table, and missing ones.
  void finish(std::span<const std::string_view> other_keys);

 private:
  bool knows(std::string_view key) const;
  const toml::node* find(const FieldInfo& f);
  void mismatch(const toml::node& node, const std::string& expected);
  void take(const toml::node& node, std::optional<Complaint> complaint);
  void read(const toml::node& node, const FieldInfo& f, bool& v);
  void read(const toml::node& node, const FieldInfo& f, std::int64_t& v);
  void read(const toml::node& node, const FieldInfo& f, FieldChoice& v);
  void read(const toml::node& node, const FieldInfo& f, std::vector<std::string>& v);
  template <class T>
  void read(const toml::node& node, const FieldInfo& f, T& v);  // written as a string

  FileComplaints& complaints_;
  const ScenarioPart& part_;
  const toml::table* table_;
  const toml::node& node_;
  std::vector<std::string_view> known_;
  std::set<std::string_view> seen_;
  bool kind_is_known_ = true;
};

}  // namespace picklock
