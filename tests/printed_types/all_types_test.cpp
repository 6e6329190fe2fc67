// Every struct and enumeration of the installed headers prints itself.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

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

TEST(AllTypes, OfHuntsExplanationsAndEnvelopesToo) {
  Generality generality;
  generality.thresholds.push_back({{1, 32}, {31, 32}});
  EXPECT_NE(::testing::PrintToString(generality)
                .find("thresholds=[Sides{below=Share{hits=1, of=32}, above=Share{hits=31, of=32}}]"),
            std::string::npos)
      << ::testing::PrintToString(generality);
  HuntResult hunt;
  hunt.findings.emplace_back().file = "kept/a.toml";
  const std::string text = ::testing::PrintToString(hunt);
  EXPECT_NE(text.find("HuntResult{plans=0, "), std::string::npos) << text;
  EXPECT_NE(text.find("findings=[HuntFinding{cause=Cause{failure=Failure{property="), std::string::npos) << text;
  EXPECT_NE(text.find("file=\"kept/a.toml\""), std::string::npos) << text;
  EXPECT_EQ(::testing::PrintToString(Fit{}).find("byte object"), std::string::npos);
}

// Types of members that have no words, and print "…" but for what is left out here.
template <class T>
void collect_wordless(const std::string& where, std::set<std::string>& found) {
  using namespace printing;
  if constexpr (std::is_arithmetic_v<T> || std::is_convertible_v<const T&, std::string_view> ||
                std::is_same_v<T, Scenario> || ScopedEnum<T> || kIsOutcome<T> || kIsInstant<T> || HasText<T> ||
                HasPrint<T> || HasToString<T> || HasOwnText<T> || HasView<T> || std::is_same_v<T, Value> ||
                HasFields<T> || HasNamedFields<T>) {
    return;  // the members of such a type are looked at where it stands in the list
  } else if constexpr (kIsOptional<T>) {
    collect_wordless<typename T::value_type>(where, found);
  } else if constexpr (kIsVariant<T>) {
    [&]<class... A>(const std::variant<A...>*) {
      (collect_wordless<A>(where, found), ...);
    }(static_cast<const T*>(nullptr));
  } else if constexpr (kIsPair<T>) {
    collect_wordless<std::remove_const_t<typename T::first_type>>(where, found);
    collect_wordless<typename T::second_type>(where, found);
  } else if constexpr (Range<T>) {
    collect_wordless<std::remove_cvref_t<decltype(*std::declval<const T&>().begin())>>(where, found);
  } else if constexpr (!Pointer<T> && !Streamed<T> &&
                       std::is_aggregate_v<T>) {  // other classes keep theirs to themselves
    found.insert(where + ": " + std::string(kFullName<T>));
  }
}

template <class T>
void collect_wordless_members(const std::string& name, std::set<std::string>& found) {
  if constexpr (printing::HasNamedFields<T> && std::is_default_constructible_v<T>) {
    const T value{};
    FieldsOf<T>::each(value, [&](std::string_view member, const auto& of) {
      collect_wordless<std::remove_cvref_t<decltype(of)>>(name + "." + std::string(member), found);
    });
  }
}

TEST(AllTypes, MembersHaveWordsToo) {
  std::set<std::string> found;
#define TYPE(T) collect_wordless_members<T>(#T, found);
#define ENUM(T)
#include "tests/printed_types/types.inc"
#undef TYPE
#undef ENUM
  for (const std::string& member : found) ADD_FAILURE() << member;
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
