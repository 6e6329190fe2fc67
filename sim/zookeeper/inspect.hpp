// The records in the trace from which a judge knows a simulated ZooKeeper ensemble.
//
// Every server records that it applies a transaction, under its own node; all apply the same ones in the
// same order.  The journal has the effects as the first server records them: from then on some server answers
// by them.  Later records by others are details.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/core/trace.hpp"
#include "sim/task/runtime.hpp"
#include "sim/zookeeper/tree.hpp"

namespace picklock {

class World;

namespace trace {

// Kinds of sim/zookeeper: 176 to 207.  Paths appear as hash_of(path) (base/hash.hpp).
//
// One transaction: zoo_applied, then for each of its effects a zoo_znode or zoo_sequential_znode and
// right behind it what became of that node; those of a closed session stand before zoo_session_closed.
// All but zoo_applied are details, kinds without kJournal, unless the transaction is the newest of all.
// A server that loads a snapshot records zoo_loaded, and of what it loaded nothing.
inline constexpr TraceKind zoo_applied = kJournal | 176,  // a: hold that asked, 0: none; b: zxid, c: session
    zoo_znode = kJournal | 177,                           // b: session that owns it, 0: not ephemeral; c: path
    zoo_sequential_znode = kJournal | 178,  // zoo_znode with ten digits at its end: a: that number, of 32 bits, signed
    zoo_created = kJournal | 179,           // a: hold that asked; b: path of its parent, c: czxid
    zoo_deleted = kJournal | 180,           // a: hold, 0: none, as when a session expires; b, c: as zoo_created
    zoo_data_set = kJournal | 181,          // a: hold; b, c: as zoo_created
    zoo_session_created = kJournal | 182,   // a: hold; b: session, c: its timeout in ms
    zoo_session_closed = kJournal | 183,    // a: hold, 0: none; b: session
    // A server that takes itself for the leader hears of a session: it will not let it
    // expire before T has passed.  A new leader touches all sessions it knows.
    zoo_session_touched = kJournal | 184,  // b: session, c: T in ms
    zoo_session_expires = kJournal | 185,  // such a server has begun to close it; b: session
    zoo_role = kJournal | 186,             // a: 0 looking, 1 leader, 2 follower, 3 observer; b: epoch, c: zxid
    zoo_loaded = kJournal | 187,           // b: zxid of the snapshot, c: number of znodes
    zoo_session_attached = 188,            // a client's connection is good at this server: b: session
    zoo_client_state = 189,                // the client's state; a: ZooState, b: session
    zoo_watch_fired = 190,                 // a client has heard of it; a: ZooEventType, b: path
    zoo_truncated = 191,                   // a server cuts its log as its leader says; b: last zxid it keeps
    zoo_client_link = kJournal | 192;      // the link; a: 0 its connection ended, 1 a server took its session, 2 it
                                           // gave the session up; b: session
std::vector<TraceKindInfo> zookeeper_kinds();
constexpr bool is_of_zookeeper(TraceKind k) {
  return k >= (kJournal | 176) && k <= (kJournal | 207);
}  // kinds of the journal

}  // namespace trace

// The records of one transaction that `node` has just applied to its tree, with the effects that it had.  `newest`: no
// server has applied it yet, nor a later one.
void zoo_record_applied(World& world, NodeId node, const ZooTxn& txn, std::int64_t zxid,
                        std::span<const ZooEffect> effects, const ZooTree& tree, bool newest = true);

}  // namespace picklock
