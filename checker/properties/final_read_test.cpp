#include "checker/properties/final_read.hpp"

#include <gtest/gtest.h>

#include "checker/properties/history_lab.hpp"

namespace picklock {
namespace {

struct Foreign : ScriptedHistory {
  std::int64_t now = 0;
  Foreign() { foreign(); }
  void adds(int process, Value value, OperationType end) {
    operation(now++, process, OperationType::invoke, "add", "", kNoHold, kNoToken, value);
    operation(now++, process, end, "add", "", kNoHold, kNoToken, value);
  }
  void finally(const char* answer) {
    operation(now++, 0, OperationType::invoke, "read");
    operation(now++, 0, OperationType::ok, "read", "", kNoHold, kNoToken, values().canonical(answer));
  }
  Finding judged() {
    history = build();
    return finding_on(Property::lost_update, history);
  }
  History history;
};

TEST(FinalRead, AnAcknowledgedAdditionMustBeThere) {
  Foreign h;
  h.adds(1, Value::integer(3), OperationType::ok);
  h.adds(2, Value::integer(4), OperationType::ok);
  h.finally("#{1 3}");
  const Finding v = h.judged();
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 1);
  EXPECT_EQ(explain(v, h.history),
            "the addition of 4 by process 2, acknowledged at index 3, is absent from the final "
            "read at index 5");
}

TEST(FinalRead, UnknownAndFailedAdditionsCountNeitherWay) {
  Foreign h;
  h.adds(1, Value::integer(3), OperationType::info);
  h.adds(2, Value::integer(4), OperationType::fail);
  h.adds(4, Value::integer(5), OperationType::ok);
  h.finally("[5]");
  EXPECT_NE(h.judged().verdict, Verdict::violated);
}

TEST(FinalRead, OnlyTheLastReadCountsAndOnlyForWhatCameBefore) {
  Foreign h;
  h.adds(1, Value::integer(3), OperationType::ok);
  h.finally("[]");
  h.finally("(3)");
  h.adds(1, Value::integer(4), OperationType::ok);
  EXPECT_NE(h.judged().verdict, Verdict::violated);
}

TEST(FinalRead, ElementsAreComparedWhole) {
  Foreign h;
  h.adds(1, Value::integer(2), OperationType::ok);
  h.adds(1, h.values().string("x ] \"2\" y"), OperationType::ok);
  h.adds(1, h.values().canonical("[4 [5 6]]"), OperationType::ok);
  h.finally("[12 [2] \"x ] \\\"2\\\" y\" [4 [5 6]] 22]");
  const Finding v = h.judged();
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.measure, 1);  // the 2
}

TEST(FinalRead, WithoutACollectionThereIsNothingToJudge) {
  Foreign h;
  h.adds(1, Value::integer(2), OperationType::ok);
  EXPECT_EQ(h.judged().reason, Reason::needs_final_read);
}

}  // namespace
}  // namespace picklock
