#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "checker/io/history_maker_lab.hpp"
#include "checker/io/history_reader.hpp"
#include "checker/io/log_line.hpp"

namespace picklock {
namespace jepsen_log_test {

TEST(JepsenLog, IsTheSameHistoryAsInEdn) {
  const History log = read_history_text(
      "INFO  jepsen.core - Running test:\n"
      "INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\r\n"
      "2024-05-01 12:00:00,123{GMT}\tINFO\t[jepsen nemesis] jepsen.util: :nemesis\t:info\t:start\t\"cut off\"\n"
      "\n"
      "WARN  x - a\t:ok\tb\n"
      "17\t:invoke\t:read\tnil\n"
      "INFO  jepsen.util - 0\t:fail\t:cas\t[1 2]\t:not-held\n"
      "INFO  jepsen.util - 17\t:info\t:read\tnil\tRead timed out: [x");
  const History edn = read_history_text(
      "{:process 0 :type :invoke :f :cas :value [1 2]}"
      "{:process :nemesis :type :info :f :start :value \"cut off\"}"
      "{:process 17 :type :invoke :f :read :value nil}"
      "{:process 0 :type :fail :f :cas :value [1 2] :error :not-held}"
      "{:process 17 :type :info :f :read :value nil :error \"Read timed out: [x\"}");
  EXPECT_EQ(first_difference(log, edn), "");
}

TEST(JepsenLog, FindsTheOperationInALine) {
  const auto found = find_operation("INFO - 12\t:ok\t:f\tnil");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->process, 7u);
  EXPECT_EQ(found->type, 10u);
  EXPECT_EQ(found->function, 14u);
  EXPECT_TRUE(found->tabs);
  for (const char* line : {"", "\t:ok\t", "x\t:ok\t:f\tnil", "-1\t:ok\t:f\tnil", "1 :okay :f nil", "1 :ok f nil",
                           "1 :ok ", "x :ok :f nil", ":ok :f nil", "1\t:okay\t:f", "1\t:ok", ":\t:ok\t:f"}) {
    EXPECT_FALSE(find_operation(line)) << line;
  }
}

TEST(JepsenLog, FindsTheOperationInALineWithoutTabs) {
  const auto found = find_operation("INFO - 3 :ok 12   :ok    :f nil");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->process, 13u);
  EXPECT_EQ(found->type, 18u);
  EXPECT_EQ(found->function, 25u);
  EXPECT_FALSE(found->tabs);
}

// Editors and terminals leave such lines.
TEST(JepsenLog, BlanksDoForTabs) {
  const std::string log =
      "INFO  jepsen.core - Running test:\n"
      "INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\n"
      "INFO  jepsen.util - :nemesis\t:info\t:start\t\"cut off\"\n"
      "WARN  x - a :ok b\n"
      "INFO  jepsen.util - 17\t:invoke\t:read\tnil\n"
      "INFO  jepsen.util - 0\t:fail\t:cas\t[1 2]\t:not-held\n"
      "INFO  jepsen.util - 17\t:info\t:read\tnil\tRead timed out: [x\n"
      "INFO  jepsen.util - 18\t:invoke\t:read\n";
  std::string blanks;
  for (const char c : log) blanks += c == '\t' ? std::string("    ") : std::string(1, c);
  EXPECT_EQ(first_difference(read_history_text(blanks), read_history_text(log)), "");
  EXPECT_EQ(read_history_text("0 :invoke :read nil  \n").operations.size(), 1u) << "blanks at the end say nothing";
}

std::string error_of(const std::string& text, const ReadLimits& limits = {}) {
  ReadOptions options;
  options.limits = limits;
  try {
    read_history_text(text, options);
  } catch (const ReadError& error) {
    return error.what();
  }
  return "none";
}

TEST(JepsenLog, SaysWhereAndWhat) {
  EXPECT_EQ(error_of("hello\nINFO é - 0\t:invoke\t:read\t[1 2\n"),
            "text:2:30: found the end of the file, expected a value");
  EXPECT_EQ(error_of("0\t:invoke\t:read\tnil nil\n"), "text:1:20: found ' ', expected a tab or the end of the line");
  EXPECT_EQ(error_of("0\t:invoke\t\t:read\n"), "text:1:11: found the byte 0x09, expected a value");
  EXPECT_NE(error_of("0\t:invoke\t7\tnil\n").find("text:1:11: found 7 for :f"), std::string::npos);
  EXPECT_EQ(error_of("0  :invoke  :read  [1 2\n"), "text:1:24: found the end of the file, expected a value");
  EXPECT_EQ(error_of("0  :invoke  :read  [1]x\n"), "text:1:23: found 'x', expected a blank or the end of the line");
  EXPECT_NE(error_of("0\t:ok\t:f\tnil\t\xff").find("not UTF-8"), std::string::npos);
}

TEST(JepsenLog, AnEndlessLineIsAnError) {
  ReadLimits limits;
  limits.record = 1u << 16;
  const std::string op = "0\t:invoke\t:read\tnil\n";
  EXPECT_EQ(error_of(op + std::string(1'000'000, 'x'), limits), "text:2:1: found a record longer than 65536 bytes");
  EXPECT_NE(error_of(op + "0\t:ok\t:read\t" + std::string(30'000, '[')), "none");
  EXPECT_NE(error_of(std::string(10'000'000, 'x') + "\n" + op), "none");  // no log so far
}

// A log and EDN of one history mean the same.
RC_GTEST_PROP(JepsenLog, SaysWhatEdnSays, ()) {
  const History made = make_history(
      *rc::gen::scale(10.0, rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>())));
  std::string log = "starting\n";
  std::string edn;
  for (const OperationEvent& event : made.operations) {
    if (event.process < 0) continue;
    const std::string value = made.values.edn(event.value);
    const char* const types[] = {":invoke", ":ok", ":fail", ":info"};
    const std::string type = types[static_cast<std::size_t>(event.type)];
    const std::string process = std::to_string(event.process);
    log += "INFO  jepsen.util - " + process + "\t" + type + "\t:f\t" + value + "\n";
    edn += "{:process " + process + " :type " + type + " :f :f :value " + value + "}\n";
  }
  ReadOptions options;
  options.format = Format::jepsen_log;
  RC_ASSERT(first_difference(read_history_text(log, options), read_history_text(edn)) == std::string());
}

}  // namespace jepsen_log_test
}  // namespace picklock
