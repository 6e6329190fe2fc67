#include "algorithms/lua/lua_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace picklock {
namespace {

std::string with_hyphens(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

bool is_option_name(const std::string& name) {
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == name.npos;
}

// The type of an option follows from its default.
std::optional<LuaSetting> setting_of(const LuaValue& value) {
  switch (value.kind) {
    case LuaValue::Kind::boolean:
      return value.boolean;
    case LuaValue::Kind::number:
      if (!value.is_integer()) return std::nullopt;
      return value.as_integer();
    case LuaValue::Kind::text:
      if (value.text == "none") return std::optional<Duration>();
      if (const auto duration = parse_duration(value.text)) return *duration;
      if (auto law = parse_duration_law(value.text)) return std::move(*law);
      return value.text;
    default:
      return std::nullopt;
  }
}

// A bound of an option: a number, or a duration.
bool read_bound(const LuaValue& value, std::int64_t& bound) {
  if (value.is_nil()) return true;
  if (value.is_number()) {
    bound = value.as_integer();
    return true;
  }
  const auto duration = value.is_text() ? parse_duration(value.text) : std::nullopt;
  if (duration) bound = duration->ns;
  return duration.has_value();
}

std::string read_choices(const LuaValue& list, LuaOption& option) {
  for (const LuaEntry& e : list.entries) {
    if (!e.value.is_text()) return fmt::format("found a {} in one_of, expected names", e.value.type());
    option.choices.push_back(e.value.text);
  }
  const auto* const name = std::get_if<std::string>(&option.usual);
  const auto found =
      name == nullptr ? option.choices.end() : std::find(option.choices.begin(), option.choices.end(), *name);
  if (found == option.choices.end()) return "found a default that is none of one_of, expected one of these names";
  option.usual = LuaChoice{static_cast<std::size_t>(found - option.choices.begin())};
  return "";
}

std::string read_option(const LuaValue& value, LuaOption& option) {
  const bool in_full = value.is_table();
  auto usual = setting_of(in_full ? value.at("default") : value);
  if (!usual) {
    return fmt::format("found a {}, expected true, false, an integer or a text such as \"200ms\"",
                       in_full ? "table without such a default" : value.type());
  }
  option.usual = std::move(*usual);
  // A negative duration is no use to a lock.
  if (!std::holds_alternative<std::int64_t>(option.usual)) option.least = 0;
  if (!in_full) return "";
  if (value.at("help").is_text()) option.help = value.at("help").text;
  if (!read_bound(value.at("least"), option.least) || !read_bound(value.at("most"), option.most)) {
    return "found a bound that is neither a number nor a duration";
  }
  return value.at("one_of").is_table() ? read_choices(value.at("one_of"), option) : "";
}

// A visitor may give a value of the same type.
struct VisitSetting {
  FieldVisitor& v;
  const FieldInfo& info;
  const LuaOption& option;
  template <class T>
  void operator()(T& value) const {
    v.field(info, value);
  }
  void operator()(LuaChoice& choice) const { v.choice(info, option.choice_names, choice.index); }
};

}  // namespace

std::string read_lua_options(const LuaValue& head, std::deque<LuaOption>& options) {
  for (const LuaEntry& e : head.entries) {
    if (!e.key.is_text() || !is_option_name(e.key.text)) {
      return fmt::format("found '{}', expected an option's name of small letters and _", e.key.to_text());
    }
    LuaOption& option = options.emplace_back();
    option.in_text = e.key.text;
    option.name = with_hyphens(e.key.text);
    option.help = fmt::format("option {} of the lock's file", option.name);
    if (const std::string wrong = read_option(e.value, option); !wrong.empty()) {
      return fmt::format("{}: {}", e.key.text, wrong);
    }
    option.choice_names.assign(option.choices.begin(), option.choices.end());
  }
  return "";
}

LuaOptions LuaOptions::usual(std::shared_ptr<const std::deque<LuaOption>> of) {
  LuaOptions options{.of = std::move(of)};
  for (const LuaOption& option : *options.of) options.settings.push_back(option.usual);
  return options;
}

void LuaOptions::fields(FieldVisitor& v) {
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const LuaOption& option = (*of)[i];
    const FieldInfo info{.name = option.name, .help = option.help, .least = option.least, .most = option.most};
    std::visit(VisitSetting{v, info, option}, settings[i]);
  }
}

LuaValue LuaOptions::as_table() const {
  LuaValue table = LuaValue::table();
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const LuaOption& option = (*of)[i];
    const LuaSetting& setting = settings[i];
    LuaValue value;
    if (const auto* const b = std::get_if<bool>(&setting)) value = *b;
    if (const auto* const n = std::get_if<std::int64_t>(&setting)) value = LuaValue::integer(*n);
    if (const auto* const d = std::get_if<Duration>(&setting)) value = LuaValue::time(d->ns);
    const auto* const o = std::get_if<std::optional<Duration>>(&setting);
    if (o != nullptr && *o) value = LuaValue::time((*o)->ns);
    if (const auto* const l = std::get_if<Law>(&setting)) value = to_text(*l);
    if (const auto* const t = std::get_if<std::string>(&setting)) value = *t;
    if (const auto* const c = std::get_if<LuaChoice>(&setting)) value = option.choices[c->index];
    if (!value.is_nil()) table.set(option.in_text, std::move(value));
  }
  return table;
}

bool LuaOptions::says_yes(std::string_view name) const {
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if ((*of)[i].name != name) continue;
    if (const auto* const said = std::get_if<bool>(&settings[i])) return *said;
  }
  return duration(name).has_value();
}

std::optional<Duration> LuaOptions::duration(std::string_view name) const {
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if ((*of)[i].name != name) continue;
    if (const auto* const d = std::get_if<Duration>(&settings[i])) return *d;
    if (const auto* const o = std::get_if<std::optional<Duration>>(&settings[i])) return *o;
  }
  return std::nullopt;
}

std::optional<std::int64_t> LuaOptions::integer(std::string_view name) const {
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if ((*of)[i].name != name) continue;
    if (const auto* const n = std::get_if<std::int64_t>(&settings[i])) return *n;
  }
  return std::nullopt;
}

std::string LuaOptions::word(std::string_view name) const {
  for (std::size_t i = 0; i < of->size(); ++i) {
    const LuaOption& option = (*of)[i];
    const auto* const chosen = std::get_if<LuaChoice>(&settings[i]);
    if (option.name == name && chosen != nullptr) return option.choices[chosen->index];
  }
  return "";
}

}  // namespace picklock
