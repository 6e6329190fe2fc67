// The value that an operation asks for or answers, in 8 bytes.
//
// A value is nil, an integer of 62 bits, or the id of an interned text: the canonical EDN of
// anything else ("abc" with its quotes, :keyword, [2 4], {:a 1}, true, 1.5, big integers).  The
// text lives in a ValueTable, which each History owns.  Within one table two values are equal
// exactly if their bits are; values of different tables must be compared by text.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "checker/intern_table.hpp"

namespace picklock {

class Value {
 public:
  enum class Kind : std::uint8_t { nil = 0, integer = 1, text = 2 };

  constexpr Value() = default;  // nil

  // Does `number` fit without a table?
  static constexpr bool fits(std::int64_t number) { return number >= kSmallest && number <= kLargest; }
  // Requires fits(number); ValueTable::integer takes any.
  static constexpr Value integer(std::int64_t number) { return Value((static_cast<std::uint64_t>(number) << 2) | 1u); }
  static constexpr Value text(std::uint32_t id) { return Value((static_cast<std::uint64_t>(id) << 2) | 2u); }

  [[nodiscard]] constexpr Kind kind() const { return static_cast<Kind>(bits_ & 3u); }
  [[nodiscard]] constexpr bool is_nil() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool is_integer() const { return kind() == Kind::integer; }
  [[nodiscard]] constexpr bool is_text() const { return kind() == Kind::text; }

  // The integer; only if is_integer().
  [[nodiscard]] constexpr std::int64_t number() const { return static_cast<std::int64_t>(bits_) >> 2; }
  // The id in the table; only if is_text().
  [[nodiscard]] constexpr std::uint32_t id() const { return static_cast<std::uint32_t>(bits_ >> 2); }

  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }  // the bits, for hashing

  friend constexpr bool operator==(Value, Value) = default;
  friend constexpr auto operator<=>(Value, Value) = default;  // an order, without meaning

  static constexpr std::int64_t kSmallest = -(std::int64_t{1} << 61);
  static constexpr std::int64_t kLargest = (std::int64_t{1} << 61) - 1;

 private:
  constexpr explicit Value(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

static_assert(sizeof(Value) == 8);

class ValueTable {
 public:
  Value integer(std::int64_t number);         // any
  Value string(std::string_view characters);  // a string; quotes and escapes are added
  Value keyword(std::string_view name);       // name without its colon
  Value boolean(bool truth) { return canonical(truth ? "true" : "false"); }

  // `edn` must be canonical already, as the readers make it; small integers and nil are unpacked.
  Value canonical(std::string_view edn);

  // Appends canonical EDN text.
  void append_to(std::string& out, Value value) const;
  [[nodiscard]] std::string edn(Value value) const;

  // The canonical text of a value with is_text(); valid until `clear` or destruction.
  [[nodiscard]] std::string_view text(Value value) const { return table_.view(value.id()); }

  [[nodiscard]] std::size_t size() const { return table_.size(); }
  void clear() { table_.clear(); }  // keeps the capacity

 private:
  InternTable table_;
  std::string scratch_;
};

// Appends `characters` as an EDN string literal, quoted and escaped: the canonical form.
void append_edn_string(std::string& out, std::string_view characters);

}  // namespace picklock
