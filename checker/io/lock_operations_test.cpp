#include "checker/io/lock_operations.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/io/history_reader.hpp"
#include "checker/io/history_writer.hpp"

namespace picklock {
namespace {

// A run in short: "10 0a?1" is process 0, which asks for hold 1 at 10 ns, "+" it gets it, "-" it is refused, "!" it does
// not learn, "0r?1" it releases; "w" is work; "(1" belief in hold 1 begins, ")1" it ends.
class Scripted {
 public:
  explicit Scripted(std::vector<std::string> locks_of_holds, const std::string& readers = "") {
    history_.omniscient = true;
    for (const char* f : {"acquire", "release", "write", "acquire-read", "release-read"}) {
      history_.functions.push_back(history_.names.intern(f));
    }
    history_.holds.emplace_back();
    for (const std::string& lock : locks_of_holds) {
      const auto id = history_.holds.size();
      const bool reads = readers.find(std::to_string(id)) != std::string::npos;
      history_.holds.push_back({history_.names.intern(lock), history_.names.intern("client"), 0, kNoToken,
                                reads ? HoldMode::read : HoldMode::write});
    }
  }

  Scripted& at(std::int64_t time, const std::string& what) {
    if (what[0] == '(' || what[0] == ')') {
      history_.beliefs.push_back(
          {time, index_++, static_cast<HoldId>(what[1] - '0'), what[0] == '(' ? BeliefEnd::none : BeliefEnd::released});
      return *this;
    }
    OperationEvent e;
    e.time = time;
    e.index = index_++;
    e.process = what[0] - '0';
    e.type = what[2] == '?'   ? OperationType::invoke
             : what[2] == '+' ? OperationType::ok
             : what[2] == '-' ? OperationType::fail
                              : OperationType::info;
    e.hold = static_cast<HoldId>(what[3] - '0');
    const bool reads = history_.holds[e.hold].mode == HoldMode::read;
    e.f = what[1] == 'a' ? (reads ? 3 : 0) : what[1] == 'r' ? (reads ? 4 : 1) : 2;
    if (what[1] != 'w') e.object = history_.holds[e.hold].lock;
    if (what[1] == 'a' && what[2] == '+') e.token = 30 + e.hold;
    history_.operations.push_back(e);
    return *this;
  }

  const History& history() const { return history_; }

