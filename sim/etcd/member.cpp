#include "sim/etcd/member.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "sim/etcd/raft/wire.hpp"

namespace picklock {
namespace {

constexpr std::string_view kFile = "member/wal";

}  // namespace

// co_await LoopWait(member, until): until somebody has work for the loop, or its tick is due.
class [[nodiscard]] EtcdMember::LoopWait {
 public:
  explicit LoopWait(EtcdMember& member) : member_(member) {}
  bool await_ready() const { return member_.raft_->anything_unsaved(); }
  void await_suspend(std::coroutine_handle<> me) {
    World& world = *member_.world_;
    work_.set(world, world.wait(member_.node_, me, "raft"));
    timer_.set(world, world.wait_until(member_.node_, me, member_.next_tick_, "tick"));
    member_.loop_ = work_.id();
  }
  void await_resume() {
    member_.loop_ = 0;
    timer_.reset();
    work_.reset();
  }

 private:
  EtcdMember& member_;
  OwnedWait work_, timer_;
};

void EtcdMember::boot(World& world, NodeId node) {
  world_ = &world;
  node_ = node;
  service_.emplace(world, node);
  const auto place = std::find(setup_.members.begin(), setup_.members.end(), node);
  self_ = static_cast<RaftId>(place - setup_.members.begin()) + 1;
  if (world.incarnation(node) == 0) {  // a run begins; nothing of the one before may name its draws
    ticks_ = 0;
    loopback_ = nullptr;
  }
  locks_.reset();
  peers_.reset(world, node, self_, setup_.members, seconds(1) + setup_.options.election);
  watches_.clear();
  watches_.deliveries().clear();
  quorumless_ticks_ = 0;
  saving_ = false;
  loop_ = 0;
  lead_ = 0;
  leads_ = false;
  led_term_ = 0;
  applied_ = snapshot_index_ = noticed_ = 0;
  applied_term_ = 0;
  pending_.clear();
  deadlines_.clear();
  unproposed_.clear();
  renewal_streams_.clear();
  freed_streams_.clear();
  next_round_.clear();
  round_.clear();
  round_index_.reset();
  to_revoke_.clear();
  revoking_ = 0;
  last_id_ = std::uint64_t{self_} << 56 | std::uint64_t{world.incarnation(node) & 0xffff} << 40;
  EtcdLessorOptions leases;
  leases.least_ttl_s = etcd_least_ttl_s(setup_.options.election);
  if (setup_.options.checkpoints) leases.checkpoint_every = seconds(300);
  leases.checkpoints_survive_restart = setup_.options.keeps_checkpoints;
  state_.emplace(leases);
  RaftOptions raft;
  raft.id = self_;
  raft.members = static_cast<RaftId>(setup_.members.size());
  raft.election_ticks = setup_.options.election_ticks();
  raft.pre_vote = setup_.options.pre_vote;
  RaftDice& dice = *this;
  raft_.emplace(raft, dice, setup_.flaw);
  something_pending_.emplace(world.host(node), "requests");
  leases_to_watch_.emplace(world.host(node), "leases");
  leases_to_try_.emplace(world.host(node), "renewals");
  watchers_behind_.emplace(world.host(node), "watchers");
  leader_lost_.emplace(world.host(node), "the loss of a leader");
  world.start(node, "raft", run_raft(*service_));
  world.start(node, "main", serve(*service_));
  world.start(node, "lessor", run_lessor(*service_));
  world.start(node, "requests", expire_requests(*service_));
  world.start(node, "leases", retry_leases(*service_));
  world.start(node, "watches", catch_up_watches(*service_));
  world.start(node, "streams", monitor_leader(*service_));
  if (setup_.options.initial_election_tick_advance) world.start(node, "ticks", advance_ticks(*service_));
}

void EtcdMember::load(World& world, NodeId node) {
  RaftStored stored;
  journal_.open(world, node, kFile,
                [&](std::string_view record) { PICKLOCK_CHECK(decode_raft_record(record, stored)); });
  if (stored.snapshot.index > 0) {
    applied_ = snapshot_index_ = noticed_ = stored.snapshot.index;
    applied_term_ = stored.snapshot.term;
    PICKLOCK_CHECK(state_->load(stored.snapshot.data));
  }
  raft_->boot(std::move(stored));
}

// --- Raft's loop

Task<void> EtcdMember::run_raft(Service service) {
  const Host host = service.host();
  load(service.world(), service.node());
  const MonoTime booted = host.monotonic_now();
  const Duration phase = host.draw_duration(Purpose::start, Law::uniform(Duration{}, setup_.options.heartbeat));
  next_tick_ = booted + phase;
  last_tick_ = booted;
  peers_.tend(booted, [](RaftId) {});
  // A member of its own need not wait for others to be heard (server.go, adjustTicks).
  if (setup_.members.size() == 1) {
    for (std::uint32_t t = 1; t < raft_->options().election_ticks; ++t) raft_->tick();
  }
  if (service.world().incarnation(service.node()) != 0) {  // what a dead process wrote may not be on the platter
    saving_ = true;
    co_await journal_.sync();
    saving_ = false;
  }
  pump();
  for (;;) {
    co_await LoopWait(*this);
    if (host.monotonic_now() >= next_tick_) tick();
    pump();
    if (!raft_->anything_unsaved()) continue;
    const RaftUnsaved unsaved = raft_->take_unsaved();
    record_unsaved(unsaved);
    // The Raft of 3.4 and 3.5 takes what a member that is alone proposes for committed at once; it is applied when
    // it is written (raft.go, shouldWaitWALSync).  3.6 waits for the disk first; its leader would refuse no renewal
    // here, and asks itself instead whether it leads.
    if (setup_.members.size() == 1 && !unsaved.entries.empty()) noticed_ = unsaved.entries.back().index;
    saving_ = true;
    co_await journal_.write();
    if (unsaved.must_sync) co_await journal_.sync();
    saving_ = false;
    raft_->persisted(unsaved.position);
    pump();
    const bool full = applied_ - snapshot_index_ >= static_cast<RaftIndex>(setup_.options.snapshot_count);
    if (!full || raft_->anything_unsaved()) continue;
    compact();
    saving_ = true;
    co_await journal_.sync();
    saving_ = false;
    pump();
  }
}

// server.go, adjustTicks; it looks for as long as rafthttp waits for a connection.
Task<void> EtcdMember::advance_ticks(Service service) {
  constexpr Duration kEvery = milliseconds(50), kFor = seconds(5);
  for (std::int64_t i = 0; i < kFor.ns / kEvery.ns; ++i) {
    co_await service.host().sleep(kEvery);
    if (peers_.connected() < 2) continue;
    for (std::uint32_t t = 2; t < raft_->options().election_ticks; ++t) raft_->tick();
    pump();
    co_return;
  }
}

// A ticker that nobody reads keeps one tick and drops the others.
void EtcdMember::tick() {
  const Duration every = setup_.options.heartbeat;
  const MonoTime now = service_->host().monotonic_now();
  while (next_tick_ <= now) next_tick_ += every * std::max<std::int64_t>(1, (now - next_tick_).ns / every.ns);
  last_tick_ = now;
  world_->serve_background(++ticks_);
  raft_->tick();
  peers_.tend(now, [this](RaftId id) { raft_->unreachable(id); });
  judge_quorum();
  if (ticks_ % static_cast<std::uint32_t>(EtcdWatchHub::kProgressEvery.ns / every.ns) == 0) {
    watches_.progress(state_->store());
    deliver_events();
  }
  if (!round_.empty() && !round_index_ && now - round_sent_ >= milliseconds(500)) {
    round_sent_ = now;
    raft_->read(round_id_);
  }
}

// Check-quorum: a leader that hears no majority leads on for less than two election timeouts of its ticks.
void EtcdMember::judge_quorum() {
  const std::uint32_t election = raft_->options().election_ticks;
  const bool alone = raft_->leads() && peers_.heard_lately(election) < majority_of(setup_.members.size());
  quorumless_ticks_ = alone ? quorumless_ticks_ + 1 : 0;
  if (quorumless_ticks_ > 2 * election && setup_.invariants != nullptr) {
    setup_.invariants->breaks("a leader led on without a majority");
  }
}

// Does what Raft wants done and needs no disk; the loop does the rest.
void EtcdMember::pump() {
  if (saving_) return;
  notice_leader();
  do {
    if (raft_->anything_committed()) {
      const std::vector<RaftEntry> entries = raft_->take_committed();
      noticed_ = std::max(noticed_, entries.back().index);
      for (const RaftEntry& entry : entries) apply(entry);
      retry_applied();
    }
    for (const RaftRead& read : raft_->take_reads()) confirmed(read);
    if (round_index_ && applied_ >= *round_index_) finish_round();
    propose_waiting();
    if (!raft_->messages().empty()) send(raft_->take_messages());
  } while (raft_->anything_ready());
  if (!raft_->contradiction().empty() && setup_.invariants != nullptr) {
    setup_.invariants->breaks(std::string(raft_->contradiction()));
  }
  if (loop_ != 0 && raft_->anything_unsaved()) world_->wake(loop_);
}

void EtcdMember::notice_leader() {
  const bool lost = leads_ && (!raft_->leads() || raft_->term() != led_term_);
  if (lost) {
    leads_ = false;
    state_->lessor().demote();
    if (setup_.options.confirms_leadership) to_revoke_.clear();
    world_->record(trace::etcd_role, node_, 0, led_term_);
    for (auto& [id, p] : pending_) {
      if (std::exchange(p.parked, false)) p.next_try = service_->host().monotonic_now();
      p.confirmed = false;
    }
    leases_to_try_->notify();
  }
  if (raft_->leads() && !leads_) {
    leads_ = true;
    led_term_ = raft_->term();
    world_->record(trace::etcd_role, node_, 1, led_term_);
    if (setup_.invariants != nullptr) setup_.invariants->leads(self_, led_term_, raft_->log());
  }
  if (raft_->leader() == lead_ && !lost) return;
  lead_ = raft_->leader();
  if (lead_ == 0) return leader_lost_->notify();
  leader_since_ = service_->host().monotonic_now();
  // Whoever waits for the old one's confirmation waits in vain (v3_server.go, requestCurrentIndex).
  if (round_index_) return;
  for (const std::uint64_t id : std::exchange(round_, {})) fail(id, EtcdError::leader_changed);
  if (!next_round_.empty()) begin_round();
}

void EtcdMember::send(std::vector<RaftMessage> messages) {
  for (const RaftMessage& m : messages) {
    scratch_.clear();
    encode(m, scratch_);
    const bool sent = peers_.send(m.to, scratch_);
    if (m.kind == RaftMessage::Kind::snapshot) raft_->snapshot_sent(m.to, sent);
    if (!sent) raft_->unreachable(m.to);
  }
}

// --- the disk

void EtcdMember::record_unsaved(const RaftUnsaved& unsaved) {
  const auto add = [this](const auto& part) {
    scratch_.clear();
    encode(part, scratch_);
    journal_.add(scratch_);
  };
  if (unsaved.hard) add(*unsaved.hard);
  if (unsaved.snapshot) {
    add(*unsaved.snapshot);
    load_state(unsaved.snapshot->data);
    applied_ = snapshot_index_ = noticed_ = unsaved.snapshot->index;
    applied_term_ = unsaved.snapshot->term;
  }
  for (const RaftEntry& e : unsaved.entries) {
    add(e);
    if (setup_.invariants == nullptr) continue;
    setup_.invariants->logged(self_, e.index, e.term, raft_->log().term(e.index - 1).value_or(0), hash_bytes(e.data));
  }
}

// A new log takes the place of the old one: what this member is, its snapshot, and what follows it.
void EtcdMember::compact() {
  const auto keep = static_cast<RaftIndex>(setup_.options.catch_up_entries);
  const RaftSnapshot snapshot{applied_, applied_term_, state_->save()};
  raft_->compact(snapshot, applied_ > keep ? applied_ - keep : 1);
  snapshot_index_ = applied_;
  RaftUnsaved all;
  all.hard = raft_->hard_state();
  for (RaftIndex i = applied_ + 1; i <= raft_->log().last_index(); ++i) all.entries.push_back(raft_->log().at(i));
  scratch_.clear();
  encode(*all.hard, scratch_);
  journal_.add(scratch_);
  scratch_.clear();
  encode(snapshot, scratch_);
  journal_.add(scratch_);
  all.hard.reset();
  record_unsaved(all);
  journal_.replace();
}

// --- what arrives

Task<void> EtcdMember::serve(Service service) {
  for (;;) {
    Message message = co_await service.receive();
    if (message.direction == 1) {
      const RaftId peer = peers_.changed(message);
      if (peer != 0 && message.kind != SegmentKind::opened) retry_leases_of(peer);
    } else if (message.kind != SegmentKind::data) {
      watches_.close(message.connection);
      drop_calls(message.connection);
      if (locks_) locks_->closed(message.connection);
    } else if (message.call == 0) {
      hear_peer(message);
    } else {
      co_await service.compute();
      hear_client(message);
    }
    pump();
  }
}

void EtcdMember::hear_peer(const Message& message) {
  const std::string_view bytes = message.body.view();
  if (bytes.empty()) return;
  constexpr auto kRaft = static_cast<unsigned char>(RaftMessage::Kind::count_);
  if (static_cast<unsigned char>(bytes[0]) >= kRaft) return hear_forwarded(message);
  std::optional<RaftMessage> m = decode_raft_message(bytes);
  PICKLOCK_CHECK(m && m->to == self_ && m->from <= setup_.members.size());
  peers_.heard(m->from);
  // The leader's lease: nobody is made to leave a leader that it hears.
  const bool asks = m->kind == RaftMessage::Kind::vote || m->kind == RaftMessage::Kind::pre_vote;
  const bool loyal = asks && raft_->role() == RaftRole::follower && raft_->in_lease();
  const RaftTerm before = raft_->term();
  raft_->step(std::move(*m));
  if (loyal && raft_->term() != before && setup_.invariants != nullptr) {
    setup_.invariants->breaks("a candidate disturbed a follower that hears its leader");
  }
}

std::uint32_t EtcdMember::below(std::uint32_t n) {
  const std::int64_t drawn =
      service_->host().draw(Purpose::election, Law::uniform(std::int64_t{0}, std::int64_t{n} - 1));
  return static_cast<std::uint32_t>(drawn);
}

// Deduplication of worlds never merges two in which members live: their clocks run on anyway.
std::uint64_t EtcdMember::fingerprint(const World& world, NodeId node) const {
  return world.alive(node) ? mix(world.events(), static_cast<std::uint64_t>(world.now().ns)) : 0;
}

}  // namespace picklock
