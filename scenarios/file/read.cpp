// From TOML to a scenario, in two steps: `arrange` notes which table of the file is which part of
// the scenario and makes room for it, then the fields of each part are read by one visitor.

#include "scenarios/file/read.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "scenarios/file/guard.hpp"
#include "scenarios/file/head_comment.hpp"
#include "scenarios/file/syntax_error.hpp"
#include "scenarios/file/table_reader.hpp"

namespace picklock {
namespace {

constexpr std::size_t kMostEntries = 10'000;  // of one array of tables
constexpr std::int64_t kMostClients = 500;

class Reader {
 public:
  explicit Reader(ScenarioFile& file) : file_(file), complaints_(file) {}

  void read(const toml::table& root);
  std::size_t complaints() const { return complaints_.count(); }

 private:
  struct Place {
    const toml::node* node = nullptr;          // a table, or the value of its shorthand
    std::vector<std::string_view> other_keys;  // that are not fields
  };
  struct Numbered {  // clients [first, first + count) are one entry of the file
    std::size_t first, count;
  };

  void arrange(const toml::table& root);
  void arrange_within(const toml::table& table, const PartInfo& info);
  void arrange_part(const PartInfo& info, const toml::node& node);
  void arrange_array(const PartInfo& info, const toml::node& node);
  void arrange_entry(const PartInfo& info, const toml::table& table);
  void arrange_expectations(const toml::node& node);
  void arrange_sometimes(const toml::node& node);
  std::int64_t count_of_clients(const toml::table& table);
  void read_part(const ScenarioPart& part, const Place& place);
  void number_clients();

