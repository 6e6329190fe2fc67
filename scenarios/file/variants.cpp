#include "scenarios/file/variants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/file/head_comment.hpp"
#include "scenarios/file/reader.hpp"
#include "scenarios/file/set.hpp"

namespace picklock {
namespace {

// Each setting visits all parts of its variant, each variant has all parts of its scenario: bounds on their product.
constexpr std::size_t kMostSettings = 100, kMostParts = 10'000, kMostWrong = 10;

std::size_t parts_of(const Scenario& s) {
  return 1 + s.clients.size() + s.links.size() + s.clocks.size() + s.faults.size() + s.overrides.size();
}

bool is_word(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-.") == std::string_view::npos;
}

// Content of one entry of the variant's table.
struct Said {
  std::string path;
  SourcePosition key, value;
  const toml::node* node;
};

bool is_array_part(const std::string& path) {
  const auto parts = part_infos();
  return std::any_of(parts.begin(), parts.end(), [&](const PartInfo& p) { return p.array && p.path == path; });
}

// Names and kinds decide which other fields there are.
bool is_kind(std::string_view path) {
  const auto parts = part_infos();
  return std::any_of(parts.begin(), parts.end(), [&](const PartInfo& p) {
    if (p.kind.empty() || !path.starts_with(p.path)) return false;
    return path == p.path || path.ends_with(fmt::format(".{}", p.kind));
  });
}

class VariantReader {
 public:
  VariantReader(const ScenarioFile& file, std::string_view name, FileComplaints& complaints) : complaints_(complaints) {
    variant_.name = name;
    variant_.scenario = file.scenario;
    variant_.scenario.name = fmt::format("{}/{}", file.scenario.name, name);
    variant_.positions = file.positions;
    variant_.tags = file.tags;
  }

  ScenarioVariant read(const toml::table& table, std::string_view text) {
    complaints_.note_positions_in(variant_.positions);
    variant_.scenario.description = comment_above(text, table.source().begin.line);
    for (std::string& tag : read_tags(table, complaints_)) {
      if (std::find(variant_.tags.begin(), variant_.tags.end(), tag) == variant_.tags.end())
        variant_.tags.push_back(std::move(tag));
    }
    collect(table, "");
    if (said_.empty()) {
      complaints_.complain(position_of(table.source()),
                           fmt::format("the variant {} without settings", quoted(variant_.name)),
                           "at least one, such as lock.ttl = \"200ms\"");
    }
    const auto rank = [](const Said& s) {
      return s.node->is_array() && is_array_part(s.path) ? 0 : is_kind(s.path) ? 1 : 2;
    };
    std::stable_sort(said_.begin(), said_.end(), [&](const Said& a, const Said& b) {
      return rank(a) != rank(b) ? rank(a) < rank(b) : a.key < b.key;
    });
    if (said_.size() > kMostSettings) {
      complaints_.complain(position_of(table.source()), fmt::format("{} settings", said_.size()),
                           fmt::format("at most {}", kMostSettings));
      return std::move(variant_);
    }
    const std::size_t before = complaints_.count();
    for (const Said& one : said_) {
      if (complaints_.count() - before < kMostWrong) apply(one);
    }
    if (const toml::node* const expect = table.get("expect"))
      ScenarioReader(variant_.scenario, complaints_).replace_expectations(*expect);
    return std::move(variant_);
  }

 private:
  void collect(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      if (prefix.empty() && (key.str() == "expect" || key.str() == "tags")) continue;
      const std::string path = canonical_path(prefix + std::string(key.str()));
      if (const toml::table* const within = node.as_table()) {
        collect(*within, path + ".");
      } else {
        said_.push_back({path, position_of(key.source()), position_of(node.source()), &node});
      }
    }
  }

