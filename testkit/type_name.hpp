// Names of types, read from the compiler.
#pragma once

#include <cstddef>
#include <string_view>

namespace picklock {
namespace printing {

template <class T>
constexpr std::string_view signature() {
  return __PRETTY_FUNCTION__;
}

// Between the last "= " of the signature's argument and its end.
constexpr std::string_view argument_in(std::string_view signature, std::string_view name) {
  const std::size_t begin = signature.find(name) + name.size();
  return signature.substr(begin, signature.find_first_of(";]", begin) - begin);
}

// "picklock::Finding"
template <class T>
inline constexpr std::string_view kFullName = argument_in(signature<T>(), "T = ");
template <class T>
inline constexpr std::string_view kName = kFullName<T>.substr(kFullName<T>.find_last_of(':') + 1);

}  // namespace printing
}  // namespace picklock
