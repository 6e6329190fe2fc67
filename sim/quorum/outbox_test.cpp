#include "sim/quorum/outbox.hpp"

#include <gtest/gtest.h>

#include <string>

namespace picklock {
namespace {

using Texts = std::vector<std::string>;

TEST(DurableOutbox, HoldsAMessageUntilItsRecordIsPersisted) {
  DurableOutbox<std::string> outbox;
  outbox.send_after(1, "vote");
  outbox.send("heartbeat");
  outbox.send_after(3, "ack 3");
  EXPECT_EQ(outbox.ready(), (Texts{"heartbeat"}));
  outbox.persisted(2);
  EXPECT_EQ(outbox.ready(), (Texts{"heartbeat", "vote"}));
  outbox.ready().clear();
  outbox.send_after(3, "second ack 3");
  EXPECT_TRUE(outbox.ready().empty());
  outbox.persisted(1);  // old news
  EXPECT_EQ(outbox.persisted(), 2u);
  outbox.persisted(4);
  EXPECT_EQ(outbox.ready(), (Texts{"ack 3", "second ack 3"})) << "in their order";
  outbox.ready().clear();
  outbox.send_after(4, "at once");
  EXPECT_EQ(outbox.ready(), (Texts{"at once"}));
  EXPECT_EQ(outbox.waiting(), 0u);
}

TEST(DurableOutboxDeathTest, NeedsNeverFall) {
  DurableOutbox<std::string> outbox;
  outbox.send_after(3, "a");
  EXPECT_DEATH(outbox.send_after(2, "b"), "needs");
}

}  // namespace
}  // namespace picklock
