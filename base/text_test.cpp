#include "base/text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace picklock {
namespace {

TEST(DurationText, IsRead) {
  EXPECT_EQ(parse_duration("250ms"), milliseconds(250));
  EXPECT_EQ(parse_duration("1.5s"), milliseconds(1500));
  EXPECT_EQ(parse_duration("-3us"), microseconds(-3));
  EXPECT_EQ(parse_duration("2min"), seconds(120));
  EXPECT_EQ(parse_duration("1h"), seconds(3600));
  EXPECT_EQ(parse_duration("7ns"), nanoseconds(7));
  EXPECT_EQ(parse_duration(" 40 ms "), milliseconds(40));
  EXPECT_EQ(parse_duration("0.000000001s"), nanoseconds(1));
  EXPECT_EQ(parse_duration("0.5min"), seconds(30));
  EXPECT_EQ(parse_duration("0"), Duration{}) << "zero needs no unit";
}

TEST(DurationText, MalformedIsRefused) {
  for (const char* text : {"",
                           " ",
                           "-",
                           "5",
                           "ms",
                           "5 m s",
                           "5msec",
                           "5MS",
                           "1e3ms",
                           "--5ms",
                           "- 5ms",
                           "+5ms",
                           "5.ms",
                           ".5ms",
                           "5..6",
                           "1.2.3s",
                           "0.5ns",
                           "0.0000000001s",
                           "0x5ms",
                           "5ms5",
                           "1s 500ms",
                           "nan",
                           "inf",
                           "99999999999999999999s",
                           "9999999999h",
                           "5ms\n",
                           "５ms"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << '"' << text << '"';
  }
}

TEST(DurationText, NothingBeyondForeverIsRead) {
  EXPECT_EQ(parse_duration(to_text(kForever)), kForever);
  EXPECT_EQ(parse_duration(to_text(-kForever)), -kForever);
  EXPECT_EQ(parse_duration(to_text(kForever + nanoseconds(1))), std::nullopt);
}

TEST(DurationText, IsWrittenShort) {
  EXPECT_EQ(to_text(Duration{}), "0s");
  EXPECT_EQ(to_text(milliseconds(250)), "250ms");
  EXPECT_EQ(to_text(milliseconds(1500)), "1.5s");
  EXPECT_EQ(to_text(microseconds(1250)), "1.25ms");
  EXPECT_EQ(to_text(microseconds(-3)), "-3us");
  EXPECT_EQ(to_text(seconds(90)), "90s");
  EXPECT_EQ(to_text(seconds(120)), "2min");
  EXPECT_EQ(to_text(seconds(7200)), "2h");
}

// Counts of every size, round ones among them.
rc::Gen<Duration> any_duration() {
  using rc::gen::inRange;
  return rc::gen::map(rc::gen::tuple(inRange<std::int64_t>(-kForever.ns, kForever.ns), inRange(0, 16)),
                      [](const auto& t) {
                        std::int64_t unit = 1;
                        for (int i = 0; i < std::get<1>(t); ++i) unit *= 10;
                        return Duration{std::get<0>(t) / unit * (std::get<1>(t) % 2 == 0 ? unit : 1)};
                      });
}

RC_GTEST_PROP(DurationTextProperty, WhatIsWrittenIsReadBack, ()) {
  const Duration d = *any_duration();
  RC_ASSERT(parse_duration(to_text(d)) == std::optional(d));
}

RC_GTEST_PROP(DurationTextProperty, NoTextIsReadAsWhatItIsNot, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0159.-msuhni: ")));
  if (const auto d = parse_duration(text)) RC_ASSERT(parse_duration(to_text(*d)) == d);
}

TEST(LawText, IsRead) {
  EXPECT_EQ(parse_duration_law("30ms"), Law::constant(milliseconds(30)));
  EXPECT_EQ(parse_duration_law("5ms..10ms"), Law::uniform(milliseconds(5), milliseconds(10)));
  EXPECT_EQ(parse_duration_law("-5ms .. 1.5s"), Law::uniform(milliseconds(-5), milliseconds(1500)));
  EXPECT_EQ(parse_duration_law("exp(10ms, cap 1s)"), Law::exponential(milliseconds(10).ns, seconds(1).ns));
  EXPECT_EQ(parse_duration_law("pareto(1ms, 1.5, cap 90s)"),
            Law::heavy_tailed(milliseconds(1).ns, 1500, seconds(90).ns));
  EXPECT_EQ(parse_duration_law("1ms:99 | 90s:1"), Law::table({{milliseconds(1).ns, 99}, {seconds(90).ns, 1}}));
  EXPECT_EQ(parse_duration_law("1ms:1"), Law::table({{milliseconds(1).ns, 1}}));
}

TEST(LawText, MalformedIsRefused) {
  for (const char* text : {"",
                           "5",
                           "ms",
                           "10ms..5ms",
                           "5ms..",
                           "..5ms",
                           "5ms...10ms",
                           "1ms..2ms..3ms",
                           "exp",
                           "exp()",
                           "exp(10ms)",
                           "exp(10ms, 1s)",
                           "exp(10ms, cap)",
                           "exp(10ms, cap 1s",
                           "exp(-10ms, cap 1s)",
                           "exp(10ms, cap -1s)",
                           "exp(10ms, cap 1s, cap 2s)",
                           "exp(10ms, cap 1s) ..",
                           "exponential(1ms, cap 1s)",
                           "pareto(1ms, 1.5)",
                           "pareto(1ms, cap 1s)",
                           "pareto(1ms, 0.05, cap 1s)",
                           "pareto(1ms, 11, cap 1s)",
                           "pareto(1ms, 1.2345, cap 1s)",
                           "pareto(2s, 1.5, cap 1s)",
                           "pareto(1ms, 1.5, cap 1s, 4)",
                           "pareto(-1ms, 1.5, cap 1s)",
                           "1ms:",
                           ":1",
                           "1ms:0",
                           "1ms:0 | 2ms:0",
                           "1ms:1 |",
                           "| 1ms:1",
                           "1ms:-1",
                           "1ms:1.5",
                           "1ms:99999999999",
                           "1ms:1 | 2ms",
                           "1ms | 2ms",
                           "uniform(1ms, 2ms)"}) {
    EXPECT_EQ(parse_duration_law(text), std::nullopt) << '"' << text << '"';
  }
}

rc::Gen<Law> any_duration_law() {
  using rc::gen::inRange;
  const auto length = [] {  // non-negative, of every size
    return rc::gen::map(any_duration(), [](Duration d) { return d.ns < 0 ? -d.ns : d.ns; });
  };
  return rc::gen::oneOf(
      rc::gen::map(any_duration(), [](Duration d) { return Law::constant(d); }),
      rc::gen::map(
          rc::gen::pair(any_duration(), any_duration()),
          [](const auto& p) { return Law::uniform(std::min(p.first, p.second), std::max(p.first, p.second)); }),
      rc::gen::map(rc::gen::pair(length(), length()),
                   [](const auto& p) { return Law::exponential(p.first, p.second); }),
      rc::gen::map(rc::gen::tuple(length(), inRange(100, 10'001), length()),
                   [](const auto& t) {
                     const auto [a, alpha, b] = t;
                     return Law::heavy_tailed(std::min(a, b), alpha, std::max(a, b));
                   }),
      rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<Duration, std::uint32_t>>>(
                       rc::gen::pair(any_duration(), rc::gen::arbitrary<std::uint32_t>()))),
                   [](const auto& pairs) {
                     std::vector<Law::Choice> choices;
                     for (const auto& [d, weight] : pairs) choices.push_back({d.ns, weight});
                     choices.front().weight |= 1;
                     return Law::table(std::move(choices));
                   }));
}

RC_GTEST_PROP(LawTextProperty, WhatIsWrittenIsReadBack, ()) {
  const Law law = *any_duration_law();
  const auto back = parse_duration_law(to_text(law));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == law);
}

RC_GTEST_PROP(LawTextProperty, NoTextBreaksTheReader, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::elementOf(std::vector<std::string>{"exp", "pareto", "(", ")", ",", "cap ", "1ms", "2s", "-3us", "..",
                                                  ":", "|", "7", "1.5", " ", "0", "999999999999"}));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  if (const auto law = parse_duration_law(text)) {
    RC_ASSERT(parse_duration_law(to_text(*law)) == law);
  }
}