 private:
  History history_;
  std::uint32_t index_ = 0;
};

// "10 0 acquire x #1 ?" for each operation.
std::vector<std::string> operations_told(const History& h) {
  std::vector<std::string> lines;
  for (const OperationEvent& e : h.operations) {
    EXPECT_EQ(e.index, lines.size());
    lines.push_back(fmt::format("{} {} {} {} #{} {}", e.time, e.process, h.names.view(h.functions[e.f]),
                                h.names.view(e.object), e.hold, "?+-!"[static_cast<std::size_t>(e.type)]));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LockOperations, AHoldLastsAsLongAsItsBelief) {
  Scripted s({"x", "x"});
  s.at(10, "0a?1").at(12, "(1").at(12, "0a+1").at(13, "0w?1");
  s.at(15, ")1");  // a hold ends at its deadline, while the client writes
  s.at(16, "1a?2").at(18, "(2").at(18, "1a+2").at(19, "0w+1").at(20, "0r?1").at(22, "0r-1");
  s.at(30, ")2").at(30, "1r?2").at(31, "1r-2");  // the server had taken it back
  const History h = with_beliefs_as_operations(s.history());
  EXPECT_EQ(operations_told(h),
            (Lines{"10 0 acquire x #1 ?", "12 0 acquire x #1 +", "15 0 release x #1 ?", "15 0 release x #1 +",
                   "16 1 acquire x #2 ?", "18 1 acquire x #2 +", "30 1 release x #2 ?", "30 1 release x #2 +"}));
  EXPECT_FALSE(h.omniscient);
  EXPECT_TRUE(h.beliefs.empty());
  EXPECT_EQ(h.operations[1].token, 31);
}

TEST(LockOperations, AnEndComesBeforeABeginningOfTheSameInstant) {
  Scripted s({"x", "x"});
  s.at(10, "0a?1").at(11, "(1").at(11, "0a+1").at(12, "1a?2").at(20, "(2").at(20, "1a+2").at(20, ")1");
  EXPECT_EQ(operations_told(with_beliefs_as_operations(s.history())),
            (Lines{"10 0 acquire x #1 ?", "11 0 acquire x #1 +", "12 1 acquire x #2 ?", "20 0 release x #1 ?",
                   "20 0 release x #1 +", "20 1 acquire x #2 +"}));
}

TEST(LockOperations, ABeliefWithoutLengthIsARefusal) {
  Scripted s({"x"});
  s.at(10, "0a?1").at(11, "(1").at(11, ")1").at(11, "0a+1").at(12, "0r?1").at(13, "0r-1");
  EXPECT_EQ(operations_told(with_beliefs_as_operations(s.history())),
            (Lines{"10 0 acquire x #1 ?", "11 0 acquire x #1 -"}));
}

TEST(LockOperations, WhatIsRefusedOrUnknownStaysSo) {
  Scripted s({"x", "x", "x"});
  s.at(10, "0a?1").at(11, "0a-1").at(12, "0a?2").at(13, "0a!2").at(14, "1a?3");
  EXPECT_EQ(operations_told(with_beliefs_as_operations(s.history())),
            (Lines{"10 0 acquire x #1 ?", "11 0 acquire x #1 -", "12 0 acquire x #2 ?", "13 0 acquire x #2 !",
                   "14 1 acquire x #3 ?"}));
}

TEST(LockOperations, NestedAcquiresBelongToTheirHold) {
  Scripted s({"x"});
  s.at(10, "0a?1").at(11, "(1").at(11, "0a+1").at(12, "0a?1").at(13, "0a+1").at(14, "0r?1").at(15, "0r+1");
  s.at(16, ")1").at(16, "0r?1").at(17, "0r+1");
  EXPECT_EQ(operations_told(with_beliefs_as_operations(s.history())),
            (Lines{"10 0 acquire x #1 ?", "11 0 acquire x #1 +", "16 0 release x #1 ?", "16 0 release x #1 +"}));
}

// The reader's acquire succeeds while its own client writes, but counts from the writer's release on.
TEST(LockOperations, AWriterThatReadsOnIsAReaderFromItsReleaseOn) {
  Scripted s({"x", "x"}, "2");
  s.at(10, "0a?1").at(11, "(1").at(11, "0a+1").at(12, "0a?2").at(13, "0a+2").at(20, ")1").at(20, "(2").at(20, "0r?1");
  s.at(21, "0r+1").at(30, ")2").at(30, "0r?2");
  EXPECT_EQ(operations_told(with_beliefs_as_operations(s.history())),
            (Lines{"10 0 acquire x #1 ?", "11 0 acquire x #1 +", "12 0 acquire-read x #2 ?", "20 1 release x #1 ?",
                   "20 1 release x #1 +", "20 0 acquire-read x #2 +", "30 0 release-read x #2 ?",
                   "30 0 release-read x #2 +"}));
}

TEST(LockOperations, AHoldOnSeveralNamesIsOneOnEach) {
  Scripted s({"x+y", "x", "y"});
  s.at(10, "0a?1").at(11, "(2").at(11, "(3").at(11, "0a+1").at(20, ")2").at(20, ")3").at(20, "0r?1").at(21, "0r+1");
  const History h = with_beliefs_as_operations(s.history());
  EXPECT_EQ(locks_of(s.history()), (Lines{"x", "y"}));
  EXPECT_EQ(locks_of(h), (Lines{"x", "y"}));
  EXPECT_EQ(operations_told(h),
            (Lines{"10 0 acquire x #2 ?", "10 1 acquire y #3 ?", "11 0 acquire x #2 +", "11 1 acquire y #3 +",
                   "20 0 release x #2 ?", "20 0 release x #2 +", "20 1 release y #3 ?", "20 1 release y #3 +"}));
  EXPECT_EQ(only_of_lock(h, "y").operations.size(), 4U);
  EXPECT_EQ(only_of_lock(s.history(), "y").operations.size(), 4U);  // the hold on both names counts for each
  EXPECT_EQ(only_of_lock(s.history(), "y").beliefs.size(), 2U);
}

TEST(LockOperations, OneLockIsKeptWithTheWorkUnderIt) {
  Scripted s({"x", "y"});
  s.at(10, "0a?1").at(11, "(1").at(11, "0a+1").at(12, "0w?1").at(13, "1a?2").at(14, "1a-2").at(15, "0w+1");
  const History x = only_of_lock(s.history(), "x");
  EXPECT_EQ(x.operations.size(), 4U);
  EXPECT_EQ(x.beliefs.size(), 1U);
  EXPECT_TRUE(x.omniscient);
  EXPECT_EQ(only_of_lock(s.history(), "y").operations.size(), 2U);
  try {
    only_of_lock(s.history(), "X");
    FAIL();
  } catch (const WriteError& error) {
    EXPECT_STREQ(error.what(),
                 "no operation acquires or releases a lock 'X'; the history's locks: x, y; did you mean 'x'?");
  }
}

// Nothing is known of its beliefs; a name with a plus is a name.
TEST(LockOperations, AForeignHistoryKeepsItsAcquiresAndReleases) {
  const History h = read_history_text(
      "{:type :invoke, :f :acquire, :process 0, :object \"order+42\"} {:type :ok, :f :acquire, :process 0}"
      "{:type :info, :f :kill, :process :nemesis, :value [1]}"
      "{:type :invoke, :f :write, :process 0, :value 1} {:type :ok, :f :write, :process 0}"
      "{:type :invoke, :f :release-read, :process 0} {:type :fail, :f :release-read, :process 0, :error :lost}");
  EXPECT_EQ(locks_of(h), Lines{"order+42"});
  const History kept = with_beliefs_as_operations(h);
  ASSERT_EQ(kept.operations.size(), 5U);
  EXPECT_EQ(kept.operations.back().type, OperationType::fail);
  ASSERT_EQ(kept.extras.size(), 1U);
  EXPECT_EQ(kept.extras[0].index, 4U);
}

}  // namespace
}  // namespace picklock
