#include "scenarios/workloads/client.hpp"

#include "checker/history.hpp"

namespace picklock {
namespace {

// Three operations a round, so that a retry more in one does not rename the draws of the next.
constexpr std::uint32_t kOperationsPerRound = 3;

struct Recorder {
  RunState& run;
  NodeId node;
  std::int32_t process;

  void operation(std::uint32_t hold, Function f, OperationEnd end, std::int64_t value = kNoValue,
                 std::optional<std::int64_t> token = {}) const {
    World& w = *run.world;
    w.record(trace::operation, node, hold, pack_operation(f, end, process),
             static_cast<std::uint64_t>(w.monotonic_now(node).ns));
    if (value != kNoValue || token) {
      w.record(trace::operation_value, node, 0, static_cast<std::uint64_t>(value),
               static_cast<std::uint64_t>(token.value_or(kNoValue)));
    }
  }
  void belief(std::uint32_t hold) const { run.world->record(trace::belief_begins, node, hold); }
  void belief_ends(std::uint32_t hold, BeliefEnd how, TrueTime at) const {
    run.world->record(trace::belief_ends, node, hold, static_cast<std::uint64_t>(how),
                      static_cast<std::uint64_t>(at.ns));
  }
  std::uint32_t new_hold() const {
    const std::uint32_t hold = ++run.holds;
    run.world->record(trace::hold_requested, node, hold, static_cast<std::uint64_t>(process));
    return hold;
  }
};

OperationEnd end_of(bool yes, bool unknown) {
  return yes ? OperationEnd::ok : unknown ? OperationEnd::unknown : OperationEnd::failed;
}

void connections_to(const ClientChannels& channels, std::vector<Redis>& redis, std::vector<Redis>& subscriptions) {
  redis.clear();
  subscriptions.clear();
  for (RpcChannel* c : channels.redis) redis.emplace_back(*c);
  for (RpcChannel* c : channels.subscriptions) subscriptions.emplace_back(*c);
}

}  // namespace

void ClientSpec::fields(FieldVisitor& v) {
  constexpr std::int64_t kMostRounds = 1'000'000;
  v.field({.name = "name", .help = "of the client and its machine"}, name);
  v.field({.name = "start", .help = "when it begins", .least = 0}, start);
  v.field({.name = "hold", .help = "work within the critical section", .least = 0}, hold);
  v.field({.name = "think", .help = "pause between two rounds", .least = 0}, think);
  v.field({.name = "rounds", .help = "how often it acquires; 0: as long as the load lasts", .least = 0, .most = kMostRounds}, rounds);
  v.field({.name = "patience", .help = "how long an acquire keeps trying; none: without limit", .least = 0}, patience);
  v.field({.name = "abandon-after", .help = "walks away from an acquire that is still in flight", .least = 0}, abandon_after);
  v.field({.name = "honours-deadline", .help = "stops when the grant's local deadline has passed"}, honours_deadline);
  v.field({.name = "on-loss", .help = "what it does when the lock says that the hold was lost"}, on_loss);
}

void Client::prepare(RunState& run, const ClientSpec& spec, std::int32_t process, ClientChannels channels) {
  run_ = &run;
  spec_ = &spec;
  process_ = process;
  channels_ = std::move(channels);
  connections_to(channels_, redis_, subscriptions_);
  rounds_ = 0;
  in_round_ = finished_ = false;
}

struct ClientSteps {
  static Task<void> main(Host host, Client* c) {
    if (c->rounds_ == 0) co_await host.sleep(host.draw_duration(Purpose::start, c->spec_->start));
    const auto rounds = static_cast<std::uint32_t>(c->spec_->rounds);
    while (!c->run_->load_over && (rounds == 0 || c->rounds_ < rounds)) {
      c->in_round_ = true;
      ++c->rounds_;
      co_await round(host, c);
      c->in_round_ = false;
      if (rounds != 0 && c->rounds_ >= rounds) break;
      begin(host, c, 3, 0);
      co_await host.sleep(host.draw_duration(Purpose::think, c->spec_->think));
    }
    if (!c->finished_) {
      c->finished_ = true;
      if (--c->run_->unfinished == 0) c->run_->world->stop();
    }
  }

