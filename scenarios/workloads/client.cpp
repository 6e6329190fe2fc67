#include "scenarios/workloads/client.hpp"

#include <algorithm>

#include "scenarios/workloads/client_recorder.hpp"

namespace picklock {
namespace {

// Each client of a machine numbers its operations from its own multiple of this, so that tasks which a lock
// starts under one name for several of them draw under different names.
constexpr std::uint32_t kOperationsPerThread = 10'000'000;

}  // namespace

void Client::prepare(ClientProcess& process, const ClientSpec& spec, const LockPlan& plan, std::int32_t number,
                     std::uint32_t thread) {
  process_state_ = &process;
  run_ = process.run;
  spec_ = &spec;
  plan_ = &plan;
  process_ = number;
  thread_ = thread;
  rounds_ = 0;
  in_round_ = finished_ = thrown_ = false;
  downgrades_ = spec.releases == ReleaseOrder::oldest_first && reads_within_writer(plan, run_->lock_kind->claims);
}

struct ClientSteps {
  using Held = Client::Held;

  // The client's clock counts, so that a clock that runs wrong does not move the start.
  static Duration until_start(const Host& host, const Client* c) {
    const World& world = *c->run_->world;
    const Clock& clock = world.nodes.clock(host.node());
    return clock.monotonic(world.now() + host.draw_duration(Purpose::start, c->spec_->start)) - host.monotonic_now();
  }

  static Task<void> main(Host host, Client* c) {
    if (c->rounds_ == 0) co_await host.sleep(until_start(host, c));
    const bool operates = c->spec_->role == ClientRole::operator_;
    const auto rounds = operates ? 1u : static_cast<std::uint32_t>(c->spec_->rounds);
    while (!c->run_->load_over && (rounds == 0 || c->rounds_ < rounds)) {
      c->in_round_ = true;
      ++c->rounds_;
      if (operates) {
        co_await force(host, c);
      } else {
        co_await round(host, c);
      }
      c->in_round_ = false;
      if (c->thrown_ || (rounds != 0 && c->rounds_ >= rounds)) break;
      begin(c, last_step(c), 0);
      co_await host.sleep(Purpose::think, c->spec_->think);
    }
    if (!c->finished_) {
      c->finished_ = true;
      if (--c->run_->unfinished == 0) c->run_->world->stop();
    }
  }

  // Steps of a round: an acquisition each, the section, a release each, and the section of a writer
  // that reads on.  An operation for each, so that a retry more in one does not rename the draws of the next.
  static std::uint32_t acquisitions(const Client* c) { return static_cast<std::uint32_t>(c->plan_->order.size()); }
  static std::uint32_t last_release(const Client* c) { return 2 * acquisitions(c) + 1; }
  static std::uint32_t last_step(const Client* c) { return last_release(c) + (c->downgrades_ ? 1 : 0); }

  static void begin(Client* c, std::uint32_t step, std::uint32_t hold) {
    const std::uint32_t first = (c->thread_ - 1) * kOperationsPerThread;
    c->run_->world->tasks.begin_operation(first + (c->rounds_ - 1) * last_step(c) + step, hold);
  }

  static const LockUse& use_of(const Client* c, const Held& held) { return c->plan_->uses[held.use]; }
  static Lock& lock_of(const Client* c, const Held& held) { return *c->locks_[held.use]; }

  static Task<void> round(Host host, Client* c) {
    c->held_.clear();
    bool all = true;
    for (std::uint32_t i = 0; all && i < acquisitions(c); ++i) {
      if (i > 0) {
        const Duration pause = host.draw_duration(Purpose::think, c->spec_->between);
        if (pause.ns > 0) co_await host.sleep(pause);
      }
      const bool granted = co_await acquire(host, c, i);
      all = granted;
    }
    if (all) co_await section(host, c, acquisitions(c) + 1);
    if (c->thrown_ || (all && c->spec_->forgets_release)) {
      forget_releases(host, c);
      co_return;
    }
    while (!c->held_.empty()) {
      const auto next = c->spec_->releases == ReleaseOrder::oldest_first ? c->held_.begin() : std::prev(c->held_.end());
      const bool reads_on = co_await release(host, c, static_cast<std::size_t>(next - c->held_.begin()));
      if (all && reads_on) co_await section(host, c, last_step(c));
    }
  }

