// A toy world for the tests of this folder: nodes with clocks, one Redis server, scripted mishaps.
//
// Requests take 1 ms to the server and 1 ms back.  What becomes of a request can be said in advance
// (`server.next(...)`); everything else is as calm as can be.  The server is the real model's
// database.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/lock.hpp"
#include "sim/redis/database.hpp"
#include "sim/task/check.hpp"

namespace picklock::testing {

class ToyRuntime final : public Runtime {
 public:
  static constexpr std::int64_t kEpochNs = 1'700'000'000'000'000'000;  // wall clock at the start

  ~ToyRuntime() {
    while (!roots_.empty()) kill(roots_.front().node);
  }

  // --- for tests
  std::int64_t now = 0;                            // true time, in ns
  std::map<NodeId, std::int64_t> wall_offset;      // of each node's wall clock
  std::map<NodeId, std::vector<MonoTime>> leases;  // announced deadlines
  std::vector<std::pair<NodeId, std::string>> spawned;
  std::vector<std::uint64_t> declared;
  // Called at each preemption point; false stops the task there until `go_on`.
  std::function<bool(NodeId, MarkSide, Mark)> at_mark;

  void at(std::int64_t due, std::function<void()> event) {
    events_.emplace(std::pair(due, ++events_made_), std::move(event));
  }
  // Lets everything happen up to and including `until`.
  void run_until(Duration until) {
    while (!events_.empty() && events_.begin()->first.first <= until.ns) {
      const auto first = events_.extract(events_.begin());
      now = first.key().first;
      first.mapped()();
      bury();
    }
    now = until.ns;
  }
  void go_on(NodeId node) {
    for (const auto& [id, wait] : waits_) {
      if (wait.node == node && wait.stopped) wake(id);
    }
  }
  void kill(NodeId node) {
    for (std::size_t i = roots_.size(); i-- > 0;) {
      if (roots_[i].node != node) continue;
      const auto handle = roots_[i].promise->self;
      roots_.erase(roots_.begin() + static_cast<std::ptrdiff_t>(i));
      handle.destroy();
    }
  }
  std::size_t tasks() const { return roots_.size(); }
  std::size_t waits() const { return waits_.size(); }

  // --- Runtime
  void root_finished(PromiseBase& root) noexcept override { finished_.push_back(&root); }
  MonoTime monotonic_now(NodeId) const override { return MonoTime{now}; }
  WallTime wall_now(NodeId node) const override {
    const auto offset = wall_offset.find(node);
    return WallTime{kEpochNs + now + (offset == wall_offset.end() ? 0 : offset->second)};
  }
  std::uint64_t draw(NodeId node, Purpose) override {
    std::uint64_t z = (std::uint64_t{node} << 32) + ++draws_ * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 31)) * 0x94d049bb133111ebU;
    return z ^ (z >> 29);
  }
  std::int64_t draw(NodeId node, Purpose p, const Law& law) override {
    return law.sample(draw(node, p));
  }
  WaitId wait(NodeId node, std::coroutine_handle<> waiter, const char*) override {
    waits_.emplace(++waits_made_, Wait{waiter, node, false, false});
    return waits_made_;
  }
  WaitId wait_until(NodeId node, std::coroutine_handle<> waiter, MonoTime due,
                    const char* what) override {
    const WaitId id = wait(node, waiter, what);
    at(std::max(due.ns, now), [this, id] { resume(id); });
    return id;
  }
  WaitId work(NodeId node, std::coroutine_handle<> waiter, Duration amount) override {
    return wait_until(node, waiter, MonoTime{now + amount.ns}, "work");
  }
  void wake(WaitId id) override {
    at(now, [this, id] { resume(id); });
  }
  void release(WaitId id) noexcept override { waits_.erase(id); }
  bool pass(NodeId node, MarkSide side, Mark m) override {
    return !at_mark || at_mark(node, side, m);
  }
  WaitId wait_until_continued(NodeId node, std::coroutine_handle<> waiter) override {
    const WaitId id = wait(node, waiter, "stopped");
    waits_.at(id).stopped = true;
    return id;
  }
  void spawn(NodeId node, std::string_view name, PromiseBase& root) override {
    spawned.emplace_back(node, name);
    roots_.push_back({&root, node});
    at(now, [this, &root] {
      for (const Root& r : roots_) {
        if (r.promise == &root) return run(root.self);
      }
    });
  }
  void panic(NodeId node, const char*) override {
    at(now, [this, node] { kill(node); });
  }
  void announce_deadline(NodeId node, DeadlineKind kind, MonoTime due) override {
    if (kind == DeadlineKind::lease) leases[node].push_back(due);
  }
  void declare_state(NodeId, std::uint64_t state) override { declared.push_back(state); }

 private:
  struct Wait {
    std::coroutine_handle<> waiter;
    NodeId node;
    bool stopped;
    bool fired;
  };
  struct Root {
    PromiseBase* promise;
    NodeId node;
  };
  void resume(WaitId id) {
    const auto found = waits_.find(id);
    if (found == waits_.end() || std::exchange(found->second.fired, true)) return;
    run(found->second.waiter);
  }
  void bury() {
    for (PromiseBase* root : std::exchange(finished_, {})) {
      std::erase_if(roots_, [&](const Root& r) { return r.promise == root; });
      root->self.destroy();
    }
  }

  std::map<std::pair<std::int64_t, std::uint64_t>, std::function<void()>> events_;
  std::map<WaitId, Wait> waits_;
  std::vector<Root> roots_;
  std::vector<PromiseBase*> finished_;
  std::uint64_t events_made_ = 0, draws_ = 0;
  WaitId waits_made_ = 0;
};