  static void begin(const Host& host, Client* c, std::uint32_t step, std::uint32_t hold) {
    c->run_->world->begin_operation(host.node(), c->rounds_ * kOperationsPerRound + step - kOperationsPerRound, hold);
  }

  static Task<void> round(Host host, Client* c) {
    Recorder record{*c->run_, host.node(), c->process_};
    const std::uint32_t hold_id = record.new_hold();
    begin(host, c, 1, hold_id);
    record.operation(hold_id, Function::acquire, OperationEnd::invoked);
    co_await host.pass(mark::acquires);
    const Patience patience =
        c->spec_->patience ? Patience::lasting(host, *c->spec_->patience) : Patience::unlimited(host);
    std::optional<Acquired> acquired;
    if (c->spec_->abandon_after) {
      acquired = co_await with_timeout(host, c->lock_->acquire(patience), *c->spec_->abandon_after);
    } else {
      acquired = co_await c->lock_->acquire(patience);
    }
    if (!acquired || !acquired->yes()) {
      const bool unknown = !acquired || acquired->unknown();
      record.operation(hold_id, Function::acquire, end_of(false, unknown));
      if (unknown) c->process_ += c->run_->concurrency;
      co_await host.pass(acquired ? mark::refused : mark::abandons);
      co_return;
    }
    Hold hold = std::move(acquired->value());
    record.belief(hold_id);
    record.operation(hold_id, Function::acquire, OperationEnd::ok, kNoValue, hold.token);
    co_await host.pass(mark::acquired);
    begin(host, c, 2, hold_id);
    co_await host.pass(mark::enters);
    Section section{*c->run_->world, host, Storage(*c->channels_.storage), hold, hold_id, c->process_, c->spec_->hold};
    bool believes = true;
    const bool guarded = (c->lock_->lost() != nullptr && c->spec_->on_loss == OnLoss::stop) ||
                         (c->spec_->honours_deadline && hold.deadline);
    if (guarded) {
      believes = co_await guarded_section(host, c, &section);
    } else {
      co_await c->run_->workload->run(section);
    }
    co_await host.pass(mark::leaves);
    begin(host, c, 3, hold_id);
    if (believes) record.belief_ends(hold_id, BeliefEnd::released, c->run_->world->now());
    record.operation(hold_id, Function::release, OperationEnd::invoked);
    co_await host.pass(mark::releases);
    const auto released = co_await c->lock_->release(std::move(hold));
    record.operation(hold_id, Function::release, end_of(released.yes(), released.unknown()));
    if (released.unknown()) c->process_ += c->run_->concurrency;
    co_await host.pass(mark::released);
  }

