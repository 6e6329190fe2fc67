// A lab for the tests of this folder: a world, scripted mishaps, an echo server and its verb.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/rpc_channel.hpp"
#include "sim/core/service.hpp"
#include "sim/core/world.hpp"

namespace picklock::testing {

constexpr TrueTime true_at(Duration d) { return TrueTime{} + d; }
constexpr Duration us(std::int64_t n) { return microseconds(n); }
constexpr Duration ms(std::int64_t n) { return milliseconds(n); }

// Random bits for tests alone (splitmix64), the same in every build.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() { return mix(state_ += kGolden); }
  std::int64_t between(std::int64_t low, std::int64_t high) {  // both included
    return low + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }

 private:
  std::uint64_t state_;
};

// Counts itself: what was made must have been destroyed, once.
struct Probe {
  static inline long live = 0;
  std::string heap = std::string(40, 'x');
  Probe() { ++live; }
  Probe(const Probe& other) : heap(other.heap) { ++live; }
  Probe(Probe&& other) noexcept : heap(std::move(other.heap)) { ++live; }
  Probe& operator=(const Probe&) = default;
  Probe& operator=(Probe&&) = default;
  ~Probe() { --live; }
};

// A world in which every segment takes a millisecond, and what is to happen when.
struct Lab {
  using Act = std::function<void(World&)>;
  std::deque<Act> acts;  // outlives the world
  World world;

  explicit Lab(std::uint64_t seed = 1) { reset(seed); }
  void reset(std::uint64_t seed) {
    world.reset(seed);
    acts.clear();
    world.network.set_latency(Law::constant(ms(1)));
  }
  Action action(Act act) {
    acts.push_back(std::move(act));
    return {[](World& w, void* f, std::uint64_t) { (*static_cast<Act*>(f))(w); }, &acts.back(), 0};
  }
  void at(Duration when, Act act) { world.actions.at(true_at(when), action(std::move(act))); }
  void on(NodeId n, Mark m, Act act, MarkSide side = MarkSide::at, std::uint32_t count = 1, Duration offset = {}) {
    world.actions.on({n, side, m, count, offset}, action(std::move(act)));
  }
  void pause(NodeId n, Duration from, Duration lasts) {
    at(from, [this, n, lasts](World& w) {
      const std::uint32_t incarnation = w.faults.pause(n);
      w.actions.at(w.now() + lasts, action([n, incarnation](World& x) { x.faults.resume(n, incarnation); }));
    });
  }
  void freeze(NodeId n, Duration from, Duration lasts, Thaw how = Thaw::lags) {
    at(from, [this, n, lasts, how](World& w) {
      const std::uint32_t boot = w.faults.freeze(n);
      w.actions.at(w.now() + lasts, action([n, how, boot](World& x) { x.faults.thaw(n, how, boot); }));
    });
  }
  RunEnd run() { return world.run(); }
  RunEnd run_until(Duration when) { return world.run({.until = true_at(when)}); }

  std::uint32_t rule(std::initializer_list<NodeId> from, std::initializer_list<NodeId> to, Fate fate,
                     std::int64_t out_of_million = 1'000'000, Law delay = {}) {
    NetworkRule r;
    for (const NodeId n : from) r.from.set(n);
    for (const NodeId n : to) r.to.set(n);
    r.fate = fate;
    r.out_of_million = out_of_million;
    r.delay = std::move(delay);
    return world.network.install(std::move(r));
  }
};

// One request to an echo server.
class [[nodiscard]] Ask final : public ExchangeAwaiter {
 public:
  Ask(RpcChannel& channel, std::string_view request, Mark m = mark::none, Duration timeout = {})
      : ExchangeAwaiter(channel, m), request_(request) {
    exchange_.timeout = timeout;
  }
  void await_suspend(std::coroutine_handle<> me) { send(request_, me); }
  Outcome<std::string> await_resume() {
    if (replied()) return Outcome<std::string>::of(std::string(reply()));
    if (why_not() == Why::not_connected) return Outcome<std::string>::refusal(Why::not_connected);
    return Outcome<std::string>::unknown_because(why_not());
  }

 private:
  std::string request_;
};

// Answers "x" with "ok x", remembers for the test what it executed, and with a disk also for itself.
class EchoServer final : public Program {
 public:
  struct Executed {
    std::string request;
    Duration when;  // true time
    bool operator==(const Executed&) const = default;
  };
  std::vector<Executed> executed;
  std::vector<SegmentKind> news;  // closed and reset connections
  bool durable = false;

