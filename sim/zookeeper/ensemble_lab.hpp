// For tests: an ensemble in a world, clients that keep a history of what they saw, and generated faults.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/test_lab.hpp"
#include "sim/zookeeper/server.hpp"
#include "sim/zookeeper/store_history.hpp"

namespace picklock::testing {

// The next message, or none once `due` has come.
class [[nodiscard]] StoreWait {
 public:
  StoreWait(World& world, const Host& host, MonoTime due) : world_(world), host_(host), due_(due) {}
  bool await_ready() const { return !world_.inbox(host_.node()).empty(); }
  void await_suspend(std::coroutine_handle<> me) {
    wait_.set(world_, world_.wait(host_.node(), me, "an answer"));
    timer_.set(world_, world_.wait_until(host_.node(), me, due_, "patience"));
    world_.set_receiver(host_.node(), wait_.id());
  }
  std::optional<Message> await_resume() {
    if (wait_.id() != 0) world_.set_receiver(host_.node(), 0);
    timer_.reset();
    wait_.reset();
    if (world_.inbox(host_.node()).empty()) return std::nullopt;
    return world_.inbox(host_.node()).pop();
  }

 private:
  World& world_;
  Host host_;
  MonoTime due_;
  OwnedWait wait_, timer_;
};

// A client without a library: it speaks the protocol itself, so that every answer's zxid is seen.
class StoreClient final : public Program {
 public:
  struct Setup {
    std::vector<NodeId> servers;
    Duration timeout = milliseconds(200);  // of its session, as it asks
    Duration until;                        // true time at which it stops
    StoreHistory* history = nullptr;
    bool vanishes = false;  // now and then it is silent for longer than its session lasts
  };
  void set_up(Setup setup) { setup_ = std::move(setup); }
  void boot(World& world, NodeId node) override {
    connection_ = kNoConnection;
    session_ = seen_ = 0;
    world.start(node, "main", run(world.host(node), &world, this));
  }

 private:
  static Task<void> run(Host host, World* world, StoreClient* self) {
    std::uint32_t step = world->incarnation(host.node()) << 16;
    while (world->now() - TrueTime{} < self->setup_.until) {
      world->begin_operation(host.node(), ++step, 0);
      bool good = self->connection_ != kNoConnection;
      if (!good) good = co_await connect(host, world, self);
      if (!good) {
        co_await host.sleep(milliseconds(20));
        continue;
      }
      const std::int64_t batch = host.draw(Purpose::choice, Law::uniform(std::int64_t{1}, std::int64_t{3}));
      std::vector<std::size_t> sent;
      bool closes = false;
      for (std::int64_t i = 0; i < batch && !closes; ++i) {
        sent.push_back(self->send(host, *world));
        closes = self->setup_.history->ops[sent.back()].request.op == ZooOp::close_session;
      }
      const MonoTime patience = host.monotonic_now() + self->setup_.timeout;
      std::size_t answered = 0;
      while (answered < sent.size() && self->connection_ != kNoConnection) {
        const std::optional<Message> m = co_await StoreWait(*world, host, patience);
        if (!m) {
          self->hang_up(*world);
        } else if (self->heard(*world, *m, sent[answered])) {
          ++answered;
        }
      }
      if (closes) self->session_ = self->seen_ = 0;  // answered or not, it is not used again
      if (closes) self->hang_up(*world);
      const std::int64_t mood = host.draw(Purpose::think, Law::uniform(std::int64_t{0}, std::int64_t{99}));
      if (mood < 3) self->hang_up(*world);
      const Duration rest = mood >= 97 && self->setup_.vanishes ? self->setup_.timeout * 3 : milliseconds(mood % 40);
      const MonoTime until = host.monotonic_now() + rest;
      for (;;) {  // events come meanwhile
        const std::optional<Message> m = co_await StoreWait(*world, host, until);
        if (!m) break;
        (void)self->heard(*world, *m, StoreSight::kEvent);
      }
    }
  }

