#include <fmt/format.h>

#include "sim/etcd/cluster_lab.hpp"
#include "sim/etcd/inspect.hpp"
#include "tests/live/live.hpp"

namespace picklock::live {
namespace {

using testing::EtcdCluster;
using testing::EtcdClusterOptions;

constexpr std::uint64_t kSeeds = 30;

// The instant differs from seed to seed, lest the timers always stand alike.
Duration instant(std::uint64_t seed) { return seconds(5) + milliseconds(static_cast<std::int64_t>(seed) * 37); }

EtcdClusterOptions with_election(Duration election) {
  EtcdClusterOptions o;
  o.etcd = etcd_3_4();
  o.etcd.election = election;
  o.etcd.heartbeat = election / 10;
  return o;
}

Task<void> take(Host, Etcd* etcd, Duration ttl, bool renews, EtcdLeaseId* lease) {
  const auto granted = co_await etcd->grant(ttl);
  if (!granted.yes()) co_return;
  *lease = granted.value().id;
  if (renews) (void)etcd->keep_alive(*lease);
  EtcdPut request("key", "held", *lease);
  (void)co_await etcd->put(request);
}

void take_at(EtcdCluster& c, Duration when, Duration ttl, bool renews, EtcdLeaseId* lease) {
  c.at(when, [&c, ttl, renews, lease](World& w) {
    w.tasks.start(c.client_node[0], "take", take(w.host(c.client_node[0]), c.clients[0].get(), ttl, renews, lease));
  });
}

std::optional<TrueTime> first(const World& world, TraceKind kind) {
  for (const TraceRecord& r : world.trace.journal()) {
    if (r.kind == kind) return TrueTime{r.time};
  }
  return std::nullopt;
}

std::optional<TrueTime> last(const World& world, TraceKind kind) {
  std::optional<TrueTime> at;
  for (const TraceRecord& r : world.trace.journal()) {
    if (r.kind == kind) at = TrueTime{r.time};
  }
  return at;
}

// From its grant to its revocation, if nobody renews it.
Range ends_of_leases(Duration ttl) {
  Range range;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EtcdCluster c(with_election(seconds(1)), seed);
    EtcdLeaseId lease = 0;
    take_at(c, instant(seed), ttl, false, &lease);
    c.run_until(instant(seed) + ttl + seconds(3));
    const auto granted = first(c.world, trace::etcd_lease_granted), ended = first(c.world, trace::etcd_lease_revoked);
    if (granted && ended) range.add(*ended - *granted);
  }
  return range;
}

// The client is stopped at any instant between two of its renewals, which come every second; from then to the deletion
// of its key, and from its last renewal.
struct StoppedHolder {
  Range from_the_stop, from_the_renewal;
};

StoppedHolder after_a_stopped_client() {
  StoppedHolder result;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EtcdCluster c(with_election(seconds(1)), seed);
    EtcdLeaseId lease = 0;
    take_at(c, instant(seed), seconds(2), true, &lease);
    const Duration stopped = instant(seed) + seconds(3) + milliseconds(static_cast<std::int64_t>(seed) * 379 % 1000);
    c.at(stopped, [&c](World& w) { w.faults.pause(c.client_node[0]); });
    c.run_until(stopped + seconds(5));
    const auto ended = first(c.world, trace::etcd_key_deleted);
    if (!ended) continue;
    result.from_the_stop.add(*ended - (TrueTime{} + stopped));
    if (const auto renewed = last(c.world, trace::etcd_lease_renewed)) result.from_the_renewal.add(*ended - *renewed);
  }
  return result;
}

// The leader is stopped a second after the grant; from the grant to the end.
Range over_a_change_of_leader() {
  Range range;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EtcdCluster c(with_election(milliseconds(200)), seed);
    EtcdLeaseId lease = 0;
    take_at(c, instant(seed), seconds(2), false, &lease);
    c.at(instant(seed) + seconds(1), [&c](World& w) { w.faults.pause(c.member_node[c.leader()]); });
    c.run_until(instant(seed) + seconds(8));
    const auto granted = first(c.world, trace::etcd_lease_granted), ended = first(c.world, trace::etcd_key_deleted);
    if (granted && ended) range.add(*ended - *granted);
  }
  return range;
}

Task<void> put_until_done(Host host, World* world, Etcd* etcd, std::optional<TrueTime>* done) {
  for (std::uint32_t i = 1; !*done; ++i) {
    world->tasks.begin_operation(i, 0);
    EtcdPut request("key", "again");
    const auto answer = co_await etcd->put(request, milliseconds(100));
    if (answer.yes()) *done = world->now();
    co_await host.sleep(milliseconds(5));
  }
}

