// Names that a history has for its clients and owners survive in every report.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "checker/models/check_file.hpp"
#include "reports/check/check_dot.hpp"
#include "reports/check/check_page.hpp"
#include "reports/check/check_text.hpp"
#include "reports/check/explanation.hpp"
#include "reports/json.hpp"

namespace picklock {
namespace {

struct Reports {
  CheckResult result;
  std::string text, page, dot;
  nlohmann::json json;
};

Reports reports_on(const std::string& history, const HistoryCheckOptions& options) {
  Reports r;
  TextSource source(history);
  r.result = check_source(source, "app.jsonl", options);
  r.text = check_text("app.jsonl", r.result);
  r.json = nlohmann::json::parse(check_json("app.jsonl", r.result));
  ReadOptions reading;
  reading.functions = options.functions;
  reading.fields = options.fields;
  r.page = check_page("app.jsonl", r.result, read_history_text(history, reading));
  r.dot = check_dot(r.result);
  return r;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

HistoryCheckOptions by_client() {
  HistoryCheckOptions options;
  options.fields.process = "client";
  return options;
}

const std::string kTwo =
    R"({"client":"api-7f","f":"acquire","type":"invoke","time":1000}
{"client":"api-7f","f":"acquire","type":"ok","time":2000}
{"client":"api-9c","f":"acquire","type":"invoke","time":3000}
{"client":"api-9c","f":"acquire","type":"ok","time":4000}
)";

TEST(Names, OfClientsSurviveInTextPageJsonAndGraph) {
  const Reports r = reports_on(kTwo, by_client());
  EXPECT_EQ(r.result.explanation,
            "api-7f acquired the lock at index 1 (line 2, 2.000 µs) and had not released it when api-9c acquired it at "
            "index 3 (line 4, 4.000 µs).");
  EXPECT_EQ(r.json["witness"][0]["line"], 2);
  EXPECT_FALSE(has(r.text, "rocess")) << r.text;
  EXPECT_TRUE(has(r.text, "\n  api-7f  |-acquire")) << r.text;
  EXPECT_TRUE(has(r.text, "The missing release by api-7f comes before the acquire by api-9c")) << r.text;
  EXPECT_EQ(r.json["witness"][0]["client"], "api-7f");
  EXPECT_EQ(r.json["witness"][0]["process"], 0);
  EXPECT_EQ(r.json["contradiction"][0]["from"]["client"], "api-7f");
  EXPECT_TRUE(has(r.page, R"("lanes":["api-7f","api-9c"])")) << r.page.substr(r.page.find("\"lanes\""), 60);
  EXPECT_FALSE(has(r.page, "rocess 0"));
  EXPECT_TRUE(has(r.page, "api-7f holds from index 1"));
  EXPECT_TRUE(has(r.dot, "label=\"api-7f\"")) << r.dot;
}

TEST(Names, OfOwnersStandBesideThoseOfClients) {
  HistoryCheckOptions options = by_client();
  options.fields.owner = "order";
  const std::string history =
      R"({"client":"api-7f","order":"o-1","f":"acquire","type":"invoke"}
{"client":"api-7f","order":"o-1","f":"acquire","type":"ok"}
{"client":"api-7f","order":"o-2","f":"acquire","type":"invoke"}
{"client":"api-7f","order":"o-2","f":"acquire","type":"ok"}
)";
  const Reports r = reports_on(history, options);
  EXPECT_EQ(
      r.result.explanation,
      "Owner o-1 of api-7f acquired the lock at index 1 (line 2) and had not released it when owner o-2 of api-7f "
      "acquired it at index 3 (line 4).");
  EXPECT_EQ(r.json["witness"][1]["owner"], "o-2");
  EXPECT_TRUE(has(r.text, "\n  owner o-1 of api-7f  |")) << r.text;
}

TEST(Names, CannotSteerATerminal) {
  std::string history = kTwo;
  for (std::size_t at = 0; (at = history.find("api-9c", at)) != std::string::npos; at += 6) {
    history.replace(at, 6, "b\\u001b[31m\\nc");
  }
  const Reports r = reports_on(history, by_client());
  EXPECT_TRUE(has(r.text, "when b\\x1b[31m\\nc acquired it")) << r.text;
  EXPECT_FALSE(has(r.text, "\x1b"));
  EXPECT_EQ(r.json["witness"][1]["client"], "b\x1b[31m\nc") << "JSON has escapes of its own";
  EXPECT_FALSE(has(r.page, "\x1b"));
}

TEST(Names, OfFunctionsAndLocksCannotEither) {
  const std::string history =
      "{:type :invoke, :f \"\x1b]0;x\", :process 0} {:type :ok, :f \"\x1b]0;x\", :process 0}"
      "{:type :invoke, :f :acquire, :process 0, :object \"a\x1b[2J\"} {:type :ok, :f :acquire, :process 0}"
      "{:type :invoke, :f :acquire, :process 1, :object \"a\x1b[2J\"} {:type :ok, :f :acquire, :process 1}";
  const Reports r = reports_on(history, {});
  EXPECT_TRUE(has(r.text, "lock 'a\\x1b[2J'")) << r.text;
  EXPECT_TRUE(has(r.text, "Not judged: 1 \\x1b]0;x")) << r.text;
  EXPECT_FALSE(has(r.text, "\x1b"));
}

// Axes start at 0: times of day count from the first event, and the report says which instant that is.
TEST(Names, TimesOfDayCountFromTheFirstEvent) {
  std::string history = kTwo;
  for (const char digit : {'1', '2', '3', '4'}) {
    const std::string time = std::string(1, digit) + "000}";
    history.replace(history.find(time), 5, std::string("\"2024-05-01T12:00:00.00") + digit + "Z\"}");
  }
  const Reports r = reports_on(history, by_client());
  EXPECT_TRUE(has(r.text, "api-7f acquired the lock at index 1 (line 2, 1.000 ms, 2024-05-01T12:00:00.002Z)"))
      << r.text;
  EXPECT_EQ(r.json["witness"][0]["time"], "2024-05-01T12:00:00.002Z");
  EXPECT_TRUE(has(r.text, "Times count from the first event, 2024-05-01T12:00:00.001Z.")) << r.text;
  EXPECT_TRUE(has(r.text, "ms      0.000")) << r.text;
  EXPECT_TRUE(has(r.page, "Times count from the first event, 2024-05-01T12:00:00.001Z."));
  EXPECT_TRUE(has(r.page, R"("base":0,"end":3000000)"));
  EXPECT_EQ(r.json["witness"][0]["time_ns"], 1'714'564'800'002'000'000) << "as recorded";
}

TEST(Names, RecordedTimesStayAsTheyAre) {
  const Reports r = reports_on(kTwo, by_client());
  EXPECT_FALSE(has(r.text, "Times count"));
  EXPECT_TRUE(has(r.page, R"("base":0,"end":4000)")) << "the axis begins at 0, not at the first event";
}

const std::string kKeys =
    "{:type :invoke, :f :put, :process 0, :value [:x 1]} {:type :ok, :f :put, :process 0, :value [:x 1]}"
    "{:type :invoke, :f :put, :process 0, :value [:y 1]} {:type :ok, :f :put, :process 0, :value [:y 1]}"
    "{:type :invoke, :f :put, :process 1, :value [:y 3]} {:type :fail, :f :put, :process 1, :value [:y 3]}"
    "{:type :invoke, :f :get, :process 1, :value [:y nil]} {:type :ok, :f :get, :process 1, :value [:y 2]}";

TEST(Names, AKeyWithAViolationIsNamedAndShownAlone) {
  const Reports r = reports_on(kKeys, {.model = "kv"});
  EXPECT_TRUE(has(r.result.explanation, "of key :y")) << r.result.explanation;
  EXPECT_EQ(r.json["part"], "key :y");
  EXPECT_FALSE(has(r.text, "[:x")) << r.text;
  EXPECT_TRUE(has(r.text, "1 not tested (key :x)")) << r.text;
  EXPECT_TRUE(has(r.page, "4 operations; drawn: the 3 of key :y")) << "the failed one, too";
  EXPECT_FALSE(has(r.page, "[:x 1]"));
  EXPECT_TRUE(has(r.page, "[:y 3]"));
}

TEST(Names, TheSmallestWitnessIsShownInTextJsonAndPage) {
  const Reports r = reports_on(kKeys, {.model = "kv"});
  EXPECT_TRUE(has(r.text,
                  "  This operation has no place, even if the other one took effect at any time, or never.\n"
                  "    get [:y 2]"))
      << r.text;
  EXPECT_TRUE(has(r.text, "Nothing makes get [:y 2] possible: the value is \"\".")) << r.text;
  const auto& witness = r.json["minimal_witness"];
  ASSERT_EQ(witness["operations"].size(), 1u) << witness;
  EXPECT_EQ(witness["operations"][0]["operation"], "get [:y 2]");
  EXPECT_EQ(witness["operations"][0]["completed"]["index"], 7);
  EXPECT_EQ(witness["left_out"], 1);
  EXPECT_EQ(witness["minimal"], true);
  EXPECT_EQ(r.json["witness"].size(), 2u);
  EXPECT_TRUE(has(r.page, "<h2>A minimal witness</h2>"));
  EXPECT_TRUE(has(r.page, "\"witness\":[6,7]"));
  EXPECT_TRUE(has(r.dot, "digraph \"witness\"")) << r.dot;
  EXPECT_TRUE(has(r.dot, "get [:y 2]")) << r.dot;
  EXPECT_TRUE(has(r.dot, "Nothing makes get")) << r.dot;
  EXPECT_FALSE(has(r.dot, "put")) << r.dot;
}

TEST(Names, AWitnessThatMayNotBeTheSmallestSaysSo) {
  MinimalWitness w;
  EXPECT_EQ(claim_of(w), "No smaller set of operations without an order was found in the time and memory allowed.");
  w.operations.resize(2);
  w.others = 1;
  EXPECT_EQ(
      claim_of(w),
      "These 2 operations have no order, even if the other one took effect at any time, or never. Fewer might do: the "
      "search for them was cut short.");
  w.own_time = w.minimal = true;
  w.others = 5;
  EXPECT_EQ(claim_of(w),
            "These 2 operations have no order, even if each of the 5 others took effect between its invoke and its "
            "return, or never; without any one of them, the rest would have one.");
}

}  // namespace
}  // namespace picklock
