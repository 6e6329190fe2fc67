#include "base/lease_text.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"

namespace picklock {
namespace {

TEST(LeaseText, ANumberAloneIsTheTime) {
  EXPECT_EQ(read_lease({}, "1250")->time_ns, 1'250'000'000) << "milliseconds, unless it says otherwise";
  EXPECT_EQ(read_lease({.unit = seconds(1)}, "17.5")->time_ns, 17'500'000'000);
  EXPECT_EQ(read_lease({.unit = nanoseconds(1)}, "17.9")->time_ns, 17) << "what is less than a nanosecond is dropped";
  EXPECT_EQ(read_lease({}, "-3")->time_ns, -3'000'000);
  for (const char* const text : {"", "soon", "1e3", ".", "12 ", "99999999999999999999"}) {
    EXPECT_FALSE(read_lease({}, text)) << text;
  }
}

TEST(LeaseText, ATimeOfDay) {
  const LeaseText form{.owner = "", .time = "renewed", .iso = true};
  EXPECT_EQ(read_lease(form, R"({"renewed": "1970-01-01T00:00:17.5Z"})")->time_ns, 17'500'000'000);
  EXPECT_EQ(read_lease(form, R"({"renewed": "1970-01-01T01:00:17.5+0100"})")->time_ns, 17'500'000'000);
  EXPECT_EQ(read_lease({.iso = true}, "1970-01-01T00:00:01Z")->time_ns, 1'000'000'000);
  EXPECT_FALSE(read_lease({.iso = true}, "1250")) << "a number is no time of day";
  EXPECT_FALSE(read_lease({}, "1970-01-01T00:00:01Z")) << "a time of day is no number";
}

TEST(LeaseText, AnObjectNamesOwnerAndTime) {
  const LeaseText form{"holder", "until", seconds(1)};
  const auto said = read_lease(form, R"({"note": {"until": 3, "x": ["}", "]"]}, "holder" : "a\"b" , "until":12.25 })");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->time_ns, 12'250'000'000);
  EXPECT_EQ(said->owner, hash_of("a\\\"b")) << "as it is written";
  EXPECT_EQ(read_lease(form, R"({"until": "7", "holder": "a"})")->time_ns, 7'000'000'000) << "a text may be a number";
  for (const char* const text : {"", "{}", "7", R"({"holder": "a"})", R"({"until": 7})",
                                 R"({"holder": "a", "until": null})", R"({"holder": "a", "until")", R"({"holder)"}) {
    EXPECT_FALSE(read_lease(form, text)) << text;
  }
}

}  // namespace
}  // namespace picklock