  static Task<bool> connect(Host host, World* world, StoreClient* self) {
    const std::int64_t which =
        host.draw(Purpose::application,
                  Law::uniform(std::int64_t{0}, static_cast<std::int64_t>(self->setup_.servers.size()) - 1));
    const NodeId to = self->setup_.servers[static_cast<std::size_t>(which)];
    self->connection_ = world->network.open(host.node(), to, world->current_operation(), world->next_segment());
    const MonoTime patience = host.monotonic_now() + self->setup_.timeout / 2;
    for (;;) {
      const std::optional<Message> m = co_await StoreWait(*world, host, patience);
      if (!m) break;
      if (m->connection != self->connection_) continue;
      if (m->kind == SegmentKind::opened) {
        ZooRequest greeting;
        greeting.op = ZooOp::connect;
        greeting.session = self->session_;
        greeting.password = self->password_;
        greeting.timeout_ms = self->setup_.timeout.ms();
        greeting.relative_zxid = self->seen_;
        self->transmit(*world, greeting);
        continue;
      }
      ZooReply reply;
      if (m->kind != SegmentKind::data || !decode(m->body.view(), reply)) break;
      if (reply.timeout_ms <= 0) {
        self->session_ = self->seen_ = 0;
        break;
      }
      self->session_ = reply.session;
      self->password_ = reply.password;
      self->connection_number_ = self->setup_.history->connections++;
      co_return true;
    }
    self->hang_up(*world);
    co_return false;
  }

  static std::string path_of(std::int64_t n) { return std::string("/") + "abcd"[n % 4]; }
  static ZooRequest draw_request(std::int64_t die, std::int64_t path, std::int64_t value) {
    ZooRequest r;
    r.path = path_of(path);
    r.data = std::to_string(value);
    const std::int32_t version = value % 3 == 0 ? static_cast<std::int32_t>(value / 3 % 3) : kZooAnyVersion;
    if (die < 18) {
      r.op = ZooOp::create;
      r.mode = value % 2 == 0 ? ZooMode::persistent : ZooMode::ephemeral;
    } else if (die < 24) {
      r.op = ZooOp::create;
      r.path = "/s-";
      r.mode = ZooMode::ephemeral_sequential;
    } else if (die < 34) {
      r.op = ZooOp::remove;
      r.version = version;
    } else if (die < 50) {
      r.op = ZooOp::set_data;
      r.version = version;
    } else if (die < 56) {
      r.op = ZooOp::multi;
      ZooRequest check, set;
      check.op = ZooOp::check;
      check.path = r.path;
      check.version = version;
      set.op = ZooOp::set_data;
      set.path = path_of(path + 1);
      set.data = r.data;
      r.parts = {check, set};
    } else if (die < 62) {
      r.op = ZooOp::sync;
    } else if (die < 78) {
      r.op = ZooOp::exists;
      r.watch = value % 2 == 0;
    } else if (die < 94) {
      r.op = ZooOp::get_data;
      r.watch = value % 2 == 0;
    } else if (die < 99) {
      r.op = ZooOp::get_children;
      r.path = "/";
    } else {
      r.op = ZooOp::close_session;
    }
    return r;
  }
  std::size_t send(const Host& host, World& world) {
    const std::int64_t die = host.draw(Purpose::application, Law::uniform(std::int64_t{0}, std::int64_t{99}));
    const std::int64_t path = host.draw(Purpose::application, Law::uniform(std::int64_t{0}, std::int64_t{3}));
    const std::int64_t value = host.draw(Purpose::application, Law::uniform(std::int64_t{0}, std::int64_t{999}));
    StoreOp op;
    op.request = draw_request(die, path, value);
    op.request.xid = ++xid_;
    op.session = session_;
    op.invoked = world.now();
    transmit(world, op.request);
    setup_.history->ops.push_back(std::move(op));
    return setup_.history->ops.size() - 1;
  }
  void transmit(World& world, const ZooRequest& request) {
    packed_.clear();
    encode(request, packed_);
    Message m;
    m.body = Bytes(world.arena(), packed_);
    m.operation = world.current_operation();
    m.n = world.next_segment();
    m.connection = connection_;
    world.network.send(std::move(m));
  }
  // True if it answers operation `expected`.
  bool heard(World& world, const Message& m, std::size_t expected) {
    if (m.connection != connection_) return false;
    ZooReply reply;
    if (m.kind != SegmentKind::data || !decode(m.body.view(), reply)) {
      connection_ = kNoConnection;
      return false;
    }
    StoreHistory& history = *setup_.history;
    if (reply.xid == kZooNotificationXid) {
      history.sights.push_back({connection_number_, StoreSight::kEvent, reply.path});
      return false;
    }
    if (expected == StoreSight::kEvent) return false;
    StoreOp& op = history.ops[expected];
    if (op.request.xid != reply.xid) std::abort();  // answers come in the order of requests
    op.replied = world.now();
    op.answered = true;
    seen_ = std::max(seen_, reply.zxid);
    if (reply.code == ZooCode::session_expired) session_ = seen_ = 0;
    op.reply = std::move(reply);
    history.sights.push_back({connection_number_, expected, {}});
    if (session_ == 0) hang_up(world);
    return true;
  }
  void hang_up(World& world) {
    if (connection_ != kNoConnection) world.network.close(std::exchange(connection_, kNoConnection), 0);
  }

