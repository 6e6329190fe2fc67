#include "scenarios/file/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/lock_files.hpp"

namespace picklock {
namespace {

constexpr std::size_t kMostEntries = 10'000;  // most entries of one array of tables
constexpr std::int64_t kMostClients = 500;

}  // namespace

void ScenarioReader::arrange(const toml::table& root) {
  Place& top = places_[""];
  top.node = &root;
  top.other_keys = {"sometimes", "expect", "tags", "seed", "variant"};
  for (const PartInfo& info : part_infos()) {
    const bool nested = info.path.find('.') != std::string_view::npos;
    if (info.path.empty() || info.path == "expect" || nested) continue;
    top.other_keys.push_back(info.path);
    arrange_within(root, info);
  }
  if (const toml::node* const expect = root.get("expect")) arrange_expectations(*expect);
  if (const toml::node* const sometimes = root.get("sometimes")) arrange_sometimes(*sometimes);
}

void ScenarioReader::arrange_within(const toml::table& table, const PartInfo& info) {
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

void ScenarioReader::arrange_part(const PartInfo& info, const toml::node& node) {
  complaints_.positions().note(info.path, position_of(node.source()));
  if (info.array) return arrange_array(info, node);
  const toml::table* const table = node.as_table();
  if (table == nullptr && !(node.is_string() && !info.shorthand.empty())) {
    complaints_.complain(
        position_of(node.source()), describe(node),
        info.shorthand.empty() ? "a table" : fmt::format("a name, or a table with a '{}'", info.shorthand));
    return;
  }
  if (info.path == "lock") add_lock_of_file(node);
  Place& place = places_[std::string(info.path)];
  place.node = &node;
  if (info.path != "network") return;
  const PartInfo& links = part_info("network.link");
  place.other_keys.push_back(links.last_word());
  arrange_within(*table, links);
}

// lock = "my_lock.lua": a lock in Lua, by the name of its file; or what else a name opens.
void ScenarioReader::add_lock_of_file(const toml::node& node) {
  const toml::table* const table = node.as_table();
  const toml::node* const name = table != nullptr ? table->get("name") : &node;
  if (name == nullptr || !name->is_string() || !opens_lock(name->as_string()->get())) return;
  const std::string wrong = open_lock(name->as_string()->get());
  if (!wrong.empty()) complaints_.complain(position_of(name->source()), wrong, "");
}

void ScenarioReader::arrange_array(const PartInfo& info, const toml::node& node) {
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

void ScenarioReader::arrange_entry(const PartInfo& info, const toml::table& table) {
  Scenario& s = scenario_;
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
  if (info.path == "reseed") grow(s.reseeds);
  const std::string path = fmt::format("{}[{}]", info.path, index);
  complaints_.positions().note(path, position_of(table.source()));
  places_[path] = {&table, std::move(other_keys)};
}

std::int64_t ScenarioReader::count_of_clients(const toml::table& table) {
  const toml::node* const node = table.get("count");
  if (node == nullptr) return 1;
  const auto already = static_cast<std::int64_t>(scenario_.clients.size());
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

void ScenarioReader::arrange_expectations(const toml::node& node) {
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
      scenario_.expect[std::string(key.str())] = {};
      places_[path].node = &value;
    }
  }
}

void ScenarioReader::arrange_sometimes(const toml::node& node) {
  complaints_.positions().note("sometimes", position_of(node.source()));
  const auto add = [&](const toml::node& entry) {
    complaints_.positions().note(fmt::format("sometimes[{}]", scenario_.sometimes.size()), position_of(entry.source()));
    const auto names = sometimes_names();
    std::size_t index = 0;
    if (!entry.is_string()) {
      complaints_.complain(position_of(entry.source()), describe(entry), "a condition, " + one_of(names));
    } else if (auto complaint = assign_choice(entry.as_string()->get(), names, index)) {
      complaint->expected = "a condition, " + complaint->expected;
      complaints_.complain(position_of(entry.source()), std::move(*complaint));
    } else {
      scenario_.sometimes.emplace_back(names[index]);
    }
  };
  if (const toml::array* const array = node.as_array()) {
    for (const toml::node& entry : *array) add(entry);
  } else {
    add(node);
  }
}

void ScenarioReader::read_part(const ScenarioPart& part, const Place& place) {
  TableReader table(complaints_, part, *place.node);
  part.fields.fields(table);
  table.finish(place.other_keys);
}

void ScenarioReader::number_clients() {
  std::vector<ClientSpec>& clients = scenario_.clients;
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

void ScenarioReader::read_places() {
  for_each_part(scenario_, [&](const ScenarioPart& part) {
    const auto place = places_.find(part.path);
    if (place != places_.end() && place->second.node != nullptr) read_part(part, place->second);
  });
  number_clients();
}

void ScenarioReader::read(const toml::table& root) {
  arrange(root);
  read_places();
}

void ScenarioReader::replace(const PartInfo& info, const toml::node& node) {
  if (info.path == "clients") scenario_.clients.clear();
  if (info.path == "network.link") scenario_.links.clear();
  if (info.path == "clock") scenario_.clocks.clear();
  if (info.path == "fault") scenario_.faults.clear();
  if (info.path == "draw") scenario_.overrides.clear();
  if (info.path == "reseed") scenario_.reseeds.clear();
  complaints_.positions().forget(info.path);
  places_.clear();
  numbered_.clear();
  arrange_part(info, node);
  read_places();
}

void ScenarioReader::replace_expectations(const toml::node& node) {
  scenario_.expect.clear();
  complaints_.positions().forget("expect");
  places_.clear();
  numbered_.clear();
  arrange_expectations(node);
  read_places();
}

}  // namespace picklock
