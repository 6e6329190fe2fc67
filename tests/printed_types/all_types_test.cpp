// Every struct and enumeration of the installed headers prints itself.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <type_traits>

#define INCLUDES
#include "tests/printed_types/types.inc"
#undef INCLUDES
#include "testkit/print.hpp"

namespace picklock {
namespace all_types_test {

template <class T>
void expect_readable(const T& value, const std::string& name) {
  const std::string text = ::testing::PrintToString(value);
  EXPECT_EQ(text.find("byte object"), text.npos) << name << ": " << text;
  EXPECT_EQ(rc::toString(value), text);
}

template <class T>
int print_one(const std::string& name) {
  static_assert(printing::Shown<T>);
  if constexpr (std::is_default_constructible_v<T> && std::is_copy_constructible_v<T>) {
    expect_readable(T{}, name);
    return 1;
  }
  return 0;
}

TEST(AllTypes, PrintThemselves) {
  int structs = 0, enums = 0;
#define TYPE(T) structs += print_one<T>(#T);
#define ENUM(T) enums += print_one<T>(#T);
#include "tests/printed_types/types.inc"
#undef TYPE
#undef ENUM
  EXPECT_GT(structs, 100);
  EXPECT_GT(enums, 50);
}

// An enumerator has its name; a value that has none, its number.
template <class E>
void expect_names(const std::string& name) {
  EXPECT_EQ(::testing::PrintToString(static_cast<E>(127)), name + "(127)");
  const std::string first = ::testing::PrintToString(static_cast<E>(0)),
                    second = ::testing::PrintToString(static_cast<E>(1));
  EXPECT_TRUE(first.find('(') == first.npos || second.find('(') == second.npos) << name << ": " << first;
}

TEST(AllTypes, EnumeratorsHaveNames) {
#define TYPE(T)
#define ENUM(T) expect_names<T>(#T);
#include "tests/printed_types/types.inc"
#undef TYPE
#undef ENUM
}

}  // namespace all_types_test
}  // namespace picklock