  void apply(const Said& one) {
    const toml::array* const array = one.node->as_array();
    if (array != nullptr && is_array_part(one.path)) {
      ScenarioReader(variant_.scenario, complaints_).replace(part_info(one.path), *one.node);
      fill_in_options(variant_.scenario);
      variant_.settings.push_back({one.path, fmt::format("{} entries", array->size())});
      return;
    }
    const auto value = text_of(*one.node);
    if (!value) {
      complaints_.complain(one.value, describe(*one.node), "a string, an integer, true, false or an array of strings");
      return;
    }
    std::vector<std::string> changed;
    if (auto complaint = set_value(variant_.scenario, one.path, *value, &changed)) {
      const bool unknown = complaint->found.starts_with("the path");
      complaints_.complain(unknown ? one.key : one.value, std::move(*complaint));
    }
    for (const std::string& path : changed) variant_.positions.note(path, one.value);
    variant_.settings.push_back({one.path, *value});
  }

  static std::optional<std::string> text_of(const toml::node& node) {
    if (const auto* const string = node.as_string()) return string->get();
    if (const auto* const integer = node.as_integer()) return fmt::format("{}", integer->get());
    if (const auto* const boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
    const toml::array* const array = node.as_array();
    if (array == nullptr) return std::nullopt;
    std::string all;
    for (const toml::node& entry : *array) {
      const auto* const string = entry.as_string();
      if (string == nullptr) return std::nullopt;
      all += fmt::format("{}{}", all.empty() ? "" : ", ", string->get());
    }
    return all;
  }

  FileComplaints& complaints_;
  ScenarioVariant variant_;
  std::vector<Said> said_;
};

}  // namespace

std::string comment_above(std::string_view text, std::size_t line) {
  std::vector<std::string_view> above;
  for (std::size_t i = 1; i < line && !text.empty(); ++i) {
    const std::string_view one = text.substr(0, text.find('\n'));
    if (one.starts_with('#')) {
      above.push_back(one);
    } else {
      above.clear();
    }
    text.remove_prefix(std::min(text.size(), one.size() + 1));
  }
  return head_comment(fmt::format("{}", fmt::join(above, "\n")));
}

std::vector<std::string> read_tags(const toml::table& table, FileComplaints& complaints) {
  std::vector<std::string> tags;
  const toml::node* const node = table.get("tags");
  if (node == nullptr) return tags;
  constexpr const char* kExpected = "an array of tags, such as [\"redis\", \"redisson-5929\"]";
  const toml::array* const array = node->as_array();
  if (array == nullptr) {
    complaints.complain(position_of(node->source()), describe(*node), kExpected);
    return tags;
  }
  for (const toml::node& entry : *array) {
    const auto* const tag = entry.as_string();
    if (tag == nullptr || !is_word(tag->get())) {
      complaints.complain(position_of(entry.source()), describe(entry),
                          "a tag of small letters, digits, '-', '_' and '.'");
    } else {
      tags.push_back(tag->get());
    }
  }
  return tags;
}

void read_variants(const toml::table& root, std::string_view text, ScenarioFile& file, FileComplaints& complaints) {
  const toml::node* const node = root.get("variant");
  if (node == nullptr) return;
  const toml::table* const all = node->as_table();
  if (all == nullptr) {
    complaints.complain(position_of(node->source()), describe(*node), "tables [variant.NAME]");
    return;
  }
  if (const std::size_t most = kMostParts / parts_of(file.scenario); all->size() > most) {
    complaints.complain(position_of(node->source()), fmt::format("{} variants", all->size()),
                        fmt::format("at most {} of a scenario of this size", most));
    return;
  }
  std::vector<std::pair<SourcePosition, std::string_view>> in_order;
  for (const auto& [key, value] : *all) {
    if (!value.is_table()) {
      complaints.complain(position_of(value.source()), describe(value), fmt::format("a table [variant.{}]", key.str()));
    } else if (!is_word(key.str())) {
      complaints.complain(position_of(key.source()), fmt::format("a variant named {}", quoted(key.str())),
                          "a name of small letters, digits, '-', '_' and '.'");
    } else {
      in_order.emplace_back(position_of(value.source()), key.str());
    }
  }
  std::sort(in_order.begin(), in_order.end());
  for (const auto& [position, name] : in_order)
    file.variants.push_back(VariantReader(file, name, complaints).read(*all->get_as<toml::table>(name), text));
  complaints.note_positions_in(file.positions);
}

}  // namespace picklock
