// From TOML to a scenario, in two steps: `arrange` notes which table of the file is which part of
// the scenario and makes room for it, then the fields of each part are read by one visitor.

#include "scenarios/file/read.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <set>

#include "scenarios/file/guard.hpp"
#include "scenarios/file/head_comment.hpp"
#include "scenarios/file/parts.hpp"
#include "scenarios/file/syntax_error.hpp"
#include "scenarios/file/values.hpp"
#include "sim/task/nearest.hpp"

namespace picklock {
namespace {

constexpr std::size_t kMostErrors = 100;
constexpr std::size_t kMostEntries = 10'000;  // of one array of tables
constexpr std::int64_t kMostClients = 500;

SourcePosition position_of(const toml::source_region& source) {
  return {source.begin.line, source.begin.column};
}

std::string describe(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return quoted(**node.as_string());
    case toml::node_type::integer:
      return fmt::format("the integer {}", **node.as_integer());
    case toml::node_type::boolean:
      return **node.as_boolean() ? "true" : "false";
    case toml::node_type::floating_point:
      return "a floating-point number";
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return node.is_array_of_tables() ? "an array of tables" : "an array";
    default:
      return "a date or time";
  }
}

// "link" of "network.link".
std::string_view last_word(const PartInfo& info) {
  return info.path.substr(info.path.rfind('.') + 1);
}

bool is_called(const PartInfo& info, std::string_view key) {
  return key == last_word(info) ||
         std::find(info.spellings.begin(), info.spellings.end(), key) != info.spellings.end();
}

class Reader {
 public:
  explicit Reader(ScenarioFile& file) : file_(file) {}

  void complain(SourcePosition at, std::string found, std::string expected,
                std::string nearest = {}) {
    ++complaints_;
    if (file_.errors.size() >= kMostErrors) return;
    file_.errors.push_back({file_.file, at.line, at.column, std::move(found), std::move(expected),
                            std::move(nearest)});
  }
  void complain(SourcePosition at, Complaint c) {
    complain(at, std::move(c.found), std::move(c.expected), std::move(c.nearest));
  }
  std::size_t complaints() const { return complaints_; }
  ScenarioPositions& positions() { return file_.positions; }

  void read(const toml::table& root);

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
  std::size_t complaints_ = 0;
};

// Reads the fields of one table.
class TableReader final : public FieldVisitor {
 public:
  TableReader(Reader& reader, const ScenarioPart& part, const toml::node& node)
      : reader_(reader), part_(part), table_(node.as_table()), node_(node) {}

  void field(const FieldInfo& f, bool& v) override {
    const toml::node* const node = find(f);
    if (node == nullptr) return;
    if (const auto* const value = node->as_boolean()) {
      v = value->get();
    } else {
      mismatch(*node, ValueType::boolean, f);
    }
  }
  void field(const FieldInfo& f, std::int64_t& v) override {
    const toml::node* const node = find(f);
    if (node == nullptr) return;
    if (const auto* const value = node->as_integer()) {
      take(*node, assign_integer(f, value->get(), v));
    } else {
      mismatch(*node, ValueType::integer, f);
    }
  }
  void field(const FieldInfo& f, Duration& v) override { text(f, v, ValueType::duration); }
  void field(const FieldInfo& f, std::optional<Duration>& v) override {
    text(f, v, ValueType::optional_duration);
  }
  void field(const FieldInfo& f, Law& v) override { text(f, v, ValueType::law); }
  void field(const FieldInfo& f, std::string& v) override { text(f, v, ValueType::string); }
  void choice(const FieldInfo& f, std::span<const std::string_view> names,
              std::size_t& index) override {
    const toml::node* const node = find(f);
    const bool kind = f.name == part_.info.kind;
    if (node == nullptr) {
      kind_is_known_ &= !kind;
      return;
    }
    const std::size_t before = reader_.complaints();
    if (const auto* const value = node->as_string()) {
      take(*node, assign_choice(value->get(), names, index));
    } else {
      reader_.complain(position_of(node->source()), describe(*node), one_of(names));
    }
    if (kind && reader_.complaints() != before) kind_is_known_ = false;
  }