// From a fault of the leader until the majority has taken a write.
template <class Inject>
Range until_a_write(Duration election, Inject inject) {
  Range range;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EtcdClusterOptions o = with_election(election);
    o.clients = o.members;
    o.pinned = true;
    EtcdCluster c(o, seed);
    std::optional<TrueTime> done;
    const Duration when = instant(seed);
    c.run_until(when);
    const std::size_t leader = c.leader(), other = c.follower();
    if (leader >= o.members) continue;
    inject(c, leader);
    c.world.tasks.start(c.client_node[other], "put",
                        put_until_done(c.world.host(c.client_node[other]), &c.world, c.clients[other].get(), &done));
    c.run_until(when + seconds(10));
    if (done) range.add(*done - (TrueTime{} + when));
    c.end();
  }
  return range;
}

void isolate(EtcdCluster& c, std::size_t leader) { c.cut({c.member_node[leader], c.client_node[leader]}); }

Task<void> read(Host, Etcd* etcd, bool serializable, std::string* answer) {
  EtcdRange request("key");
  request.serializable = serializable;
  const auto found = co_await etcd->range(request, seconds(1));
  *answer = !found.yes() ? "none" : found.value().kvs.empty() ? "no key" : found.value().kvs.front().value;
}

// What the isolated leader answers once the majority has written something else.
struct Isolated {
  Count stale, answered;
};

Isolated isolated_reads() {
  Isolated result;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EtcdClusterOptions o = with_election(milliseconds(200));
    o.clients = o.members;
    o.pinned = true;
    EtcdCluster c(o, seed);
    EtcdLeaseId lease = 0;
    take_at(c, seconds(3), seconds(60), false, &lease);
    c.run_until(seconds(5));
    const std::size_t leader = c.leader(), other = c.follower();
    isolate(c, leader);
    std::optional<TrueTime> done;
    c.world.tasks.start(c.client_node[other], "put",
                        put_until_done(c.world.host(c.client_node[other]), &c.world, c.clients[other].get(), &done));
    c.run_until(seconds(8));
    std::string serializable, linearizable;
    c.world.tasks.start(c.client_node[leader], "peek",
                        read(c.world.host(c.client_node[leader]), c.clients[leader].get(), true, &serializable));
    c.world.tasks.start(c.client_node[leader], "read",
                        read(c.world.host(c.client_node[leader]), c.clients[leader].get(), false, &linearizable));
    c.run_until(seconds(12));
    ++result.stale.runs;
    ++result.answered.runs;
    result.stale.twice += done && serializable == "held";
    result.answered.twice += linearizable != "none";
    c.end();
  }
  return result;
}

}  // namespace

std::vector<Row> etcd_rows() {
  std::vector<Row> rows;
  const auto row = [&](std::string what, std::string settings, std::string before, const Measured& there,
                       const Range& here, Duration more = {}) {
    rows.push_back({std::move(what), std::move(settings), std::move(before), here.seconds_text(),
                    there.holds(here, more) && here.runs == static_cast<int>(kSeeds), there.text()});
  };
  constexpr auto ms = milliseconds;
  row("etcd: a lease without renewals ends", "TTL 2, election 1000", "2.40 s", {ms(2014), ms(2495), 60},
      ends_of_leases(seconds(2)));
  row("…", "TTL 3, election 1000", "3.40 s", {ms(3006), ms(3502), 60}, ends_of_leases(seconds(3)));
  const StoppedHolder stopped = after_a_stopped_client();
  row("etcd, a client is stopped (SIGSTOP) between its renewals: until its key is deleted", "TTL 2, election 1000",
      "1.90 to 2.20 s", {ms(1156), ms(2455), 60}, stopped.from_the_stop);
  row("… from its last renewal", "TTL 2, election 1000", "", {ms(2008), ms(2501), 60}, stopped.from_the_renewal);
  row("etcd, the leader is stopped a second after a grant: until the lease ends", "TTL 2, election 200", "3.6 to 3.9 s",
      {ms(3424), ms(4267), 75}, over_a_change_of_leader());
  // If two candidates tie, that costs another election: here once more than in any measured run (`more`).
  const auto kill = [](EtcdCluster& c, std::size_t leader) { c.world.faults.kill(c.member_node[leader]); };
  row("etcd, the leader is killed: until a write is taken", "election 1000", "about 1.2 s", {ms(900), ms(2675), 90},
      until_a_write(seconds(1), kill), seconds(1));
  row("…", "election 200", "about 0.3 s", {ms(217), ms(602), 60}, until_a_write(ms(200), kill), ms(200));
  row("etcd, the leader is isolated: until the majority takes a write", "election 200", "0.43 to 0.52 s",
      {ms(223), ms(636), 60}, until_a_write(ms(200), isolate), ms(200));
  const Isolated reads = isolated_reads();
  rows.push_back({"… what the isolated leader answers to a serializable read", "election 200", "stale",
                  reads.stale.text() + " stale", reads.stale.all(), "60 of 60 stale"});
  rows.push_back({"… and to a linearizable one", "election 200", "nothing (503)", reads.answered.text() + " answered",
                  reads.answered.none(), "0 of 60 answered"});
  return rows;
}

}  // namespace picklock::live
