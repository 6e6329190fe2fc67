// One wait for a message, an instant, or a bell, and what ends it.

#include "sim/core/wait.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "sim/core/service.hpp"
#include "sim/core/world_lab.hpp"

namespace picklock {
namespace {

using testing::Lab;
using testing::ms;
using Instants = std::vector<Duration>;

// A process that waits again and again, and notes when it wakes and how many messages it finds.
class Waiter final : public Program {
 public:
  Duration timeout{};  // zero: none
  bool messages = true;
  Bell bell;
  Instants woken;
  std::vector<std::size_t> found;

  void boot(World& w, NodeId n) override { w.start(n, "main", run(Service(w, n), this)); }

 private:
  static Task<void> run(Service service, Waiter* self) {
    World& world = service.world();
    for (;;) {
      WaitFor what{.bell = &self->bell, .messages = self->messages};
      if (self->timeout.ns != 0) what.until = service.host().monotonic_now() + self->timeout;
      co_await service.wait(what);
      self->woken.push_back(world.now() - TrueTime{});
      std::size_t n = 0;
      while (service.take_message()) ++n;
      self->found.push_back(n);
    }
  }
};

struct OneWaiter : Lab {
  Waiter waiter;
  NodeId node, client;
  ConnectionId connection;
  OneWaiter() {
    node = world.add_node("server");
    client = world.add_node("client");
  }
  ~OneWaiter() { world.reset(0); }
  void install() {
    world.install(node, waiter);
    connection = world.network.connect(client, node, nullptr);
  }
  void message_at(Duration when) {  // is there a millisecond later
    at(when, [this](World& w) { send(w, {connection, 0}, "x"); });
  }
};

TEST(Wait, EndsWithAMessage) {
  OneWaiter lab;
  lab.install();
  lab.message_at(ms(4));
  lab.message_at(ms(9));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(5), ms(10)}));
  EXPECT_EQ(lab.waiter.found, (std::vector<std::size_t>{1, 1}));
}

TEST(Wait, EndsAtOnceIfAMessageIsThere) {
  OneWaiter lab;
  lab.install();
  const std::uint32_t incarnation = lab.world.pause(lab.node);
  lab.message_at(ms(1));
  lab.message_at(ms(2));
  lab.at(ms(20), [&](World& w) { w.resume(lab.node, incarnation); });
  lab.run();
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(20)}));
  EXPECT_EQ(lab.waiter.found, (std::vector<std::size_t>{2}));
}

TEST(Wait, EndsAtItsInstant) {
  OneWaiter lab;
  lab.waiter.timeout = ms(10);
  lab.install();
  lab.message_at(ms(11));  // restarts the timeout at 12 ms
  lab.run_until(ms(25));
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(10), ms(12), ms(22)}));
  EXPECT_EQ(lab.waiter.found, (std::vector<std::size_t>{0, 1, 0}));
}

TEST(Wait, IgnoresMessagesIfToldTo) {
  OneWaiter lab;
  lab.waiter.messages = false;
  lab.waiter.timeout = ms(10);
  lab.install();
  lab.message_at(ms(1));
  lab.run_until(ms(11));
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(10)}));
  EXPECT_EQ(lab.waiter.found, (std::vector<std::size_t>{1}));
}

TEST(Bell, WakesItsWaiterOnceForSeveralRings) {
  OneWaiter lab;
  lab.install();
  lab.at(ms(3), [&](World&) {
    lab.waiter.bell.ring();
    lab.waiter.bell.ring();
  });
  lab.run();
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(3)}));
  EXPECT_TRUE(lab.waiter.bell.has_waiter());
}

TEST(Bell, RingIsLostWithoutAWaiterAndCanBeKept) {
  OneWaiter lab;
  lab.waiter.bell.ring();
  lab.install();
  lab.run();
  EXPECT_EQ(lab.waiter.woken, Instants{});

  OneWaiter kept, forgotten;
  kept.waiter.bell.ring_now_or_next();
  kept.install();
  kept.run();
  EXPECT_EQ(kept.waiter.woken, (Instants{Duration{}}));  // once: the second wait goes on

  forgotten.waiter.bell.ring_now_or_next();
  forgotten.waiter.bell.forget();
  forgotten.install();
  forgotten.run();
  EXPECT_EQ(forgotten.waiter.woken, Instants{});
}

TEST(Bell, RingNowOrNextWakesTheWaiterAndKeepsNothing) {
  OneWaiter lab;
  lab.install();
  lab.at(ms(3), [&](World&) { lab.waiter.bell.ring_now_or_next(); });
  lab.run();
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(3)}));
}

TEST(Bell, RingBeforeWakesOnlyWhoeverWouldSleepTooLong) {
  OneWaiter lab;
  lab.waiter.timeout = ms(10);
  lab.install();
  lab.at(ms(1), [&](World&) { lab.waiter.bell.ring_before(MonoTime{ms(10).ns}); });
  lab.at(ms(2), [&](World&) { lab.waiter.bell.ring_before(MonoTime{ms(9).ns}); });
  lab.run_until(ms(5));
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(2)}));
}

TEST(Bell, RingBeforeWakesAWaiterWithoutATimer) {
  OneWaiter lab;
  lab.install();
  lab.at(ms(1), [&](World&) { lab.waiter.bell.ring_before(MonoTime{seconds(100).ns}); });
  lab.run();
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(1)}));
}

TEST(Bell, DropsTheTimerOfItsWaiter) {
  OneWaiter lab;
  lab.waiter.timeout = ms(10);
  lab.install();
  lab.at(ms(4), [&](World&) {
    EXPECT_TRUE(lab.waiter.bell.has_timer());
    lab.waiter.bell.drop_timer();
    EXPECT_FALSE(lab.waiter.bell.has_timer());
  });
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(lab.waiter.woken, Instants{});
}

TEST(Bell, LosesAWaiterWhoseProcessDies) {
  OneWaiter lab;
  lab.install();
  lab.at(ms(1), [&](World& w) { w.kill(lab.node); });
  lab.at(ms(2), [&](World&) {
    EXPECT_FALSE(lab.waiter.bell.has_waiter());
    lab.waiter.bell.ring();
  });
  lab.at(ms(3), [&](World& w) { w.restart(lab.node); });
  lab.at(ms(4), [&](World&) { lab.waiter.bell.ring(); });
  lab.run();
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(4)}));
}

Task<void> wait_for_bell(Service service, Bell* bell) { co_await service.wait({.bell = bell}); }

TEST(Bell, MayDieBeforeItsWaiter) {
  Lab lab;
  const NodeId n = lab.world.add_node("n");
  auto bell = std::make_unique<Bell>();
  lab.world.start(n, "main", wait_for_bell(Service(lab.world, n), bell.get()));
  lab.run();
  ASSERT_TRUE(bell->has_waiter());
  bell.reset();
  EXPECT_EQ(lab.world.tasks_alive(), 1u);
  lab.world.reset(0);  // ends the wait
}

}  // namespace
}  // namespace picklock
