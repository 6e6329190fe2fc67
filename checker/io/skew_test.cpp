// Clocks of several hosts, operations with begin and end, and the lines of the file.
#include <gtest/gtest.h>

#include <string>

#include "checker/io/history_reader.hpp"
#include "checker/line_table.hpp"
#include "checker/models/check_file.hpp"
#include "checker/models/words.hpp"

namespace picklock {
namespace {

std::string event_at(int time, const char* type, const char* f, int process, const std::string& value = "nil") {
  return std::string("{:type :") + type + ", :f :" + f + ", :process " + std::to_string(process) + ", :time " +
         std::to_string(time) + ", :value " + value + "}\n";
}

std::string timed(int from, int to, const char* f, int process, const std::string& asked = "nil",
                  const std::string& answer = "") {
  return event_at(from, "invoke", f, process, asked) + event_at(to, "ok", f, process, answer.empty() ? asked : answer);
}

CheckResult skewed(const std::string& text, const std::string& model, std::int64_t skew, bool sort = true) {
  TextSource source(text);
  HistoryCheckOptions options;
  options.model = model;
  options.fields.skew = skew;
  options.sort_by_time = sort;
  return check_source(source, "text", options);
}

// a gives the lock back at 20; b, whose clock is behind, has acquired it at 18.
TEST(Skew, OperationsThatLieCloserAreConcurrent) {
  const std::string text = timed(0, 10, "acquire", 0) + timed(20, 21, "release", 0) + timed(17, 18, "acquire", 1);
  EXPECT_EQ(skewed(text, "mutex", 0).verdict, Verdict::violated);
  EXPECT_EQ(skewed(text, "mutex", 1).verdict, Verdict::holds) << "2 apart, each good to 1";
  const std::string clear = timed(0, 10, "acquire", 0) + timed(40, 41, "release", 0) + timed(17, 18, "acquire", 1);
  EXPECT_EQ(skewed(clear, "mutex", 5).verdict, Verdict::violated) << "22 apart";
  EXPECT_EQ(skewed(clear, "mutex", 11).verdict, Verdict::holds);
}

// A hold that is shorter than the skew still lies somewhere: within a long hold of another it is no less a violation.
TEST(Skew, ShortHoldsKeepTheirOrderAndTheirOwner) {
  const std::string text = timed(0, 10, "acquire", 0) + timed(50, 51, "acquire", 1) + timed(52, 53, "release", 1) +
                           timed(100, 101, "release", 0);
  const CheckResult r = skewed(text, "mutex", 5);
  EXPECT_EQ(r.verdict, Verdict::violated) << r.explanation;
  const std::string apart = timed(50, 51, "acquire", 1) + timed(52, 53, "release", 1) + timed(58, 59, "acquire", 0);
  EXPECT_EQ(skewed(apart, "mutex", 5).verdict, Verdict::holds);
  EXPECT_EQ(skewed(timed(50, 51, "release", 1) + timed(52, 53, "acquire", 2), "mutex", 5).verdict, Verdict::violated)
      << "1 never acquired it";
}

TEST(Skew, ReadsMayBeOlderThanTheyLook) {
  const std::string text = timed(0, 10, "write", 0, "1") + timed(13, 14, "read", 1, "nil", "nil");
  EXPECT_EQ(skewed(text, "register", 0).verdict, Verdict::violated);
  EXPECT_EQ(skewed(text, "register", 2).verdict, Verdict::holds);
  EXPECT_EQ(skewed(text, "register", 1).verdict, Verdict::violated) << "3 apart";
}

TEST(Skew, WantsTimes) { EXPECT_THROW(skewed("{:type :invoke, :f :acquire, :process 0}", "mutex", 5), ReadError); }

CheckResult spans(const std::string& text, const std::string& model = "mutex") {
  TextSource source(text);
  HistoryCheckOptions options;
  options.model = model;
  options.fields.keys = {{"begin", "time"}, {"op", "f"}};
  options.fields.end = "end";
  options.fields.process = "client";
  return check_source(source, "spans.jsonl", options);
}

TEST(WholeOperations, HaveBeginAndEnd) {
  const std::string text = R"({"op":"acquire","client":"a","begin":1,"end":5}
{"op":"acquire","client":"b","begin":2,"end":9}
{"op":"release","client":"a","begin":6,"end":8}
)";
  EXPECT_EQ(spans(text).verdict, Verdict::holds);
  EXPECT_EQ(spans(R"({"op":"acquire","client":"a","begin":1,"end":5}
{"op":"acquire","client":"b","begin":2,"end":9})")
                .verdict,
            Verdict::violated);
  EXPECT_EQ(spans(R"({"op":"acquire","client":"a","begin":1,"end":5}
{"op":"acquire","client":"b","begin":2,"end":9,"type":"fail"})")
                .verdict,
            Verdict::holds);
  EXPECT_EQ(spans(R"({"op":"write","client":"a","begin":1,"end":5,"value":3}
{"op":"read","client":"b","begin":6,"end":9,"value":3})",
                  "register")
                .verdict,
            Verdict::holds);
}

