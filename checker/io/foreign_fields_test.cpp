#include "checker/io/foreign_fields.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "checker/io/history_reader.hpp"
#include "checker/io/history_writer.hpp"
#include "checker/io/time_unit.hpp"

namespace picklock {
namespace {

History read(std::string_view text, ForeignFields fields, ForeignFields::Renames functions = {}) {
  ReadOptions options;
  options.fields = std::move(fields);
  options.functions = std::move(functions);
  return read_history_text(text, options);
}

std::string_view object(const History& h, std::size_t i) { return h.names.view(h.operations[i].object); }
std::string_view f(const History& h, std::size_t i) { return h.names.view(h.functions[h.operations[i].f]); }

TEST(ForeignFields, RenamesKeysTypesAndFunctions) {
  ForeignFields fields;
  fields.keys = {{"op", "f"}, {"event", "type"}, {"ts", "time"}, {"client", "process"}};
  fields.types = {{"start", "invoke"}, {"end", "ok"}};
  const History h = read(R"({"event":"start","op":"lock","client":7,"ts":3}
                            {"event":"end","op":"lock","client":7,"ts":4})",
                         fields, {{"lock", "acquire"}});
  ASSERT_EQ(h.operations.size(), 2u);
  EXPECT_EQ(h.operations[0].type, OperationType::invoke);
  EXPECT_EQ(h.operations[1].type, OperationType::ok);
  EXPECT_EQ(f(h, 0), "acquire");
  EXPECT_EQ(h.operations[0].process, 7);
  EXPECT_EQ(h.operations[1].time, 4);
  EXPECT_TRUE(h.extras.empty());
}

TEST(ForeignFields, NumbersClientsWithNames) {
  ForeignFields fields;
  fields.process = "node";
  const History h = read(
      "{:type :invoke :f :a :node \"n2\"} {:type :invoke :f :a :node :n1}"
      "{:type :ok :f :a :node n2} {:type :info :f :kill :node :nemesis :process :nemesis}"
      "{:type :ok :f :a :node [1 2]}",
      fields);
  EXPECT_EQ(h.operations[0].process, 0);
  EXPECT_EQ(h.operations[1].process, 1);
  EXPECT_EQ(h.operations[2].process, 0);
  EXPECT_LT(h.operations[3].process, 0);
  EXPECT_EQ(h.operations[4].process, 2);
}

// Hazelcast's fenced lock answers {:client … :fence 7 :uid …}.
const char* const kFenced =
    "{:process 0, :type :invoke, :f :acquire, :value nil}\n"
    "{:process 0, :type :ok, :f :acquire, :value {:client \"c4\", :fence 7, :uid \"u\"}}\n"
    "{:process 1, :type :invoke, :f :acquire, :value nil}\n"
    "{:process 0, :type :invoke, :f :release, :value {:client \"c4\", :fence 7}}\n"
    "{:process 0, :type :ok, :f :release, :value {:fence 7}}\n"
    "{:process 1, :type :ok, :f :acquire, :value #hz.Grant{:client :c9, :fence \"8\"}}\n";

TEST(ForeignFields, FindsOwnersAndTokensInsideValues) {
  for (const std::string path : {"", "value."}) {
    ForeignFields fields;
    fields.owner = path + "client";
    fields.token = path + "fence";
    const History h = read(kFenced, fields);
    ASSERT_EQ(h.operations.size(), 6u);
    const std::int64_t tokens[] = {kNoToken, 7, kNoToken, 7, 7, 8};
    const HoldId owners[] = {kNoHold, 1, kNoHold, 1, 1, 2};
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(h.operations[i].token, tokens[i]) << i;
      EXPECT_EQ(h.operations[i].hold, owners[i]) << i;
    }
    ASSERT_EQ(h.holds.size(), 3u);
    EXPECT_EQ(h.names.view(h.holds[1].client), "c4");
    EXPECT_EQ(h.names.view(h.holds[2].client), "c9");
    EXPECT_EQ(first_difference(h, read_history_text(write_history_text(h))), "");
  }
}

TEST(ForeignFields, ALockIsWhatTheInvokeNames) {
  ForeignFields fields;
  fields.lock = "value.0";
  const History h = read(
      "{:process 0 :type :invoke :f :acquire :value [:l1 nil]}"
      "{:process 1 :type :invoke :f :acquire :value [\"l2\" nil]}"
      "{:process 0 :type :ok :f :acquire :value [:granted 3]}"
      "{:process 1 :type :info :f :acquire :value nil}"
      "{:process 1 :type :invoke :f :release :value [17 nil]}"
      "{:process :nemesis :type :info :f :kill :value [:n1]}",
      fields);
  const char* const names[] = {"l1", "l2", "l1", "l2", "17", "n1"};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(object(h, i), names[i]) << i;
}