  void list(const FieldInfo& f, std::vector<std::string>& v) override {
    const toml::node* const node = find(f);
    if (node == nullptr) return;
    const auto add = [&](const toml::node& entry) {
      const auto* const name = entry.as_string();
      if (name == nullptr) return mismatch(entry, ValueType::list, f);
      std::string text;
      take(entry, assign(f, std::string_view(name->get()), text));
      for (std::string& one : parse_list(text)) v.push_back(std::move(one));
    };
    v.clear();
    if (const auto* const array = node->as_array()) {
      for (const toml::node& entry : *array) add(entry);
    } else {
      add(*node);
    }
  }

  // What the table says that nobody asked for, and what it does not say.
  void finish(std::span<const std::string_view> other_keys) {
    for (const std::string_view required : part_.info.required) {
      if (!seen_.contains(required)) {
        reader_.complain(position_of(node_.source()),
                         fmt::format("{} without '{}'", part_.info.what, required),
                         fmt::format("the key{} {}", part_.info.required.size() == 1 ? "" : "s",
                                     fmt::join(part_.info.required, ", ")));
      }
    }
    if (table_ == nullptr || !kind_is_known_) return;
    known_.insert(known_.end(), other_keys.begin(), other_keys.end());
    for (const auto& [key, value] : *table_) {
      if (knows(key.str())) continue;
      reader_.complain(position_of(key.source()), quoted(key.str()),
                       fmt::format("a key of {} ({})", part_.info.what, fmt::join(known_, ", ")),
                       std::string(nearest_name(key.str(), known_).value_or("")));
    }
  }

 private:
  bool knows(std::string_view key) const {
    return std::any_of(known_.begin(), known_.end(), [&](std::string_view name) {
      if (name == key) return true;
      const auto parts = part_infos();  // "client" for "clients"
      return std::any_of(parts.begin(), parts.end(), [&](const PartInfo& info) {
        return last_word(info) == name && is_called(info, key);
      });
    });
  }
  const toml::node* find(const FieldInfo& f) {
    known_.push_back(f.name);
    const toml::node* node = nullptr;
    if (table_ != nullptr) {
      node = table_->get(f.name);
    } else if (f.name == part_.info.shorthand) {
      node = &node_;
    }
    if (node == nullptr) return nullptr;
    seen_.insert(f.name);
    const std::string path =
        part_.path.empty() ? std::string(f.name) : fmt::format("{}.{}", part_.path, f.name);
    reader_.positions().note(path, position_of(node->source()));
    return node;
  }
  void mismatch(const toml::node& node, ValueType type, const FieldInfo& f) {
    reader_.complain(position_of(node.source()), describe(node), expected_value(type, f));
  }
  void take(const toml::node& node, std::optional<Complaint> complaint) {
    if (complaint) reader_.complain(position_of(node.source()), std::move(*complaint));
  }
  template <class T>
  void text(const FieldInfo& f, T& v, ValueType type) {
    const toml::node* const node = find(f);
    if (node == nullptr) return;
    if (const auto* const value = node->as_string()) {
      take(*node, assign(f, std::string_view(value->get()), v));
    } else {
      mismatch(*node, type, f);
    }
  }

  Reader& reader_;
  const ScenarioPart& part_;
  const toml::table* table_;
  const toml::node& node_;
  std::vector<std::string_view> known_;
  std::set<std::string_view> seen_;
  bool kind_is_known_ = true;
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
    if (!is_called(info, key.str())) continue;
    if (first == nullptr) {
      first = &key;
      arrange_part(info, node);
    } else {
      complain(position_of(key.source()),
               fmt::format("both '{}' and '{}'", first->str(), key.str()),
               "one of them, as they mean the same");
    }
  }
}

void Reader::arrange_part(const PartInfo& info, const toml::node& node) {
  positions().note(info.path, position_of(node.source()));
  if (info.array) return arrange_array(info, node);
  const toml::table* const table = node.as_table();
  if (table == nullptr && !(node.is_string() && !info.shorthand.empty())) {
    complain(position_of(node.source()), describe(node),
             info.shorthand.empty()
                 ? "a table"
                 : fmt::format("a name, or a table with a '{}'", info.shorthand));
    return;
  }
  if (info.path == "reseed") file_.scenario.reseed.emplace();
  Place& place = places_[std::string(info.path)];
  place.node = &node;
  if (info.path != "network") return;
  const PartInfo& links = part_info("network.link");
  place.other_keys.push_back(last_word(links));
  arrange_within(*table, links);
}

