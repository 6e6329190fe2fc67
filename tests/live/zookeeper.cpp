#include <fmt/format.h>

#include "sim/core/service.hpp"
#include "sim/core/world.hpp"
#include "sim/zookeeper/client.hpp"
#include "sim/zookeeper/ensemble_lab.hpp"
#include "sim/zookeeper/inspect.hpp"
#include "tests/live/live.hpp"

namespace picklock::live {
namespace {

using testing::EnsembleLab;

constexpr std::uint64_t kSeeds = 30;

// The instant differs from seed to seed, lest the timers always stand alike.
Duration instant(std::uint64_t seed) { return seconds(12) + milliseconds(static_cast<std::int64_t>(seed) * 137); }

void begin(EnsembleLab& lab, Duration tick, std::uint64_t seed) {
  lab.begin({.clients = 0, .zoo = {.tick = tick}}, seed);
  lab.world.network.set_latency(Law::uniform(microseconds(20), microseconds(60)));  // of the loopback
}

// A client that speaks the protocol itself, as the one does that measured the real servers.
class Speaker : public Program {
 public:
  void boot(World& world, NodeId node) override { world.tasks.start(node, "main", run(world.host(node), &world)); }
  NodeId install(World& world) {
    const NodeId node = world.nodes.add("speaker");
    world.install(node, *this);
    return node;
  }

 protected:
  virtual Task<void> run(Host host, World* world) = 0;

  Task<bool> connect(Host host, World* world, NodeId to, Duration session) {
    world->tasks.begin_operation(++step_, 0);
    connection_ = world->network.open(host.node(), to, world->tasks.current_operation(), world->tasks.next_segment());
    ZooRequest greeting;
    greeting.op = ZooOp::connect;
    greeting.timeout_ms = session.ms();
    const auto answer = co_await ask(host, world, std::move(greeting));
    if (!answer || answer->timeout_ms <= 0) co_return false;
    session_ = answer->session;
    co_return true;
  }
  // The next answer, whatever it answers; none if the connection has ended, or within a second.
  Task<std::optional<ZooReply>> ask(Host host, World* world, ZooRequest request) {
    if (request.op != ZooOp::connect) send(*world, request);
    const Service service(*world, host.node());
    const MonoTime patience = host.monotonic_now() + seconds(1);
    for (;;) {
      co_await service.wait({.until = patience, .what = "an answer", .timer = "patience"});
      const std::optional<Message> m = service.take_message();
      if (!m) co_return std::nullopt;
      if (m->connection != connection_) continue;
      if (m->kind == SegmentKind::opened) {
        send(*world, request);
        continue;
      }
      const auto* const reply = m->body.get<ZooReply>();
      if (m->kind != SegmentKind::data || reply == nullptr) co_return std::nullopt;
      co_return *reply;
    }
  }
  void send(World& world, const ZooRequest& request) {
    picklock::send(world, {connection_, 0}, Payload::of(world.tasks.arena(), request));
  }
  void hang_up(World& world) { world.network.close(connection_, 0); }

  static ZooRequest creates(std::string path, ZooMode mode) {
    ZooRequest r;
    r.op = ZooOp::create;
    r.path = std::move(path);
    r.mode = mode;
    return r;
  }

  std::int64_t session_ = 0;

 private:
  ConnectionId connection_ = kNoConnection;
  std::uint32_t step_ = 0;
};

// Tries servers in turn, 5 ms apart, until one has taken a write of a session that began there.
class Prober final : public Speaker {
 public:
  std::vector<NodeId> servers;
  std::optional<TrueTime> done;

 private:
  Task<void> run(Host host, World* world) override {
    for (std::size_t turn = 0; !done; ++turn) {
      const bool connected = co_await connect(host, world, servers[turn % servers.size()], seconds(30));
      if (connected) {
        ZooRequest write = creates("/written", ZooMode::persistent);
        const auto answer =
            co_await ask(host, world, std::move(write));  // that it exists is for the leader to say, too
        if (answer) done = world->now();
      }
      hang_up(*world);
      if (!done) co_await host.sleep(milliseconds(5));
    }
  }
};

// Creates an ephemeral node, keeps its session alive, and is silent from an instant on.
class Faller final : public Speaker {
 public:
  NodeId server = 0;
  Duration timeout, last_at;
  TrueTime said_last;
  std::int64_t session() const { return session_; }

