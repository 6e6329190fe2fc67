#include "sim/etcd/raft/raft.hpp"

#include "base/check.hpp"

namespace picklock {

using Kind = RaftMessage::Kind;

Raft::Raft(const RaftOptions& options, RaftDice& dice, RaftFlaw flaw)
    : options_(options), dice_(dice), flaw_(flaw), leading_{.progress = std::vector<RaftProgress>(options.members)} {
  PICKLOCK_CHECK(options.members >= 1 && options.members <= kMostVoters);
  PICKLOCK_CHECK(options.id >= 1 && options.id <= options.members);
  PICKLOCK_CHECK(options.heartbeat_ticks >= 1 && options.election_ticks > options.heartbeat_ticks);
}

void Raft::boot(RaftStored stored) {
  disk_.saved = stored.hard;
  const RaftHardState was = stored.hard;
  log_.restore(std::move(stored));
  reset(was.term);
  vote_ = was.vote;
  disk_.saved.commit = log_.committed;
}

// --- roles

void Raft::reset(RaftTerm term) {
  if (term != term_) {
    term_ = term;
    vote_ = 0;
    disk_.touched = true;
  }
  leader_ = 0;
  election_.elapsed = leading_.elapsed = 0;
  const std::uint32_t more = dice_.below(options_.election_ticks);
  election_.patience = options_.election_ticks + more;
  election_.votes.clear();
  for (RaftProgress& p : leading_.progress) p.reset(log_.last_index());
  reads_.pending.clear();
  reads_.early.clear();
  reads_.first_round = 1;
}

void Raft::follow(RaftTerm term, RaftId leader) {
  reset(term);
  role_ = RaftRole::follower;
  leader_ = leader;
}

void Raft::tick() {
  if (role_ == RaftRole::leader) return tick_leader();
  if (++election_.elapsed >= election_.patience) campaign();
}

void Raft::campaign() {
  if (role_ == RaftRole::leader) return;
  election_.elapsed = 0;
  begin_campaign(options_.pre_vote);
  hear_itself();
}

// A pre-candidate asks whether it would be elected; its own term and those of
// others stay as they are.
void Raft::begin_campaign(bool pre) {
  if (pre) {
    election_.votes.clear();
    leader_ = 0;
    role_ = RaftRole::pre_candidate;
  } else {
    reset(term_ + 1);
    role_ = RaftRole::candidate;
    vote_ = id();
    disk_.touched = true;
  }
  for (RaftId to = 1; to <= options_.members; ++to) {
    // Its own vote goes the way of the others': it counts once it is on the disk.
    RaftMessage& m =
        message(to == id() ? (pre ? Kind::pre_vote_reply : Kind::vote_reply) : (pre ? Kind::pre_vote : Kind::vote), to);
    if (pre) m.term = term_ + 1;
    if (to != id()) {
      m.index = log_.last_index();
      m.log_term = log_.last_term();
    }
  }
}

void Raft::lead() {
  reset(term_);
  role_ = RaftRole::leader;
  leader_ = id();
  append_own({});
}

// --- messages

// A leader promises only what its own disk already has: else it could not lead.
RaftMessage& Raft::message(Kind kind, RaftId to) {
  if (to == id()) owes_itself_ = true;
  const bool promises = role_ != RaftRole::leader;
  if (!promises || flawed(RaftFlaw::sends_before_durable)) return outbox_.ready().emplace_back(kind, id(), to, term_);
  return outbox_.add_after(newest_position(), kind, id(), to, term_);
}

// Hands itself what it has sent to itself and may leave now.
void Raft::hear_what_it_owes_itself() {
  std::vector<RaftMessage>& ready = outbox_.ready();
  for (std::size_t i = 0; i < ready.size();) {
    if (ready[i].to != id()) {
      ++i;
      continue;
    }
    RaftMessage m = std::move(ready[i]);
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(i));
    handle(m);
    i = 0;
  }
  owes_itself_ = outbox_.waiting() > 0;  // true if it may owe itself a message
}

void Raft::handle(RaftMessage& m) {
  if (m.term != term_ && m.kind != Kind::propose && m.kind != Kind::read) {
    if (m.term > term_ && !heard_newer_term(m)) return;
    const bool asks_or_answers_ahead =  // its term is one in which no member is yet
        m.kind == Kind::pre_vote || (m.kind == Kind::pre_vote_reply && !m.reject);
    if (m.term < term_) return heard_older_term(m);
    if (m.term > term_ && !asks_or_answers_ahead) return;
  }
  switch (m.kind) {
    case Kind::vote:
    case Kind::pre_vote:
      return answer_vote(m);
    case Kind::vote_reply:
    case Kind::pre_vote_reply:
      return count_vote(m);
    default:
      break;
  }
  if (role_ == RaftRole::leader) return step_leader(m);
  step_follower(m);
}

