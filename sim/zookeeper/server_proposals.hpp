// The proposals of a leader: it judges each write by its tree and what is under way, and proposes what the write will
// do.
//
// A refusal is a transaction too, so that its answer keeps its place among the others. The leader also proposes the end
// of sessions that expire, and every minute the deletion of empty containers.
//
// From:      PrepRequestProcessor and ContainerManager of ZooKeeper 3.8.
// Left out:  throttling of clients. Containers in which nothing was ever created stay (at HEAD they go after five
//            minutes, znode.container.maxNeverUsedIntervalMs).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/zookeeper/proposal.hpp"
#include "sim/zookeeper/server_context.hpp"
#include "sim/zookeeper/server_sessions.hpp"
#include "sim/zookeeper/tree_changes.hpp"
#include "sim/zookeeper/zab/peer.hpp"

namespace picklock {

struct ZooWrite {
  ZabSid origin = 0;  // the server whose client asks
  ZooTicket ticket = 0;
  std::int64_t session = 0;
  std::uint32_t hold = 0;  // hold of a lock; 0: none
};

// Keeps the changes that a leader has proposed and not applied, and when it looks for empty containers.
class ZooServerProposals {
 public:
  ZooServerProposals(const ZooServerContext& context, const ZooTree& tree, ZooServerSessions& sessions, ZabPeer& zab)
      : context_(context), tree_(tree), sessions_(sessions), zab_(zab), changes_(tree) {}

  void lead();
  void clear();
  void applied(ZabZxid zxid) { changes_.applied(zxid); }

  void submit(const ZooWrite& write, ZooOwner owner, const ZooRequest& request);

  ZabMs due() const { return containers_at_; }
  void tick(ZabMs now);  // removes empty containers, if it is time

 private:
  void propose(const ZooWrite& write, std::int32_t xid, ZooTxn&& txn);

  const ZooServerContext& context_;
  const ZooTree& tree_;
  ZooServerSessions& sessions_;
  ZabPeer& zab_;
  ZooTreeChanges changes_;
  ZabMs containers_at_ = kZabNever;
  std::string packed_;  // reused by every proposal
};

}  // namespace picklock
