// A member that does not lead: it takes what the leader sends, and passes on what is the leader's to do.

#include <algorithm>

#include "sim/etcd/raft/raft.hpp"

namespace picklock {

using Kind = RaftMessage::Kind;

void Raft::step_follower(RaftMessage& m) {
  switch (m.kind) {
    case Kind::append:
    case Kind::heartbeat:
    case Kind::snapshot:
      if (role_ != RaftRole::follower) follow(m.term, m.from);  // another candidate has won
      election_.elapsed = 0;
      leader_ = m.from;
      if (m.kind == Kind::append) return accept_append(m);
      if (m.kind == Kind::heartbeat) return accept_heartbeat(m);
      return accept_snapshot(m);
    case Kind::propose:
    case Kind::read:
      if (role_ != RaftRole::follower || leader_ == 0) return;
      m.to = leader_;
      message(m.kind, leader_) = std::move(m);
      return;
    case Kind::read_reply:
      reads_.ready.push_back({m.context, m.index});
      return;
    default:
      return;
  }
}

void Raft::accept_append(RaftMessage& m) {
  const bool old = m.index < log_.committed && !flawed(RaftFlaw::truncates_agreeing_entries);
  if (old) {
    message(Kind::append_reply, m.from).index = log_.committed;
    return;
  }
  const bool matches = log_.matches(m.index, m.log_term);
  const bool near = m.index >= log_.first_index() && m.index <= log_.last_index();
  if (!matches && !(flawed(RaftFlaw::accepts_without_match) && near)) {
    // No entry after the hint with a term above the leader's can agree with it: skip them all at once.
    RaftMessage& reply = message(Kind::append_reply, m.from);
    reply.reject = true;
    reply.index = m.index;
    reply.hint = log_.last_with_term_up_to(std::min(m.index, log_.last_index()), m.log_term);
    reply.log_term = log_.term(reply.hint).value_or(0);
    return;
  }
  if (flawed(RaftFlaw::truncates_agreeing_entries) && m.index < log_.last_index()) log_.truncate_from(m.index + 1);
  for (RaftEntry& e : m.entries) {
    if (e.index <= log_.last_index()) {
      if (log_.matches(e.index, e.term)) continue;
      if (e.index <= log_.committed) {
        contradiction_ = "an append contradicts a committed entry";
        return;
      }
      log_.truncate_from(e.index);
    }
    log_.append(std::move(e));
    disk_.touched = true;
  }
  const RaftIndex agreed = m.index + m.entries.size();
  commit_to(std::min(m.commit, agreed));
  message(Kind::append_reply, m.from).index = agreed;
}

void Raft::accept_heartbeat(const RaftMessage& m) {
  commit_to(m.commit);
  message(Kind::heartbeat_reply, m.from).context = m.context;
}

void Raft::accept_snapshot(RaftMessage& m) {
  if (m.index > log_.committed) {
    if (log_.matches(m.index, m.log_term)) {  // it has all that and perhaps more
      commit_to(m.index);
    } else {
      disk_.unsaved_snapshot = RaftSnapshot{m.index, m.log_term, std::string(m.data.view())};
      log_.restore(*disk_.unsaved_snapshot);
      disk_.touched = true;
    }
  }
  message(Kind::append_reply, m.from).index = log_.committed;
}

void Raft::commit_to(RaftIndex index) {
  if (index <= log_.committed) return;
  if (index > log_.last_index()) {
    contradiction_ = "a commit index beyond the end of the log";
    return;
  }
  log_.committed = index;
  disk_.touched = true;
}

}  // namespace picklock
