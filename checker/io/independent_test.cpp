// Keys inside of values: --lock-field value.0, and Jepsen's independent tests.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/io/edn_path.hpp"
#include "checker/io/history_reader.hpp"
#include "checker/io/history_writer.hpp"
#include "checker/io/text_numbers.hpp"
#include "checker/models/check_file.hpp"

namespace picklock {
namespace {

TEST(EdnPath, LeavesWhatRemainsWithoutAnElement) {
  EXPECT_EQ(without_element("[0 nil]", "0"), "nil");
  EXPECT_EQ(without_element("[0 [1 2]]", "0"), "[1 2]");
  EXPECT_EQ(without_element("(a \"b c\")", "1"), "a");
  EXPECT_EQ(without_element("[a b c]", "1"), "[a c]");
  EXPECT_EQ(without_element("[a]", "0"), "[]");
  EXPECT_EQ(without_element("{:k 1 :v [2 3]}", "k"), "{:v [2 3]}");
  EXPECT_EQ(without_element("{:k [1 2] :v 3}", "k.0"), "{:k 2 :v 3}");
  EXPECT_EQ(without_element("#t [1 #u {:a 2}]", "1.a"), "#t [1 #u {}]");
  EXPECT_EQ(without_element("[0 1]", "2"), std::nullopt);
  EXPECT_EQ(without_element("7", "0"), std::nullopt);
}

TEST(TextNumbers, AreThoseThatEdnWouldWriteSo) {
  EXPECT_EQ(integer_in("475"), 475);
  EXPECT_EQ(integer_in("-3"), -3);
  for (const char* text : {"", "007", "+1", "1.5", "1 ", "99999999999999999999", "-0"})
    EXPECT_FALSE(integer_in(text)) << text;
  EXPECT_EQ(with_numbers_for_texts("[\"1\" \"a\" {\"2\" \\\" :k \"\\\"3\"}]"), "[1 \"a\" {2 \\\" :k \"\\\"3\"}]");
}

std::string pair(const char* type, const char* f, const std::string& value, int process = 0) {
  return std::string("{:type :") + type + ", :f :" + f + ", :process " + std::to_string(process) + ", :value " + value +
         "}\n";
}

const std::string kRegister = pair("invoke", "write", "[0 1]") + pair("ok", "write", "[0 1]") +
                              pair("invoke", "write", "[7 2]", 1) + pair("ok", "write", "[7 2]", 1) +
                              pair("invoke", "read", "[0 nil]") + pair("ok", "read", "[0 1]");

CheckResult check(const std::string& text, const std::string& model, bool independent, const std::string& field = "") {
  TextSource source(text);
  HistoryCheckOptions options;
  options.model = model;
  options.fields.independent = independent;
  options.fields.lock = field;
  return check_source(source, "text", options);
}

TEST(Independent, KeysThatAPathTakesLeaveTheValue) {
  const std::string nil = pair("invoke", "read", "[0 nil]") + pair("ok", "read", "[0 nil]") +
                          pair("invoke", "cas", "[0 [1 2]]") + pair("fail", "cas", "[0 [1 2]]");
  EXPECT_EQ(check(nil, "cas-register", false, "value.0").verdict, Verdict::holds);
  EXPECT_EQ(check(nil, "cas-register", true).verdict, Verdict::holds);
  EXPECT_EQ(check(kRegister, "register", false, "value.0").verdict, Verdict::holds);
  const std::string stale = kRegister + pair("invoke", "read", "[7 nil]") + pair("ok", "read", "[7 nil]");
  EXPECT_EQ(check(stale, "register", false, "value.0").verdict, Verdict::violated) << "the key's own write was missed";
}

TEST(Independent, EachKeyHasItsVerdict) {
  const std::string text = kRegister + pair("invoke", "read", "[7 nil]") + pair("ok", "read", "[7 3]") +
                           pair("invoke", "write", "[8 1]") + pair("info", "write", "[8 1]") +
                           pair("invoke", "read", "[9 nil]", 2) + pair("ok", "read", "[9 5]", 2);
  const CheckResult r = check(text, "register", true);
  EXPECT_EQ(r.verdict, Verdict::violated) << "the worst one";
  ASSERT_EQ(r.keys.size(), 4U);
  const Verdict verdicts[] = {Verdict::holds, Verdict::violated, Verdict::holds, Verdict::violated};
  const char* const names[] = {"key 0", "key 7", "key 8", "key 9"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(r.keys[i].name, names[i]);
    EXPECT_EQ(r.keys[i].verdict, verdicts[i]) << names[i];
    EXPECT_EQ(r.keys[i].tested, i != 2) << names[i];
  }
  EXPECT_NE(r.explanation.find("Parts: 1 valid, 2 INVALID (key 7, key 9), 1 not tested (key 8)."), std::string::npos)
      << r.explanation;
  EXPECT_EQ(r.partial->part, "key 7");
}

TEST(Independent, OtherModelsHaveKeysToo) {
  const std::string locks = pair("invoke", "acquire", "[:a nil]") + pair("ok", "acquire", "[:a nil]") +
                            pair("invoke", "acquire", "[:b nil]", 1) + pair("ok", "acquire", "[:b nil]", 1);
  EXPECT_EQ(check(locks, "mutex", true).verdict, Verdict::holds);
  EXPECT_EQ(check(locks, "mutex", false).verdict, Verdict::violated);
  const std::string set = pair("invoke", "add", "[0 1]") + pair("ok", "add", "[0 1]") +
                          pair("invoke", "read", "[0 nil]") + pair("ok", "read", "[0 #{1}]");
  EXPECT_EQ(check(set, "set", true).verdict, Verdict::holds);
  EXPECT_EQ(check(kRegister, "kv", true).verdict, Verdict::holds);
  EXPECT_EQ(check(kRegister, "kv", false).verdict, Verdict::holds) << "which knows of keys by itself";
}

std::string error_of(const std::string& text) {
  try {
    check(text, "register", true);
  } catch (const ReadError& error) {
    return error.what();
  }
  return "none";
}

TEST(Independent, ValuesOfAnotherFormHaveTheirPlace) {
  EXPECT_EQ(error_of(pair("invoke", "write", "5")),
            "text:1:47: found 5 for :value, expected [key value], as --independent reads each operation of a client");
  EXPECT_NE(error_of(pair("invoke", "read", "[0 nil]") + pair("ok", "read", "7")).find("text:2:42"), std::string::npos);
  EXPECT_NE(error_of(pair("invoke", "read", "[0 nil]") + pair("ok", "read", "[1 7]")).find("the key of its invoke, 0"),
            std::string::npos);
  EXPECT_EQ(error_of(pair("invoke", "read", "[0 nil]") + pair("info", "read", "nil")), "none")
      << "a crash has no value";
  EXPECT_EQ(error_of("{:type :info, :f :kill, :process :nemesis, :value [:n1]}" + kRegister), "none");
}

// A file read without an option for keys gives a hint; values that just happen to be pairs give none.
TEST(Independent, IsHintedAt) {
  EXPECT_TRUE(check(kRegister, "register", false).likely_independent);
  EXPECT_FALSE(check(kRegister, "register", true).likely_independent);
  EXPECT_FALSE(check(kRegister, "register", false, "value.0").likely_independent);
  EXPECT_FALSE(check(kRegister, "kv", false).likely_independent);
  const std::string points = pair("invoke", "write", "[1 2]") + pair("ok", "write", "[1 2]") +
                             pair("invoke", "read", "nil") + pair("ok", "read", "[1 2]");
  EXPECT_FALSE(check(points, "register", false).likely_independent);
  const std::string cas = pair("invoke", "cas", "[nil 2]") + pair("ok", "cas", "[nil 2]");
  EXPECT_FALSE(check(cas, "cas-register", false).likely_independent);
  EXPECT_TRUE(check(pair("invoke", "cas", "[0 [1 2]]") + pair("fail", "cas", "[0 [1 2]]"), "cas-register", false)
                  .likely_independent);
}

// A check understands the keys of an export.
TEST(Independent, SurvivesAnExport) {
  ReadOptions options;
  options.fields.independent = true;
  const History h = read_history_text(kRegister, options);
  EXPECT_EQ(h.names.view(h.operations[2].object), "7");
  EXPECT_EQ(h.values.edn(h.operations[2].value), "2");
  EXPECT_EQ(check_history(read_history_text(write_history_text(h)), {.model = "register"}).verdict, Verdict::holds);
}

TEST(TextNumbers, AreHintedAtAndReadWhereThatIsSaid) {
  const std::string text = pair("invoke", "write", "475") + pair("ok", "write", "475") + pair("invoke", "read", "nil") +
                           pair("ok", "read", "\"475\"");
  const CheckResult r = check(text, "register", false);
  EXPECT_EQ(r.verdict, Verdict::violated);
  EXPECT_EQ(r.text_number, "475");
  TextSource source(text);
  HistoryCheckOptions options;
  options.model = "register";
  options.fields.numbers_in_texts = true;
  EXPECT_EQ(check_source(source, "text", options).verdict, Verdict::holds);
}

}  // namespace
}  // namespace picklock
