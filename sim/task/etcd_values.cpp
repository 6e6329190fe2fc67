#include "sim/task/etcd_values.hpp"

#include <algorithm>
#include <array>

namespace picklock {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(EtcdError::count_)> kErrors = {
    "",
    "etcdserver: requested lease not found",
    "etcdserver: lease already exists",
    "etcdserver: too large lease TTL",
    "etcdserver: mvcc: required revision has been compacted",
    "etcdserver: mvcc: required revision is a future revision",
    "etcdserver: duplicate key given in txn request",
    "etcdserver: too many operations in txn request",
    "etcdserver: key is not provided",
    "etcdserver: no leader",
    "etcdserver: not leader",
    "etcdserver: leader changed",
    "etcdserver: server stopped",
    "etcdserver: request timed out",
    "etcdserver: request timed out, possibly due to previous leader failure",
    "etcdserver: request timed out, possibly due to connection lost",
    "etcdserver: too many requests",
    "mutex: session is expired",
    "malformed"};

}  // namespace

std::string_view to_string(EtcdError e) { return kErrors[static_cast<std::size_t>(e)]; }

bool leaves_unknown(EtcdError e) {
  return e == EtcdError::timeout || e == EtcdError::timeout_leader_failure || e == EtcdError::timeout_connection_lost ||
         e == EtcdError::stopped;
}

EtcdInterval etcd_prefix(std::string prefix) {
  std::string end = prefix;
  while (!end.empty()) {
    if (static_cast<unsigned char>(end.back()) < 0xff) {
      end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
      return {std::move(prefix), std::move(end)};
    }
    end.pop_back();
  }
  return {prefix.empty() ? kEtcdNoEnd : std::move(prefix), kEtcdNoEnd};
}

EtcdCompare etcd_absent(std::string key) { return {std::move(key), EtcdTarget::create, EtcdRelation::equal, 0}; }
EtcdCompare etcd_created_at(std::string key, EtcdRevision create) {
  return {std::move(key), EtcdTarget::create, EtcdRelation::equal, create};
}

bool EtcdTxn::writes() const {
  const auto any = [](const std::vector<EtcdOp>& ops) {
    return std::any_of(ops.begin(), ops.end(), [](const EtcdOp& op) { return !std::holds_alternative<EtcdRange>(op); });
  };
  return any(then) || any(otherwise);
}

EtcdHeader& EtcdReply::header() {
  return std::visit([](auto& x) -> EtcdHeader& { return x.header; }, body);
}

}  // namespace picklock