 private:
  Task<void> run(Host host, World* world) override {
    const bool connected = co_await connect(host, world, server, timeout);
    if (!connected) co_return;
    ZooRequest mine = creates("/mine", ZooMode::ephemeral);
    (void)co_await ask(host, world, std::move(mine));
    for (Duration left = last_at - (world->now() - TrueTime{}); left > Duration{};
         left = last_at - (world->now() - TrueTime{})) {
      const Duration rest = std::min(left, timeout / 5);
      co_await host.sleep(rest);
      send(*world, ZooRequest::ping());
      said_last = world->now();
    }
  }
};

// From a fault of the leader until a client of the others has had a write answered that it sent afterwards.
template <class Inject>
Range until_a_write(Duration tick, Inject inject) {
  Range range;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EnsembleLab lab;
    Prober prober;
    begin(lab, tick, seed);
    lab.run_until(instant(seed));
    const std::size_t old = lab.leader();
    if (old == lab.count()) continue;
    inject(lab, old);
    for (std::size_t i = 0; i < lab.count(); ++i) {
      if (i != old) prober.servers.push_back(lab.nodes[i]);
    }
    prober.install(lab.world);
    lab.run_until(instant(seed) + seconds(40));
    if (prober.done) range.add(*prober.done - (TrueTime{} + instant(seed)));
    lab.world.reset(0);
  }
  return range;
}

void cut_off(EnsembleLab& lab, std::size_t server) {
  NetworkRule out, in;
  for (NodeId n = 1; n <= lab.world.nodes.count(); ++n) (n == lab.nodes[server] ? out.from : out.to).set(n);
  in.from = out.to;
  in.to = out.from;
  lab.world.network.install(out);
  lab.world.network.install(in);
}

// When a session's end was first applied, after `since`.
std::optional<TrueTime> closed(const World& world, std::int64_t session) {
  for (const TraceRecord& r : world.trace.journal()) {
    if (r.kind == trace::zoo_session_closed && static_cast<std::int64_t>(r.b) == session) return TrueTime{r.time};
  }
  return std::nullopt;
}

// From the last that a session's client says until its end.
Range silent_sessions(Duration tick, Duration timeout, bool at_the_leader) {
  Range range;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EnsembleLab lab;
    Faller faller;
    begin(lab, tick, seed);
    lab.run_until(seconds(5));
    faller.server = lab.nodes[(lab.leader() + (at_the_leader ? 0 : 1)) % lab.count()];
    faller.timeout = timeout;
    faller.last_at = instant(seed);
    faller.install(lab.world);
    lab.run_until(instant(seed) + timeout + tick * 3);
    if (const auto end = closed(lab.world, faller.session())) range.add(*end - faller.said_last);
    lab.world.reset(0);
  }
  return range;
}

// A process with the client library and one ephemeral node.
struct Holder final : Program {
  ZooClient client;
  std::vector<NodeId> servers;
  void boot(World& world, NodeId node) override { client.boot(world, node, servers); }
};

Task<void> create(Host, ZooKeeper zk) { (void)co_await zk.create("/mine", "", ZooMode::ephemeral); }

// It is stopped between two of its pings: until its node is deleted; it goes on a second later: until it is told what.
struct StoppedClient {
  Range deleted, disconnected, expired;
};

