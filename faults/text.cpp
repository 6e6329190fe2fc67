#include "faults/text.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "faults/fault_kinds.hpp"

namespace picklock {
namespace {

struct NamedText {
  std::string name, text;
};

std::vector<NamedText> written(Fault fault) {
  std::vector<NamedText> fields;
  visit_fields(fault, [&](const FieldInfo& f, auto& v) { fields.push_back({std::string(f.name), field_text(&v)}); });
  return fields;
}

// Sets one field from its text.
class Setter {
 public:
  Setter(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  void operator()(const FieldInfo& f, bool& v) {
    if (!mine(f, "true or false")) return;
    if (text_ == "true" || text_ == "false") v = text_ == "true", good = true;
  }
  void operator()(const FieldInfo& f, std::int64_t& v) {
    if (!mine(f, "a whole number")) return;
    const char* const end = text_.data() + text_.size();
    const auto parsed = std::from_chars(text_.data(), end, v);
    good = parsed.ec == std::errc() && parsed.ptr == end;
  }
  void operator()(const FieldInfo& f, Duration& v) {
    if (mine(f, "a duration, e.g. 250ms")) set(parse_duration(text_), v);
  }
  void operator()(const FieldInfo& f, std::optional<Duration>& v) {
    if (!mine(f, "a duration, e.g. 250ms, or none")) return;
    if (text_ == "none") {
      v.reset();
      good = true;
    } else if (const auto parsed = parse_duration(text_)) {
      v = parsed;
      good = true;
    }
  }
  void operator()(const FieldInfo& f, Law& v) {
    if (mine(f, "a law of durations, e.g. 5ms..10ms")) set(parse_duration_law(text_), v);
  }
  void operator()(const FieldInfo& f, std::optional<Law>& v) {
    if (!mine(f, "a duration, e.g. 250ms, a law of them, e.g. 5ms..10ms, or none")) return;
    if (text_ == "none") {
      v.reset();
      good = true;
    } else if (auto parsed = parse_duration_law(text_)) {
      v = std::move(parsed);
      good = true;
    }
  }
  void operator()(const FieldInfo& f, std::string& v) {
    if (!mine(f, "text")) return;
    v = text_;
    good = true;
  }
  void operator()(const FieldInfo& f, FieldChoice& choice) {
    if (!mine(f, fmt::format("one of {}", fmt::join(choice.names, ", ")))) return;
    for (std::size_t i = 0; i < choice.names.size(); ++i) {
      if (choice.names[i] == text_) choice.index = i, good = true;
    }
    if (!good) nearest = nearest_name(text_, choice.names).value_or("");
  }

  std::vector<std::string_view> known;  // fields
  bool found = false, good = false;
  std::string expected, nearest;

 private:
  bool mine(const FieldInfo& f, std::string what) {
    known.push_back(f.name);
    if (f.name != name_) return false;
    found = true;
    expected = std::move(what);
    return true;
  }
  template <class T>
  void set(std::optional<T> parsed, T& v) {
    if (!parsed) return;
    v = *std::move(parsed);
    good = true;
  }
  std::string_view name_, text_;
};

bool needs_quotes(std::string_view text) {
  return text.empty() || text.find_first_of(" \t\n\"\\=") != std::string_view::npos;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// Splits at blanks outside of quotes and takes the quotes away; nothing if one is not closed.
std::optional<std::vector<std::string>> split(std::string_view line) {
  std::vector<std::string> parts;
  bool in_part = false, in_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (!in_quotes && (c == ' ' || c == '\t')) {
      in_part = false;
      continue;
    }
    if (!in_part) parts.emplace_back();
    in_part = true;
    if (c == '"') {
      in_quotes = !in_quotes;
    } else if (in_quotes && c == '\\' && i + 1 < line.size()) {
      parts.back() += line[++i];
    } else {
      parts.back() += c;
    }
  }
  if (in_quotes) return std::nullopt;
  return parts;
}

template <class Name>
std::string near(std::string_view text, const std::vector<Name>& candidates) {
  return std::string(nearest_name(text, candidates).value_or(""));
}

}  // namespace

std::string to_text(const Fault& fault) {
  std::string line = fault.kind;
  const FaultKind* const kind = find_fault_kind(fault.kind);
  if (kind == nullptr) return line;
  Fault full = fault, usual;
  usual.options = AnyOptions(kind->default_options());
  if (!full.options) full.options = usual.options;
  const auto fields = written(std::move(full)), defaults = written(std::move(usual));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& text = fields[i].text;
    if (text == defaults[i].text) continue;
    line += fmt::format(" {}={}", fields[i].name, needs_quotes(text) ? quoted(text) : text);
  }
  return line;
}

std::string to_text(const FaultPlan& plan) {
  std::string text;
  for (const Fault& fault : plan) text += to_text(fault) + '\n';
  return text;
}

std::optional<PlanError> parse_fault(std::string_view line, Fault& fault) {
  const auto parts = split(line);
  if (!parts) return PlanError{0, "text", std::string(line), "a closing quote", ""};
  if (parts->empty()) return PlanError{0, "kind", "", "a kind of fault", ""};
  const std::string& kind_name = parts->front();
  const FaultKind* const kind = find_fault_kind(kind_name);
  if (kind == nullptr) {
    std::vector<std::string_view> kinds;
    for (const FaultKind& k : fault_kinds()) kinds.push_back(k.name);
    return PlanError{0, "kind", kind_name, fmt::format("a kind of fault ({})", fmt::join(kinds, ", ")),
                     near(kind_name, kinds)};
  }
  fault = {kind_name, {}, AnyOptions(kind->default_options())};
  for (std::size_t i = 1; i < parts->size(); ++i) {
    const std::string_view part = (*parts)[i];
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    if (equals == std::string_view::npos) {
      return PlanError{0, "text", std::string(part), "name=value", ""};
    }
    const std::string_view text = part.substr(equals + 1);
    Setter setter(name, text);
    visit_fields(fault, setter);
    if (!setter.found) {
      return PlanError{0, std::string(name), std::string(name),
                       fmt::format("a field of {} ({})", kind_name, fmt::join(setter.known, ", ")),
                       near(name, setter.known)};
    }
    if (!setter.good) {
      return PlanError{0, std::string(name), std::string(text), setter.expected, setter.nearest};
    }
  }
  return std::nullopt;
}

std::optional<PlanError> parse_plan(std::string_view text, FaultPlan& plan) {
  plan.clear();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Fault fault;
    if (auto error = parse_fault(line, fault)) {
      error->fault = plan.size();
      return error;
    }
    plan.push_back(std::move(fault));
  }
  return std::nullopt;
}

}  // namespace picklock