// What becomes of one request.
enum class Fate {
  answered,
  slow,           // reaches the server late, but in time for an answer
  request_lost,   // never reaches the server; the client's timeout strikes
  reply_lost,     // takes effect; the client's timeout strikes
  late,           // the client's timeout strikes first, the request takes effect afterwards
  not_connected,  // never leaves
  cut             // takes effect; the connection ends before the reply
};

class ToyServer {
 public:
  static constexpr Duration kWay = milliseconds(1);
  static constexpr Duration kTimeout = milliseconds(20);
  static constexpr Duration kSlow = milliseconds(10);
  static constexpr Duration kLate = milliseconds(30);

  explicit ToyServer(ToyRuntime& r) : runtime(r), database(redis_scripts()) {}

  // Runs one command at once, as somebody else would.
  std::string command(const RedisCommand& any) { return execute(any.bytes()).to_string(); }
  template <class... Args>
  std::string ask(const Args&... args) {
    return command(RedisCommand(args...));
  }
  // The fates of the next requests of `node`, in their order; afterwards all are answered.
  void next(NodeId node, std::deque<Fate> fates) { fates_[node] = std::move(fates); }
  Fate fate_of_next(NodeId node) {
    auto& fates = fates_[node];
    if (fates.empty()) return Fate::answered;
    const Fate fate = fates.front();
    fates.pop_front();
    return fate;
  }
  // A connection: what is published to it goes to `receive`.
  using Receive = std::function<void(const std::string& push)>;
  RedisSession& connect(Receive receive) {
    const auto id = static_cast<std::uint32_t>(connections_.size() + 2);
    return connections_.emplace_back(Connection{RedisSession(id), std::move(receive)}).session;
  }
  RedisReply execute(std::string_view packed) { return execute(session_, packed); }
  RedisReply execute(RedisSession& session, std::string_view packed) {
    log.push_back(RedisCommandView(packed).to_string());
    RedisOutputs out;
    const std::int64_t now_ms = (ToyRuntime::kEpochNs + runtime.now) / milliseconds(1).ns;
    RedisReply reply = database.execute(session, RedisCommandView(packed), now_ms, out);
    for (std::size_t i = 0; i < out.delivery_count(); ++i) {
      const RedisOutputs::Delivery d = out.delivery(i);
      const RedisReply push =
          RedisReply::array({RedisReply::bulk("message"), RedisReply::bulk(d.channel), RedisReply::bulk(d.message)});
      runtime.at(runtime.now + kWay.ns, [this, to = d.session, bytes = push.encode()] {
        connections_[to - 2].receive(bytes);
      });
    }
    return reply;
  }

  ToyRuntime& runtime;
  RedisDatabase database;
  std::vector<std::string> log;  // every command, in the order of execution

 private:
  struct Connection {
    RedisSession session;
    Receive receive;
  };
  RedisSession session_{1};
  std::deque<Connection> connections_;
  std::map<NodeId, std::deque<Fate>> fates_;
};

class ToyChannel final : public Channel {
 public:
  ToyChannel(ToyServer& server, NodeId node)
      : server_(server), host_(server.runtime, node), session_(server.connect([this](const std::string& push) {
          pushes_.push_back(push);
          if (pushed_ != nullptr) pushed_->notify();
        })) {}
  const Host& host() const override { return host_; }