StoppedClient stopped_clients(Duration tick, Duration timeout) {
  StoppedClient result;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EnsembleLab lab;
    Holder holder;
    begin(lab, tick, seed);
    lab.run_until(seconds(5));
    holder.servers = lab.nodes;
    const NodeId node = lab.world.nodes.add("holder");
    lab.world.install(node, holder);
    const ZooKeeper zk = holder.client.connect(timeout, {});
    lab.world.tasks.start(node, "create", create(zk.host(), zk));
    lab.run_until(instant(seed));
    const std::uint32_t incarnation = lab.world.faults.pause(node);
    lab.run_until(instant(seed) + timeout + tick * 2);
    const auto end = closed(lab.world, zk.session());
    if (!end) continue;
    result.deleted.add(*end - (TrueTime{} + instant(seed)));
    lab.run_until(*end - TrueTime{} + seconds(1));
    const TrueTime goes_on = lab.world.now();
    lab.world.trace.record_fully(true);
    lab.world.faults.resume(node, incarnation);
    lab.run_until(goes_on - TrueTime{} + seconds(3));
    for (const TraceRecord& r : lab.world.trace.full()) {
      if (r.kind != trace::zoo_client_state || r.node != node) continue;
      if (r.a == static_cast<std::uint32_t>(ZooState::disconnected))
        result.disconnected.add(TrueTime{r.time} - goes_on);
      if (r.a == static_cast<std::uint32_t>(ZooState::expired)) result.expired.add(TrueTime{r.time} - goes_on);
    }
    lab.world.reset(0);
  }
  return result;
}

}  // namespace

std::vector<Row> zookeeper_rows() {
  constexpr auto ms = milliseconds;
  std::vector<Row> rows;
  const auto row = [&](std::string what, std::string settings, std::string before, const Measured& there,
                       const Range& here) {
    rows.push_back({std::move(what), std::move(settings), std::move(before), here.seconds_text(),
                    there.holds(here) && here.runs == static_cast<int>(kSeeds), there.text()});
  };
  const auto kill = [](EnsembleLab& lab, std::size_t leader) { lab.world.faults.kill(lab.nodes[leader]); };
  row("ZooKeeper, the leader is killed: until a write is answered", "tick 100", "0.28 to 0.58 s",
      {ms(300), ms(390), 30}, until_a_write(ms(100), kill));
  row("…", "tick 2000", "", {ms(286), ms(602), 30}, until_a_write(ms(2000), kill));
  row("…, the leader is isolated: until a write is answered", "tick 100", "0.74 to 1.04 s", {ms(746), ms(1133), 30},
      until_a_write(ms(100), cut_off));
  const std::string silent = "ZooKeeper, a session falls silent, its client at the leader: until its node is deleted";
  row(silent, "T 1000, tick 100", "", {ms(1004), ms(1116), 90}, silent_sessions(ms(100), ms(1000), true));
  row("… at a follower", "T 1000, tick 100", "", {ms(1024), ms(1146), 90}, silent_sessions(ms(100), ms(1000), false));
  row("… at the leader", "T 4000, tick 2000", "", {ms(4039), ms(6009), 90}, silent_sessions(ms(2000), ms(4000), true));
  row("… at a follower", "T 4000, tick 2000", "", {ms(4432), ms(6666), 90}, silent_sessions(ms(2000), ms(4000), false));
  row("… at the leader", "T 6000, tick 2000", "", {ms(6129), ms(7983), 90}, silent_sessions(ms(2000), ms(6000), true));
  row("… at a follower", "T 6000, tick 2000", "", {ms(6408), ms(8785), 90}, silent_sessions(ms(2000), ms(6000), false));
  const StoppedClient stopped = stopped_clients(ms(100), ms(1000));
  row("ZooKeeper, a Java client is stopped (SIGSTOP) between its pings: until its node is deleted", "T 1000, tick 100",
      "0.994 to 1.084 s", {ms(683), ms(1084), 60}, stopped.deleted);
  row("… it goes on: until it is told that it is disconnected", "T 1000, tick 100", "1 ms (another client)",
      {ms(110), ms(117), 60}, stopped.disconnected);
  row("… until it is told that its session has expired", "T 1000, tick 100", "2 to 4 ms (another client)",
      {ms(130), ms(1103), 60}, stopped.expired);
  return rows;
}

}  // namespace picklock::live
