#include "sim/etcd/client.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>

#include "sim/etcd/lone_member_lab.hpp"

namespace picklock {
namespace {

using testing::LoneEtcdMember;
constexpr Duration ms(std::int64_t n) { return milliseconds(n); }
using Texts = std::vector<std::string>;

// A client, and members that know nothing of one another: enough for what a client does by itself.
struct Lab {
  explicit Lab(std::size_t n = 1, EtcdClientOptions options = {}) {
    world.reset(1);
    world.network.set_latency(Law::constant(ms(1)));
    for (std::size_t i = 0; i < n; ++i) {
      members.push_back(std::make_unique<LoneEtcdMember>());
      node.push_back(world.nodes.add("etcd" + std::to_string(i + 1)));
    }
    client = world.nodes.add("client");
    for (std::size_t i = 0; i < n; ++i) world.install(node[i], *members[i]);
    std::vector<Channel*> channels;
    for (std::size_t i = 0; i < n; ++i)
      channels.push_back(&world.channels.open(client, node[i], etcd_channel(options)));
    etcd = std::make_unique<EtcdClient>(world.host(client), channels, options);
  }
  ~Lab() { world.reset(0); }

  using Act = std::function<void(World&)>;
  void at(Duration when, Act act) {
    acts.push_back(std::move(act));
    world.actions.at(TrueTime{} + when,
                     {[](World& w, void* f, std::uint64_t) { (*static_cast<Act*>(f))(w); }, &acts.back(), 0});
  }
  void cut(std::size_t i, Fate fate = Fate::drop) {
    NetworkRule out, in;
    out.from.set(node[i]), out.to.set(client), in.from.set(client), in.to.set(node[i]);
    out.fate = in.fate = fate;
    rules = {world.network.install(out), world.network.install(in)};
  }
  void heal() {
    for (const std::uint32_t id : rules) world.network.uninstall(id);
  }
  void run_until(Duration when) { world.run({.until = TrueTime{} + when}); }
  EtcdReply run(const EtcdRequest& request) { return members[0]->run(world, node[0], request); }