  bool take_push(Bytes& message) override {
    if (pushes_.empty()) return false;
    message = Bytes(host_.arena(), pushes_.front());
    pushes_.pop_front();
    return true;
  }
  void notify_pushes(Event* event) override { pushed_ = event; }
  std::uint64_t connections_opened() const override { return 1; }
  bool connected() const override { return true; }

  void submit(Exchange& e) override {
    ToyRuntime& runtime = server_.runtime;
    e.call = ++calls_;
    pending_[e.call] = &e;
    if (!runtime.pass(host_.node(), MarkSide::before, e.mark)) {
      e.state = Exchange::State::held;  // for good: tests kill or abandon it
      e.wait = runtime.wait(host_.node(), e.waiter, "stopped");
      return;
    }
    e.state = Exchange::State::waiting;
    e.wait = runtime.wait(host_.node(), e.waiter, "reply");
    send(e, server_.fate_of_next(host_.node()));
  }
  void withdraw(Exchange& e) noexcept override {
    pending_.erase(e.call);
    server_.runtime.release(std::exchange(e.wait, 0));
  }

 private:
  // Timeouts are the server's, all of them; but who asks to wait for years waits for ever.
  static constexpr Duration kForEver = seconds(100'000'000);

  void send(const Exchange& exchange, Fate fate) {
    ToyRuntime& runtime = server_.runtime;
    const std::uint64_t call = exchange.call;
    std::string request(exchange.request);
    const std::int64_t now = runtime.now;
    using enum Fate;
    const bool arrives = fate != request_lost && fate != not_connected;
    const bool replies = fate == answered || fate == slow;
    const Duration way = fate == late   ? ToyServer::kLate
                         : fate == slow ? ToyServer::kSlow
                                        : ToyServer::kWay;
    if (arrives) {
      runtime.at(now + way.ns, [this, call, replies, request = std::move(request)] {
        const RedisReply reply = server_.execute(session_, request);
        if (!replies) return;
        server_.runtime.at(server_.runtime.now + ToyServer::kWay.ns, [this, call, reply] {
          finish(call, Exchange::State::replied, reply.encode());
        });
      });
    }
    if (fate == not_connected) {
      runtime.at(now, [this, call] { finish(call, Exchange::State::not_connected, {}); });
    } else if (fate == cut) {
      runtime.at(now + 2 * way.ns,
                 [this, call] { finish(call, Exchange::State::disconnected, {}); });
    } else if (!replies && exchange.timeout < kForEver) {
      runtime.at(now + ToyServer::kTimeout.ns,
                 [this, call] { finish(call, Exchange::State::timed_out, {}); });
    }
  }
  void finish(std::uint64_t call, Exchange::State state, const std::string& reply) {
    const auto found = pending_.find(call);
    if (found == pending_.end()) return;
    Exchange& e = *found->second;
    e.state = state;
    e.reply = Bytes(host_.arena(), reply);
    host_.runtime().wake(e.wait);
  }

  ToyServer& server_;
  Host host_;
  RedisSession& session_;
  std::map<std::uint64_t, Exchange*> pending_;
  std::uint64_t calls_ = 0;
  std::deque<std::string> pushes_;
  Event* pushed_ = nullptr;
};

// What a process has, and all its threads share: connections to every server.
class ToyProcess {
 public:
  ToyProcess(std::vector<ToyServer*> servers, NodeId node) : runtime(servers.front()->runtime) {
    for (ToyServer* server : servers) {
      redis_.emplace_back(channels_.emplace_back(*server, node));
      subscriptions_.emplace_back(channels_.emplace_back(*server, node));
    }
  }
  LockContext context(std::uint32_t thread) {
    LockContext c{host(), "door", redis_};
    c.subscriptions = subscriptions_;
    c.process = &locals_;
    c.thread = thread;
    return c;
  }
  const Host& host() const { return channels_.front().host(); }

  ToyRuntime& runtime;

 private:
  std::deque<ToyChannel> channels_;
  std::vector<Redis> redis_, subscriptions_;
  ProcessLocals locals_;
};

