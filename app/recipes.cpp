#include "app/recipes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/command_name.hpp"
#include "base/shell.hpp"
#include "base/text.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {
namespace {

constexpr std::string_view kVariationForms =
    "path=value,value,… or path=FROM..TO/STEP, as in fault[0].lasts=2s..9s/1s; a value with commas is quoted";

struct Variation {
  std::string path;
  std::vector<std::string> values;
};

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

// FROM, FROM + STEP, … up to TO, as texts; empty if the numbers are not a range.
template <class Text>
std::vector<std::string> steps(std::optional<std::int64_t> from, std::optional<std::int64_t> to,
                               std::optional<std::int64_t> step, std::size_t most, Text text) {
  std::vector<std::string> values;
  if (!from || !to || !step || *step <= 0 || *from > *to) return values;
  for (std::int64_t v = *from;; v += *step) {
    values.push_back(text(v));
    if (*to - v < *step || values.size() > most) return values;
  }
}

// "2s..15s/1s", "1..9/2"; empty if it has another form.
std::vector<std::string> parse_range(std::string_view text, std::size_t most) {
  const std::size_t dots = text.find(".."), slash = text.rfind('/');
  if (dots == std::string_view::npos || slash == std::string_view::npos || slash < dots) return {};
  const std::string_view from = text.substr(0, dots), to = text.substr(dots + 2, slash - dots - 2),
                         step = text.substr(slash + 1);
  const auto ns = [](std::string_view word) {
    const auto d = parse_duration(word);
    return d ? std::optional(d->ns) : std::nullopt;
  };
  const std::vector<std::string> numbers =
      steps(integer(from), integer(to), integer(step), most, [](std::int64_t v) { return std::to_string(v); });
  return numbers.empty() ? steps(ns(from), ns(to), ns(step), most, [](std::int64_t v) { return to_text(Duration{v}); })
                         : numbers;
}

struct VariationError {
  std::string expected;
};

// Values between commas.  One in double quotes may have commas and dots of its own: it is a law.
std::variant<std::vector<std::string>, VariationError> parse_list(std::string_view text) {
  std::vector<std::string> values;
  for (;;) {
    std::string value;
    const bool quoted = text.starts_with('"');
    if (quoted) {
      const std::size_t end = text.find('"', 1);
      if (end == std::string_view::npos) return VariationError{"a second \" where the quoted value ends"};
      value = text.substr(1, end - 1);
      text.remove_prefix(end + 1);
      if (!text.empty() && !text.starts_with(',')) return VariationError{"a comma behind the quoted value"};
    } else {
      value = text.substr(0, text.find(','));
      text.remove_prefix(value.size());
    }
    if (value.empty()) return VariationError{std::string(kVariationForms)};
    if (!quoted && value.find("..") != std::string::npos) {
      return VariationError{
          fmt::format("FROM..TO/STEP with FROM up to TO and a STEP above 0, as in 2s..9s/1s, to count values; or "
                      "\"{}\", quoted, as one "
                      "value that is a law",
                      value)};
    }
    values.push_back(std::move(value));
    if (text.empty()) return values;
    text.remove_prefix(1);
  }
}

std::variant<Variation, VariationError> parse_variation(const std::string& text, std::size_t most) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return VariationError{std::string(kVariationForms)};
  const std::string_view after = std::string_view(text).substr(equals + 1);
  Variation v{text.substr(0, equals), parse_range(after, most)};
  if (!v.values.empty()) return v;
  auto list = parse_list(after);
  if (auto* const wrong = std::get_if<1>(&list)) return std::move(*wrong);
  v.values = std::get<0>(std::move(list));
  return v;
}

}  // namespace

std::string Recipe::name() const {
  std::string words = edits.lock;
  for (const auto& [path, value] : settings) words += (words.empty() ? "" : " ") + path + "=" + value;
  return words;
}

std::string Recipe::replay() const {
  return program_name() + " run " + shell_word(scenario) + command_words(edits) + " --seed ";
}

std::variant<std::vector<Recipe>, std::string> recipes_of(const GridWords& words, std::size_t most) {
  std::vector<Recipe> recipes;
  for (const std::string& scenario : words.scenarios) {
    recipes.push_back({scenario, {}, {.lock = {}, .set = words.set, .without = {}}});
  }
  // One more than `most` is enough to know that there are too many.
  const auto multiply = [&](const std::vector<std::string>& choices, auto apply) {
    std::vector<Recipe> more;
    for (const Recipe& r : recipes) {
      for (const std::string& choice : choices) {
        if (more.size() <= most) apply(more.emplace_back(r), choice);
      }
    }
    recipes = std::move(more);
  };
  if (!words.locks.empty()) multiply(words.locks, [](Recipe& r, const std::string& lock) { r.edits.lock = lock; });
  for (const std::string& text : words.vary) {
    const auto parsed = parse_variation(text, most);
    if (const auto* const wrong = std::get_if<1>(&parsed))
      return fmt::format("--vary: found '{}', expected {}", text, wrong->expected);
    const Variation* const v = &std::get<0>(parsed);
    multiply(v->values, [&](Recipe& r, const std::string& value) {
      r.settings.emplace_back(v->path, value);
      r.edits.set.push_back(v->path + "=" + value);
    });
  }
  if (recipes.size() > most) return fmt::format("found more than {} combinations, expected at most {}", most, most);
  return recipes;
}

ScenarioFile prepared(const Recipe& recipe) {
  ScenarioFile file = load_scenario(recipe.scenario);
  if (file.ok()) file.errors = edit_scenario(file.scenario, recipe.edits).errors;
  return file;
}

std::vector<Property> properties_of(const std::vector<std::string>& names, const std::vector<ScenarioFile>& files) {
  const auto expected = [&](std::string_view name) {
    return std::any_of(files.begin(), files.end(), [&](const ScenarioFile& file) {
      const auto found = file.scenario.expect.find(std::string(name));
      return found != file.scenario.expect.end() && found->second.verdict == Verdict::violated;
    });
  };
  std::vector<Property> found;
  for (const PropertyInfo& p : properties()) {
    const bool asked = std::find(names.begin(), names.end(), p.name) != names.end();
    const bool usual = p.property == Property::mutual_exclusion || expected(p.name);
    if (names.empty() ? usual : asked) found.push_back(p.property);
  }
  return found;
}

}  // namespace picklock
