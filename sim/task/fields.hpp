// Fields describe the members of an options struct, once.
//
// An options struct names its members in one function,
//
//   struct SetNxPxOptions {
//     Duration ttl = seconds(30);
//     Law retry = Law::uniform(milliseconds(5), milliseconds(10));
//     void fields(FieldVisitor& v) {
//       v.field({.name = "ttl", .help = "lease that the server grants", .least = 1'000'000}, ttl);
//       v.field({.name = "retry", .help = "pause between two attempts"}, retry);
//     }
//   };
//
// and TOML, JSON, `--set`, help texts, equality, fingerprints and generators all follow from it.
//
// Code that looks at the fields states a function for each type of value that it looks at, or one for all:
//
//   visit_fields(options, [&](const FieldInfo& f, Duration& v) { if (f.name == "ttl") v = seconds(3); });
//   visit_fields(options, [&](const FieldInfo& f, auto& v) { lines += fmt::format("{} = {}\n", f.name, field_text(&v)); });
//
// A choice may set the defaults of other fields, as a release does. It stands before them:
//
//   const Release before = release;
//   if (v.leading({.name = "release", .help = "…"}, release)) change_settings(*this, of(before), of(release), &O::retry);
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/enum_names.hpp"
#include "base/law.hpp"
#include "base/time.hpp"

namespace picklock {

struct FieldInfo {
  std::string_view name;                                          // kebab-case, as in TOML
  std::string_view help;                                          // one line, no full stop
  std::int64_t least = std::numeric_limits<std::int64_t>::min();  // bounds of a number, or of the ns of
  std::int64_t most = std::numeric_limits<std::int64_t>::max();   // a duration or of a law's values
  bool leads = false;                                             // a choice that sets defaults of other fields
};

// One of several names.
struct FieldChoice {
  std::span<const std::string_view> names;
  std::size_t index = 0;
  std::string_view name() const { return index < names.size() ? names[index] : "?"; }
};

// The value of a field. A law is one of durations; an optional law is a length of time that may vary from run to run; the names of
// a list have no blanks and commas.
using FieldValue = std::variant<bool*, std::int64_t*, Duration*, std::optional<Duration>*, Law*, std::optional<Law>*,
                                std::string*, FieldChoice*, std::vector<std::string>*>;

// Text of a value in a file, a text unquoted: "true", "-3", "5ms..10ms", "none", "x, y".
std::string field_text(FieldValue value);

class FieldVisitor {
 public:
  virtual void visit(const FieldInfo& info, FieldValue value) = 0;
  // True if the other fields take the defaults that a changed choice sets.
  virtual bool others_follow() const { return true; }

  template <class T>
  void field(const FieldInfo& info, T& value) {
    if constexpr (std::is_enum_v<T>) {  // enums are written by name (base/enum_names.hpp)
      auto index = static_cast<std::size_t>(value);
      choice(info, kEnumNames<T>, index);
      value = static_cast<T>(index);
    } else {
      visit(info, &value);
    }
  }
  void choice(const FieldInfo& info, std::span<const std::string_view> names, std::size_t& index) {
    FieldChoice chosen{names, index};
    visit(info, &chosen);
    index = chosen.index;
  }
  // A choice that leads. True: the visitor has changed it, and the fields behind it are to follow.
  template <class E>
  bool leading(FieldInfo info, E& value) {
    info.leads = true;
    const E before = value;
    field(info, value);
    return value != before && others_follow();
  }

 protected:
  ~FieldVisitor() = default;
};

std::string list_text(std::span<const std::string> names);  // "x, y"
std::vector<std::string> parse_list(std::string_view text);

// Shows a field to a function, if the function takes values of its type. One that takes no optional laws sees a duration while the
// length does not vary, and a law otherwise; one that takes no lists sees a text.
template <class See, class T>
void show_field(See& see, const FieldInfo& info, T& value) {
  if constexpr (std::is_invocable_v<See&, const FieldInfo&, T&>) {
    see(info, value);
  } else if constexpr (std::is_same_v<T, std::optional<Law>>) {
    if (value && value->kind() != Law::Kind::constant) return show_field(see, info, *value);
    std::optional<Duration> fixed;
    if (value) fixed = Duration{value->low()};
    const std::optional<Duration> before = fixed;
    show_field(see, info, fixed);
    if (fixed == before) return;
    value.reset();
    if (fixed) value = *fixed;
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    std::string text = list_text(value);
    show_field(see, info, text);
    value = parse_list(text);
  }
}

template <class See>
class FunctionVisitor final : public FieldVisitor {
 public:
  explicit FunctionVisitor(See& see) : see_(see) {}
  void visit(const FieldInfo& info, FieldValue value) override {
    std::visit([&](auto* v) { show_field(see_, info, *v); }, value);
  }

 private:
  See& see_;
};

// Shows the fields of `owner`, which has fields(), to a function (info, value).
template <class Owner, class See>
void visit_fields(Owner&& owner, See&& see) {
  FunctionVisitor<std::remove_reference_t<See>> visitor(see);
  owner.fields(visitor);
}

// Gives each of `settings` of `o` that stands as `before` has it the value that `after` has.
template <class T, class... Settings>
void change_settings(T& o, const T& before, const T& after, Settings... settings) {
  const auto change = [&](auto setting) {
    if (o.*setting == before.*setting) o.*setting = after.*setting;
  };
  (change(settings), ...);
}

// An options struct behind a common base: only its maker knows the type.
class Options {
 public:
  virtual ~Options() = default;
  virtual void fields(FieldVisitor&) = 0;  // may change the members, or only look at them
  virtual std::unique_ptr<Options> clone() const = 0;

  template <class T>
  const T& as() const;
};

template <class T>
class OptionsOf final : public Options {
 public:
  OptionsOf() = default;
  explicit OptionsOf(T v) : value(std::move(v)) {}
  void fields(FieldVisitor& v) override { value.fields(v); }
  std::unique_ptr<Options> clone() const override { return std::make_unique<OptionsOf>(value); }
  T value;
};

template <class T>
const T& Options::as() const {
  return static_cast<const OptionsOf<T>&>(*this).value;
}

// Options by value: copied deeply, compared by their fields.
class AnyOptions {
 public:
  AnyOptions() = default;
  explicit AnyOptions(std::unique_ptr<Options> options) : options_(std::move(options)) {}
  template <class T>
  static AnyOptions of(T value) {
    return AnyOptions(std::make_unique<OptionsOf<T>>(std::move(value)));
  }
  AnyOptions(const AnyOptions& other) : options_(other.options_ ? other.options_->clone() : nullptr) {}
  AnyOptions(AnyOptions&&) noexcept = default;
  AnyOptions& operator=(AnyOptions other) noexcept {
    options_ = std::move(other.options_);
    return *this;
  }

  explicit operator bool() const { return options_ != nullptr; }
  const Options& operator*() const { return *options_; }
  template <class T>
  const T& as() const {
    return options_->as<T>();
  }
  template <class T>
  T& as() {
    return static_cast<OptionsOf<T>&>(*options_).value;
  }
  void fields(FieldVisitor& v) {
    if (options_) options_->fields(v);
  }
  bool operator==(const AnyOptions& other) const;  // same field names with the same values

 private:
  std::unique_ptr<Options> options_;
};

// `usual`, with the fields that the leading choices of `said` set, but with the usual choices: what a file need not say
// beside these choices. Both are options of one type; `said` may be empty.
AnyOptions defaults_beside(AnyOptions usual, AnyOptions said);

}  // namespace picklock