// One client process with a lock of its own, made by the table.
class ToyClient {
 public:
  ToyClient(ToyServer& server, NodeId node, std::string_view lock_kind,
            const std::function<void(Options&)>& set_options = {})
      : ToyClient(std::make_shared<ToyProcess>(std::vector{&server}, node), 1, lock_kind, set_options) {}
  // One thread of a process that others may share.
  ToyClient(std::shared_ptr<ToyProcess> process, std::uint32_t thread, std::string_view lock_kind,
            const std::function<void(Options&)>& set_options = {})
      : runtime_(process->runtime), process_(std::move(process)) {
    const LockKind* const kind = find_lock_kind(lock_kind);
    PICKLOCK_CHECK(kind != nullptr);
    options = kind->default_options();
    if (set_options) set_options(*options);
    lock = kind->make(process_->context(thread), *options);
  }
  ~ToyClient() { runtime_.kill(host().node()); }
  ToyClient(const ToyClient&) = delete;
  ToyClient& operator=(const ToyClient&) = delete;
  const Host& host() const { return process_->host(); }

  // What has come back so far.
  std::optional<Acquired> acquired;
  std::optional<Outcome<>> released;
  std::optional<Outcome<MonoTime>> extended;

  void acquire() { acquire(Patience::unlimited(host())); }
  void acquire(Patience patience) { host().spawn("client", run_acquire(this, host(), patience)); }
  void acquire_within(Patience patience, Duration d) {  // gives up by abandoning the task
    host().spawn("client", run_acquire_within(this, host(), patience, d));
  }
  void release(Hold hold) { host().spawn("client", run_release(this, host(), std::move(hold))); }
  void extend(Hold hold) { host().spawn("client", run_extend(this, host(), std::move(hold))); }
  bool holds() const { return acquired && acquired->yes(); }
  const Hold& hold() const { return acquired->value(); }

  std::unique_ptr<Options> options;
  std::unique_ptr<Lock> lock;

 private:
  static Task<void> run_acquire(ToyClient* self, Host, Patience patience) {
    self->acquired.reset();
    auto answer = co_await self->lock->acquire(patience);
    self->acquired = std::move(answer);
  }
  static Task<void> run_acquire_within(ToyClient* self, Host host, Patience patience, Duration d) {
    self->acquired.reset();
    auto answer = co_await with_timeout(host, self->lock->acquire(patience), d);
    self->acquired = std::move(answer);
  }
  static Task<void> run_release(ToyClient* self, Host, Hold hold) {
    self->released.reset();
    auto answer = co_await self->lock->release(hold);
    self->released = std::move(answer);
  }
  static Task<void> run_extend(ToyClient* self, Host, Hold hold) {
    self->extended.reset();
    auto answer = co_await self->lock->extend(hold);
    self->extended = std::move(answer);
  }

  ToyRuntime& runtime_;
  std::shared_ptr<ToyProcess> process_;
};

// For the last argument of a client: changes the options, of type T, before the lock is made.
template <class T, class Edit>
std::function<void(Options&)> options_of(Edit edit) {
  return [edit](Options& options) { edit(static_cast<OptionsOf<T>&>(options).value); };
}

// A world with a server, or several; clients are made on it.
struct ToyWorld {
  explicit ToyWorld(std::size_t n = 1) {
    while (servers.size() < n) servers.emplace_back(runtime);
  }
  // As many servers as a lock needs.
  static std::size_t servers_of(const LockKind& kind) {
    return kind.servers != nullptr ? kind.servers(*kind.default_options()) : kind.redis_servers;
  }
  std::shared_ptr<ToyProcess> process(NodeId node) {
    std::vector<ToyServer*> all;
    for (ToyServer& s : servers) all.push_back(&s);
    return std::make_shared<ToyProcess>(std::move(all), node);
  }
  void run(Duration until) { runtime.run_until(until); }
  void run_on(Duration more) { run(Duration{runtime.now} + more); }
  // Of the first server: what it was sent that begins so, and what it answers.
  long count(std::string_view command) const {
    const auto& log = servers.front().log;
    return std::count_if(log.begin(), log.end(), [&](const std::string& line) { return line.starts_with(command); });
  }
  std::int64_t pttl(const std::string& key = "door") { return std::stoll(server.ask("PTTL", key)); }
  std::string value(const std::string& key = "door") { return server.ask("GET", key); }
  std::size_t commands() const {
    std::size_t n = 0;
    for (const ToyServer& s : servers) n += s.log.size();
    return n;
  }

  ToyRuntime runtime;
  std::deque<ToyServer> servers;
  ToyServer& server = servers.emplace_back(runtime);
};

}  // namespace picklock::testing