  ScenarioFile& file_;
  std::map<std::string, Place, std::less<>> places_;
  std::vector<Numbered> numbered_;
  FileComplaints complaints_;
};

void Reader::arrange(const toml::table& root) {
  Place& top = places_[""];
  top.node = &root;
  top.other_keys = {"sometimes", "expect"};
  for (const PartInfo& info : part_infos()) {
    const bool nested = info.path.find('.') != std::string_view::npos;
    if (info.path.empty() || info.path == "expect" || nested) continue;
    top.other_keys.push_back(info.path);
    arrange_within(root, info);
  }
  if (const toml::node* const expect = root.get("expect")) arrange_expectations(*expect);
  if (const toml::node* const sometimes = root.get("sometimes")) arrange_sometimes(*sometimes);
}

void Reader::arrange_within(const toml::table& table, const PartInfo& info) {
  const toml::key* first = nullptr;
  for (const auto& [key, node] : table) {
    if (!info.is_called(key.str())) continue;
    if (first == nullptr) {
      first = &key;
      arrange_part(info, node);
    } else {
      complaints_.complain(position_of(key.source()), fmt::format("both '{}' and '{}'", first->str(), key.str()),
                           "one of them, as they mean the same");
    }
  }
}

void Reader::arrange_part(const PartInfo& info, const toml::node& node) {
  complaints_.positions().note(info.path, position_of(node.source()));
  if (info.array) return arrange_array(info, node);
  const toml::table* const table = node.as_table();
  if (table == nullptr && !(node.is_string() && !info.shorthand.empty())) {
    complaints_.complain(
        position_of(node.source()), describe(node),
        info.shorthand.empty() ? "a table" : fmt::format("a name, or a table with a '{}'", info.shorthand));
    return;
  }
  if (info.path == "reseed") file_.scenario.reseed.emplace();
  Place& place = places_[std::string(info.path)];
  place.node = &node;
  if (info.path != "network") return;
  const PartInfo& links = part_info("network.link");
  place.other_keys.push_back(links.last_word());
  arrange_within(*table, links);
}

void Reader::arrange_array(const PartInfo& info, const toml::node& node) {
  if (const toml::table* const table = node.as_table()) return arrange_entry(info, *table);
  const toml::array* const array = node.as_array();
  if (array == nullptr) {
    complaints_.complain(position_of(node.source()), describe(node),
                         fmt::format("an array of tables, {} each", info.what));
    return;
  }
  if (array->size() > kMostEntries) {
    complaints_.complain(position_of(node.source()), fmt::format("{} entries", array->size()),
                         fmt::format("at most {}", kMostEntries));
    return;
  }
  for (const toml::node& entry : *array) {
    if (const toml::table* const table = entry.as_table()) {
      arrange_entry(info, *table);
    } else {
      complaints_.complain(position_of(entry.source()), describe(entry), fmt::format("a table ({})", info.what));
    }
  }
}

void Reader::arrange_entry(const PartInfo& info, const toml::table& table) {
  Scenario& s = file_.scenario;
  std::size_t index = 0;
  const auto grow = [&](auto& all) {
    index = all.size();
    all.emplace_back();
  };
  std::vector<std::string_view> other_keys;
  if (info.path == "clients") {
    const auto count = static_cast<std::size_t>(count_of_clients(table));
    if (table.contains("count")) numbered_.push_back({s.clients.size(), count});
    grow(s.clients);
    s.clients.resize(index + count);
    other_keys.push_back("count");
  }
  if (info.path == "network.link") grow(s.links);
  if (info.path == "clock") grow(s.clocks);
  if (info.path == "fault") grow(s.faults);
  if (info.path == "draw") grow(s.overrides);
  const std::string path = fmt::format("{}[{}]", info.path, index);
  complaints_.positions().note(path, position_of(table.source()));
  places_[path] = {&table, std::move(other_keys)};
}

std::int64_t Reader::count_of_clients(const toml::table& table) {
  const toml::node* const node = table.get("count");
  if (node == nullptr) return 1;
  const auto already = static_cast<std::int64_t>(file_.scenario.clients.size());
  const FieldInfo info{
      .name = "count", .help = {}, .least = 1, .most = std::max<std::int64_t>(1, kMostClients - already)};
  const auto* const value = node->as_integer();
  std::int64_t count = 1;
  if (value == nullptr) {
    complaints_.complain(position_of(node->source()), describe(*node), expected_value(ValueType::integer, info));
  } else if (auto complaint = assign_integer(info, value->get(), count)) {
    complaints_.complain(position_of(node->source()), std::move(*complaint));
  }
  return count;
}

void Reader::arrange_expectations(const toml::node& node) {
  complaints_.positions().note("expect", position_of(node.source()));
  const toml::table* const table = node.as_table();
  if (table == nullptr) {
    complaints_.complain(position_of(node.source()), describe(node), "a table of properties");
    return;
  }
  const auto names = property_names();
  for (const auto& [key, value] : *table) {
    const std::string path = fmt::format("expect.{}", key.str());
    complaints_.positions().note(path, position_of(key.source()));
    std::size_t ignored = 0;
    if (auto complaint = assign_choice(key.str(), names, ignored)) {
      complaint->expected = "a property, " + complaint->expected;
      complaints_.complain(position_of(key.source()), std::move(*complaint));
    } else if (!value.is_table() && !value.is_string()) {
      complaints_.complain(position_of(value.source()), describe(value),
                           "a verdict, or a table with 'verdict' and 'seeds'");
    } else {
      file_.scenario.expect[std::string(key.str())] = {};
      places_[path].node = &value;
    }
  }
}

void Reader::arrange_sometimes(const toml::node& node) {
  complaints_.positions().note("sometimes", position_of(node.source()));
  const auto add = [&](const toml::node& entry) {
    complaints_.positions().note(fmt::format("sometimes[{}]", file_.scenario.sometimes.size()),
                                 position_of(entry.source()));
    const auto names = sometimes_names();
    std::size_t index = 0;
    if (!entry.is_string()) {
      complaints_.complain(position_of(entry.source()), describe(entry), "a condition, " + one_of(names));
    } else if (auto complaint = assign_choice(entry.as_string()->get(), names, index)) {
      complaint->expected = "a condition, " + complaint->expected;
      complaints_.complain(position_of(entry.source()), std::move(*complaint));
    } else {
      file_.scenario.sometimes.emplace_back(names[index]);
    }
  };
  if (const toml::array* const array = node.as_array()) {
    for (const toml::node& entry : *array) add(entry);
  } else {
    add(node);
  }
}

void Reader::read_part(const ScenarioPart& part, const Place& place) {
  TableReader table(complaints_, part, *place.node);
  part.fields.fields(table);
  table.finish(place.other_keys);
}

void Reader::number_clients() {
  std::vector<ClientSpec>& clients = file_.scenario.clients;
  for (const Numbered& n : numbered_) {
    const ClientSpec like = clients[n.first];
    for (std::size_t i = 0; i < n.count; ++i) {
      clients[n.first + i] = like;
      clients[n.first + i].name = fmt::format("{}{}", like.name, i + 1);
      if (i > 0)
        complaints_.positions().copy(fmt::format("clients[{}]", n.first), fmt::format("clients[{}]", n.first + i));
    }
  }
}

void Reader::read(const toml::table& root) {
  arrange(root);
  for_each_part(file_.scenario, [&](const ScenarioPart& part) {
    const auto place = places_.find(part.path);
    if (place != places_.end() && place->second.node != nullptr) read_part(part, place->second);
  });
  number_clients();
}

std::string stem(std::string_view file_name) {
  file_name = file_name.substr(file_name.rfind('/') + 1);
  if (file_name.ends_with(".toml")) file_name.remove_suffix(5);
  return std::string(file_name);
}

}  // namespace

ScenarioError ScenarioFile::located(std::string_view path, std::string found, std::string expected,
                                    std::string nearest) const {
  const SourcePosition at = positions.of(path);
  if (at.line == 0) found = fmt::format("{}: {}", path, found);  // the file says nothing of it
  return {file, at.line, at.column, std::move(found), std::move(expected), std::move(nearest)};
}

ScenarioFile read_scenario(std::string_view text, std::string_view file_name) {
  ScenarioFile file;
  file.file = file_name;
  file.scenario.name = stem(file_name);
  if (auto error = unreadable(text, file_name)) {
    file.errors.push_back(std::move(*error));
    return file;
  }
  file.scenario.description = head_comment(text);
  Reader reader(file);
  try {
    const toml::table root = toml::parse(text, std::string_view(file_name));
    reader.read(root);
  } catch (const toml::parse_error& e) {
    ScenarioError error = syntax_error(e.description(), position_of(e.source()));
    error.file = file_name;
    file.errors.push_back(std::move(error));
  }
  fill_in_options(file.scenario);
  std::stable_sort(file.errors.begin(), file.errors.end(), [](const ScenarioError& a, const ScenarioError& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  if (reader.complaints() > FileComplaints::kMost) {
    ScenarioError more;
    more.file = file_name;
    more.found = fmt::format("and {} errors more", reader.complaints() - FileComplaints::kMost);
    file.errors.push_back(std::move(more));
  }
  return file;
}

}  // namespace picklock