// Two threads of one client: neither answer belongs to the other operation.
TEST(WholeOperations, OfOneClientMayOverlap) {
  const std::string text = R"({"op":"write","client":"a","begin":1,"end":10,"value":1}
{"op":"write","client":"a","begin":2,"end":4,"value":2}
{"op":"read","client":"a","begin":5,"end":6,"value":2}
{"op":"read","client":"b","begin":11,"end":12,"value":1}
)";
  EXPECT_EQ(spans(text, "register").verdict, Verdict::holds);
}

TEST(WholeOperations, SayWhatIsMissing) {
  const auto error = [](const std::string& text) -> std::string {
    try {
      spans(text);
    } catch (const ReadError& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_EQ(
      error(R"({"op":"acquire","client":"a","begin":1})"),
      "spans.jsonl:1:1: found a record without :end, expected the end of the operation there, as --end-field says; "
      "without one leave the record out");
  EXPECT_NE(error(R"({"op":"acquire","client":"a","begin":4,"end":1})").find("not before the begin"),
            std::string::npos);
  EXPECT_NE(error(R"({"op":"acquire","client":"a","end":1})").find("a record without :time"), std::string::npos);
  EXPECT_NE(error(R"({"op":"acquire","client":"a","begin":1,"end":2,"type":"invoke"})").find("begin and end"),
            std::string::npos);
}

TEST(LineTable, KnowsTheLineOfEachIndex) {
  LineTable lines;
  EXPECT_FALSE(lines.line_of(0));
  for (std::uint32_t i = 0; i < 10; ++i) lines.add(i, i + 1);                // a record a line
  for (std::uint32_t i = 0; i < 10; ++i) lines.add(11 + 2 * i, 20 + 3 * i);  // two events each, every third line
  lines.add(100, 60);
  EXPECT_EQ(lines.line_of(0), 1U);
  EXPECT_EQ(lines.line_of(9), 10U);
  EXPECT_EQ(lines.line_of(10), 20U);
  EXPECT_EQ(lines.line_of(11), 20U);
  EXPECT_EQ(lines.line_of(12), 23U);
  EXPECT_EQ(lines.line_of(29), 47U);
  EXPECT_EQ(lines.line_of(100), 60U);
  EXPECT_FALSE(lines.line_of(101));
}

TEST(LineTable, StandsBesideTheIndex) {
  const std::string text = "; a comment\n" + timed(1, 2, "acquire", 0) + "\n" + timed(3, 4, "acquire", 1);
  EXPECT_EQ(
      skewed(text, "mutex", 0, false).explanation,
      "Process 0 acquired the lock at index 1 (line 3, 2 ns) and had not released it when process 1 acquired it at "
      "index 3 (line 6, 4 ns).");
  const std::string clock =
      "{\"type\":\"invoke\",\"f\":\"acquire\",\"process\":0,\"time\":\"2024-05-01T12:00:00.1Z\"}\n"
      "{\"type\":\"ok\",\"f\":\"acquire\",\"process\":0,\"time\":\"2024-05-01T12:00:00.2Z\"}\n"
      "{\"type\":\"invoke\",\"f\":\"release\",\"process\":1,\"time\":\"2024-05-01T12:00:00.3Z\"}\n"
      "{\"type\":\"ok\",\"f\":\"release\",\"process\":1,\"time\":\"2024-05-01T12:00:00.4Z\"}\n";
  const std::string said = skewed(clock, "mutex", 0, false).explanation;
  EXPECT_NE(said.find("index 3 (line 4, 300.000 ms, 2024-05-01T12:00:00.4Z)"), std::string::npos) << said;
}

TEST(Overlaps, AreAllCounted) {
  std::string text = timed(0, 1, "acquire", 0);
  for (int i = 1; i <= 12; ++i)
    text += timed(10 * i, 10 * i + 1, "acquire", i) + timed(10 * i + 2, 10 * i + 3, "release", i);
  const CheckResult r = skewed(text, "mutex", 0, false);
  EXPECT_EQ(r.overlaps.count, 12U);
  ASSERT_EQ(r.overlaps.names.size(), NamedParts::kNamed);
  EXPECT_EQ(
      r.overlaps.names[1],
      "process 2 acquired the lock at index 7 (line 8, 21 ns), while it was held by process 0, since index 1 (line 2, "
      "1 ns)");
  const CheckResult none =
      skewed(timed(0, 1, "acquire", 0) + timed(2, 3, "release", 0) + timed(4, 5, "acquire", 1), "mutex", 0);
  EXPECT_EQ(none.overlaps.count, 0U);
  // The release of 0 fails, so that it held on, while 1 held.
  const std::string failed = timed(0, 1, "acquire", 0) + event_at(2, "invoke", "release", 0) +
                             timed(3, 4, "acquire", 1) + event_at(5, "fail", "release", 0) + timed(6, 7, "acquire", 2);
  EXPECT_EQ(skewed(failed, "mutex", 0, false).overlaps.count, 2U);
  const std::string permits = timed(0, 1, "acquire", 0) + timed(2, 3, "acquire", 1) + timed(4, 5, "acquire", 2) +
                              timed(6, 7, "release", 1) + timed(8, 9, "release", 2) + timed(10, 11, "acquire", 3);
  EXPECT_EQ(skewed(permits, "semaphore:2", 0, false).overlaps.count, 1U) << "then there was room";
}

}  // namespace
}  // namespace picklock