  std::vector<std::string> requests() const {
    std::vector<std::string> all;
    for (const Executed& e : executed) all.push_back(e.request);
    return all;
  }
  void boot(World& w, NodeId n) override { w.tasks.start(n, "main", serve(Service(w, n), this)); }

 private:
  static Task<void> serve(Service service, EchoServer* self) {
    World& world = service.world();
    const FileId log = world.nodes.disk(service.node()).open("log");
    for (;;) {
      const Message request = co_await service.receive();
      if (request.kind != SegmentKind::data) {
        self->news.push_back(request.kind);
        continue;
      }
      co_await service.compute();
      if (self->durable) {
        co_await DiskWrite(world, service.host(), log, request.body.view());
        co_await DiskSync(world, service.host(), log);
      }
      self->executed.push_back({std::string(request.body.view()), world.now() - TrueTime{}});
      service.reply(request, "ok " + std::string(request.body.view()));
    }
  }
};

// Answer that a client saw, and its time.
struct Seen {
  std::string what;  // "ok x", or why not
  Duration when;
  bool operator==(const Seen&) const = default;
};
inline void PrintTo(const Seen& s, std::ostream* out) { *out << s.what << " at " << s.when.ns << " ns"; }
inline void PrintTo(const EchoServer::Executed& e, std::ostream* out) {
  *out << e.request << " at " << e.when.ns << " ns";
}

inline std::string text_of(const Outcome<std::string>& answer) {
  if (answer.yes()) return answer.value();
  switch (answer.why()) {
    case Why::timed_out:
      return "timed out";
    case Why::not_connected:
      return "not connected";
    default:
      return "disconnected";
  }
}

// Sends "1", "2", … every 10 ms after its previous answer.
inline Task<void> caller(Host host, World* world, RpcChannel* channel, int requests, std::vector<Seen>* seen,
                         Mark m = mark::none) {
  for (int i = 1; i <= requests; ++i) {
    const auto answer = co_await Ask(*channel, std::to_string(i), m);
    seen->push_back({text_of(answer), world->now() - TrueTime{}});
    co_await host.sleep(ms(10));
  }
}

// A client `n`, an echo server, and a channel between them.
struct Pair : Lab {
  EchoServer echo;
  NodeId server, n;
  RpcChannel* channel;
  std::vector<Seen> seen;
  explicit Pair(const ChannelOptions& options = {}, std::uint64_t seed = 1) : Lab(seed) {
    server = world.nodes.add("server");
    n = world.nodes.add("n");
    world.install(server, echo);
    channel = &world.channels.open(n, server, options);
  }
  ~Pair() { world.reset(0); }
  void call(int requests, Mark m = mark::none) {
    world.tasks.start(n, "main", caller(world.host(n), &world, channel, requests, &seen, m));
  }
};

// Two clients, an echo server, and a channel from each.
struct Trio : Lab {
  EchoServer echo;
  NodeId server, a, b;
  RpcChannel *from_a, *from_b;
  std::vector<Seen> seen_a, seen_b;
  explicit Trio(const ChannelOptions& options = {}, std::uint64_t seed = 1) : Lab(seed) {
    server = world.nodes.add("server");
    a = world.nodes.add("a");
    b = world.nodes.add("b");
    world.install(server, echo);
    from_a = &world.channels.open(a, server, options);
    from_b = &world.channels.open(b, server, options);
  }
  ~Trio() { world.reset(0); }
  void call_a(int requests) { world.tasks.start(a, "main", caller(world.host(a), &world, from_a, requests, &seen_a)); }
  void call_b(int requests) { world.tasks.start(b, "main", caller(world.host(b), &world, from_b, requests, &seen_b)); }
  // One request by a task of its own.
  void ask_from_a(std::string text) {
    world.tasks.start(a, "t" + text, ask_once(from_a, world.host(a), text, &world, &seen_a));
  }
  std::vector<Duration> times_of(TraceKind kind) {  // needs a fully recorded trace
    std::vector<Duration> times;
    for (const TraceRecord& r : world.trace.full()) {
      if (r.kind == kind) times.push_back({r.time});
    }
    return times;
  }

 private:
  static Task<void> ask_once(RpcChannel* channel, Host host, std::string text, World* world, std::vector<Seen>* out) {
    const auto answer = co_await Ask(*channel, text);
    out->push_back({text_of(answer), world->now() - TrueTime{}});
    co_await host.sleep(ms(1));
  }
};

}  // namespace picklock::testing
