#include "sim/zookeeper/server_proposals.hpp"

#include <utility>

namespace picklock {
namespace {

constexpr ZabMs kContainerCheck = 60'000;  // ContainerManager

}  // namespace

void ZooServerProposals::propose(const ZooWrite& write, std::int32_t xid, ZooTxn&& txn) {
  ZooProposal proposal{write.origin, write.ticket, write.session, xid, std::move(txn)};
  packed_.clear();
  encode(proposal, packed_);
  const SharedBytes entry(packed_);
  context_.reader.note(zab_.leading()->last_proposed() + 1, entry, std::move(proposal));
  zab_.propose(entry, context_.now_ms());
}

void ZooServerProposals::lead() {
  changes_.clear();
  containers_at_ = context_.now_ms() + kContainerCheck;
}

void ZooServerProposals::clear() {
  changes_.clear();
  containers_at_ = kZabNever;
}

void ZooServerProposals::submit(const ZooWrite& write, ZooOwner owner, const ZooRequest& request) {
  if (!zab_.leads()) return;
  const ZabZxid zxid = zab_.leading()->last_proposed() + 1;
  ZooTxn txn;
  switch (request.op) {
    case ZooOp::create_session:
      txn = ZooTreeChanges::prepare_session(write.session, request.timeout_ms, request.password);
      sessions_.begin(write.session, request.timeout_ms, owner);
      break;
    case ZooOp::close_session:
      sessions_.begin_closing(write.session);
      txn = changes_.prepare_close(write.session, zxid);
      break;
    default: {
      ZooCode code = sessions_.check(write.session, owner);
      const bool closing_may = context_.setup.flaw == ZooFlaw::closing_may_create;
      if (closing_may && code == ZooCode::session_expired) code = ZooCode::ok;
      if (code == ZooCode::ok) {
        txn = changes_.prepare(request, write.session, zxid);
      } else {
        txn.code = code;
      }
    }
  }
  txn.session = write.session;
  txn.hold = write.hold;
  if (request.op == ZooOp::create && request.mode == ZooMode::ephemeral && txn.code == ZooCode::node_exists) {
    context_.judge.asked_for_a_place(write.hold, context_.world().now());
  }
  propose(write, request.xid, std::move(txn));
}

void ZooServerProposals::tick(ZabMs now) {
  if (now < containers_at_) return;
  containers_at_ = now + kContainerCheck;
  if (!zab_.leads()) return;
  for (const std::string& path : tree_.containers_to_remove()) {
    const ZabZxid zxid = zab_.leading()->last_proposed() + 1;
    propose({.origin = context_.self}, 0, changes_.prepare_container_removal(path, zxid));
    if (!zab_.leads() || zab_.leading()->over()) return;
  }
}

}  // namespace picklock