TEST(DurationText, AnAbsurdlyLongOneIsADurationThatIsTooLong) {
  for (const char* const text : {"1000000h", "99999999999999999999h", "-400000h", "400000.5h", "1152921504606846976ns",
                                 "00000000000000000000000000000400000h", " 9223372036854775807s "}) {
    EXPECT_FALSE(parse_duration(text)) << text;
    EXPECT_TRUE(is_too_long_a_duration(text)) << text;
  }
  for (const char* const text : {"320000h", "1152921504606846975ns", "", "h", "1000000", "1000000.h", "1000000parsecs",
                                 "1.0000000001ms", "0000000000000000000000000000001h", "none", "1000000h..2000000h"}) {
    EXPECT_FALSE(is_too_long_a_duration(text)) << text;
  }
}

TEST(ReadableDuration, HasTheUnitThatFits) {
  EXPECT_EQ(to_readable(Duration{}), "0 ms");
  EXPECT_EQ(to_readable(nanoseconds(999)), "999 ns");
  EXPECT_EQ(to_readable(nanoseconds(-1'500)), "-1.5 us");
  EXPECT_EQ(to_readable(microseconds(57'300)), "57.3 ms");
  EXPECT_EQ(to_readable(milliseconds(9'999)), "9999 ms");
  EXPECT_EQ(to_readable(milliseconds(10'250)), "10.25 s");
}

}  // namespace
}  // namespace picklock
