#include "checker/io/history_writer.hpp"

#include <gtest/gtest.h>

#include <string>

#include "checker/io/edn.hpp"
#include "checker/io/history_reader.hpp"

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
      {"[1 -2.5 1e+30 99999999999999999999]", "[1,-2.5,1e+30,99999999999999999999]"},
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
    std::string json;
    append_json(json, canonical_edn(c.edn));
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

// a's belief ends at its deadline while b acquires; a releases later, and writes in between.
History overlapping() {
  History h;
  h.omniscient = true;
  const NameId lock = h.names.intern("l");
  h.functions = {h.names.intern("acquire"), h.names.intern("release"), h.names.intern("write")};
  h.holds = {
      {}, {lock, h.names.intern("a"), 0, 1, HoldMode::write}, {lock, h.names.intern("b"), 1, 2, HoldMode::write}};
  std::uint32_t index = 0;
  const auto operation = [&](std::uint8_t f, OperationType type, std::int32_t process, HoldId hold) {
    OperationEvent event;
    event.time = 10 * (index + 1);
    event.index = index++;
    event.f = f;
    event.type = type;
    event.process = process;
    event.hold = hold;
    event.object = lock;
    h.operations.push_back(event);
  };
  const auto belief = [&](HoldId hold, BeliefEnd end) {
    h.beliefs.push_back({10 * (index + 1), index, hold, end});
    ++index;
  };
  using enum OperationType;
  operation(0, invoke, 0, 0);
  operation(0, ok, 0, 1);
  belief(1, BeliefEnd::none);
  operation(2, invoke, 0, 1);
  belief(1, BeliefEnd::deadline);
  operation(0, invoke, 1, 0);
  operation(0, ok, 1, 2);
  operation(2, ok, 0, 1);
  operation(1, invoke, 0, 1);
  operation(1, fail, 0, 1);
  operation(1, invoke, 1, 2);
  belief(2, BeliefEnd::released);
  operation(1, ok, 1, 2);
  return h;
}

TEST(HistoryWriter, MakesUpReleasesWhereBeliefsEnd) {
  EXPECT_EQ(write_history_text(with_belief_ends_as_releases(overlapping())).substr(0, 20), "{:type :info, :f :hi");
  const History h = with_belief_ends_as_releases(overlapping());
  EXPECT_TRUE(h.beliefs.empty());
  EXPECT_FALSE(h.omniscient);
  ASSERT_EQ(h.operations.size(), 8u);
  EXPECT_EQ(h.operations[2].f, 1);
  EXPECT_EQ(h.operations[2].type, OperationType::invoke);
  EXPECT_EQ(h.operations[2].process, 0);
  EXPECT_EQ(h.operations[2].hold, 1u);
  EXPECT_EQ(h.operations[2].time, 50);
  EXPECT_EQ(h.operations[3].type, OperationType::ok);
  EXPECT_EQ(h.operations[3].time, 50);
  for (std::uint32_t i = 0; i < h.operations.size(); ++i) EXPECT_EQ(h.operations[i].index, i);
  const auto releases_of_a = std::count_if(h.operations.begin(), h.operations.end(),
                                           [](const OperationEvent& e) { return e.f == 1 && e.process == 0; });
  EXPECT_EQ(releases_of_a, 2);  // the later one is gone
}

TEST(HistoryWriter, MakesUpNoSecondRelease) {
  History h = overlapping();
  h.beliefs.push_back({1000, 100, 2, BeliefEnd::died});  // after it released
  EXPECT_EQ(with_belief_ends_as_releases(h).operations.size(), 8u);
}

}  // namespace
}  // namespace picklock
