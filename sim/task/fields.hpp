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

class FieldVisitor {
 public:
  virtual void field(const FieldInfo&, bool&) = 0;
  virtual void field(const FieldInfo&, std::int64_t&) = 0;
  virtual void field(const FieldInfo&, Duration&) = 0;
  virtual void field(const FieldInfo&, std::optional<Duration>&) = 0;
  virtual void field(const FieldInfo&, Law&) = 0;  // a law of durations
  virtual void field(const FieldInfo&, std::string&) = 0;
  virtual void choice(const FieldInfo&, std::span<const std::string_view> names, std::size_t& index) = 0;
  // A length of time that may vary from run to run.  A visitor that does not know such lengths sees a duration while it
  // does not vary, and a law otherwise.
  virtual void length(const FieldInfo&, std::optional<Law>&);
  // A list of names without blanks and commas.  A visitor that does not know lists sees one text, "x, y".
  virtual void list(const FieldInfo&, std::vector<std::string>& names);

  // An enumeration is written by name (base/enum_names.hpp).
  template <class E>
  requires std::is_enum_v<E>
  void field(const FieldInfo& info, E& value) {
    auto index = static_cast<std::size_t>(value);
    choice(info, kEnumNames<E>, index);
    value = static_cast<E>(index);
  }

  // A choice that leads. True: the visitor has changed it, and the fields behind it are to follow.
  template <class E>
  bool leading(FieldInfo info, E& value) {
    info.leads = true;
    const E before = value;
    field(info, value);
    return value != before && others_follow();
  }
  // Whether the other fields take the defaults that a changed choice sets.
  virtual bool others_follow() const { return true; }

 protected:
  ~FieldVisitor() = default;
};

// Gives each of `settings` of `o` that stands as `before` has it the value that `after` has.
template <class T, class... Settings>
void change_settings(T& o, const T& before, const T& after, Settings... settings) {
  const auto change = [&](auto setting) {
    if (o.*setting == before.*setting) o.*setting = after.*setting;
  };
  (change(settings), ...);
}

std::string list_text(std::span<const std::string> names);  // "x, y"
std::vector<std::string> parse_list(std::string_view text);

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
