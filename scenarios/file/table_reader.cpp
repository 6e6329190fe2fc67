#include "scenarios/file/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"

namespace picklock {

SourcePosition position_of(const toml::source_region& source) { return {source.begin.line, source.begin.column}; }

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

void FileComplaints::complain(SourcePosition at, std::string found, std::string expected, std::string nearest) {
  ++count_;
  if (file_.errors.size() >= kMost) return;
  file_.errors.push_back({file_.file, at.line, at.column, std::move(found), std::move(expected), std::move(nearest)});
}

void TableReader::visit(const FieldInfo& f, FieldValue value) {
  const toml::node* const node = find(f);
  const std::size_t before = complaints_.count();
  if (node != nullptr) std::visit([&](auto* v) { read(*node, f, *v); }, value);
  const bool decides_keys = f.name == part_.info.kind && std::holds_alternative<FieldChoice*>(value);
  if (decides_keys && (node == nullptr || complaints_.count() != before)) kind_is_known_ = false;
}

void TableReader::read(const toml::node& node, const FieldInfo& f, bool& v) {
  if (const auto* const value = node.as_boolean()) {
    v = value->get();
  } else {
    mismatch(node, expected_value(ValueType::boolean, f));
  }
}

void TableReader::read(const toml::node& node, const FieldInfo& f, std::int64_t& v) {
  if (const auto* const value = node.as_integer()) {
    take(node, assign_integer(f, value->get(), v));
  } else {
    mismatch(node, expected_value(ValueType::integer, f));
  }
}

void TableReader::read(const toml::node& node, const FieldInfo& f, FieldChoice& v) {
  if (const auto* const value = node.as_string()) {
    take(node, assign(f, std::string_view(value->get()), v));
  } else {
    mismatch(node, one_of(v.names));
  }
}

void TableReader::read(const toml::node& node, const FieldInfo& f, std::vector<std::string>& v) {
  const auto add = [&](const toml::node& entry) {
    const auto* const name = entry.as_string();
    if (name == nullptr) return mismatch(entry, expected_value(ValueType::list, f));
    std::string text;
    take(entry, assign(f, std::string_view(name->get()), text));
    for (std::string& one : parse_list(text)) v.push_back(std::move(one));
  };
  v.clear();
  if (const auto* const array = node.as_array()) {
    for (const toml::node& entry : *array) add(entry);
  } else {
    add(node);
  }
}

template <class T>
void TableReader::read(const toml::node& node, const FieldInfo& f, T& v) {
  if (const auto* const value = node.as_string()) {
    take(node, assign(f, std::string_view(value->get()), v));
  } else {
    mismatch(node, expected_value(type_of(&v), f));
  }
}

void TableReader::finish(std::span<const std::string_view> other_keys) {
  for (const std::string_view required : part_.info.required) {
    if (!seen_.contains(required)) {
      complaints_.complain(position_of(node_.source()), fmt::format("{} without '{}'", part_.info.what, required),
                           fmt::format("the key{} {}", part_.info.required.size() == 1 ? "" : "s",
                                       fmt::join(part_.info.required, ", ")));
    }
  }
  if (table_ == nullptr || !kind_is_known_) return;
  known_.insert(known_.end(), other_keys.begin(), other_keys.end());
  for (const auto& [key, value] : *table_) {
    if (knows(key.str())) continue;
    complaints_.complain(position_of(key.source()), quoted(key.str()),
                         fmt::format("a key of {} ({})", part_.info.what, fmt::join(known_, ", ")),
                         std::string(nearest_name(key.str(), known_).value_or("")));
  }
}

bool TableReader::knows(std::string_view key) const {
  return std::any_of(known_.begin(), known_.end(), [&](std::string_view name) {
    if (name == key) return true;
    const auto parts = part_infos();  // "client" for "clients"
    return std::any_of(parts.begin(), parts.end(),
                       [&](const PartInfo& info) { return info.last_word() == name && info.is_called(key); });
  });
}

const toml::node* TableReader::find(const FieldInfo& f) {
  known_.push_back(f.name);
  const toml::node* node = nullptr;
  if (table_ != nullptr) {
    node = table_->get(f.name);
  } else if (f.name == part_.info.shorthand) {
    node = &node_;
  }
  if (node == nullptr) return nullptr;
  seen_.insert(f.name);
  const std::string path = part_.path.empty() ? std::string(f.name) : fmt::format("{}.{}", part_.path, f.name);
  complaints_.positions().note(path, position_of(node->source()));
  return node;
}

void TableReader::mismatch(const toml::node& node, const std::string& expected) {
  complaints_.complain(position_of(node.source()), describe(node), expected);
}

void TableReader::take(const toml::node& node, std::optional<Complaint> complaint) {
  if (complaint) complaints_.complain(position_of(node.source()), std::move(*complaint));
}

}  // namespace picklock
