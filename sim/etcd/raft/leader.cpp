// A member that leads: it replicates its log, counts, and answers for reads.

#include <algorithm>
#include <array>

#include "sim/etcd/raft/raft.hpp"

namespace picklock {

using Kind = RaftMessage::Kind;

void Raft::step_leader(RaftMessage& m) {
  switch (m.kind) {
    case Kind::append_reply:
      return heard_append_reply(m);
    case Kind::heartbeat_reply:
      return heard_heartbeat_reply(m);
    case Kind::propose:
      if (m.data.empty()) return;
      append_own(std::move(m.data));
      return send_appends();
    case Kind::read:
      return request_read(m.from, m.context);
    case Kind::append:
    case Kind::heartbeat:
    case Kind::snapshot:
      contradiction_ = "two leaders of one term";
      return;
    default:
      return;
  }
}

void Raft::tick_leader() {
  if (++election_.elapsed >= options_.election_ticks) {
    election_.elapsed = 0;
    leading_.progress[id() - 1].recently_active = true;
    const auto active = static_cast<std::size_t>(std::count_if(
        leading_.progress.begin(), leading_.progress.end(), [](const RaftProgress& p) { return p.recently_active; }));
    for (RaftProgress& p : leading_.progress) p.recently_active = false;
    if (options_.check_quorum && active < majority_of(options_.members) && !flawed(RaftFlaw::ignores_check_quorum)) {
      return follow(term_, 0);
    }
  }
  if (++leading_.elapsed >= options_.heartbeat_ticks) {
    leading_.elapsed = 0;
    send_heartbeats();
  }
}

void Raft::append_own(RaftData data) {
  log_.append({term_, log_.last_index() + 1, std::move(data)});
  disk_.touched = true;
  if (!flawed(RaftFlaw::acks_itself_before_durable)) return;
  leading_.progress[id() - 1].acknowledged(log_.last_index());
  advance_commit();
}

void Raft::unreachable(RaftId follower) {
  RaftProgress& p = leading_.progress[follower - 1];
  // Entries sent ahead are probably lost.
  if (role_ == RaftRole::leader && p.state == RaftProgress::State::replicate) p.probe();
}

void Raft::snapshot_sent(RaftId follower, bool arrived) {
  RaftProgress& p = leading_.progress[follower - 1];
  if (role_ != RaftRole::leader || p.state != RaftProgress::State::snapshot) return;
  if (!arrived) p.pending_snapshot = 0;
  p.probe();
  p.probe_sent = true;  // it is given until its next heartbeat
}

void Raft::heard_append_reply(const RaftMessage& m) {
  RaftProgress& p = leading_.progress[m.from - 1];
  p.recently_active = true;
  if (m.reject) {
    RaftIndex hint = m.hint;
    if (m.log_term > 0) hint = log_.last_with_term_up_to(m.hint, m.log_term);
    if (!p.rejected(m.index, hint)) return;
    if (p.state == RaftProgress::State::replicate) p.probe();
    send_append(m.from);
    return;
  }
  const bool was_paused = p.paused(options_.most_inflight);
  const bool news = p.acknowledged(m.index);
  if (!news && !(p.match == m.index && p.state == RaftProgress::State::probe)) return;
  if (p.state == RaftProgress::State::probe) {
    p.replicate();
  } else if (p.state == RaftProgress::State::snapshot && p.match + 1 >= log_.first_index()) {
    p.replicate();
  }
  if (advance_commit()) {
    send_appends();
  } else if (was_paused) {
    send_append(m.from);
  }
  while (p.next <= log_.last_index() && send_append(m.from, false)) {
  }
}

void Raft::heard_heartbeat_reply(const RaftMessage& m) {
  RaftProgress& p = leading_.progress[m.from - 1];
  p.recently_active = true;
  p.heard_heartbeat(options_.most_inflight);
  if (p.match < log_.last_index() || p.state == RaftProgress::State::probe) send_append(m.from);
  if (m.context == 0) return;
  p.read_acked = std::max(p.read_acked, m.context);
  finish_reads();
}

// False if nothing was sent.
bool Raft::send_append(RaftId to, bool even_if_empty) {
  RaftProgress& p = leading_.progress[to - 1];
  if (to == id() || p.paused(options_.most_inflight)) return false;
  const auto before = log_.term(p.next - 1);
  if (!before) {
    if (!p.recently_active) return false;
    RaftMessage& m = message(Kind::snapshot, to);
    m.index = log_.snapshot().index;
    m.log_term = log_.snapshot().term;
    m.data = log_.snapshot().data;
    p.await_snapshot(m.index);
    return true;
  }
  const bool empty = p.next > log_.last_index();
  if (empty && !even_if_empty) return false;
  RaftMessage& m = message(Kind::append, to);
  if (!empty) m.entries = log_.slice(p.next, options_.most_entries);
  m.index = p.next - 1;
  m.log_term = *before;
  m.commit = log_.committed;
  p.sent(m.index + m.entries.size(), m.entries.size());
  return true;
}

void Raft::send_appends() {
  for (RaftId to = 1; to <= options_.members; ++to) send_append(to);
}

void Raft::send_heartbeats() {
  for (RaftId to = 1; to <= options_.members; ++to) {
    if (to == id()) continue;
    RaftMessage& m = message(Kind::heartbeat, to);
    // A follower may hold other entries beyond its match.
    m.commit = flawed(RaftFlaw::commits_beyond_match) ? log_.committed
                                                      : std::min(leading_.progress[to - 1].match, log_.committed);
    if (!reads_.pending.empty()) m.context = reads_.first_round + reads_.pending.size() - 1;
  }
}

// An entry of an earlier term is committed only beneath one of this term (Raft § 5.4.2).
bool Raft::advance_commit() {
  std::array<std::uint64_t, kMostVoters> matches;
  for (std::size_t i = 0; i < leading_.progress.size(); ++i) matches[i] = leading_.progress[i].match;
  const RaftIndex reached = reached_by_majority({matches.data(), leading_.progress.size()});
  if (reached <= log_.committed) return false;
  if (log_.term(reached) != term_ && !flawed(RaftFlaw::commits_old_term)) return false;
  log_.committed = reached;
  disk_.touched = true;
  if (committed_in_own_term()) {
    for (const auto& [from, context] : std::exchange(reads_.early, {})) begin_read(from, context);
  }
  return true;
}

// --- reads

void Raft::request_read(RaftId from, std::uint64_t context) {
  // Before a commit of its own it may not know its predecessors' commits (thesis § 6.4).
  if (!committed_in_own_term() && !flawed(RaftFlaw::reads_before_own_commit)) {
    reads_.early.emplace_back(from, context);
    return;
  }
  begin_read(from, context);
}

void Raft::begin_read(RaftId from, std::uint64_t context) {
  const PendingRead read{from, context, log_.committed};
  if (flawed(RaftFlaw::reads_without_quorum)) return answer_read(read);
  reads_.pending.push_back(read);
  send_heartbeats();
  finish_reads();
}

// A follower that has answered a round of heartbeats has answered for all reads that were asked before it.
void Raft::finish_reads() {
  if (reads_.pending.empty()) return;
  leading_.progress[id() - 1].read_acked = reads_.first_round + reads_.pending.size() - 1;
  std::array<std::uint64_t, kMostVoters> acked;
  for (std::size_t i = 0; i < leading_.progress.size(); ++i) acked[i] = leading_.progress[i].read_acked;
  const std::uint64_t confirmed = reached_by_majority({acked.data(), leading_.progress.size()});
  for (; !reads_.pending.empty() && reads_.first_round <= confirmed; ++reads_.first_round) {
    const PendingRead read = reads_.pending.front();
    reads_.pending.pop_front();
    answer_read(read);
  }
}

void Raft::answer_read(const PendingRead& read) {
  if (read.from == id()) {
    reads_.ready.push_back({read.context, read.index});
    return;
  }
  RaftMessage& m = message(Kind::read_reply, read.from);
  m.context = read.context;
  m.index = read.index;
}

}  // namespace picklock
