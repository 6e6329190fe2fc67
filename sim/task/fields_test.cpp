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
  expected.release = Release::newest;  // a file must say this
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

struct AllTypes {
  bool flag = true;
  std::int64_t number = -3;
  Duration time = milliseconds(5);
  std::optional<Duration> limit;
  Law law = Law::uniform(milliseconds(5), milliseconds(10));
  std::optional<Law> length = Law(milliseconds(7));
  std::string text = "a b";
  Release choice = Release::middle;
  std::vector<std::string> list = {"x", "y"};

  void fields(FieldVisitor& v) {
    v.field({.name = "flag", .help = ""}, flag);
    v.field({.name = "number", .help = ""}, number);
    v.field({.name = "time", .help = ""}, time);
    v.field({.name = "limit", .help = ""}, limit);
    v.field({.name = "law", .help = ""}, law);
    v.field({.name = "length", .help = ""}, length);
    v.field({.name = "text", .help = ""}, text);
    v.field({.name = "choice", .help = ""}, choice);
    v.field({.name = "list", .help = ""}, list);
  }
};

TEST(Fields, HaveTheTextsOfFiles) {
  AllTypes all;
  std::string texts;
  visit_fields(all, [&](const FieldInfo& f, auto& v) { texts += std::string(f.name) + "=" + field_text(&v) + ";"; });
  EXPECT_EQ(texts,
            "flag=true;number=-3;time=5ms;limit=none;law=5ms..10ms;length=7ms;text=a b;choice=middle;list=x, y;");
}

TEST(Fields, AreShownToFunctionsOfTheirType) {
  AllTypes all;
  int durations = 0;
  visit_fields(all, [&](const FieldInfo& f, Duration& v) {
    ++durations;
    EXPECT_EQ(f.name, "time");
    v = seconds(1);
  });
  EXPECT_EQ(durations, 1);
  EXPECT_EQ(all.time, seconds(1));
  visit_fields(all, [](const FieldInfo&, FieldChoice& choice) { choice.index = 2; });
  EXPECT_EQ(all.choice, Release::newest);
}

// A length is a duration to those who know no optional laws, while it does not vary, and a law otherwise; a list is a text.
TEST(Fields, ThatAFunctionDoesNotKnowAreShownAsSimplerOnes) {
  AllTypes all;
  std::vector<std::string> seen;
  const auto see_limits = [&](const FieldInfo& f, std::optional<Duration>& v) {
    seen.emplace_back(f.name);
    if (f.name == "length") v = milliseconds(9);
  };
  visit_fields(all, see_limits);
  EXPECT_EQ(seen, (std::vector<std::string>{"limit", "length"}));
  EXPECT_EQ(all.length, std::optional(Law(milliseconds(9))));
  all.length = Law::uniform(milliseconds(1), milliseconds(2));
  seen.clear();
  visit_fields(all, see_limits);
  EXPECT_EQ(seen, std::vector<std::string>{"limit"});
  visit_fields(all, [](const FieldInfo& f, std::string& v) {
    if (f.name == "list") v += ", z";
  });
  EXPECT_EQ(all.list, (std::vector<std::string>{"x", "y", "z"}));
}

}  // namespace
}  // namespace picklock
