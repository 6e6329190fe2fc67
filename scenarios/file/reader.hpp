// Reads a scenario from TOML in two steps: `arrange` notes which table of the file is which part of
// the scenario and makes room for it, then the fields of each part are read by one visitor.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/file/table_reader.hpp"

namespace picklock {

class ScenarioReader {
 public:
  ScenarioReader(Scenario& scenario, FileComplaints& complaints) : scenario_(scenario), complaints_(complaints) {}

  void read(const toml::table& root);
  // The table's parts that come several times, and its expectations, stand in place of all that the
  // scenario had of them.
  void replace(const PartInfo& info, const toml::node& node);
  void replace_expectations(const toml::node& node);

 private:
  struct Place {
    const toml::node* node = nullptr;          // a table, or the value of its shorthand
    std::vector<std::string_view> other_keys;  // keys that are not fields
  };
  struct Numbered {  // clients [first, first + count) are one entry of the file
    std::size_t first, count;
  };

  void arrange(const toml::table& root);
  void arrange_within(const toml::table& table, const PartInfo& info);
  void arrange_part(const PartInfo& info, const toml::node& node);
  void add_lock_of_file(const toml::node& node);
  void arrange_array(const PartInfo& info, const toml::node& node);
  void arrange_entry(const PartInfo& info, const toml::table& table);
  void arrange_expectations(const toml::node& node);
  void arrange_sometimes(const toml::node& node);
  std::int64_t count_of_clients(const toml::table& table);
  void read_part(const ScenarioPart& part, const Place& place);
  void number_clients();

  void read_places();

  Scenario& scenario_;
  std::map<std::string, Place, std::less<>> places_;
  std::vector<Numbered> numbered_;
  FileComplaints& complaints_;
};

}  // namespace picklock