TEST(ForeignFields, ARefusedOkIsAFailure) {
  ForeignFields fields;
  fields.refused = {"false", "", "nil"};
  const History h = read(
      "{:process 0 :type :ok :f :a :value false} {:process 0 :type :ok :f :a :value \"false\"}"
      "{:process 0 :type :ok :f :a :value \"\"} {:process 0 :type :ok :f :a}"
      "{:process 0 :type :ok :f :a :value true} {:process 0 :type :info :f :a :value false}"
      "{:process 0 :type :invoke :f :a :value false}",
      fields);
  using enum OperationType;
  const OperationType types[] = {fail, fail, fail, fail, ok, info, invoke};
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(h.operations[i].type, types[i]) << i;
}

TEST(ForeignFields, TimesHaveUnits) {
  ForeignFields fields;
  fields.time_unit = *time_unit_named("ms");
  const History h = read(
      "{:process 0 :type :invoke :f :a :time 1714550400123} {:process 0 :type :ok :f :a :time 2.5}"
      "{:process 0 :type :invoke :f :a :time -0.000001} {:process 0 :type :ok :f :a}"
      "{:process 0 :type :invoke :f :a :time 2.50M}",
      fields);
  EXPECT_EQ(h.operations[0].time, 1'714'550'400'123'000'000);
  EXPECT_EQ(h.operations[1].time, 2'500'000);
  EXPECT_EQ(h.operations[2].time, -1);
  EXPECT_EQ(h.operations[3].time, kNoTime);
  EXPECT_EQ(h.operations[4].time, 2'500'000);
  for (const char* time : {"9223372036855", "\"1 s\"", "1e300", ":now", "[1]"}) {
    EXPECT_THROW(read("{:process 0 :type :ok :f :a :time " + std::string(time) + "}", fields), ReadError) << time;
  }
}

TEST(ForeignFields, DecimalsAreExact) {
  EXPECT_EQ(in_nanoseconds("0.1", 1'000'000'000), 100'000'000);
  EXPECT_EQ(in_nanoseconds("1.0000000019", 1'000'000'000), 1'000'000'001);
  EXPECT_EQ(in_nanoseconds("-3", 1000), -3000);
  EXPECT_EQ(in_nanoseconds("9223372036854775807", 1), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(in_nanoseconds("5e-05", 1'000'000'000), 50'000);
  EXPECT_EQ(in_nanoseconds("1.7e+12", 1'000'000), 1'700'000'000'000'000'000);
  EXPECT_EQ(in_nanoseconds("0e999999999", 1), 0);
  EXPECT_EQ(in_nanoseconds("1e-999999999", 1), 0);
  EXPECT_EQ(in_nanoseconds("0.3333333333333333333333333333333", 1000), 333);
  for (const char* text : {"", "-", ".", "1.2.3", "1e", "1e3.5", "1e19", "1e999999999", "+1", "9223372036854775808",
                           "x", "1e99999999999"}) {
    EXPECT_FALSE(in_nanoseconds(text, 1)) << text;
  }
  EXPECT_FALSE(time_unit_named("minutes"));
}

std::string error_of(std::string_view text, const ForeignFields& fields) {
  try {
    read(text, fields);
  } catch (const ReadError& error) {
    return error.what();
  }
  return "none";
}

TEST(ForeignFields, AFieldThatNoRecordHasIsAnErrorWithTheNearest) {
  ForeignFields fields;
  fields.owner = "clinet";
  EXPECT_EQ(error_of(kFenced, fields),
            "text: found no record with a field 'clinet', expected one of process, type, f, value, "
            "client, fence, uid; did you mean 'client'?");
  fields.owner = "quux";
  EXPECT_EQ(error_of(kFenced, fields).find("did you mean"), std::string::npos);
  fields.owner = "value.fense";
  EXPECT_NE(error_of(kFenced, fields), "none");
  EXPECT_EQ(error_of("[]", fields), "none");
  EXPECT_EQ(error_of("{:process 0 :type :ok :f :a :value {:fense nil}}", fields), "none");
}

TEST(ForeignFields, SaysWhereATokenIsNone) {
  ForeignFields fields;
  fields.token = "fence";
  EXPECT_EQ(error_of("{:process 0 :type :ok :f :a :value {:fence :high}}", fields),
            "text:1:36: found 'high' for the token, expected an integer of 64 bits");
  EXPECT_NE(error_of("{:process 0 :type :ok :f :a :fence \"\"}", fields), "none");
}

TEST(ForeignFields, AnOwnerByTheNameOfClientIsWrittenOnce) {
  ForeignFields fields;
  fields.owner = "client";
  const std::string text = write_history_text(
      read("{:process 0 :type :invoke :f :a :client \"c\"} {:process 0 :type :ok :f :a :client :c}", fields));
  EXPECT_EQ(write_history_text(read_history_text(text)), text);
  EXPECT_EQ(text.find("\"c\""), std::string::npos) << text;
}

TEST(ForeignFields, OwnersAreNotNumberedTwice) {
  ForeignFields fields;
  fields.owner = "who";
  EXPECT_NE(error_of("{:type :info :f :hold :process :hold :hold 1}", fields), "none");
  const History h = read("{:process 0 :type :ok :f :a :hold 77 :who \"x\"}", fields);
  EXPECT_EQ(h.operations[0].hold, 1u);
}

}  // namespace
}  // namespace picklock
