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
  bool messages = true, stands = false;
  Bell bell;
  Instants woken;
  std::vector<std::size_t> found;

  void boot(World& w, NodeId n) override { w.tasks.start(n, "main", run(Service(w, n), this)); }

 private:
  static Task<void> run(Service service, Waiter* self) {
    World& world = service.world();
    WaitFor what{.bell = &self->bell, .messages = self->messages};
    StandingWait standing = service.standing_wait(what);
    for (;;) {
      what.until.reset();
      if (self->timeout.ns != 0) what.until = service.host().monotonic_now() + self->timeout;
      if (self->stands) {
        co_await standing.until(what.until);
      } else {
        co_await service.wait(what);
      }
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
  explicit OneWaiter(bool stands) {
    waiter.stands = stands;
    node = world.nodes.add("server");
    client = world.nodes.add("client");
  }
  ~OneWaiter() { world.reset(0); }
  void install() {
    world.install(node, waiter);
    connection = world.network.connect(client, node, nullptr);
  }
  void message_at(Duration when) {  // the message arrives a millisecond later
    at(when, [this](World& w) { send(w, {connection, 0}, "x"); });
  }
};

class EachWait : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Once, EachWait, ::testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Standing, EachWait, ::testing::Values(true));
class EachBell : public EachWait {};
INSTANTIATE_TEST_SUITE_P(Once, EachBell, ::testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Standing, EachBell, ::testing::Values(true));

TEST_P(EachWait, EndsWithAMessage) {
  OneWaiter lab(GetParam());
  lab.install();
  lab.message_at(ms(4));
  lab.message_at(ms(9));
  EXPECT_EQ(lab.run(), RunEnd::quiescent);
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(5), ms(10)}));
  EXPECT_EQ(lab.waiter.found, (std::vector<std::size_t>{1, 1}));
}

TEST_P(EachWait, EndsAtOnceIfAMessageIsThere) {
  OneWaiter lab(GetParam());
  lab.install();
  const std::uint32_t incarnation = lab.world.faults.pause(lab.node);
  lab.message_at(ms(1));
  lab.message_at(ms(2));
  lab.at(ms(20), [&](World& w) { w.faults.resume(lab.node, incarnation); });
  lab.run();
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(20)}));
  EXPECT_EQ(lab.waiter.found, (std::vector<std::size_t>{2}));
}

TEST_P(EachWait, EndsAtItsInstant) {
  OneWaiter lab(GetParam());
  lab.waiter.timeout = ms(10);
  lab.install();
  lab.message_at(ms(11));  // restarts the timeout at 12 ms
  lab.run_until(ms(25));
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(10), ms(12), ms(22)}));
  EXPECT_EQ(lab.waiter.found, (std::vector<std::size_t>{0, 1, 0}));
}

TEST_P(EachWait, IgnoresMessagesIfToldTo) {
  OneWaiter lab(GetParam());
  lab.waiter.messages = false;
  lab.waiter.timeout = ms(10);
  lab.install();
  lab.message_at(ms(1));
  lab.run_until(ms(11));
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(10)}));
  EXPECT_EQ(lab.waiter.found, (std::vector<std::size_t>{1}));
}

TEST_P(EachBell, WakesItsWaiterOnceForSeveralRings) {
  OneWaiter lab(GetParam());
  lab.install();
  lab.at(ms(3), [&](World&) {
    lab.waiter.bell.ring();
    lab.waiter.bell.ring();
  });
  lab.run();
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(3)}));
  EXPECT_TRUE(lab.waiter.bell.has_waiter());
}

TEST_P(EachBell, RingIsLostWithoutAWaiterAndCanBeKept) {
  OneWaiter lab(GetParam());
  lab.waiter.bell.ring();
  lab.install();
  lab.run();
  EXPECT_EQ(lab.waiter.woken, Instants{});

  OneWaiter kept(GetParam()), forgotten(GetParam());
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

TEST_P(EachBell, RingNowOrNextWakesTheWaiterAndKeepsNothing) {
  OneWaiter lab(GetParam());
  lab.install();
  lab.at(ms(3), [&](World&) { lab.waiter.bell.ring_now_or_next(); });
  lab.run();
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(3)}));
}

TEST_P(EachBell, RingBeforeWakesOnlyWhoeverWouldSleepTooLong) {
  OneWaiter lab(GetParam());
  lab.waiter.timeout = ms(10);
  lab.install();
  lab.at(ms(1), [&](World&) { lab.waiter.bell.ring_before(MonoTime{ms(10).ns}); });
  lab.at(ms(2), [&](World&) { lab.waiter.bell.ring_before(MonoTime{ms(9).ns}); });
  lab.run_until(ms(5));
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(2)}));
}

TEST_P(EachBell, RingBeforeWakesAWaiterWithoutATimer) {
  OneWaiter lab(GetParam());
  lab.install();
  lab.at(ms(1), [&](World&) { lab.waiter.bell.ring_before(MonoTime{seconds(100).ns}); });
  lab.run();
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(1)}));
}

