// Every public type prints itself: in GoogleTest, Catch2 and RapidCheck, and with `<<`.
//
//   EXPECT_EQ(found, expected);    // Outcome: yes(Hold{value="4711", token=none, deadline=none})
//   std::cout << finding << '\n';  // Finding{witness=Witness{…}, measure=12, …, property=mutual_exclusion, verdict=violated}
//
// The headers of this folder include it; a test file without them does so itself.  One operator<< serves all three, found
// beside the type: it takes the type's own words where it has some (to_text, print, to_string, text, fields), the name of an
// enumerator, and otherwise the names and values of the members (members.hpp).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/text.hpp"
#include "base/time.hpp"
#include "checker/value.hpp"
#include "faults/text.hpp"
#include "scenarios/file/scenario.hpp"
#include "scenarios/file/write.hpp"
#include "sim/task/fields.hpp"
#include "sim/task/outcome.hpp"
#include "testkit/check_lock.hpp"
#include "testkit/members.hpp"
#include "testkit/type_name.hpp"

namespace picklock {

struct EtcdCompare;
struct EtcdDelete;
struct EtcdPut;
struct EtcdRange;
struct EtcdTxn;
struct EtcdWatchCreate;
struct Hold;

template <class T>
void show(std::ostream& out, const T& value);

// The parts of all this; the names of enumerators are read from the compiler.
namespace printing {

// Structs that have constructors.
template <>
inline constexpr std::size_t kMemberCount<EtcdCompare> = 5;
template <>
inline constexpr std::size_t kMemberCount<EtcdDelete> = 2;
template <>
inline constexpr std::size_t kMemberCount<EtcdPut> = 4;
template <>
inline constexpr std::size_t kMemberCount<EtcdRange> = 12;
template <>
inline constexpr std::size_t kMemberCount<EtcdTxn> = 3;
template <>
inline constexpr std::size_t kMemberCount<EtcdWatchCreate> = 8;
template <>
inline constexpr std::size_t kMemberCount<Hold> = 3;

template <auto kValue>
constexpr std::string_view signature_of_value() {
  return __PRETTY_FUNCTION__;
}

// Empty: no enumerator has this value, and a cast stands there.
template <auto kValue>
constexpr std::string_view enumerator() {
  const std::string_view full = argument_in(signature_of_value<kValue>(), "kValue = ");
  const std::size_t colon = full.find_last_of(':');
  return full.starts_with('(') || colon == full.npos ? std::string_view() : full.substr(colon + 1);
}

inline constexpr std::size_t kMostEnumerators = 128;
template <class E, std::size_t... kValues>
constexpr auto names_of(std::index_sequence<kValues...>) {
  return std::array<std::string_view, sizeof...(kValues)>{enumerator<static_cast<E>(kValues)>()...};
}
template <class E>
inline constexpr auto kEnumerators = names_of<E>(std::make_index_sequence<kMostEnumerators>());

template <class T>
concept ScopedEnum = std::is_enum_v<T> && !std::is_convertible_v<T, long long>;
template <class T>
concept HasText = requires(const T& v) {
  std::string_view(to_text(v));
};
template <class T>
concept HasPrint = requires(const T& v) {
  std::string_view(print(v));
};
template <class T>
concept HasToString = requires(const T& v) {
  std::string_view(v.to_string());
};
template <class T>
concept HasOwnText = requires(const T& v) {
  std::string_view(v.text());
};
template <class T>
concept HasView = requires(const T& v) {
  std::string_view(v.view());
};
template <class T>
concept HasFields = std::copy_constructible<T> && requires(T& v, FieldVisitor& visitor) {
  v.fields(visitor);
};
template <class T>
concept Range = requires(const T& v) {
  v.begin() != v.end();
};
template <class T>
concept Pointer = requires(const T& v) {
  *v;
  v == nullptr;
}
&&!std::is_function_v<std::remove_pointer_t<T>>;
template <class T>
concept Streamed = !std::is_function_v<std::remove_pointer_t<T>> && requires(std::ostream & out, const T& v) {
  out << v;
};

template <class T>
inline constexpr bool kIsOutcome = false;
template <class T>
inline constexpr bool kIsOutcome<Outcome<T>> = true;
template <class T>
inline constexpr bool kIsInstant = false;
template <class T>
inline constexpr bool kIsInstant<Instant<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsVariant = false;
template <class... T>
inline constexpr bool kIsVariant<std::variant<T...>> = true;
template <class T>
inline constexpr bool kIsPair = false;
template <class A, class B>
inline constexpr bool kIsPair<std::pair<A, B>> = true;

template <class T>
inline constexpr bool kIsOfPicklock = (std::is_class_v<T> || std::is_enum_v<T>)&&kFullName<T>.starts_with("picklock::");
template <class T>
concept HasNamedMembers = kIsOfPicklock<T> && HasMembers<T>;

// A type of picklock, and with words, names or members that can be shown.
template <class T>
concept Shown = kIsOfPicklock<T> &&
    (ScopedEnum<T> || std::is_same_v<T, Value> || kIsOutcome<T> || kIsInstant<T> || HasText<T> || HasPrint<T> ||
     HasToString<T> || HasOwnText<T> || HasView<T> || HasFields<T> || HasMembers<T>);

template <class T>
void show_outcome(std::ostream& out, const Outcome<T>& outcome) {
  constexpr std::string_view kWhy[] = {"none", "refused", "error", "not connected", "timed out", "disconnected"};
  const std::string_view why = kWhy[static_cast<std::size_t>(outcome.why())];
  if (outcome.yes()) {
    out << "yes";
    if constexpr (!std::is_same_v<T, Nothing>) show(out << '(', outcome.value()), out << ')';
  } else {
    out << (outcome.unknown() ? "unknown: " : outcome.refused() ? "no: " : "no answer yet: ") << why;
    if (!outcome.error().empty()) out << " (" << outcome.error() << ')';
  }
}

// A text is a number here: the history has the table.
inline void show_value(std::ostream& out, Value value) {
  if (value.is_integer()) {
    out << value.number();
  } else if (value.is_text()) {
    out << "text " << value.id();
  } else {
    out << "nil";
  }
}

template <class E>
void show_enumerator(std::ostream& out, E value) {
  const auto number = static_cast<std::underlying_type_t<E>>(value);
  const bool named = number >= 0 && static_cast<std::size_t>(number) < kMostEnumerators &&
                     !kEnumerators<E>[static_cast<std::size_t>(number)].empty();
  if (named) {
    out << kEnumerators<E>[static_cast<std::size_t>(number)];
  } else {
    out << kName<E> << '(' << +number << ')';
  }
}

template <class T>
void show_range(std::ostream& out, const T& range) {
  constexpr std::size_t kMost = 32;
  std::size_t shown = 0;
  out << '[';
  for (auto i = range.begin(); i != range.end(); ++i) {
    if (shown > 0) out << ", ";
    if (++shown > kMost) {
      out << "…";
      break;
    }
    const auto& element = *i;
    show(out, element);
  }
  out << ']';
}

template <class T>
void show_members(std::ostream& out, const T& value) {
  bool first = true;
  out << kName<T> << '{';
  for_each_member(value, [&](std::string_view name, const auto& member) {
    out << (std::exchange(first, false) ? "" : ", ") << name << '=';
    show(out, member);
  });
  out << '}';
}

}  // namespace printing

// Shows any value, also those of std that picklock's types are made of.  What has no words is "…".
template <class T>
void show(std::ostream& out, const T& value) {
  using namespace printing;
  if constexpr (std::is_same_v<T, bool>) {
    out << (value ? "true" : "false");
  } else if constexpr (std::is_arithmetic_v<T>) {
    out << +value;
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    if constexpr (std::is_pointer_v<T>) {
      if (value == nullptr) return void(out << "null");
    }
    out << '"' << std::string_view(value) << '"';
  } else if constexpr (std::is_same_v<T, Scenario>) {
    out << '\n' << write_scenario(value);  // written as its file
  } else if constexpr (kIsOutcome<T>) {
    show_outcome(out, value);
  } else if constexpr (kIsInstant<T>) {
    out << to_text(Duration{value.ns});
  } else if constexpr (HasText<T>) {
    out << to_text(value);
  } else if constexpr (HasPrint<T>) {
    out << print(value);
  } else if constexpr (HasToString<T>) {
    out << value.to_string();
  } else if constexpr (HasOwnText<T>) {
    out << value.text();
  } else if constexpr (HasView<T>) {
    out << '"' << std::string_view(value.view()) << '"';
  } else if constexpr (std::is_same_v<T, Value>) {
    show_value(out, value);
  } else if constexpr (std::is_same_v<T, FieldChoice>) {
    out << value.name();
  } else if constexpr (ScopedEnum<T>) {
    show_enumerator(out, value);
  } else if constexpr (HasFields<T>) {
    T copy = value;
    bool first = true;
    out << kName<T> << '{';
    visit_fields(copy, [&](const FieldInfo& f, auto& v) {
      out << (std::exchange(first, false) ? "" : ", ") << f.name << '=';
      show(out, v);
    });
    out << '}';
  } else if constexpr (HasNamedMembers<T>) {
    show_members(out, value);
  } else if constexpr (kIsOptional<T>) {
    if (!value) return void(out << "none");
    show(out, *value);
  } else if constexpr (kIsVariant<T>) {
    std::visit([&](const auto& held) { show(out, held); }, value);
  } else if constexpr (kIsPair<T>) {
    show(out << '(', value.first);
    show(out << ", ", value.second);
    out << ')';
  } else if constexpr (Range<T>) {
    show_range(out, value);
  } else if constexpr (Pointer<T>) {
    if (value == nullptr) return void(out << "null");
    out << "…";
  } else if constexpr (Streamed<T>) {
    out << value;
  } else {
    out << "…";
  }
}

template <class T>
requires printing::Shown<T> std::ostream& operator<<(std::ostream& out, const T& value) {
  show(out, value);
  return out;
}

}  // namespace picklock
