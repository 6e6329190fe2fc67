// Owners by leases that are kept in data.

#include "scenarios/recording/data_leases.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/hash.hpp"
#include "scenarios/recording/records_lab.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// One change at a time: which hold writes what into which part, at what instant.
class Lab {
 public:
  explicit Lab(bool whole, DataLease form = {}) : leases_(form, milliseconds(100), whole) {}

  // `is`: the time that the part has then, in ms; -1: none.
  Lab& write(std::int64_t at_ms, HoldId by, std::int64_t is, const std::string& part = "x") {
    return change(at_ms, by, is, part, false);
  }
  Lab& force(std::int64_t at_ms, HoldId by) { return change(at_ms, by, -1, "x", true); }
  Lab& ahead(std::int64_t ms) {
    ahead_ms_ = ms;
    return *this;
  }
  std::string said() const {
    std::string text;
    for (const GrantEvent& e : changes_) {
      constexpr std::string_view kWords[] = {"begin",  "extend",        "end",          "released",
                                             "forced", "wrong-release", "wrong-renewal"};
      text +=
          (text.empty() ? "" : "; ") + std::string(kWords[static_cast<int>(e.change)]) + " " + std::to_string(e.hold);
      if (e.by != e.hold) text += " by " + std::to_string(e.by);
      if (e.until != kNoTime) text += " until " + std::to_string(e.until / kMs);
    }
    return text;
  }

 private:
  Lab& change(std::int64_t at_ms, HoldId by, std::int64_t is, const std::string& part, bool force) {
    const TraceKind kind = is < 0 ? trace::lease_gone : trace::lease_in_data;
    leases_.note({at_ms * kMs, kind, 1, by, hash_of(part), static_cast<std::uint64_t>(is * kMs)});
    Provenance from;
    from.hold = by;
    from.force = force;
    from.here = {at_ms * kMs};
    from.wall = {(at_ms + ahead_ms_) * kMs};
    leases_.apply(from, at_ms * kMs, changes_);
    return *this;
  }

  DataLeases leases_;
  std::int64_t ahead_ms_ = 0;
  std::vector<GrantEvent> changes_;
};

TEST(DataLeases, ALeaseLastsAsLongAsTheDataSay) {
  EXPECT_EQ(Lab(false).write(10, 1, 60).write(30, 1, 90).write(40, 1, -1).said(),
            "begin 1 until 60; extend 1 until 90; released 1");
  EXPECT_EQ(Lab(false, {.begins = true}).write(10, 1, 8).said(), "begin 1 until 108") << "one lease from its begin on";
}

TEST(DataLeases, WhoTakesOverAfterTheTimeDoesNoWrong) {
  EXPECT_EQ(Lab(false).write(10, 1, 60).write(60, 2, -1).said(), "begin 1 until 60; end 1 by 2");
  EXPECT_EQ(Lab(false).write(10, 1, 60).write(59, 2, -1).said(), "begin 1 until 60; wrong-release 1 by 2; end 1 by 2");
  EXPECT_EQ(Lab(true).write(10, 1, 60, "a").write(60, 2, 110, "b").said(),
            "begin 1 until 60; end 1 by 2; begin 2 until 110");
  EXPECT_EQ(Lab(true).write(10, 1, 60, "a").write(59, 2, 109, "b").said(),
            "begin 1 until 60; wrong-release 1 by 2; end 1 by 2; begin 2 until 109");
}

TEST(DataLeases, ATimeThatHasComeGivesTheLeaseBack) {
  EXPECT_EQ(Lab(true).write(10, 1, 60, "a").write(30, 1, 30, "a").said(), "begin 1 until 60; released 1");
  EXPECT_EQ(Lab(true).write(10, 1, 60, "a").write(30, 2, 30, "a").said(),
            "begin 1 until 60; wrong-release 1 by 2; end 1 by 2");
}

TEST(DataLeases, WhoWritesTheOwnersNameAndALaterTimeRenews) {
  EXPECT_EQ(Lab(true).write(10, 1, 60, "a").write(30, 2, 90, "a").said(),
            "begin 1 until 60; wrong-renewal 1 by 2 until 90; extend 1 by 2 until 90");
}

TEST(DataLeases, WhoseClockReadsTheDataDecides) {
  EXPECT_EQ(Lab(false).ahead(20).write(10, 1, 60).said(), "begin 1 until 40") << "30 ms are left by the writer's clock";
  EXPECT_EQ(Lab(false, {.by_server = true}).ahead(20).write(10, 1, 60).said(), "begin 1 until 60");
}

TEST(DataLeases, PartsAreHeldSideBySide) {
  EXPECT_EQ(Lab(false).write(10, 1, 60, "x").write(20, 2, 70, "y").write(30, 1, -1, "x").said(),
            "begin 1 until 60; begin 2 until 70; released 1");
}

TEST(DataLeases, ForceEndsAndSaysSo) {
  EXPECT_EQ(Lab(false).write(10, 1, 60).force(20, 9).said(), "begin 1 until 60; forced 1 by 9");
}

}  // namespace
}  // namespace picklock