  // The client gives up its belief in its holds, and tells the service nothing.
  static void forget_releases(const Host& host, Client* c) {
    const ClientRecorder record{*c->run_, host.node(), c->process_};
    for (const Held& h : c->held_) {
      if (h.granted && !c->thrown_) ++c->run_->deeds.forgotten;
      if (!h.believes || !h.outermost) continue;
      record.belief_ends(use_of(c, h), h.id, BeliefEnd::released, c->run_->world->now());
    }
    c->held_.clear();
  }

  // The acquisition within which one of this use is nested: of the same lock, or, of its reading side,
  // by a client that writes, as a reentrant read-write lock allows.
  static const Held* outer_of(const Client* c, std::uint32_t number) {
    const Held* writer = nullptr;
    for (const Held& h : c->held_) {
      if (h.use == number) return &h;
      const bool reads = reads_what_it_writes(use_of(c, h), c->plan_->uses[number], c->run_->lock_kind->claims);
      if (reads && writer == nullptr) writer = &h;
    }
    return writer;
  }

  // The i-th acquisition of a round.
  static Task<bool> acquire(Host host, Client* c, std::uint32_t i) {
    ClientRecorder record{*c->run_, host.node(), c->process_};
    const std::uint32_t number = c->plan_->order[i];
    const LockUse& use = c->plan_->uses[number];
    Lock& lock = *c->locks_[number];
    const Held* const outer = outer_of(c, number);
    // A writer that is going to read on: another hold, whose time has not come.
    const bool reads_later = c->downgrades_ && outer != nullptr && outer->use != number;
    const bool waits = reads_later || (outer != nullptr && outer->waits);
    const bool outermost = outer == nullptr || reads_later;
    const std::uint32_t hold_id = outermost ? record.new_hold(use) : outer->id;
    begin(c, i + 1, hold_id);
    record.operation(hold_id, Function::acquire, OperationEnd::invoked);
    co_await host.pass(mark::acquires);
    const Patience patience =
        c->spec_->patience ? Patience::lasting(host, *c->spec_->patience) : Patience::unlimited(host);
    std::optional<Acquired> acquired;
    if (const auto limit = walks_away_after(c)) {
      acquired = co_await with_timeout(host, lock.acquire(patience), *limit);
    } else {
      acquired = co_await lock.acquire(patience);
    }
    if (!acquired || !acquired->yes()) {
      bool unknown = !acquired || acquired->unknown();
      if (!acquired) {
        const bool cleaned_up = co_await walk_away(host, c, &lock);
        unknown = !cleaned_up;
      }
      record.operation(hold_id, Function::acquire, end_of(false, unknown));
      if (unknown) c->process_ += c->run_->concurrency;
      co_await host.pass(acquired ? mark::refused : mark::abandons);
      const bool fails_open = c->spec_->on_refusal == OnRefusal::go_on;
      if (fails_open) fail_open(host, c, number, hold_id, outermost);
      co_return fails_open;
    }
    if (!outermost) {  // the hold anew, with its newest token and deadline
      for (Client::Held& h : c->held_) {
        if (h.use == number) h.hold = acquired->value();
      }
    }
    Held& held = c->held_.emplace_back();
    held.hold = std::move(acquired->value());
    held.id = hold_id;
    held.use = number;
    held.outermost = outermost;
    held.believes = !waits;
    held.waits = waits;
    held.since = c->run_->world->now();
    c->run_->all_heed_deadlines = c->run_->all_heed_deadlines && heeds_deadline(c, held);
    if (outermost && !waits) record.belief(use, hold_id);
    record.operation(hold_id, Function::acquire, OperationEnd::ok, kNoValue, held.hold.token);
    co_await host.pass(mark::acquired);
    co_return true;
  }

  // The earlier of the two ways to give up an acquire in flight.
  static std::optional<Duration> walks_away_after(const Client* c) {
    const auto &abandons = c->spec_->abandon_after, &interrupts = c->spec_->interrupt_after;
    return abandons && interrupts ? std::min(*abandons, *interrupts) : abandons ? abandons : interrupts;
  }
  static bool is_interrupted(const Client* c) {
    return c->spec_->interrupt_after && *c->spec_->interrupt_after == *walks_away_after(c);
  }
  // An acquire in flight was dropped.  True: its library says that nothing of it is left at the service.
  static Task<bool> walk_away(Host, Client* c, Lock* lock) {
    if (!is_interrupted(c)) {
      ++c->run_->deeds.abandoned;
      co_return false;
    }
    ++c->run_->deeds.interrupted;
    const Outcome<> cleaned_up = co_await lock->interrupted();
    co_return cleaned_up.yes();
  }

