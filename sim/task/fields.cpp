#include "sim/task/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace picklock {
namespace {

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, FieldChoice>) {
    return std::string(value.name());
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return list_text(value);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return fmt::format("{}", value);
  } else if constexpr (requires { value.has_value(); }) {
    return value ? to_text(*value) : "none";
  } else {
    return to_text(value);
  }
}

// Every field as a line, texts in quotes.
std::string lines_of(AnyOptions options) {
  std::string lines;
  visit_fields(options, [&]<class T>(const FieldInfo& f, T& v) {
    const char* const quote = std::is_same_v<T, std::string> ? "'" : "";
    lines += fmt::format("{} = {}{}{}\n", f.name, quote, field_text(&v), quote);
  });
  return lines;
}

// Reads the choices that lead, or sets them.
class LeadingChoices final : public FieldVisitor {
 public:
  enum class Act { read, set, set_alone };
  void visit_options(AnyOptions& options, Act act) {
    act_ = act;
    next_ = 0;
    if (act == Act::read) values_.clear();
    options.fields(*this);
  }
  void visit(const FieldInfo& info, FieldValue value) override {
    FieldChoice* const* const choice = std::get_if<FieldChoice*>(&value);
    if (!info.leads || choice == nullptr) return;
    if (act_ == Act::read) {
      values_.push_back((*choice)->index);
    } else {
      (*choice)->index = values_.at(next_++);
    }
  }
  bool others_follow() const override { return act_ != Act::set_alone; }

 private:
  Act act_ = Act::read;
  std::vector<std::size_t> values_;  // ordered like the fields
  std::size_t next_ = 0;
};

}  // namespace

std::string list_text(std::span<const std::string> names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::vector<std::string> parse_list(std::string_view text) {
  constexpr std::string_view kBetween = " ,\t\n";
  std::vector<std::string> names;
  for (std::size_t i = text.find_first_not_of(kBetween); i != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, i), text.size());
    names.emplace_back(text.substr(i, end - i));
    i = text.find_first_not_of(kBetween, end);
  }
  return names;
}

std::string field_text(FieldValue value) {
  return std::visit([](const auto* v) { return text_of(*v); }, value);
}

AnyOptions defaults_beside(AnyOptions usual, AnyOptions said) {
  if (!said) return usual;
  LeadingChoices was, wanted;
  was.visit_options(usual, LeadingChoices::Act::read);
  wanted.visit_options(said, LeadingChoices::Act::read);
  wanted.visit_options(usual, LeadingChoices::Act::set);
  was.visit_options(usual, LeadingChoices::Act::set_alone);
  return usual;
}

bool AnyOptions::operator==(const AnyOptions& other) const {
  if (!options_ || !other.options_) return options_ == other.options_;
  return lines_of(*this) == lines_of(other);
}

}  // namespace picklock
