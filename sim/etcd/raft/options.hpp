// Settings with which a member runs Raft, and the mistakes that tests let it make.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/etcd/raft/types.hpp"

namespace picklock {

// Defaults as etcd passes them (server/etcdserver/bootstrap.go, raftConfig), times in ticks.
struct RaftOptions {
  RaftId id = 1;
  RaftId members = 1;                 // 1 to kMostVoters, numbered from 1
  std::uint32_t election_ticks = 10;  // a member campaigns after this much and up to twice as much silence
  std::uint32_t heartbeat_ticks = 1;
  bool pre_vote = true;  // default since etcd 3.5
  bool check_quorum = true;
  std::size_t most_entries = 4096;  // entries in one append; etcd limits its bytes (512 KiB)
  std::size_t most_inflight = 512;  // appends to one follower without an answer
};

// Known ways to get Raft wrong; tests must catch each.
enum class RaftFlaw : std::uint8_t {
  none,
  votes_twice,  // every candidate that asks gets a vote
  votes_for_shorter_logs,
  forgets_vote,                // the vote is not written to the disk
  forgets_term,                // the term is not written to the disk
  sends_before_durable,        // replies do not wait for the record they promise
  acks_itself_before_durable,  // a leader counts what it has not yet on its disk
  commits_old_term,            // a leader counts replicas of old entries (Raft, figure 8)
  commits_beyond_match,        // a heartbeat names a commit index that the follower may not hold
  accepts_without_match,       // a follower ignores the entry before
  truncates_agreeing_entries,  // an old append cuts off later entries
  applies_uncommitted,
  reads_without_quorum,     // a leader takes its word for it
  reads_before_own_commit,  // the leader cannot know yet what its predecessors committed
  ignores_check_quorum,     // leads on without followers
  ignores_lease,            // a candidate disturbs a living leader
  count_
};
inline constexpr std::size_t kRaftFlaws = static_cast<std::size_t>(RaftFlaw::count_);
std::string_view to_string(RaftFlaw flaw);

}  // namespace picklock