  // The caller goes on as though it had been granted what it asked for.
  static void fail_open(const Host& host, Client* c, std::uint32_t number, std::uint32_t hold_id, bool outermost) {
    ++c->run_->deeds.failed_open;
    Held& held = c->held_.emplace_back();
    held.id = hold_id;
    held.use = number;
    held.outermost = outermost;
    held.granted = false;
    held.since = c->run_->world->now();
    const ClientRecorder record{*c->run_, host.node(), c->process_};
    if (outermost) record.belief(c->plan_->uses[number], hold_id);
  }

  // Under all locks.  What it does to the resource it does on behalf of the innermost hold, whose
  // lock protects it.
  static Task<void> section(Host host, Client* c, std::uint32_t step) {
    const Held& inner = *std::find_if(c->held_.rbegin(), c->held_.rend(), [](const Held& h) { return !h.waits; });
    const LockUse& use = use_of(c, inner);
    const std::uint32_t hold_id = use.part(inner.id, 0);
    begin(c, step, hold_id);
    co_await host.pass(mark::enters);
    Section section{*c->run_->world, host,          c->process_state_->stores(), inner.hold, hold_id,
                    c->process_,     c->spec_->hold};
    section.lock_name = use.names.front();
    section.first_resource = use.locks.front() * c->run_->resources;
    section.reader = use.sharing == Sharing::shared;
    section.swallows_errors = lock_of(c, inner).swallows_errors();
    bool guarded = c->spec_->throws_after.has_value();
    for (const Held& held : c->held_) {
      guarded = guarded || (!held.waits && (heeds_loss(c, held) || heeds_deadline(c, held)));
    }
    if (guarded) {
      co_await guarded_section(host, c, &section);
    } else if (section.reader) {
      co_await read_only_section(section);
    } else {
      co_await c->run_->workload->run(section);
    }
    co_await host.pass(mark::leaves);
  }

  // Whether this is the last acquisition of its hold.
  static bool ends(const Client* c, const Held& held) {
    return std::none_of(c->held_.begin(), c->held_.end(), [&](const Held& h) { return h.id == held.id; });
  }

  // The i-th of what is held.  True: a writer has become a reader.
  static Task<bool> release(Host host, Client* c, std::size_t i) {
    ClientRecorder record{*c->run_, host.node(), c->process_};
    begin(c, last_release(c) + 1 - static_cast<std::uint32_t>(c->held_.size()), c->held_[i].id);
    Held held = std::move(c->held_[i]);
    c->held_.erase(c->held_.begin() + static_cast<std::ptrdiff_t>(i));
    bool reads_on = false;
    if (ends(c, held) && held.believes) {
      const TrueTime now = c->run_->world->now(), at = end_of_belief(host, c, held);
      record.belief_ends(use_of(c, held), held.id, at < now ? BeliefEnd::deadline : BeliefEnd::released, at);
      for (Held& h : c->held_) {
        if (!h.waits || use_of(c, h).number != use_of(c, held).number) continue;
        h.waits = false;
        h.believes = reads_on = true;
        h.since = c->run_->world->now();
        if (h.outermost) record.belief(use_of(c, h), h.id);
      }
    }
    if (!held.granted) co_return reads_on;  // there is nothing to give back
    record.operation(held.id, Function::release, OperationEnd::invoked);
    co_await host.pass(mark::releases);
    const auto released = co_await lock_of(c, held).release(std::move(held.hold));
    record.operation(held.id, Function::release, end_of(released.yes(), released.unknown()));
    if (released.unknown()) c->process_ += c->run_->concurrency;
    co_await host.pass(mark::released);
    co_return reads_on;
  }

  // An operator's: each lock of the plan is freed by force.
  static Task<void> force(Host host, Client* c) {
    for (std::uint32_t i = 0; i < acquisitions(c); ++i) {
      ClientRecorder record{*c->run_, host.node(), c->process_};
      const std::uint32_t number = c->plan_->order[i];
      const std::uint32_t id = record.new_hold(c->plan_->uses[number], HoldKind::force);
      begin(c, i + 1, id);
      record.operation(id, Function::force, OperationEnd::invoked);
      const auto forced = co_await c->locks_[number]->force_release();
      record.operation(id, Function::force, end_of(forced.yes(), forced.unknown()));
      if (forced.unknown()) c->process_ += c->run_->concurrency;
    }
  }

