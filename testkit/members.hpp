// The members of a struct with their names, read from the compiler: for testkit/print.hpp.
//
// Number: as many as a braced list can have values of any type. Places: a structured binding says them.
// Names: g++ and clang write the name of a member into the signature of a function whose argument is its address.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "testkit/type_name.hpp"

namespace picklock {
namespace printing {

inline constexpr std::size_t kMostMembers = 32;

struct AnyValue {
  template <class T>
  operator T() const {
    __builtin_unreachable();  // never called
  }
};
template <class T>
struct AnyBaseOf {
  template <class Base>
  requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>) operator Base() const;
};

template <class T, std::size_t... kIndices>
constexpr bool takes_values(std::index_sequence<kIndices...>) {
  return requires { T{(static_cast<void>(kIndices), AnyValue())...}; };
}
// The numbers of values that fit lie side by side; the largest is sought from below. One more than kMostMembers: too many.
template <class T, std::size_t kCount = 0, bool kFits = false>
constexpr std::size_t count_members() {
  if constexpr (kCount > kMostMembers) {
    return kCount;
  } else if constexpr (takes_values<T>(std::make_index_sequence<kCount>())) {
    return count_members<T, kCount + 1, true>();
  } else if constexpr (kFits) {
    return kCount - 1;
  } else {
    return count_members<T, kCount + 1>();
  }
}

// A struct with constructors takes no braced list: a specialization says how many members it has, all of them public.
template <class T>
inline constexpr std::size_t kMemberCount = 0;
template <class T>
requires(std::is_aggregate_v<T>&& std::is_class_v<T> &&
         !requires { T{AnyBaseOf<T>()}; }) inline constexpr std::size_t kMemberCount<T> = count_members<T>();

// References to all members, in their order.
template <class T>
constexpr auto members(const T& value) {
  // clang-format off
#define PICKLOCK_TIE(count, ...)            \
  if constexpr (kMemberCount<T> == count) { \
    const auto& [__VA_ARGS__] = value;      \
    return std::tie(__VA_ARGS__);           \
  }
  PICKLOCK_TIE(1, a)
  PICKLOCK_TIE(2, a, b)
  PICKLOCK_TIE(3, a, b, c)
  PICKLOCK_TIE(4, a, b, c, d)
  PICKLOCK_TIE(5, a, b, c, d, e)
  PICKLOCK_TIE(6, a, b, c, d, e, f)
  PICKLOCK_TIE(7, a, b, c, d, e, f, g)
  PICKLOCK_TIE(8, a, b, c, d, e, f, g, h)
  PICKLOCK_TIE(9, a, b, c, d, e, f, g, h, i)
  PICKLOCK_TIE(10, a, b, c, d, e, f, g, h, i, j)
  PICKLOCK_TIE(11, a, b, c, d, e, f, g, h, i, j, k)
  PICKLOCK_TIE(12, a, b, c, d, e, f, g, h, i, j, k, l)
  PICKLOCK_TIE(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  PICKLOCK_TIE(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
  PICKLOCK_TIE(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
  PICKLOCK_TIE(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
  PICKLOCK_TIE(17, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
  PICKLOCK_TIE(18, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
  PICKLOCK_TIE(19, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s)
  PICKLOCK_TIE(20, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)
  PICKLOCK_TIE(21, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u)
  PICKLOCK_TIE(22, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v)
  PICKLOCK_TIE(23, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w)
  PICKLOCK_TIE(24, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x)
  PICKLOCK_TIE(25, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y)
  PICKLOCK_TIE(26, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z)
  PICKLOCK_TIE(27, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A)
  PICKLOCK_TIE(28, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B)
  PICKLOCK_TIE(29, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C)
  PICKLOCK_TIE(30, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D)
  PICKLOCK_TIE(31, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E)
  PICKLOCK_TIE(32, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F)
#undef PICKLOCK_TIE
  // clang-format on
}

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif

// An object that nothing defines: only the addresses of its members are named.
template <class T>
struct Nowhere {
  const T value;
};
template <class T>
extern const Nowhere<T> kNowhere;

template <class Member>
struct AddressOf {
  const Member* address;
};
template <auto kAddress>
constexpr std::string_view signature_of_member() {
  return __PRETTY_FUNCTION__;
}

// "… {(& kNowhere<Hold>.Nowhere<Hold>::value.Hold::token)} …" of g++, "… {&kNowhere.value.token} …" of clang
template <class T, std::size_t kIndex>
constexpr std::string_view name_of_member() {
  using Member = std::remove_cvref_t<std::tuple_element_t<kIndex, decltype(members(std::declval<const T&>()))>>;
  constexpr std::string_view kSignature =
      signature_of_member<AddressOf<Member>{&std::get<kIndex>(members(kNowhere<T>.value))}>();
  constexpr std::string_view kWord = kSignature.substr(0, kSignature.find_last_of('}'));
  constexpr std::string_view kName = kWord.substr(0, kWord.find_last_not_of(')') + 1);
  return kName.substr(kName.find_last_of(":.") + 1);
}

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

template <class T>
concept HasMembers = std::is_empty_v<T> ||(kMemberCount<T> > 0 && kMemberCount<T> <= kMostMembers);

// Calls see(name, member) for each member.
template <class T>
void for_each_member(const T& value, auto&& see) {
  if constexpr (!std::is_empty_v<T>) {
    const auto all = members(value);
    [&]<std::size_t... kIndices>(std::index_sequence<kIndices...>) {
      (see(name_of_member<T, kIndices>(), std::get<kIndices>(all)), ...);
    }
    (std::make_index_sequence<kMemberCount<T>>());
  }
}

}  // namespace printing
}  // namespace picklock