void Reader::arrange_array(const PartInfo& info, const toml::node& node) {
  if (const toml::table* const table = node.as_table()) return arrange_entry(info, *table);
  const toml::array* const array = node.as_array();
  if (array == nullptr) {
    complain(position_of(node.source()), describe(node),
             fmt::format("an array of tables, {} each", info.what));
    return;
  }
  if (array->size() > kMostEntries) {
    complain(position_of(node.source()), fmt::format("{} entries", array->size()),
             fmt::format("at most {}", kMostEntries));
    return;
  }
  for (const toml::node& entry : *array) {
    if (const toml::table* const table = entry.as_table()) {
      arrange_entry(info, *table);
    } else {
      complain(position_of(entry.source()), describe(entry),
               fmt::format("a table ({})", info.what));
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
  positions().note(path, position_of(table.source()));
  places_[path] = {&table, std::move(other_keys)};
}

std::int64_t Reader::count_of_clients(const toml::table& table) {
  const toml::node* const node = table.get("count");
  if (node == nullptr) return 1;
  const auto already = static_cast<std::int64_t>(file_.scenario.clients.size());
  const FieldInfo info{.name = "count",
                       .help = {},
                       .least = 1,
                       .most = std::max<std::int64_t>(1, kMostClients - already)};
  const auto* const value = node->as_integer();
  std::int64_t count = 1;
  if (value == nullptr) {
    complain(position_of(node->source()), describe(*node),
             expected_value(ValueType::integer, info));
  } else if (auto complaint = assign_integer(info, value->get(), count)) {
    complain(position_of(node->source()), std::move(*complaint));
  }
  return count;
}

void Reader::arrange_expectations(const toml::node& node) {
  positions().note("expect", position_of(node.source()));
  const toml::table* const table = node.as_table();
  if (table == nullptr) {
    complain(position_of(node.source()), describe(node), "a table of properties");
    return;
  }
  const auto names = property_names();
  for (const auto& [key, value] : *table) {
    const std::string path = fmt::format("expect.{}", key.str());
    positions().note(path, position_of(key.source()));
    std::size_t ignored = 0;
    if (auto complaint = assign_choice(key.str(), names, ignored)) {
      complaint->expected = "a property, " + complaint->expected;
      complain(position_of(key.source()), std::move(*complaint));
    } else if (!value.is_table() && !value.is_string()) {
      complain(position_of(value.source()), describe(value),
               "a verdict, or a table with 'verdict' and 'seeds'");
    } else {
      file_.scenario.expect[std::string(key.str())] = {};
      places_[path].node = &value;
    }
  }
}

void Reader::arrange_sometimes(const toml::node& node) {
  positions().note("sometimes", position_of(node.source()));
  const auto add = [&](const toml::node& entry) {
    positions().note(fmt::format("sometimes[{}]", file_.scenario.sometimes.size()),
                     position_of(entry.source()));
    const auto names = sometimes_names();
    std::size_t index = 0;
    if (!entry.is_string()) {
      complain(position_of(entry.source()), describe(entry), "a condition, " + one_of(names));
    } else if (auto complaint = assign_choice(entry.as_string()->get(), names, index)) {
      complaint->expected = "a condition, " + complaint->expected;
      complain(position_of(entry.source()), std::move(*complaint));
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
  TableReader table(*this, part, *place.node);
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
        positions().copy(fmt::format("clients[{}]", n.first),
                         fmt::format("clients[{}]", n.first + i));
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
  std::stable_sort(file.errors.begin(), file.errors.end(),
                   [](const ScenarioError& a, const ScenarioError& b) {
                     return a.line != b.line ? a.line < b.line : a.column < b.column;
                   });
  if (reader.complaints() > kMostErrors) {
    ScenarioError more;
    more.file = file_name;
    more.found = fmt::format("and {} errors more", reader.complaints() - kMostErrors);
    file.errors.push_back(std::move(more));
  }
  return file;
}

}  // namespace picklock
