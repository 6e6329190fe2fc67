#include "sim/etcd/member_raft.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "sim/etcd/entry.hpp"
#include "sim/etcd/raft/wire.hpp"
#include "sim/quorum/majority.hpp"

namespace picklock {
namespace {

constexpr std::string_view kFile = "member/wal";

RaftOptions raft_options(const EtcdMemberContext& me) {
  RaftOptions raft;
  raft.id = me.self;
  raft.members = static_cast<RaftId>(me.setup.members.size());
  raft.election_ticks = me.options().election_ticks();
  raft.pre_vote = me.options().pre_vote;
  return raft;
}

// Turns entries that a member wrote as bytes back into the values that it proposed or received.
void decode_entries(std::vector<RaftEntry>& entries) {
  for (RaftEntry& e : entries) {
    if (e.data.empty()) continue;
    std::optional<EtcdEntry> entry = decode_etcd_entry(e.data);
    PICKLOCK_CHECK(entry.has_value());
    e.data = RaftData::of(std::move(*entry));
  }
}

}  // namespace

EtcdRaftDriver::EtcdRaftDriver(const EtcdMemberContext& me, EtcdRaftUser& user, const EtcdLeaderView& leader,
                               std::uint32_t& ticks)
    : me_(me),
      user_(user),
      leader_(leader),
      raft_(raft_options(me), static_cast<RaftDice&>(*this), me.setup.flaw),
      peers_(me.service, me.self, me.setup.members, seconds(1) + me.options().election),
      ticks_(ticks) {}

bool EtcdRaftDriver::must_confirm_leadership() const {
  const bool loop_is_alive = me_.now() - tick_.last <= me_.options().heartbeat * 3;
  return me_.options().confirms_leadership && !loop_is_alive;
}

void EtcdRaftDriver::load(World& world, NodeId node) {
  RaftStored stored;
  journal_.open(world, node, kFile,
                [&](std::string_view record) { PICKLOCK_CHECK(decode_raft_record(record, stored)); });
  decode_entries(stored.entries);
  if (stored.snapshot.index > 0) {
    snapshot_index_ = known_committed_ = stored.snapshot.index;
    user_.load(stored.snapshot);
  }
  raft_.boot(std::move(stored));
}

// --- Raft's loop

Task<void> EtcdRaftDriver::run(Service service) {
  const Host host = service.host();
  load(service.world(), service.node());
  const MonoTime booted = host.monotonic_now();
  const Duration phase = host.draw_duration(Purpose::start, Law::uniform(Duration{}, me_.options().heartbeat));
  tick_.next = booted + phase;
  tick_.last = booted;
  peers_.tend(booted, [](RaftId) {});
  // A member that is alone need not wait for others (server.go, adjustTicks).
  if (me_.setup.members.size() == 1) {
    for (std::uint32_t t = 1; t < raft_.options().election_ticks; ++t) raft_.tick();
  }
  if (service.world().nodes.incarnation(service.node()) != 0) {  // the page cache may hold a dead process's writes
    saving_ = true;
    co_await journal_.sync();
    saving_ = false;
  }
  pump();
  StandingWait wait = service.standing_wait({.bell = &work_, .messages = false, .what = "raft", .timer = "tick"});
  for (;;) {
    if (!raft_.anything_unsaved()) co_await wait.until(tick_.next);
    const MonoTime now = host.monotonic_now();
    if (now >= tick_.next) tick(now);
    pump();
    if (!raft_.anything_unsaved()) continue;
    const RaftBatch batch = raft_.hand_out_unsaved([this](const auto& part) { write(part); });
    // The Raft of 3.4 and 3.5 takes what a member that is alone proposes for committed at once; it is applied when
    // it is written (raft.go, shouldWaitWALSync).  3.6 waits for the disk first; its leader would refuse no renewal
    // here, and asks itself instead whether it leads.
    if (me_.setup.members.size() == 1 && batch.last != 0) known_committed_ = batch.last;
    saving_ = true;
    co_await journal_.write();
    if (batch.must_sync) co_await journal_.sync();
    saving_ = false;
    raft_.persisted(batch.position);
    pump();
    const bool full = user_.applied() - snapshot_index_ >= static_cast<RaftIndex>(me_.options().snapshot_count);
    if (!full || raft_.anything_unsaved()) continue;
    compact();
    saving_ = true;
    co_await journal_.sync();
    saving_ = false;
    pump();
  }
}

// server.go, adjustTicks; it looks for as long as rafthttp waits for a connection.
Task<void> EtcdRaftDriver::advance_ticks(Service service) {
  constexpr Duration kEvery = milliseconds(50), kFor = seconds(5);
  for (std::int64_t i = 0; i < kFor.ns / kEvery.ns; ++i) {
    co_await service.host().sleep(kEvery);
    if (peers_.connected() < 2) continue;
    for (std::uint32_t t = 2; t < raft_.options().election_ticks; ++t) raft_.tick();
    pump();
    co_return;
  }
}

// Go's ticker keeps one tick that is not read, and drops the others.
void EtcdRaftDriver::tick(MonoTime now) {
  const Duration every = me_.options().heartbeat;
  tick_.next += every;
  while (tick_.next <= now) tick_.next += every * std::max<std::int64_t>(1, (now - tick_.next).ns / every.ns);
  tick_.last = now;
  me_.world().tasks.serve_background(++ticks_);
  raft_.tick();
  peers_.tend(now, [this](RaftId id) { raft_.unreachable(id); });
  judge_quorum();
  user_.ticked(ticks_, now);
}

// Check-quorum: a leader that hears no majority leads on for less than two election timeouts of its ticks.
void EtcdRaftDriver::judge_leading() {
  const std::uint32_t election = raft_.options().election_ticks;
  const bool alone = raft_.leads() && peers_.heard_lately(election) < majority_of(me_.setup.members.size());
  quorumless_ticks_ = alone ? quorumless_ticks_ + 1 : 0;
  if (quorumless_ticks_ > 2 * election && me_.invariants() != nullptr) {
    me_.invariants()->breaks("a leader led on without a majority");
  }
}

// Does what Raft wants done and needs no disk; the loop does the rest.
void EtcdRaftDriver::work_off() {
  if (!leader_.is_still(raft_)) {
    user_.notice_leader();
    news_ = true;
  }
  bool had_news = false;  // without news Raft gains no work from sending
  do {
    if (raft_.anything_committed()) {
      known_committed_ = std::max(known_committed_, raft_.to_apply());
      raft_.hand_out_committed([this](const RaftEntry& entry) { user_.apply(entry); });
      user_.caught_up();
      news_ = true;
    }
    if (raft_.anything_read()) {
      for (const RaftRead& read : raft_.take_reads()) user_.confirmed(read);
      news_ = true;
    }
    had_news = std::exchange(news_, false);
    if (had_news) user_.before_sending();
    raft_.hand_out_messages([this](RaftMessage& m) {
      const RaftId to = m.to;
      const bool is_snapshot = m.kind == RaftMessage::Kind::snapshot;
      const bool sent = peers_.send(to, std::move(m));
      if (is_snapshot) raft_.snapshot_sent(to, sent);
      if (!sent) raft_.unreachable(to);
    });
  } while (had_news);
  if (raft_.anything_unsaved()) work_.ring();
}

void EtcdRaftDriver::report_contradiction() {
  if (me_.invariants() != nullptr) me_.invariants()->breaks(std::string(raft_.contradiction()));
}

// --- the disk

template <class Part>
void EtcdRaftDriver::add_record(const Part& part) {
  RaftRecordHead head;
  const std::string_view rest = encode_head(part, head);
  journal_.add(head.view(), rest);
}

void EtcdRaftDriver::write(const RaftHardState& hard) { add_record(hard); }

void EtcdRaftDriver::write(const RaftSnapshot& snapshot) {
  add_record(snapshot);
  user_.load(snapshot);
  news_ = true;
  snapshot_index_ = known_committed_ = snapshot.index;
}

void EtcdRaftDriver::write(const RaftEntry& e) {
  add_record(e);
  if (me_.invariants() == nullptr) return;
  me_.invariants()->logged(me_.self, e.index, e.term, raft_.log().term(e.index - 1).value_or(0), e.data.hash());
}

// A new log takes the place of the old one: what this member is, its snapshot, and what follows it.
void EtcdRaftDriver::compact() {
  const auto keep = static_cast<RaftIndex>(me_.options().catch_up_entries);
  const RaftSnapshot snapshot = user_.snapshot();
  const RaftIndex applied = snapshot.index;
  raft_.compact(snapshot, applied > keep ? applied - keep : 1);
  snapshot_index_ = applied;
  add_record(raft_.hard_state());
  add_record(snapshot);
  for (RaftIndex i = applied + 1; i <= raft_.log().last_index(); ++i) write(raft_.log().at(i));
  journal_.replace();
}

// --- what arrives

void EtcdRaftDriver::hear(RaftMessage&& message) {
  const RaftId from = message.from;
  if (message.kind == RaftMessage::Kind::vote || message.kind == RaftMessage::Kind::pre_vote) {
    hear_candidate(std::move(message));
  } else {
    raft_.step(std::move(message));
  }
  peers_.heard(from);
  check_contradiction();
}

// The leader's lease: a member does not leave a leader that it hears.
void EtcdRaftDriver::hear_candidate(RaftMessage&& message) {
  const bool loyal = raft_.role() == RaftRole::follower && raft_.in_lease();
  const RaftTerm before = raft_.term();
  raft_.step(std::move(message));
  if (loyal && raft_.term() != before && me_.invariants() != nullptr) {
    me_.invariants()->breaks("a candidate disturbed a follower that hears its leader");
  }
}

std::uint32_t EtcdRaftDriver::below(std::uint32_t n) {
  const std::int64_t drawn =
      me_.service.host().draw(Purpose::election, Law::uniform(std::int64_t{0}, std::int64_t{n} - 1));
  return static_cast<std::uint32_t>(drawn);
}

}  // namespace picklock