TEST_P(EachBell, DropsTheTimerOfItsWaiter) {
  OneWaiter lab(GetParam());
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

TEST_P(EachBell, LosesAWaiterWhoseProcessDies) {
  OneWaiter lab(GetParam());
  lab.install();
  lab.at(ms(1), [&](World& w) { w.faults.kill(lab.node); });
  lab.at(ms(2), [&](World&) {
    EXPECT_FALSE(lab.waiter.bell.has_waiter());
    lab.waiter.bell.ring();
  });
  lab.at(ms(3), [&](World& w) { w.faults.restart(lab.node); });
  lab.at(ms(4), [&](World&) { lab.waiter.bell.ring(); });
  lab.run();
  EXPECT_EQ(lab.waiter.woken, (Instants{ms(4)}));
}

Task<void> wait_for_bell(Service service, Bell* bell) { co_await service.wait({.bell = bell}); }

TEST(Bell, MayDieBeforeItsWaiter) {
  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  auto bell = std::make_unique<Bell>();
  lab.world.tasks.start(n, "main", wait_for_bell(Service(lab.world, n), bell.get()));
  lab.run();
  ASSERT_TRUE(bell->has_waiter());
  bell.reset();
  EXPECT_EQ(lab.world.tasks.alive(), 1u);
  lab.world.reset(0);  // ends the wait
}

// Waits for a message or for 10 ms, does something else for 20 ms, and so on.
Task<void> wait_and_work(Service service, Instants* woken) {
  const Host host = service.host();
  StandingWait wait = service.standing_wait({.what = "messages"});
  for (;;) {
    co_await wait.until(MonoTime{ms(10).ns});
    woken->push_back(host.monotonic_now() - MonoTime{});
    while (service.take_message()) continue;
    co_await host.sleep(ms(20));
  }
}

struct Labourer : Lab {
  NodeId node = world.nodes.add("server"), client = world.nodes.add("client");
  ConnectionId connection = 0;
  Instants woken;
  Labourer() {
    world.tasks.start(node, "main", wait_and_work(Service(world, node), &woken));
    connection = world.network.connect(client, node, nullptr);
    at(ms(4), [this](World& w) { send(w, {connection, 0}, "x"); });  // the message arrives a millisecond later
  }
};

TEST(StandingWait, IsNotToldOfWhatFallsDueBetweenTwoWaits) {
  Labourer lab;
  lab.run_until(ms(44));
  EXPECT_EQ(lab.woken, (Instants{ms(5), ms(25)})) << "10 ms had passed when the second wait began";
}

TEST(StandingWait, IsNoWaitBetweenTwo) {
  Labourer lab;
  lab.run_until(ms(7));
  ASSERT_EQ(lab.world.tasks.waiting().size(), 1u);
  EXPECT_EQ(lab.world.tasks.waiting()[0].what, "sleep");
  lab.run_until(ms(12));
  EXPECT_EQ(lab.world.tasks.waiting().size(), 1u);
}

TEST(StandingWait, GoesOnWithItsTimerAfterAStop) {
  Labourer lab;
  lab.at(ms(2), [&](World& w) { w.faults.pause(lab.node); });
  lab.at(ms(30), [&](World& w) { w.faults.resume(lab.node, w.nodes.incarnation(lab.node)); });
  lab.run_until(ms(49));
  EXPECT_EQ(lab.woken, (Instants{ms(30)})) << "message and timer were there, and end one wait";
  lab.run_until(ms(51));
  EXPECT_EQ(lab.woken, (Instants{ms(30), ms(50)}));
}

Task<void> wait_and_sleep(Service service, Bell* bell) {
  StandingWait wait = service.standing_wait({.bell = bell});
  co_await wait.next();
  co_await service.host().sleep(seconds(1));
}

// Between two waits the bell may even be gone.
TEST(StandingWait, LeavesItsBellAloneBetweenTwoWaits) {
  Bell bell;
  Lab lab;
  NodeId n = lab.world.nodes.add("n");
  lab.world.tasks.start(n, "main", wait_and_sleep(Service(lab.world, n), &bell));
  lab.at(ms(1), [&](World&) { bell.ring(); });
  lab.run_until(ms(2));
  EXPECT_FALSE(bell.has_waiter());
  bell.ring_now_or_next();
  lab.world.reset(0);  // ends the task, which does not wait
  n = lab.world.nodes.add("n");
  lab.world.tasks.start(n, "main", wait_for_bell(Service(lab.world, n), &bell));
  lab.run();
  EXPECT_EQ(lab.world.tasks.alive(), 0u) << "the ring was kept for this wait";
}

// Counts its wakes; its instant stays the same for all messages before it.
Task<void> wait_for_instant(Service service, MonoTime due, Instants* woken) {
  StandingWait wait = service.standing_wait({});
  for (;;) {
    co_await wait.until(due);
    woken->push_back(service.host().monotonic_now() - MonoTime{});
    while (service.take_message()) continue;
    if (service.host().monotonic_now() >= due) co_return;
  }
}

TEST(StandingWait, KeepsTheTimerOfTheSameInstant) {
  Lab lab;
  const NodeId node = lab.world.nodes.add("server"), client = lab.world.nodes.add("client");
  Instants woken;
  lab.world.tasks.start(node, "main", wait_for_instant(Service(lab.world, node), MonoTime{ms(10).ns}, &woken));
  const ConnectionId connection = lab.world.network.connect(client, node, nullptr);
  for (const int n : {0, 3}) {
    lab.at(ms(n), [&](World& w) { send(w, {connection, 0}, "x"); });
  }
  lab.at(ms(6), [&](World& w) { w.faults.set_rate(node, 1'000'000); });  // its clock runs twice as fast from 6 ms on
  lab.run();
  EXPECT_EQ(woken, (Instants{ms(1), ms(4), ms(10)}));
  EXPECT_EQ(lab.world.now(), TrueTime{} + ms(8));
}

}  // namespace
}  // namespace picklock
