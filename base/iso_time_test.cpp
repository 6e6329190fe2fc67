#include "base/iso_time.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace {

constexpr std::int64_t kMayDay = 1'714'564'800'000'000'000;  // 2024-05-01T12:00:00Z, by `date -u +%s`

TEST(IsoTime, IsReadInEverySpelling) {
  EXPECT_EQ(iso_time("2024-05-01T12:00:00Z"), kMayDay);
  EXPECT_EQ(iso_time("2024-05-01t12:00:00z"), kMayDay);
  EXPECT_EQ(iso_time("2024-05-01 12:00:00"), kMayDay);
  EXPECT_EQ(iso_time("2024-05-01T12:00"), kMayDay);
  EXPECT_EQ(iso_time("20240501T120000Z"), kMayDay);
  EXPECT_EQ(iso_time("2024-05-01T14:00:00+02:00"), kMayDay);
  EXPECT_EQ(iso_time("2024-05-01T14:00:00+0200"), kMayDay);
  EXPECT_EQ(iso_time("2024-05-01T06:30:00-05:30"), kMayDay);
  EXPECT_EQ(iso_time("2024-05-01T04:00-08"), kMayDay);
  EXPECT_EQ(iso_time("2024-05-01T12:00:00.123456789Z"), kMayDay + 123'456'789);
  EXPECT_EQ(iso_time("2024-05-01T12:00:00,5"), kMayDay + 500'000'000);
  EXPECT_EQ(iso_time("2024-05-01T12:00:00.1234567899Z"), kMayDay + 123'456'789) << "cut off";
  EXPECT_EQ(iso_time("2024-05-01T11:59:60Z"), kMayDay) << "a leap second";
  EXPECT_EQ(iso_time("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(iso_time("1969-12-31T23:59:59.5Z"), -500'000'000);
  EXPECT_EQ(iso_time("2024-02-29T00:00:00Z"), 1'709'164'800'000'000'000);
}

TEST(IsoTime, IsNothingElse) {
  for (const char* text : {"",
                           "2024",
                           "2024-05-01",
                           "2024-05-01T",
                           "2024-05-01T12",
                           "2024-05-01T12:0",
                           "2024-05-01T12:00:",
                           "12:00:00",
                           "2024-05-01T12:00:00.",
                           "2024-05-01T12:00:00 Z",
                           "2024-05-01T12:00:00+",
                           "2024-05-01T12:00:00+2",
                           "2024-05-01T12:00:00+02:0",
                           "2024-05-01T12:00:00Zx",
                           "2024-13-01T12:00:00Z",
                           "2023-02-29T12:00:00Z",
                           "2024-05-01T24:00:00Z",
                           "2024-05-01T12:60:00Z",
                           "2024-05-01T12:00:61Z",
                           "2024-0501T12:00:00Z",
                           "1677-12-31T00:00:00Z",
                           "2262-01-01T00:00:00Z",
                           "2024-05-01T12:00:00+24:00",
                           "+2024-05-01T12:00:00Z"}) {
    EXPECT_FALSE(iso_time(text)) << text;
  }
}

TEST(IsoTime, IsWrittenAsItIsRead) {
  EXPECT_EQ(iso_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso_text(1'714'564'800'120'000'000), "2024-05-01T12:00:00.12Z");
  EXPECT_EQ(iso_text(-1), "1969-12-31T23:59:59.999999999Z");
  for (const std::int64_t time : {std::int64_t{-9'000'000'000'000'000'001}, std::int64_t{-86'400'000'000'000},
                                  std::int64_t{951'782'400'000'000'000}, std::int64_t{9'000'000'000'000'000'009}}) {
    EXPECT_EQ(iso_time(iso_text(time)), time) << iso_text(time);
  }
}

}  // namespace
}  // namespace picklock
