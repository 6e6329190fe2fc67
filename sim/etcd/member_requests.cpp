#include "sim/etcd/member_requests.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace picklock {
namespace {

bool is_serializable(const EtcdRequest& request) {
  if (const auto* range = std::get_if<EtcdRange>(&request)) return range->serializable;
  const auto* txn = std::get_if<EtcdTxn>(&request);
  if (txn == nullptr) return false;
  const auto local = [](const EtcdOp& op) {
    const auto* range = std::get_if<EtcdRange>(&op);
    return range != nullptr && range->serializable;
  };
  return std::all_of(txn->then.begin(), txn->then.end(), local) &&
         std::all_of(txn->otherwise.begin(), txn->otherwise.end(), local);
}

}  // namespace

void EtcdRequests::hear(Message&& message, EtcdRequest&& request, Duration left) {
  if (const EtcdError e = check_etcd_request(request); e != EtcdError::none) {
    return replies_.reply(message, EtcdReply::failed(e));
  }
  const bool write = goes_through_log(request);
  const bool read = std::holds_alternative<EtcdRange>(request) || std::holds_alternative<EtcdTxn>(request);
  if (!write && !read) return replies_.send(message, EtcdReply::failed(EtcdError::malformed));
  if (!write && is_serializable(request)) return replies_.reply(message, state_.read(request));

  const std::uint32_t hold = message.operation.hold;
  if (auto* grant = std::get_if<EtcdLeaseGrant>(&request); grant != nullptr && grant->id == 0) {
    grant->id = static_cast<EtcdLeaseId>(calls_.next_number());
  }
  const std::uint64_t id = calls_.begin(*this, left);
  Waiting& waiting = waiting_.emplace_back();
  waiting.id = id;
  waiting.asker = std::move(message);
  if (write) return proposals_.propose(id, hold, std::move(request));
  waiting.request = std::move(request);
  rounds_.join(id);
}

void EtcdRequests::drop(ConnectionId connection) {
  std::erase_if(waiting_, [&](const Waiting& each) {
    const bool gone = each.asker.connection == connection;
    if (gone) calls_.end(each.id);
    return gone;
  });
}

std::vector<EtcdRequests::Waiting>::iterator EtcdRequests::find(std::uint64_t id) {
  const auto found =
      std::find_if(waiting_.begin(), waiting_.end(), [id](const Waiting& each) { return each.id == id; });
  PICKLOCK_CHECK(found != waiting_.end());
  return found;
}

void EtcdRequests::applied(std::uint64_t id, EtcdReply&& reply) { answer(id, std::move(reply)); }

void EtcdRequests::confirmed(std::uint64_t id) {
  EtcdReply reply = state_.read(find(id)->request);
  replies_.add_header(reply);
  answer(id, std::move(reply));
}

void EtcdRequests::failed(std::uint64_t id, EtcdError why) { answer(id, EtcdReply::failed(why)); }

void EtcdRequests::timed_out(std::uint64_t id, MonoTime asked) {
  failed(id, leader_.why_timed_out(asked, me_.options().election));
}

void EtcdRequests::answer(std::uint64_t id, EtcdReply&& reply) {
  calls_.end(id);
  const auto waiting = find(id);
  replies_.send(waiting->asker, std::move(reply));
  if (waiting != waiting_.end() - 1) *waiting = std::move(waiting_.back());
  waiting_.pop_back();
}

}  // namespace picklock
