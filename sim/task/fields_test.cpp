#include "sim/task/fields.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace {

enum class Release : std::uint8_t { old, middle, newest };
constexpr auto enum_names(Release) { return name_list("old", "middle", "newest"); }

struct Settings {
  Release release = Release::newest;
  std::int64_t attempts = 4;
  bool waits = true;
  std::string name = "lock";

  static Settings of(Release release) {
    Settings s;
    s.release = release;
    if (release == Release::newest) return s;
    s.attempts = 3;
    s.waits = release == Release::middle;
    return s;
  }
  void fields(FieldVisitor& v) {
    const Release before = release;
    if (v.leading({.name = "release", .help = ""}, release)) {
      change_settings(*this, of(before), of(release), &Settings::attempts, &Settings::waits);
    }
    v.field({.name = "attempts", .help = ""}, attempts);
    v.field({.name = "waits", .help = ""}, waits);
    v.field({.name = "name", .help = ""}, name);
  }
  bool operator==(const Settings&) const = default;
};

Settings beside(const Settings& usual, const Settings& said) {
  return defaults_beside(AnyOptions::of(usual), AnyOptions::of(said)).as<Settings>();
}

TEST(LeadingChoice, ChangesTheDefaultsBesideIt) {
  Settings said = Settings::of(Release::old);
  said.name = "mine";
  Settings expected = Settings::of(Release::old);
  expected.release = Release::newest;  // what a file has to say
  EXPECT_EQ(beside(Settings(), said), expected);
}

TEST(LeadingChoice, ChangesNothingIfItIsTheUsualOne) {
  Settings said;
  said.attempts = 9;
  EXPECT_EQ(beside(Settings(), said), Settings());
}

TEST(LeadingChoice, MayHaveAnotherDefault) {
  const Settings old = Settings::of(Release::old);
  Settings expected;
  expected.release = Release::old;
  EXPECT_EQ(beside(old, Settings()), expected);
  EXPECT_EQ(beside(old, old), old);
}

TEST(LeadingChoice, LeavesASettingThatNoReleaseHas) {
  Settings usual;
  usual.attempts = 7;
  Settings expected = Settings::of(Release::middle);
  expected.release = Release::newest;
  expected.attempts = 7;
  EXPECT_EQ(beside(usual, Settings::of(Release::middle)), expected);
}

TEST(LeadingChoice, IsNotNeeded) {
  EXPECT_EQ(defaults_beside(AnyOptions::of(Settings()), AnyOptions()).as<Settings>(), Settings());
  EXPECT_FALSE(defaults_beside(AnyOptions(), AnyOptions()));
}

}  // namespace
}  // namespace picklock
