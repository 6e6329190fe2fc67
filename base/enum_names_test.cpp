#include "base/enum_names.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace elsewhere {

enum class Colour : std::uint8_t { red, dark_blue };
constexpr auto enum_names(Colour) { return picklock::name_list("red", "dark-blue"); }

struct Lamp {
  enum class State : std::uint8_t { off, on };
};
constexpr auto enum_names(Lamp::State) { return picklock::name_list("off", "on"); }

}  // namespace elsewhere

namespace picklock {
namespace {

TEST(EnumNames, AreFoundBesideTheEnumeration) {
  EXPECT_EQ(kEnumNames<elsewhere::Colour>.size(), 2u);
  EXPECT_EQ(enum_name(elsewhere::Colour::red), "red");
  EXPECT_EQ(enum_name(elsewhere::Colour::dark_blue), "dark-blue");
  EXPECT_EQ(enum_name(elsewhere::Lamp::State::on), "on");
}

TEST(EnumNames, AreKnownToTheCompiler) {
  static_assert(enum_name(elsewhere::Colour::dark_blue) == "dark-blue");
  static_assert(kEnumNames<elsewhere::Lamp::State>.front() == "off");
}

}  // namespace
}  // namespace picklock