  // Runs the section until it ends, the lock is lost, or the deadline has passed; true if the client
  // still believes then.
  static Task<bool> guarded_section(Host host, Client* c, Section* section) {
    std::vector<Task<BeliefEnd>> tasks;
    tasks.push_back(section_to_end(host, c, section));
    if (c->lock_->lost() != nullptr && c->spec_->on_loss == OnLoss::stop) {
      tasks.push_back(until_lost(host, c));
    }
    if (c->spec_->honours_deadline && section->hold.deadline) {
      tasks.push_back(until_deadline(host, c, section));
    }
    const auto first = co_await first_of(host, std::move(tasks));
    if (first.second == BeliefEnd::none) co_return true;
    TrueTime at = c->run_->world->now();
    if (first.second == BeliefEnd::deadline) {  // a pause delays the timer, not the end of the belief
      const auto deadline = c->lock_->deadline(section->hold);
      at = std::min(at, c->run_->world->clock(host.node()).when(deadline.value_or(host.monotonic_now())));
    }
    const Recorder record{*c->run_, host.node(), c->process_};
    record.belief_ends(section->hold_id, first.second, at);
    co_await host.pass(mark::lost);
    co_return false;
  }
  static Task<BeliefEnd> section_to_end(Host, Client* c, Section* section) {
    co_await c->run_->workload->run(*section);
    co_return BeliefEnd::none;
  }
  static Task<BeliefEnd> until_lost(Host, Client* c) {
    co_await c->lock_->lost()->wait();
    co_return BeliefEnd::lost;
  }
  static Task<BeliefEnd> until_deadline(Host host, Client* c, Section* section) {
    for (;;) {
      const auto deadline = c->lock_->deadline(section->hold);
      if (deadline && *deadline <= host.monotonic_now()) co_return BeliefEnd::deadline;
      const MonoTime next = deadline.value_or(host.monotonic_now() + seconds(3600));
      co_await host.sleep_until(next);
    }
  }
};

void Client::boot(World& world, NodeId node) {
  if (in_round_) {  // the process before this one died in mid-round
    process_ += run_->concurrency;
    in_round_ = false;
  }
  lock_.reset();
  locals_.clear();
  LockContext context{world.host(node), run_->lock_name, redis_};
  context.subscriptions = subscriptions_;
  context.process = &locals_;
  lock_ = run_->lock_kind->make(context, *run_->lock_options);
  world.start(node, "main", ClientSteps::main(world.host(node), this));
}

// --- probe ---------------------------------------------------------------------------------------

void Probe::prepare(RunState& run, std::int32_t process, ClientChannels channels, Duration patience,
                    ResourceId resources) {
  run_ = &run;
  process_ = process;
  channels_ = std::move(channels);
  connections_to(channels_, redis_, subscriptions_);
  patience_ = patience;
  resources_ = resources;
}

void Probe::boot(World& world, NodeId node) {
  lock_.reset();
  locals_.clear();
  LockContext context{world.host(node), run_->lock_name, redis_};
  context.subscriptions = subscriptions_;
  context.process = &locals_;
  lock_ = run_->lock_kind->make(context, *run_->lock_options);
  world.start(node, "main", main(world.host(node), this));
}

Task<void> Probe::main(Host host, Probe* self) {
  RunState& run = *self->run_;
  const Recorder record{run, host.node(), self->process_};
  const std::uint32_t hold_id = record.new_hold();
  run.world->begin_operation(host.node(), 1, hold_id);
  record.operation(hold_id, Function::acquire, OperationEnd::invoked);
  auto acquired = co_await self->lock_->acquire(Patience::lasting(host, self->patience_));
  Fence fence;
  if (acquired.yes()) {
    record.belief(hold_id);
    fence.token = acquired.value().token;
  }
  record.operation(hold_id, Function::acquire, end_of(acquired.yes(), acquired.unknown()), kNoValue, fence.token);
  const Storage storage(*self->channels_.storage);
  run.world->begin_operation(host.node(), 2, hold_id);
  for (ResourceId r = 0; r < self->resources_; ++r) {
    record.operation(hold_id, Function::final_read, OperationEnd::invoked);
    const auto found = co_await storage.read(r, fence);
    const std::int64_t value = found.yes() ? found.value().number() : kNoValue;
    record.operation(hold_id, Function::final_read, end_of(found.yes(), found.unknown()), value);
  }
  if (acquired.yes()) {
    run.world->begin_operation(host.node(), 3, hold_id);
    record.belief_ends(hold_id, BeliefEnd::released, run.world->now());
    record.operation(hold_id, Function::release, OperationEnd::invoked);
    Hold hold = std::move(acquired.value());
    const auto released = co_await self->lock_->release(std::move(hold));
    record.operation(hold_id, Function::release, end_of(released.yes(), released.unknown()));
  }
  run.world->stop();
}

}  // namespace picklock
