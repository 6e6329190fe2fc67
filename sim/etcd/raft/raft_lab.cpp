#include "sim/etcd/raft/raft_lab.hpp"

#include <algorithm>
#include <cstdlib>

#include "sim/etcd/raft/wire.hpp"

namespace picklock::testing {

RaftStored RaftDisk::read() const {
  RaftStored stored;
  for (const std::string& r : records) {
    if (!decode_raft_record(r, stored)) std::abort();
  }
  return stored;
}

RaftCluster::RaftCluster(RaftOptions options, RaftFlaw flaw, Choose choose)
    : options_(options), flaw_(flaw), choose_(std::move(choose)), dice_(choose_), members_(options.members) {
  for (RaftId id = 1; id <= options.members; ++id) boot(id);
}

void RaftCluster::boot(RaftId id) {
  Member& m = member(id);
  RaftOptions own = options_;
  own.id = id;
  m.raft = std::make_unique<Raft>(own, dice_, flaw_);
  RaftStored stored = m.disk.read();
  m.applied = applied_of(stored.snapshot);
  m.raft->boot(std::move(stored));
  m.ticks_since_leader = 1000;
  m.ticks_leading_alone = 0;
  drain(id);
}

void RaftCluster::crash(RaftId id, bool power) {
  Member& m = member(id);
  m.raft.reset();
  m.written.clear();
  std::size_t keep = m.disk.records.size();
  if (power) keep = m.disk.durable + choose_(static_cast<std::uint32_t>(keep - m.disk.durable + 1));
  m.disk.records.resize(keep);
  m.disk.durable = keep;  // a boot makes durable what it finds
}

void RaftCluster::tick(RaftId id) {
  if (!up(id)) return;
  Member& m = member(id);
  ++m.ticks_since_leader;
  raft(id).tick();
  judge_quorum(id);
  drain(id);
}

void RaftCluster::propose(RaftId id) {
  if (!up(id)) return;
  raft(id).propose(std::to_string(++proposals_));
  drain(id);
}

void RaftCluster::read(RaftId id) {
  if (!up(id)) return;
  const std::uint64_t context = ++contexts_;
  must_see_[context] = highest_commit_;
  raft(id).read(context);
  drain(id);
}

void RaftCluster::deliver(std::size_t k, bool keep_copy) {
  RaftMessage m = wire[k];
  report_snapshot(m, up(m.to));
  if (!keep_copy) wire.erase(wire.begin() + static_cast<std::ptrdiff_t>(k));
  if (!up(m.to)) return;
  Member& to = member(m.to);
  Raft& r = *to.raft;
  const bool heard_lately =
      r.role() == RaftRole::follower && to.leader_term == r.term() && to.ticks_since_leader < options_.election_ticks;
  const bool asks = m.kind == RaftMessage::Kind::vote || m.kind == RaftMessage::Kind::pre_vote;
  const RaftTerm before = r.term();
  const bool of_leader = (m.kind == RaftMessage::Kind::append || m.kind == RaftMessage::Kind::heartbeat ||
                          m.kind == RaftMessage::Kind::snapshot) &&
                         m.term >= r.term();
  const bool answer =
      (m.kind == RaftMessage::Kind::append_reply || m.kind == RaftMessage::Kind::heartbeat_reply) && m.term == r.term();
  if (answer) heard_from_[m.to].insert_or_assign(m.from, 0u);
  r.step(std::move(m));
  if (asks && heard_lately && options_.check_quorum && r.term() != before) {
    breaks("a candidate disturbed a follower that hears its leader");
  }
  if (of_leader) {
    to.ticks_since_leader = 0;
    to.leader_term = r.term();
  }
  drain(r.id());
}

void RaftCluster::lose(std::size_t k) {
  report_snapshot(wire[k], false);
  wire.erase(wire.begin() + static_cast<std::ptrdiff_t>(k));
}

void RaftCluster::sync(RaftId id) {
  Member& m = member(id);
  if (!up(id) || m.written.empty()) return;
  const auto [records, position] = m.written.front();
  m.written.pop_front();
  m.disk.durable = std::max(m.disk.durable, records);
  raft(id).persisted(position);
  drain(id);
}

void RaftCluster::compact(RaftId id, RaftIndex keep) {
  if (!up(id)) return;
  Member& m = member(id);
  if (!m.written.empty() || m.applied.empty() || m.raft->anything_unsaved()) return;
  const RaftIndex upto = m.applied.size();
  RaftSnapshot snapshot{upto, m.applied.back().term, image(m.applied)};
  const RaftIndex from = upto > keep ? upto + 1 - keep : 1;
  m.raft->compact(snapshot, from);
  // A new log: what the member is, its snapshot, what follows it.  It is written and synced as one.
  m.disk.records.clear();
  const auto add = [&m](const auto& part) {
    std::string bytes;
    encode(part, bytes);
    m.disk.records.push_back(std::move(bytes));
  };
  add(RaftHardState{flaw_ == RaftFlaw::forgets_term ? 0 : m.raft->term(),
                    flaw_ == RaftFlaw::forgets_vote ? 0 : m.raft->vote(), m.raft->committed()});
  add(snapshot);
  for (RaftIndex i = std::max(upto + 1, m.raft->log().first_index()); i <= m.raft->log().last_index(); ++i) {
    add(m.raft->log().at(i));
  }
  m.disk.durable = m.disk.records.size();
}

std::string RaftCluster::image(const std::vector<RaftEntry>& entries) const {
  std::string all;
  for (const RaftEntry& e : entries) all += std::to_string(e.term) + ":" + std::string(e.data) + ";";
  return all;
}

void RaftCluster::breaks(std::string what) {
  if (broken.empty()) broken = std::move(what);
}

void RaftCluster::report_snapshot(const RaftMessage& m, bool arrived) {
  if (m.kind == RaftMessage::Kind::snapshot && up(m.from)) raft(m.from).snapshot_sent(m.to, arrived);
}

void RaftCluster::drain(RaftId id) {
  Member& m = member(id);
  Raft& r = *m.raft;
  judge_member(r);
  while (r.anything_to_do()) {
    // Entries are handed to the state machine while they are written, as etcd does.
    if (r.anything_unsaved()) {
      const RaftUnsaved u = r.take_unsaved();
      if (u.hard) store(m, *u.hard);
      if (u.snapshot) {
        ++snapshots;
        store(m, *u.snapshot);
        m.applied = applied_of(*u.snapshot);
        judge_applied(m.applied);
      }
      for (const RaftEntry& e : u.entries) store(m, e);
      m.written.emplace_back(m.disk.records.size(), u.position);
    }
    for (RaftEntry& e : r.take_committed()) {
      if (e.index != m.applied.size() + 1) breaks("applied out of order");
      m.applied.push_back(std::move(e));
      judge_applied(m.applied);
    }
    for (const RaftRead& read : r.take_reads()) {
      ++reads_answered;
      m.reads.push_back(read);
      const auto known = must_see_.find(read.context);
      if (known != must_see_.end() && read.index < known->second)
        breaks("a read misses what was committed before it was asked");
    }
    for (RaftMessage& out : r.take_messages()) wire.push_back(std::move(out));
    judge_member(r);
  }
  if (!m.write_behind) {
    while (up(id) && !m.written.empty()) sync(id);
  }
}

std::vector<RaftEntry> RaftCluster::applied_of(const RaftSnapshot& s) const {
  std::vector<RaftEntry> entries;
  for (std::size_t at = 0; at < s.data.size();) {
    const std::size_t colon = s.data.find(':', at), end = s.data.find(';', at);
    entries.push_back(
        {std::stoull(s.data.substr(at, colon - at)), entries.size() + 1, s.data.substr(colon + 1, end - colon - 1)});
    at = end + 1;
  }
  return entries;
}

// --- the judge

void RaftCluster::judge_member(const Raft& r) {
  if (!r.contradiction().empty()) breaks(std::string(r.contradiction()));
  highest_commit_ = std::max(highest_commit_, r.committed());
  commits = highest_commit_;
  const RaftLog& log = r.log();
  // Election safety: one leader a term.  Leader completeness: it holds what was applied anywhere before.
  if (r.leads()) {
    const auto [known, news] = leaders_.emplace(r.term(), r.id());
    if (!news && known->second != r.id()) breaks("two leaders of term " + std::to_string(r.term()));
    if (news) {
      ++elections;
      for (RaftIndex i = log.first_index(); i <= applied_.size(); ++i) {
        if (applied_[i - 1].term < r.term() && !log.matches(i, applied_[i - 1].term)) {
          breaks("a leader lacks what was committed before its term");
        }
      }
    }
  }
  // Log matching: the same index and term mean the same entry after the same entry.
  for (RaftIndex i = std::max(log.first_index(), judged_from(r)); i <= log.last_index(); ++i) {
    const RaftEntry& e = log.at(i);
    const auto before = log.term(i - 1);
    const auto [known, news] = entries_.try_emplace({e.index, e.term}, Seen{std::string(e.data), before});
    if (news) continue;
    if (known->second.data != e.data) breaks("two entries of one index and term");
    if (before && known->second.before && known->second.before != before) breaks("one entry after two others");
  }
  judged_[r.id() - 1] = {&r, log.last_index(), log.last_term()};
}

RaftIndex RaftCluster::judged_from(const Raft& r) const {
  const Judged& j = judged_[r.id() - 1];
  return j.raft == &r && r.log().matches(j.last, j.term) ? j.last + 1 : 1;
}

void RaftCluster::judge_applied(const std::vector<RaftEntry>& entries) {
  const RaftIndex first = entries.empty() ? 1 : (entries.back().index > applied_.size() + 1 ? 1 : entries.back().index);
  for (RaftIndex i = first; i <= entries.size(); ++i) {
    if (i > applied_.size()) {
      applied_.push_back(entries[i - 1]);
    } else if (applied_[i - 1] != entries[i - 1]) {
      breaks("two entries applied at index " + std::to_string(i));
    }
  }
}

void RaftCluster::judge_quorum(RaftId id) {
  Raft& r = raft(id);
  auto& heard = heard_from_[id];
  std::uint32_t& alone = member(id).ticks_leading_alone;
  if (!r.leads() || led_[id] != r.term()) {
    heard.clear();
    alone = 0;
  }
  led_[id] = r.leads() ? r.term() : 0;
  if (!r.leads() || !options_.check_quorum) return;
  std::size_t lately = 1;
  for (auto& [from, ago] : heard) lately += ++ago <= options_.election_ticks ? 1 : 0;
  alone = lately >= majority_of(options_.members) ? 0 : alone + 1;
  if (alone > 2 * options_.election_ticks) breaks("a leader led on without a majority");
}
// --- schedules

// A run has a temper, drawn first (whole kinds of mishaps are absent from most runs), and phases between which
// links are cut and repaired.
void RaftCluster::run(std::uint32_t steps) {
  const auto one_in = [this](std::uint32_t n) { return n != 0 && choose_(n) == 0; };
  const auto sometimes = [&one_in](std::uint32_t n) { return one_in(3) ? 0u : n; };
  const RaftId n = options_.members;
  const std::uint32_t drops = sometimes(8), copies = sometimes(16), late = sometimes(3), crashes = sometimes(40),
                      power = sometimes(2), lazy = sometimes(3), compactions = sometimes(40);
  const std::uint32_t phase = 20 + choose_(80);
  std::vector<bool> cut((n + 1) * (n + 1));
  std::vector<std::uint32_t> speed(n + 1, 1);
  for (std::uint32_t step = 0; step < steps && broken.empty(); ++step) {
    if (step % phase == 0) {
      std::fill(cut.begin(), cut.end(), false);
      const std::uint32_t kind = choose_(5);
      const RaftId island = 1 + choose_(n), other = 1 + choose_(n);
      for (RaftId a = 1; a <= n; ++a) {
        speed[a] = one_in(4) ? 3 : 1;
        for (RaftId b = 1; b <= n; ++b) {
          const bool apart = kind == 1   ? (a == island) != (b == island)
                             : kind == 2 ? (a == island || a == other) != (b == island || b == other)
                             : kind == 3 ? a == island && b != island  // it is not heard
                                         : false;
          cut[a * (n + 1) + b] = apart;
        }
        if (lazy != 0 && up(a)) {
          member(a).write_behind = one_in(lazy);
          sync(a);
        }
      }
    }
    const RaftId id = 1 + choose_(n);
    if (!up(id)) {
      if (one_in(4)) boot(id);
      continue;
    }
    if (one_in(crashes)) {
      crash(id, one_in(power));
      continue;
    }
    const std::uint32_t what = choose_(16);
    if (what < 9 && !wire.empty()) {
      const std::size_t k = late != 0 && one_in(late) ? choose_(static_cast<std::uint32_t>(wire.size())) : 0;
      const RaftMessage& m = wire[k];
      if (cut[m.from * (n + 1) + m.to] || one_in(drops)) {
        lose(k);
      } else {
        deliver(k, one_in(copies));
      }
    } else if (what < 12) {
      for (std::uint32_t t = 0; t < speed[id]; ++t) tick(id);
    } else if (what == 12) {
      propose(id);
    } else if (what == 13) {
      read(id);
    } else if (what == 14) {
      sync(id);
    } else if (one_in(compactions)) {
      compact(id, choose_(4));
    }
    while (wire.size() > 200) lose(0);
  }
}

bool RaftCluster::settles() {
  while (!wire.empty()) lose(0);
  for (RaftId id = 1; id <= options_.members; ++id) {
    member(id).write_behind = false;
    if (!up(id)) {
      boot(id);
    } else {
      while (!member(id).written.empty()) sync(id);
    }
  }
  const RaftIndex before = commits;
  const std::uint64_t read_before = reads_answered;
  for (int round = 0; round < 400; ++round) {
    for (RaftId id = 1; id <= options_.members; ++id) tick(id);
    for (std::size_t k = 0; k < 1000 && !wire.empty(); ++k) deliver(0);
    if (round % 20 == 0) {
      propose(1);
      read(1);
    }
    if (round % 20 != 19) continue;
    bool all = commits > before && reads_answered > read_before;
    for (RaftId id = 1; id <= options_.members; ++id) all = all && member(id).applied.size() == commits;
    if (all) return true;
  }
  return false;
}

}  // namespace picklock::testing
