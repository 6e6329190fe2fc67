#include "checker/io/event_sorter.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checker/io/history_reader.hpp"

namespace picklock {
namespace {

ReadOptions sorted() {
  ReadOptions options;
  options.sort_by_time = true;
  return options;
}

std::string sorting_error(const std::string& text, const ReadOptions& options) {
  try {
    read_history_text(text, options);
  } catch (const ReadError& error) {
    return error.what();
  }
  return "none";
}

// The logs of two machines, one after the other; the lock is named by the invoke alone.
TEST(Sorting, MergesLogs) {
  ReadOptions options = sorted();
  options.fields.lock = "lock";
  const History merged = read_history_text(
      "{:process 0, :type :ok, :f :acquire, :time 20, :note :a, :index 7}"
      "{:process 0, :type :invoke, :f :acquire, :time 10, :lock :x, :index 3}"
      "{:process 1, :type :invoke, :f :acquire, :time 15, :lock :y}"
      "{:process 1, :type :fail, :f :acquire, :time 15, :lock :z}",
      options);
  const History in_order = read_history_text(
      "{:process 0, :type :invoke, :f :acquire, :time 10, :object :x, :lock :x}"
      "{:process 1, :type :invoke, :f :acquire, :time 15, :object :y, :lock :y}"
      "{:process 1, :type :fail, :f :acquire, :time 15, :object :y, :lock :z}"
      "{:process 0, :type :ok, :f :acquire, :time 20, :object :x, :note :a}");
  EXPECT_EQ(first_difference(merged, in_order), "");
}

TEST(Sorting, NeedsTimes) {
  EXPECT_EQ(sorting_error("{:process 0, :type :invoke, :f :a, :time 1}\n {:process 0, :type :ok, :f :a}\n", sorted()),
            "text:2:2: found an event without a time, expected a time in each, to sort by it");
}

TEST(Sorting, LeavesRunsAlone) {
  EXPECT_EQ(
      sorting_error("{:type :info, :f :history, :process :picklock, :omniscient true}", sorted()),
      "text:1:1: found an event of a run, whose history is in order, expected a history of operations alone to sort");
}

TEST(Sorting, KeepsToItsMemory) {
  ReadOptions options = sorted();
  options.limits.sorted = 1000;
  std::string text;
  for (int i = 0; i < 100; ++i) text += "{:process 0, :type :invoke, :f :a, :time 1}\n";
  EXPECT_THROW(read_history_text(text, options), std::bad_alloc);
}

// An event that makes no sense is told where it stands, not where it was sorted to.
TEST(Sorting, KeepsPlaces) {
  const std::string text =
      "{:process 0, :type :ok, :f :a, :time 30}\n\n   {:process 1, :type :invoke, :f :a, :time 10}\n"
      "{:process 0, :type :invoke, :f :a, :time 20}";
  TextSource source(text, 5);
  History tables;
  HistoryReader reader(source, "x", tables, sorted());
  struct Sink final : EventSink {
    void operation(const OperationEvent& event, const OperationExtras&) override { last = event; }
    OperationEvent last;
  } sink;
  const std::vector<Position> places = {{3, 4}, {4, 1}, {1, 1}};
  for (std::uint32_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(reader.next(sink));
    EXPECT_EQ(sink.last.index, i);
    EXPECT_EQ(reader.position(), places[i]);
    EXPECT_THROW(reader.fail("x", "y"), ReadError);
  }
  EXPECT_FALSE(reader.next(sink));
}

// However a history is cut into logs, sorting puts it together again.
RC_GTEST_PROP(Sorting, UndoesAnyOrderOfLogs, ()) {
  const auto cuts = *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::inRange<std::uint8_t>(0, 4));
  std::string whole;
  std::vector<std::string> logs(4);
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::string process = std::to_string(cuts[i]);  // each logs its own, in order
    const auto before =
        static_cast<std::size_t>(std::count(cuts.begin(), cuts.begin() + static_cast<std::ptrdiff_t>(i), cuts[i]));
    const std::string line = "{:process " + process + ", :type :" + (before % 2 == 0 ? "invoke" : "ok") +
                             ", :f :acquire, :time " + std::to_string(i) + ", :owner " +
                             (before % 2 == 0 ? process : "nil") + "}\n";
    whole += line;
    logs[cuts[i]] += line;
  }
  std::string merged;
  for (const std::string& log : logs) merged += log;
  ReadOptions plain, options = sorted();
  if (!cuts.empty()) plain.fields.owner = options.fields.owner = "owner";
  const History a = read_history_text(merged, options), b = read_history_text(whole, plain);
  RC_ASSERT(a.operations.size() == b.operations.size());
  for (std::size_t i = 0; i < a.operations.size(); ++i) {
    RC_ASSERT(a.operations[i].time == b.operations[i].time);
    RC_ASSERT(a.operations[i].index == b.operations[i].index);
    RC_ASSERT(a.names.view(a.holds[a.operations[i].hold].client) == b.names.view(b.holds[b.operations[i].hold].client));
  }
}

}  // namespace
}  // namespace picklock
