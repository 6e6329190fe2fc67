#include "checker/graph/holds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "checker/io/history_reader.hpp"

namespace picklock {
namespace {

// "a ok acquire 0, …": events of processes, one after the other.
std::string drawn(std::string_view events, HoldEnds ends = HoldEnds::when_released) {
  std::string text;
  for (std::size_t at = 0; at < events.size();) {
    const std::size_t end = std::min(events.find(',', at), events.size());
    const std::string one(events.substr(at, end - at));
    const std::size_t first = one.find(' '), last = one.rfind(' ');
    text += "{:type :" + one.substr(0, first) + " :f :" + one.substr(first + 1, last - first - 1) + " :process " +
            one.substr(last + 1) + "}\n";
    at = end + 1;
  }
  std::string out;
  for (const WitnessHold& h : holds_in(read_history_text(text), ends)) {
    out += std::to_string(h.acquired.process) + ":" + std::to_string(h.acquired.index) + "-";
    out += (h.release ? std::to_string(h.release->index) : "") + " ";
  }
  return out;
}

TEST(Holds, LastUntilAReleaseThatDidNotFail) {
  EXPECT_EQ(drawn("invoke acquire 0,ok acquire 0,invoke release 0,fail release 0,invoke release 0,"
                  "info release 0"),
            "0:1-4 ");
  EXPECT_EQ(drawn("invoke acquire 0,fail acquire 0,invoke acquire 1,ok acquire 1"), "1:3- ");
}

TEST(Holds, OfOneOwnerTheNewestEndsFirst) {
  EXPECT_EQ(drawn("invoke acquire 0,ok acquire 0,invoke acquire 0,ok acquire 0,invoke release 0,"
                  "ok release 0,invoke release 0,ok release 0"),
            "0:1-6 0:3-4 ");
}

TEST(Holds, OfReadersAndWritersEndByTheirMode) {
  EXPECT_EQ(drawn("invoke acquire-read 0,ok acquire-read 0,invoke acquire-read 1,ok acquire-read 1,"
                  "invoke release-write 0,fail release-write 0,invoke release-read 1,"
                  "ok release-read 1,invoke release 0,ok release 0"),
            "0:1-8 1:3-6 ");
}

TEST(Holds, WithoutOwnersEndByAnybody) {
  const char* const events =
      "invoke acquire 0,ok acquire 0,invoke acquire 1,ok acquire 1,invoke release 0,ok release 0,"
      "invoke release 2,ok release 2";
  EXPECT_EQ(drawn(events, HoldEnds::when_anyone_releases), "0:1-4 1:3-6 ");
  EXPECT_EQ(drawn(events), "0:1-4 1:3- ");
}

TEST(Holds, OfALeaseLastAsLongAsIsProved) {
  const char* const events =
      "invoke acquire 0,ok acquire 0,invoke refresh 0,ok refresh 0,invoke acquire 1,ok acquire 1,"
      "invoke release 0,fail release 0,invoke acquire 1,ok acquire 1,invoke expire 1,ok expire 1";
  EXPECT_EQ(drawn(events, HoldEnds::when_last_proved), "0:1-2 1:9-10 ");
  EXPECT_EQ(drawn(events), "0:1- 1:5- 1:9-10 ") << "by releases alone";
}

}  // namespace
}  // namespace picklock