  std::deque<Act> acts;
  World world;
  std::vector<std::unique_ptr<LoneEtcdMember>> members;
  std::vector<NodeId> node;
  NodeId client = 0;
  std::unique_ptr<EtcdClient> etcd;
  std::vector<std::uint32_t> rules;
};

struct Answer {
  bool yes = false, refused = false, unknown = false;
  std::string error;
  Duration when{};
};
template <class T>
Answer told(const Outcome<T>& o, World& world) {
  return {o.yes(), o.refused(), o.unknown(), o.error(), world.now() - TrueTime{}};
}

Task<void> put_one(Host, Lab* lab, Answer* answer) {
  lab->world.tasks.begin_operation(1, 7);
  const auto put = co_await lab->etcd->put(EtcdPut("a", "1"));
  *answer = told(put, lab->world);
}
Task<void> get_one(Host, Lab* lab, Answer* answer) {
  const auto got = co_await lab->etcd->range(EtcdRange("a"));
  *answer = told(got, lab->world);
}

TEST(EtcdClient, WritesAreRecordedForTheirHold) {
  Lab lab;
  Answer answer;
  lab.world.tasks.start(lab.client, "main", put_one(lab.world.host(lab.client), &lab, &answer));
  lab.run_until(ms(10));
  EXPECT_TRUE(answer.yes);
  EXPECT_EQ(answer.when, ms(2));
  bool created = false;
  for (const TraceRecord& r : lab.world.trace.journal()) {
    if (r.kind != trace::etcd_key_created) continue;
    created = true;
    EXPECT_EQ(r.a, 7U);
    EXPECT_EQ(r.b, hash_of("a"));
    EXPECT_EQ(r.c, 2U);
  }
  EXPECT_TRUE(created);
}

TEST(EtcdClient, ALostConnectionIsUnknownForAWriteAndNoMatterForARead) {
  for (const bool write : {true, false}) {
    Lab lab(2);
    Answer answer;
    // Requests of the first member are held back, and then its process dies.
    lab.at(Duration{}, [&](World& w) { (void)w.faults.pause(lab.node[0]), (void)w.faults.pause(lab.node[1]); });
    lab.world.tasks.start(lab.client, "main",
                          write ? put_one(lab.world.host(lab.client), &lab, &answer)
                                : get_one(lab.world.host(lab.client), &lab, &answer));
    lab.at(ms(20), [&](World& w) { w.faults.kill(lab.node[0]), w.faults.kill(lab.node[1]); });
    lab.at(ms(30), [&](World& w) { w.faults.restart(lab.node[0]), w.faults.restart(lab.node[1]); });
    lab.run_until(seconds(4));
    EXPECT_EQ(answer.unknown, write);
    EXPECT_EQ(answer.yes, !write);
  }
}

TEST(EtcdClient, SilenceEndsTheWaitAfterTheTimeoutAndIsUnknown) {
  Lab lab(1, {.request_timeout = ms(700)});
  lab.cut(0);
  Answer answer;
  lab.world.tasks.start(lab.client, "main", put_one(lab.world.host(lab.client), &lab, &answer));
  lab.at(ms(800), [&](World&) { lab.heal(); });
  lab.run_until(seconds(5));
  EXPECT_TRUE(answer.unknown);
  EXPECT_EQ(answer.when, ms(700));
  EXPECT_NE(lab.members[0]->state.store().find("a"), nullptr) << "and takes effect when the link is back";
}

TEST(EtcdClient, AMemberThatIsDownIsPassedOver) {
  Lab lab(3);
  lab.world.faults.kill(lab.node[0]);
  lab.world.faults.kill(lab.node[1]);
  lab.run_until(ms(5));
  Answer answer;
  lab.world.tasks.start(lab.client, "main", put_one(lab.world.host(lab.client), &lab, &answer));
  lab.run_until(ms(20));
  EXPECT_TRUE(answer.yes);
  EXPECT_EQ(lab.members[2]->log.size(), 1U);
}

TEST(EtcdClient, WhenAllAreDownNothingIsSent) {
  Lab lab(2);
  lab.world.faults.kill(lab.node[0]), lab.world.faults.kill(lab.node[1]);
  lab.run_until(ms(5));
  Answer answer;
  lab.world.tasks.start(lab.client, "main", put_one(lab.world.host(lab.client), &lab, &answer));
  lab.run_until(seconds(3));
  EXPECT_TRUE(answer.refused);
}

TEST(EtcdClient, ErrorsThatLeaveTheEffectOpenAreUnknown) {
  Lab lab;
  const auto put = EtcdRequest(EtcdPut()).index(), range = EtcdRequest(EtcdRange()).index();
  lab.members[0]->refusals = {{put, EtcdError::timeout, true}, {range, EtcdError::leader_changed, false}};
  Answer written, read;
  lab.world.tasks.start(lab.client, "main", put_one(lab.world.host(lab.client), &lab, &written));
  lab.run_until(ms(10));
  EXPECT_TRUE(written.unknown);
  EXPECT_NE(lab.members[0]->state.store().find("a"), nullptr);
  lab.world.tasks.start(lab.client, "main", get_one(lab.world.host(lab.client), &lab, &read));
  lab.run_until(ms(100));
  EXPECT_TRUE(read.yes) << "a read is tried again";
  EXPECT_GE(read.when, ms(10 + 4 + 22));
}

// --- renewals

struct Lease {
  EtcdLeaseId id = 0;
  std::shared_ptr<EtcdKeepAlive> renewals;
  std::vector<Duration> answers;
  std::optional<Duration> closed;
};
Task<void> hold_lease(Host host, Lab* lab, Lease* lease, Duration ttl, bool drains) {
  const auto granted = co_await lab->etcd->grant(ttl);
  lease->id = granted.value().id;
  lease->renewals = lab->etcd->keep_alive(lease->id);
  if (!drains) {
    co_await lease->renewals->closed().wait();
  }
  while (drains) {
    const auto next = co_await lease->renewals->next();
    if (!next) break;
    lease->answers.push_back(lab->world.now() - TrueTime{});
  }
  lease->closed = lab->world.now() - TrueTime{};
  co_await host.sleep(ms(1));
}

TEST(EtcdClient, RenewsAThirdOfTheTtlAfterEachAnswerAsSeenEveryHalfSecond) {
  Lab lab;
  Lease lease;
  lab.world.tasks.start(lab.client, "main", hold_lease(lab.world.host(lab.client), &lab, &lease, seconds(5), true));
  lab.run_until(ms(7100));
  // Granted at 2 ms; the first renewal at once, the next ones at the scans after answer + 1.667 s.
  EXPECT_EQ(lease.answers, (std::vector<Duration>{ms(4), ms(2004), ms(4004), ms(6004)}));
  EXPECT_EQ(lease.renewals->deadline(), MonoTime{ms(11004).ns});
  EXPECT_TRUE(lab.members[0]->state.lessor().exists(lease.id));
}

TEST(EtcdClient, GivesALeaseUpWhenItsTtlHasPassedSinceTheLastAnswer) {
  Lab lab;
  Lease lease;
  lab.world.tasks.start(lab.client, "main", hold_lease(lab.world.host(lab.client), &lab, &lease, seconds(5), true));
  lab.at(ms(2100), [&](World&) { lab.cut(0); });
  lab.run_until(seconds(12));
  // The last answer came at 2.004 s; deadlines are looked at every second from 2 ms on.
  EXPECT_EQ(lease.closed, ms(8002));
  EXPECT_FALSE(lab.members[0]->state.lessor().exists(lease.id)) << "the server ended it at about 7.0 s: before";
}

// lease.go, sendKeepAliveLoop: what is due is sent at every scan, whether or not it has been before.
TEST(EtcdClient, ARenewalIsSentAgainAtEveryScanUntilItIsAnswered) {
  Lab lab;
  Lease lease;
  lab.world.tasks.start(lab.client, "main", hold_lease(lab.world.host(lab.client), &lab, &lease, seconds(5), true));
  lab.at(ms(1900), [&](World& w) { (void)w.faults.pause(lab.node[0]); });
  lab.run_until(ms(4100));
  EXPECT_EQ(lab.etcd->renewals_sent(), 1U + 5U) << "the first, and from 2.002 s on every half second";
}

TEST(EtcdClient, ALeaseThatIsGoneClosesItsRenewalsAtTheNextOne) {
  Lab lab;
  Lease lease;
  lab.world.tasks.start(lab.client, "main", hold_lease(lab.world.host(lab.client), &lab, &lease, seconds(5), true));
  lab.at(ms(2100), [&](World&) { (void)lab.run(EtcdLeaseRevoke{lease.id}); });
  lab.run_until(seconds(6));
  EXPECT_EQ(lease.closed, ms(4004));
}

TEST(EtcdClient, RenewalsGoOnWithAnotherMemberHalfASecondAfterTheConnection) {
  Lab lab(2);
  // Both know the lease: members of this lab do not talk to each other.
  for (auto& m : lab.members) (void)m->state.apply(EtcdLeaseGrant{1001, 10}, MonoTime{});
  std::shared_ptr<EtcdKeepAlive> renewals;
  lab.at(ms(1), [&](World&) { renewals = lab.etcd->keep_alive(1001); });
  lab.run_until(ms(10));
  ASSERT_EQ(lab.members[0]->log.size() + lab.members[1]->log.size(), 1U);
  const std::size_t first = lab.members[0]->log.size() == 1 ? 0 : 1, other = 1 - first;
  lab.at(ms(3200), [&](World& w) { w.faults.kill(lab.node[first]); });
  lab.run_until(ms(3700));
  EXPECT_EQ(lab.members[other]->log, Texts{}) << "its end is heard at once, and half a second waited";
  lab.run_until(ms(3710));
  EXPECT_EQ(lab.members[other]->log, Texts{"renew 1001"});
  EXPECT_FALSE(renewals->is_closed());
  renewals.reset();
}

TEST(EtcdClient, UnreadAnswersAreDroppedAndFormerlyMadeItFlood) {
  std::uint64_t sent[2];
  for (const bool floods : {false, true}) {
    Lab lab(1, {.floods = floods});
    Lease lease;
    lab.world.tasks.start(lab.client, "main", hold_lease(lab.world.host(lab.client), &lab, &lease, seconds(5), false));
    lab.run_until(seconds(60));
    EXPECT_FALSE(lease.closed.has_value());
    std::size_t kept = 0;
    while (lease.renewals->take()) ++kept;
    EXPECT_EQ(kept, EtcdKeepAlive::kRoom);
    sent[floods] = lab.etcd->renewals_sent();
  }
  EXPECT_EQ(sent[false], 30U);
  EXPECT_GT(sent[true], 70U) << "twice a second once the room is used up";
}

TEST(EtcdClient, ACancelledLeaseIsRenewedNoMore) {
  Lab lab;
  Lease lease;
  lab.world.tasks.start(lab.client, "main", hold_lease(lab.world.host(lab.client), &lab, &lease, seconds(5), true));
  lab.at(ms(2100), [&](World&) { lease.renewals->cancel(); });
  lab.run_until(seconds(12));
  EXPECT_EQ(lease.answers.size(), 2U);
  EXPECT_EQ(lease.closed, ms(2100));
  EXPECT_FALSE(lab.members[0]->state.lessor().exists(lease.id));
}

// --- watches

struct Watcher {
  Texts heard;
  bool closed = false;
  std::shared_ptr<EtcdWatch> watch;
};
Task<void> listen(Host, Lab* lab, Watcher* watcher, EtcdWatchCreate what) {
  watcher->watch = lab->etcd->watch(what);
  for (;;) {
    auto reply = co_await watcher->watch->next();
    if (!reply) break;
    if (reply->cancelled) watcher->heard.push_back("cancelled " + std::to_string(reply->compacted));
    for (const EtcdEvent& e : reply->events) watcher->heard.push_back((e.deleted ? "-" : "+") + e.kv.key + e.kv.value);
  }
  watcher->closed = true;
}

TEST(EtcdClient, AWatchIsResumedWithNothingLostAndNothingTwice) {
  Lab lab;
  Watcher now, past;
  (void)lab.run(EtcdPut("a", "1"));
  lab.world.tasks.start(lab.client, "now", listen(lab.world.host(lab.client), &lab, &now, EtcdWatchCreate("a")));
  lab.world.tasks.start(lab.client, "past", listen(lab.world.host(lab.client), &lab, &past, EtcdWatchCreate("a", 2)));
  lab.at(ms(500), [&](World&) { (void)lab.run(EtcdPut("a", "2")); });
  lab.at(ms(600), [&](World& w) { w.faults.kill(lab.node[0]); });
  lab.at(ms(601), [&](World&) { (void)lab.members[0]->state.apply(EtcdPut("a", "3"), {}); });
  lab.at(ms(700), [&](World& w) { w.faults.restart(lab.node[0]); });
  lab.at(ms(4000), [&](World&) { (void)lab.run(EtcdDelete("a")); });
  lab.run_until(ms(4100));
  EXPECT_EQ(now.heard, (Texts{"+a2", "+a3", "-a"}));
  EXPECT_EQ(past.heard, (Texts{"+a1", "+a2", "+a3", "-a"}));
}

TEST(EtcdClient, AWatchOfTheCompactedPastEnds) {
  Lab lab;
  for (const char* v : {"1", "2", "3"}) (void)lab.run(EtcdPut("a", v));
  (void)lab.run(EtcdCompaction{4});
  Watcher past;
  lab.world.tasks.start(lab.client, "past", listen(lab.world.host(lab.client), &lab, &past, EtcdWatchCreate("a", 2)));
  lab.run_until(seconds(1));
  EXPECT_EQ(past.heard, Texts{"cancelled 4"});
  EXPECT_TRUE(past.closed);
}

TEST(EtcdClient, AWatchThatIsCancelledOrForgottenIsTakenOffTheServer) {
  Lab lab;
  Watcher first;
  lab.world.tasks.start(lab.client, "first", listen(lab.world.host(lab.client), &lab, &first, EtcdWatchCreate("a")));
  lab.at(ms(10), [&](World&) {
    EXPECT_EQ(lab.members[0]->hub.size(), 1U);
    first.watch->cancel();
  });
  lab.run_until(ms(20));
  EXPECT_TRUE(first.closed);
  EXPECT_EQ(lab.members[0]->hub.size(), 0U);
}

// The client does not notice a member that is cut off in silence: there is no timeout on a watch.
TEST(EtcdClient, AWatchOnASilentMemberHearsNothingUntilTheLinkIsBack) {
  Lab lab;
  Watcher w;
  lab.world.tasks.start(lab.client, "w", listen(lab.world.host(lab.client), &lab, &w, EtcdWatchCreate("a")));
  lab.at(ms(100), [&](World&) { lab.cut(0); });
  lab.at(ms(200), [&](World&) { (void)lab.run(EtcdPut("a", "1")); });
  lab.run_until(seconds(10));
  EXPECT_EQ(w.heard, Texts{});
  lab.heal();
  lab.run_until(seconds(30));
  EXPECT_EQ(w.heard, Texts{"+a1"});
}

// grpc-go's pings: ten seconds after the last word, and three for the answer.
TEST(EtcdClient, PingsFindOutThatAMemberIsSilent) {
  for (const bool pings : {false, true}) {
    EtcdClientOptions options;
    if (pings) options.dial_keep_alive_time = seconds(10);
    options.dial_keep_alive_timeout = seconds(3);
    Lab lab(2, options);
    Watcher w;
    lab.world.tasks.start(lab.client, "w", listen(lab.world.host(lab.client), &lab, &w, EtcdWatchCreate("a")));
    lab.run_until(ms(50));
    const std::size_t first = lab.members[0]->hub.size() == 1 ? 0 : 1, other = 1 - first;
    lab.at(ms(100), [&](World&) { lab.cut(first); });
    lab.run_until(ms(12'900));
    EXPECT_EQ(lab.members[other]->hub.size(), 0U);
    lab.run_until(ms(13'100));
    EXPECT_EQ(lab.members[other]->hub.size(), pings ? 1U : 0U);
    w.watch.reset();
  }
}

struct Asked {
  std::size_t answered = 0, in_vain = 0;
};
Task<void> keep_asking(Host host, Lab* lab, Asked* asked) {
  for (;;) {
    const auto got = co_await lab->etcd->range(EtcdRange("a"));
    got.yes() ? ++asked->answered : ++asked->in_vain;
    co_await host.sleep(ms(100));
  }
}

// Requests that time out are no word from the member: a ping follows ten seconds after its last answer.
TEST(EtcdClient, PingsFindOutThatAMemberIsSilentToRequests) {
  for (const bool pings : {false, true}) {
    EtcdClientOptions options{.request_timeout = seconds(1)};
    if (pings) options.dial_keep_alive_time = seconds(10);
    options.dial_keep_alive_timeout = seconds(3);
    Lab lab(2, options);
    Asked asked;
    lab.world.tasks.start(lab.client, "asks", keep_asking(lab.world.host(lab.client), &lab, &asked));
    lab.at(ms(500), [&](World&) { lab.cut(0); });
    lab.run_until(seconds(10));
    const std::size_t before = asked.in_vain;
    EXPECT_GE(before, 7U) << "every second request times out";
    lab.run_until(seconds(15));
    const std::size_t until_ended = asked.in_vain;
    EXPECT_GT(until_ended, before);
    lab.run_until(seconds(40));
    if (pings) {
      EXPECT_EQ(asked.in_vain, until_ended) << "its connection was ended";
    } else {
      EXPECT_GE(asked.in_vain, until_ended + 20);
    }
  }
}

// A server that answers keeps its connection.
TEST(EtcdClient, PingsThatAreAnsweredChangeNothing) {
  EtcdClientOptions options;
  options.dial_keep_alive_time = seconds(10);
  Lab lab(1, options);
  Watcher w;
  lab.world.tasks.start(lab.client, "w", listen(lab.world.host(lab.client), &lab, &w, EtcdWatchCreate("a")));
  lab.at(seconds(100), [&](World&) { (void)lab.run(EtcdPut("a", "1")); });
  lab.run_until(seconds(101));
  EXPECT_EQ(w.heard, Texts{"+a1"});
  EXPECT_EQ(lab.members[0]->log.size(), 1U) << "one watch, asked for once";
}

}  // namespace
}  // namespace picklock