  Setup setup_;
  ConnectionId connection_ = kNoConnection;
  std::size_t connection_number_ = 0;
  std::int64_t session_ = 0, seen_ = 0;
  std::uint64_t password_ = 0;
  std::int32_t xid_ = 0;  // goes on over sessions: an operation is named by session and xid
  std::string packed_;
};

struct EnsembleLabOptions {
  std::size_t servers = 3, observers = 0, clients = 3;
  // Quick elections: more of them in a run.
  ZooServerOptions zoo = {.tick = milliseconds(50), .start_leading = Law(), .start_serving = Law()};
  ZooFlaw flaw = ZooFlaw::none;
  ZabFlaw zab_flaw = ZabFlaw::none;
  std::size_t snapshot_every = 100'000;
  Duration load = milliseconds(2500);
  bool keep_transactions = true;
};

// A world that is used again for each run.
class EnsembleLab : public Lab {
 public:
  ~EnsembleLab() { world.reset(0); }

  void begin(const EnsembleLabOptions& options, std::uint64_t seed) {
    reset(seed);
    world.network.set_latency(Law::uniform(us(50), ms(3)));
    judge.reset();
    judge.keep_transactions(options.keep_transactions);
    judge.set_clock_error(120'000);
    history.clear();
    count_ = options.servers + options.observers;
    while (servers.size() < count_) servers.push_back(std::make_unique<ZooServer>());
    while (clients.size() < options.clients) clients.push_back(std::make_unique<StoreClient>());
    ZooServerSetup setup{options.zoo, {}, {}, &judge, options.flaw, options.zab_flaw, options.snapshot_every};
    nodes.clear();
    for (std::size_t i = 0; i < count_; ++i) {
      nodes.push_back(world.add_node("zk" + std::to_string(i + 1)));
      (i < options.servers ? setup.servers : setup.observers).push_back(nodes.back());
    }
    for (std::size_t i = 0; i < count_; ++i) {
      servers[i]->set_up(setup);
      world.install(nodes[i], *servers[i]);
    }
    client_nodes.clear();
    for (std::size_t i = 0; i < options.clients; ++i) {
      clients[i]->set_up(
          {nodes, milliseconds(100 + 150 * static_cast<std::int64_t>(i % 3)), options.load, &history, i % 2 == 1});
      client_nodes.push_back(world.add_node("c" + std::to_string(i + 1)));
      world.install(client_nodes.back(), *clients[i]);
    }
  }
  std::size_t count() const { return count_; }
  std::size_t leader() const {  // count(): none
    for (std::size_t i = 0; i < count_; ++i) {
      if (world.alive(nodes[i]) && servers[i]->leads()) return i;
    }
    return count_;
  }
  bool converged() const {
    std::size_t leaders = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!world.alive(nodes[i]) || !servers[i]->serves()) return false;
      leaders += servers[i]->leads() ? 1 : 0;
      if (servers[i]->tree().last_zxid() != servers[0]->tree().last_zxid()) return false;
    }
    return leaders == 1;
  }