// True if the message still matters after that.
bool Raft::heard_newer_term(const RaftMessage& m) {
  const bool asks_for_vote = m.kind == Kind::vote || m.kind == Kind::pre_vote;
  // A member that hears a living leader does not help to depose it (thesis § 4.2.3).
  if (asks_for_vote && in_lease() && !flawed(RaftFlaw::ignores_lease)) return false;
  if (m.kind == Kind::pre_vote) return true;
  if (m.kind == Kind::pre_vote_reply && !m.reject) return true;
  const bool of_leader = m.kind == Kind::append || m.kind == Kind::heartbeat || m.kind == Kind::snapshot;
  follow(m.term, of_leader ? m.from : 0);
  return true;
}

void Raft::heard_older_term(const RaftMessage& m) {
  const bool of_leader = m.kind == Kind::append || m.kind == Kind::heartbeat;
  if ((options_.check_quorum || options_.pre_vote) && of_leader) {
    // Its sender must learn of this term, or this member, which cannot win a pre-vote, stays alone for ever.
    message(Kind::append_reply, m.from);
    return;
  }
  if (m.kind == Kind::pre_vote) message(Kind::pre_vote_reply, m.from).reject = true;
}

void Raft::answer_vote(const RaftMessage& m) {
  const bool pre = m.kind == Kind::pre_vote;
  const bool free_to =
      vote_ == m.from || (vote_ == 0 && leader_ == 0) || (pre && m.term > term_) || flawed(RaftFlaw::votes_twice);
  const bool good_enough = log_.up_to_date(m.index, m.log_term) || flawed(RaftFlaw::votes_for_shorter_logs);
  const bool granted = free_to && good_enough;
  if (granted && !pre) {  // the reply promises it
    election_.elapsed = 0;
    vote_ = m.from;
    disk_.touched = true;
  }
  RaftMessage& reply = message(pre ? Kind::pre_vote_reply : Kind::vote_reply, m.from);
  reply.reject = !granted;
  if (granted) reply.term = m.term;
}

void Raft::count_vote(const RaftMessage& m) {
  const bool pre = role_ == RaftRole::pre_candidate;
  if (!pre && role_ != RaftRole::candidate) return;
  if (pre != (m.kind == Kind::pre_vote_reply)) return;
  if (pre && !m.reject && m.term != term_ + 1) return;  // the vote answers an earlier campaign
  election_.votes.record(m.from - 1, !m.reject);
  switch (election_.votes.result(options_.members)) {
    case VoteTally::Result::pending:
      return;
    case VoteTally::Result::lost:
      return follow(term_, 0);
    case VoteTally::Result::won:
      break;
  }
  if (pre) return begin_campaign(false);
  lead();
  send_appends();
}

// --- the disk

RaftUnsaved Raft::take_unsaved() {
  struct Parts {
    RaftUnsaved& to;
    void operator()(const RaftHardState& hard) const { to.hard = hard; }
    void operator()(const RaftSnapshot& snapshot) const { to.snapshot = snapshot; }
    void operator()(const RaftEntry& entry) const { to.entries.push_back(entry); }
  };
  RaftUnsaved unsaved;
  static_cast<RaftBatch&>(unsaved) = hand_out_unsaved(Parts{unsaved});
  return unsaved;
}

void Raft::note_taken(const RaftHardState& now, RaftBatch& batch) {
  disk_.saved = now;
  disk_.touched = false;
  disk_.unsaved_snapshot.reset();
  log_.unsaved_from = log_.last_index() + 1;
  batch.position = ++disk_.batches_taken;
  disk_.batches.push_back({batch.position, log_.last_index(), log_.last_term()});
}

void Raft::persisted(std::uint64_t position) {
  RaftIndex own = 0;
  while (!disk_.batches.empty() && disk_.batches.front().position <= position) {
    const Batch& b = disk_.batches.front();
    if (log_.matches(b.last, b.term)) own = b.last;  // no match: it has been overwritten since
    disk_.batches.pop_front();
  }
  outbox_.persisted(position);
  hear_itself();
  if (role_ != RaftRole::leader || own == 0) return;
  if (leading_.progress[id() - 1].acknowledged(own) && advance_commit()) send_appends();
}

std::vector<RaftEntry> Raft::take_committed() {
  if (!anything_committed()) return {};
  const RaftIndex upto = to_apply();
  std::vector<RaftEntry> entries = log_.slice(log_.handed_out + 1, upto - log_.handed_out);
  log_.handed_out = upto;
  return entries;
}

bool Raft::propose(RaftData data) {
  PICKLOCK_CHECK(!data.empty());
  if (role_ == RaftRole::leader) {
    append_own(std::move(data));
    send_appends();
    return true;
  }
  if (leader_ == 0) return false;
  message(Kind::propose, leader_).data = std::move(data);
  return true;
}

bool Raft::read(std::uint64_t context) {
  if (role_ == RaftRole::leader) {
    request_read(id(), context);
    return true;
  }
  if (leader_ == 0) return false;
  message(Kind::read, leader_).context = context;
  return true;
}

}  // namespace picklock
