#include "checker/io/history_writer.hpp"

#include <gtest/gtest.h>

#include <string>

#include "checker/io/edn.hpp"
#include "checker/io/history_reader.hpp"
#include "checker/io/json_value.hpp"

namespace picklock {
namespace {

std::string rewritten(std::string_view text, const WriteOptions& options = {}) {
  return write_history_text(read_history_text(text), options);
}

TEST(HistoryWriter, WritesOneMapALine) {
  EXPECT_EQ(rewritten("[{:index 3 :type :invoke, :f :acquire :process 0}"
                      "{:type :ok :f :acquire, :process 0, :time 7, :value {:fence 7} :error [a b]}]"),
            "{:type :invoke, :f :acquire, :process 0, :index 3}\n"
            "{:type :ok, :f :acquire, :value {:fence 7}, :process 0, :time 7, :error [a b], "
            ":index 4}\n");
}

TEST(HistoryWriter, WritesJsonOneObjectALine) {
  EXPECT_EQ(rewritten("{:type :invoke :f :acquire :process 0 :value #{:a}}"
                      "{:type :info :f \"x y\" :process :nemesis :value {:a [1 nil \"s\"]}}",
                      {Format::json}),
            "[\n{\"type\":\"invoke\",\"f\":\"acquire\",\"value\":{\"$edn\":\"#{:a}\"},\"process\":0,"
            "\"index\":0},\n"
            "{\"type\":\"info\",\"f\":\"x y\",\"value\":{\":a\":[1,null,\"s\"]},"
            "\"process\":\"nemesis\",\"index\":1}\n]\n");
  EXPECT_EQ(rewritten("", {Format::json}), "[]\n");
}

TEST(HistoryWriter, SaysInJsonWhatJsonCannot) {
  const struct {
    std::string edn, json;
  } cases[] = {
      {"[1 -2.5 1e+30 -9223372036854775808 18446744073709551615]",
       "[1,-2.5,1e+30,-9223372036854775808,18446744073709551615]"},
      {"[18446744073709551616 -0.0 1.0]", "[{\"$edn\":\"18446744073709551616\"},-0.0,1.0]"},
      {"{\"a\" :b \":c\" \"d\"}", "{\"$edn\":\"{\\\":c\\\" \\\"d\\\" \\\"a\\\" :b}\"}"},
      {"{:a {\"b\" #{1 (2 \\)) \"}\"}}}", "{\":a\":{\"b\":{\"$edn\":\"#{\\\"}\\\" (2 \\\\)) 1}\"}}}"},
      {"{\"$edn\" \"x\"}", "{\"$edn\":\"{\\\"$edn\\\" \\\"x\\\"}\"}"},
      {"[:a \":a\" \":not a keyword\" sym nil true]",
       "[\":a\",{\"$edn\":\"\\\":a\\\"\"},\":not a keyword\",{\"$edn\":\"sym\"},null,true]"},
      {"[#a #b {:c \\{} 1/2 2M ##NaN]",
       "[{\"$edn\":\"#a #b {:c "
       "\\\\{}\"},{\"$edn\":\"1/2\"},{\"$edn\":\"2M\"},{\"$edn\":\"##NaN\"}]"},
      {"{{:a 1} 2, :b 3}", "{\"$edn\":\"{:b 3 {:a 1} 2}\"}"},
  };
  for (const auto& c : cases) {
    const std::string json = json_of(canonical_edn(c.edn)).dump();
    EXPECT_EQ(json, c.json) << c.edn;
    const std::string record = "{\"type\":\"info\",\"process\":\"n\",\"value\":" + json + "}";
    const History back = read_history_text(record);
    EXPECT_EQ(back.values.edn(back.operations[0].value), canonical_edn(c.edn)) << c.edn;
  }
}

TEST(HistoryWriter, GivesAProcessAFreshNumberAfterACrash) {
  EXPECT_EQ(rewritten("{:type :invoke :f :a :process 1} {:type :info :f :a :process 1}"
                      "{:type :invoke :f :b :process 1} {:type :invoke :f :c :process 1}"
                      "{:type :ok :f :c :process 1} {:type :invoke :f :a :process 7}"),
            "{:type :invoke, :f :a, :process 1, :index 0}\n"
            "{:type :info, :f :a, :process 1, :index 1}\n"
            "{:type :invoke, :f :b, :process 8, :index 2}\n"
            "{:type :invoke, :f :c, :process 9, :index 3}\n"
            "{:type :ok, :f :c, :process 9, :index 4}\n"
            "{:type :invoke, :f :a, :process 7, :index 5}\n");
}

TEST(HistoryWriter, RepeatsTheValueOfTheInvokeInAFailure) {
  const std::string text =
      rewritten("{:type :invoke :f :a :process 1 :value 5} {:type :fail :f :a :process 1 :value :no}");
  EXPECT_EQ(text,
            "{:type :invoke, :f :a, :value 5, :process 1, :index 0}\n"
            "{:type :fail, :f :a, :value 5, :answer :no, :process 1, :index 1}\n");
  const History back = read_history_text(text);
  EXPECT_EQ(back.values.edn(back.operations[1].value), ":no");
  EXPECT_TRUE(back.extras.empty());
}

TEST(HistoryWriter, RefusesACompletionWithoutItsInvoke) {
  EXPECT_THROW(rewritten("{:type :ok :f :a :process 1}"), WriteError);
  EXPECT_THROW(rewritten("{:type :invoke :f :a :process 1} {:type :ok :f :b :process 1}"), WriteError);
  EXPECT_NO_THROW(rewritten("{:type :ok :f :a :process :nemesis}"));
}

TEST(HistoryWriter, SaysThatAFileCannotBeWritten) {
  EXPECT_THROW(write_history_file({}, "/nonexistent/x.edn"), WriteError);
  EXPECT_THROW(write_history_file(read_history_text("{:type :invoke :f :a :process 1}"), "/dev/full"), WriteError);
}

}  // namespace
}  // namespace picklock