  static bool heeds_loss(const Client* c, const Held& held) {
    return held.granted && lock_of(c, held).lost() != nullptr && c->spec_->on_loss == OnLoss::stop;
  }
  static bool heeds_deadline(const Client* c, const Held& held) {
    return c->spec_->honours_deadline && held.hold.deadline;
  }

  // The end of a belief that its client gives up now.  A pause delays what a client does at its deadline, not the end of the
  // belief.
  static TrueTime end_of_belief(const Host& host, const Client* c, const Held& held) {
    const TrueTime now = c->run_->world->now();
    if (!heeds_deadline(c, held)) return now;
    const auto deadline = lock_of(c, held).deadline(held.hold);
    const TrueTime at = c->run_->world->nodes.clock(host.node()).when(deadline.value_or(host.monotonic_now()));
    return std::max(std::min(now, at), held.since);  // a grant that came after its deadline was never believed
  }

  // Runs the section until it ends, a lock is lost, or a deadline has passed.
  static Task<void> guarded_section(Host host, Client* c, Section* section) {
    std::vector<Task<BeliefEnd>> tasks;
    std::vector<std::uint32_t> watched = {0};  // index: task; the acquisition that it watches
    tasks.push_back(section_to_end(host, c, section));
    for (std::uint32_t i = 0; i < c->held_.size(); ++i) {
      const Held& held = c->held_[i];
      if (!held.outermost || held.waits) continue;
      if (heeds_loss(c, held)) {
        tasks.push_back(until_lost(host, c, i));
        watched.push_back(i);
      }
      if (heeds_deadline(c, held)) {
        tasks.push_back(until_deadline(host, c, i));
        watched.push_back(i);
      }
    }
    if (c->spec_->throws_after) tasks.push_back(until_thrown(host, c, *c->spec_->throws_after));
    const auto first = co_await first_of(host, std::move(tasks));
    if (first.second == BeliefEnd::none || c->thrown_) co_return;
    Held& held = c->held_[watched[first.first]];
    const TrueTime at = first.second == BeliefEnd::deadline ? end_of_belief(host, c, held) : c->run_->world->now();
    const ClientRecorder record{*c->run_, host.node(), c->process_};
    record.belief_ends(use_of(c, held), held.id, first.second, at);
    for (Held& h : c->held_) h.believes = h.believes && h.id != held.id;
    co_await host.pass(mark::lost);
  }
  static Task<BeliefEnd> section_to_end(Host, Client* c, Section* section) {
    if (section->reader) {
      co_await read_only_section(*section);
    } else {
      co_await c->run_->workload->run(*section);
    }
    co_return BeliefEnd::none;
  }
  static Task<BeliefEnd> until_lost(Host, Client* c, std::uint32_t i) {
    co_await lock_of(c, c->held_[i]).lost()->wait();
    co_return BeliefEnd::lost;
  }
  static Task<BeliefEnd> until_thrown(Host host, Client* c, Duration after) {
    co_await host.sleep(after);
    c->thrown_ = true;
    ++c->run_->deeds.thrown;
    co_return BeliefEnd::none;
  }
  static Task<BeliefEnd> until_deadline(Host host, Client* c, std::uint32_t i) {
    for (;;) {
      const auto deadline = lock_of(c, c->held_[i]).deadline(c->held_[i].hold);
      if (deadline && *deadline <= host.monotonic_now()) co_return BeliefEnd::deadline;
      const MonoTime next = deadline.value_or(host.monotonic_now() + seconds(3600));
      co_await host.sleep_until(next);
    }
  }
};

void Client::forget() {
  held_.clear();
  locks_.clear();
}

void Client::boot(const Host& host, std::string_view task) {
  thrown_ = false;
  if (in_round_) {  // the process before this one died in mid-round
    process_ += run_->concurrency;
    in_round_ = false;
  }
  for (const LockUse& use : plan_->uses) locks_.push_back(process_state_->make_lock(host, use, thread_));
  host.spawn(task, ClientSteps::main(host, this));
}

void Machine::prepare(RunState& run, Connections connections) {
  forget();
  threads_.clear();
  process_.prepare(run, std::move(connections));
}

void Machine::forget() {
  for (const Thread& t : threads_) t.client->forget();
}

void Machine::boot(World& world, NodeId node) {
  forget();
  process_.boot(world, node);
  for (const Thread& t : threads_) t.client->boot(world.host(node), t.task);
}

}  // namespace picklock