  // Faults between 300 ms and `until`, drawn from the seed; all are over at `until`.
  void plan_faults(std::uint64_t seed, Duration until) {
    Dice dice(seed ^ 0x5eed);
    const std::int64_t kinds = dice.between(1, 1023);
    const std::int64_t faults = dice.between(0, 6);
    for (std::int64_t i = 0; i < faults; ++i) {
      const std::int64_t kind = dice.between(0, 9);
      const Duration at = ms(dice.between(300, until.ms() - 100));
      const Duration lasts = ms(dice.one_in(2) ? dice.between(1, 80) : dice.between(80, 1200));
      const std::int64_t who = dice.between(0, 6);
      const std::int64_t extra = dice.between(-100'000, 100'000);
      if (((kinds >> kind) & 1) != 0) strike(kind, at, std::min(lasts, until - at), who, extra);
    }
  }
  void strike(std::int64_t kind, Duration when, Duration lasts, std::int64_t who, std::int64_t extra) {
    at(when, [=, this](World& w) {
      // Whoever leads now, or a server.
      const std::size_t victim = who >= 5 && leader() < count_ ? leader() : static_cast<std::size_t>(who) % count_;
      const NodeId n = nodes[victim];
      const auto later = [&w, this](Duration d, Act act) { w.at(w.now() + d, action(std::move(act))); };
      switch (kind) {
        case 0: {
          const auto incarnation = w.pause(n);
          return later(lasts, [n, incarnation](World& x) { x.resume(n, incarnation); });
        }
        case 1: {
          const auto boot = w.freeze(n);
          return later(lasts, [n, boot](World& x) { x.thaw(n, Thaw::lags, boot); });
        }
        case 2:
          w.kill(n);
          return later(lasts, [n](World& x) { x.restart(n); });
        case 3:
          w.lose_power(n);
          return later(lasts, [n](World& x) { x.restart(n); });
        case 4:  // everywhere at once
          for (std::size_t i = 0; i < count_; ++i) {
            const NodeId each = nodes[i];
            w.lose_power(each);
            later(Duration{lasts.ns * static_cast<std::int64_t>(i + 1) / 2}, [each](World& x) { x.restart(each); });
          }
          return;
        case 5:
        case 6: {  // the victim alone, or with the clients on its side
          NetworkRule out, in;
          for (NodeId each = 1; each <= w.node_count(); ++each) {
            const bool is_server = std::find(nodes.begin(), nodes.end(), each) != nodes.end();
            if (each == n || (!is_server && kind == 6)) {
              out.from.set(each);
              if (each != n) out.from.reset(each);
            } else {
              out.to.set(each);
            }
          }
          in.from = out.to;
          in.to = out.from;
          const std::uint32_t a = w.network.install(out), b = w.network.install(in);
          return later(lasts, [a, b](World& x) { x.network.uninstall(a), x.network.uninstall(b); });
        }
        case 7:
          w.set_rate(n, static_cast<std::int32_t>(extra));
          return;
        case 8:  // one disk, or all: they may share one
          for (const NodeId each : nodes) {
            if (each != n && extra < 0) continue;
            w.disk(each).slowdown = Law::uniform(ms(5), ms(120));
            later(lasts, [each](World& x) { x.disk(each).slowdown = Law(); });
          }
          return;
        default: {
          NetworkRule slow;
          slow.from.set(n);
          slow.to.set();
          slow.fate = Fate::delay;
          slow.delay = Law::uniform(ms(5), ms(90));
          const std::uint32_t a = w.network.install(slow);
          return later(lasts, [a](World& x) { x.network.uninstall(a); });
        }
      }
    });
  }

  ZooJudge judge;
  StoreHistory history;
  std::vector<std::unique_ptr<ZooServer>> servers;
  std::vector<std::unique_ptr<StoreClient>> clients;
  std::vector<NodeId> nodes, client_nodes;

 private:
  std::size_t count_ = 0;
};

}  // namespace picklock::testing
