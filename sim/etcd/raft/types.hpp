// Raft's messages, stored state, and entries for the state machine above.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/etcd/raft/data.hpp"

namespace picklock {

using RaftId = std::uint32_t;  // 1 to the number of members; 0: none
using RaftTerm = std::uint64_t;
using RaftIndex = std::uint64_t;  // index of an entry; the first has 1

enum class RaftRole : std::uint8_t { follower, pre_candidate, candidate, leader };
std::string_view to_string(RaftRole role);

struct RaftEntry {
  RaftTerm term = 0;
  RaftIndex index = 0;
  RaftData data;  // empty: what a new leader begins its term with
  bool operator==(const RaftEntry&) const = default;
};

struct RaftHardState {
  RaftTerm term = 0;
  RaftId vote = 0;
  RaftIndex commit = 0;
  bool operator==(const RaftHardState&) const = default;
};

// All that the entries up to `index` have made of the state machine.
struct RaftSnapshot {
  RaftIndex index = 0;
  RaftTerm term = 0;
  std::string data;
  bool operator==(const RaftSnapshot&) const = default;
};

// State found on the disk at a boot.
struct RaftStored {
  RaftHardState hard;
  RaftSnapshot snapshot;
  std::vector<RaftEntry> entries;  // order of writing: an entry replaces all from its index on
};

// Data that must be written next, in one go.
struct RaftBatch {
  std::uint64_t position = 0;  // argument for Raft::persisted
  RaftIndex last = 0;          // index of its last entry; 0: it has none
  bool must_sync = false;      // nothing may be promised upon it before an fsync
};
struct RaftUnsaved : RaftBatch {
  std::optional<RaftHardState> hard;
  std::optional<RaftSnapshot> snapshot;  // received: replaces the log, and the state machine
  std::vector<RaftEntry> entries;
};

struct RaftMessage {
  enum class Kind : std::uint8_t {
    append,
    append_reply,
    heartbeat,
    heartbeat_reply,
    vote,
    vote_reply,
    pre_vote,
    pre_vote_reply,
    snapshot,
    propose,     // a proposal on its way to the leader
    read,        // a read on its way to the leader
    read_reply,  // `index` is the one to wait for
    count_
  };
  RaftMessage() = default;
  RaftMessage(Kind its_kind, RaftId sender, RaftId receiver, RaftTerm its_term)
      : kind(its_kind), from(sender), to(receiver), term(its_term) {}

  Kind kind = Kind::heartbeat;
  bool reject = false;
  RaftId from = 0, to = 0;
  RaftTerm term = 0;
  RaftIndex index = 0;    // append: of the entry before; replies: up to where the logs agree
  RaftTerm log_term = 0;  // append: term of that entry; vote: of the last; rejection: of that at `hint`
  RaftIndex commit = 0;
  RaftIndex hint = 0;         // rejection: where to try next
  std::uint64_t context = 0;  // heartbeat: the newest read that it serves; read: whose it is
  std::vector<RaftEntry> entries;
  RaftData data;  // data of a snapshot, or of a proposal
  bool operator==(const RaftMessage&) const = default;
};
std::string_view to_string(RaftMessage::Kind kind);

// A read may be answered once everything up to `index` has been applied.
struct RaftRead {
  std::uint64_t context = 0;
  RaftIndex index = 0;
  bool operator==(const RaftRead&) const = default;
};

}  // namespace picklock
