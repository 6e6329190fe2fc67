// The names of an enumeration's values, in one line beside it:
//
//   enum class Thaw : std::uint8_t { lags, catches_up };
//   constexpr auto enum_names(Thaw) { return name_list("lags", "catches-up"); }
//
// Scenario files, messages and generators write and read the values by these names.  The enumerators count from 0
// without gaps, and the names stand in their order.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

namespace picklock {

template <class... Names>
constexpr std::array<std::string_view, sizeof...(Names)> name_list(const Names&... names) {
  return {std::string_view(names)...};
}

template <class E>
inline constexpr auto kEnumNameList = enum_names(E{});  // found beside the enumeration

template <class E>
inline constexpr std::span<const std::string_view> kEnumNames = kEnumNameList<E>;

template <class E>
requires std::is_enum_v<E>
constexpr std::string_view enum_name(E value) { return kEnumNames<E>[static_cast<std::size_t>(value)]; }

}  // namespace picklock
