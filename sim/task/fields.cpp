#include "sim/task/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace picklock {
namespace {

// Writes every field as a line of text.
class Lines final : public FieldVisitor {
 public:
  void field(const FieldInfo& f, bool& v) override { add(f, v ? "true" : "false"); }
  void field(const FieldInfo& f, std::int64_t& v) override { add(f, fmt::format("{}", v)); }
  void field(const FieldInfo& f, Duration& v) override { add(f, to_text(v)); }
  void field(const FieldInfo& f, std::optional<Duration>& v) override { add(f, v ? to_text(*v) : "none"); }
  void field(const FieldInfo& f, Law& v) override { add(f, to_text(v)); }
  void field(const FieldInfo& f, std::string& v) override { add(f, fmt::format("'{}'", v)); }
  void choice(const FieldInfo& f, std::span<const std::string_view> names, std::size_t& i) override {
    add(f, i < names.size() ? names[i] : "?");
  }
  std::string text;

 private:
  void add(const FieldInfo& f, std::string_view value) { text += fmt::format("{} = {}\n", f.name, value); }
};

// Reads the choices that lead, or sets them.
class Leads final : public FieldVisitor {
 public:
  enum class Act { read, set, set_alone };
  void visit(AnyOptions& options, Act act) {
    act_ = act;
    next_ = 0;
    if (act == Act::read) values_.clear();
    options.fields(*this);
  }
  void field(const FieldInfo&, bool&) override {}
  void field(const FieldInfo&, std::int64_t&) override {}
  void field(const FieldInfo&, Duration&) override {}
  void field(const FieldInfo&, std::optional<Duration>&) override {}
  void field(const FieldInfo&, Law&) override {}
  void field(const FieldInfo&, std::string&) override {}
  void choice(const FieldInfo& info, std::span<const std::string_view>, std::size_t& index) override {
    if (!info.leads) return;
    if (act_ == Act::read) {
      values_.push_back(index);
    } else {
      index = values_.at(next_++);
    }
  }
  bool others_follow() const override { return act_ != Act::set_alone; }

 private:
  Act act_ = Act::read;
  std::vector<std::size_t> values_;  // in the order of the fields
  std::size_t next_ = 0;
};

std::string lines_of(AnyOptions options) {
  Lines lines;
  options.fields(lines);
  return std::move(lines.text);
}

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

void FieldVisitor::length(const FieldInfo& info, std::optional<Law>& law) {
  if (law && law->kind() != Law::Kind::constant) return field(info, *law);
  std::optional<Duration> fixed;
  if (law) fixed = Duration{law->low()};
  const std::optional<Duration> before = fixed;
  field(info, fixed);
  if (fixed == before) return;
  law.reset();
  if (fixed) law = *fixed;
}

void FieldVisitor::list(const FieldInfo& info, std::vector<std::string>& names) {
  std::string text = list_text(names);
  field(info, text);
  names = parse_list(text);
}

AnyOptions defaults_beside(AnyOptions usual, AnyOptions said) {
  if (!said) return usual;
  Leads was, wanted;
  was.visit(usual, Leads::Act::read);
  wanted.visit(said, Leads::Act::read);
  wanted.visit(usual, Leads::Act::set);
  was.visit(usual, Leads::Act::set_alone);
  return usual;
}

bool AnyOptions::operator==(const AnyOptions& other) const {
  if (!options_ || !other.options_) return options_ == other.options_;
  return lines_of(*this) == lines_of(other);
}

}  // namespace picklock
