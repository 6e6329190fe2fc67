// The replicated state of etcd: the store and its leases, as one deterministic machine that the log drives.
//
//   const EtcdApplied done = state.apply(request, now);     // a request that went through the log
//   state.read(request, reply);                             // a request that did not
//
// `now` is the member's monotonic clock, and matters to the lessor of a leader only: what is replicated does
// not depend on it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/etcd/lessor.hpp"
#include "sim/etcd/mvcc.hpp"

namespace picklock {

struct EtcdApplied {
  EtcdReply reply;                      // header: revision only
  std::span<const EtcdChange> changes;  // valid until the next call
};

// The error with which a member refuses a request before it proposes anything (v3rpc/key.go), the first of: too many
// operations, no key, a key that is written twice in one branch of a transaction.
EtcdError check_etcd_request(const EtcdRequest& request);

class EtcdState {
 public:
  static constexpr std::size_t kMostOps = 128;

  // `checks_puts_first`: EtcdOptions.  `versions`: of the stores of the cluster, if there is one.
  explicit EtcdState(const EtcdLessorOptions& options = {}, bool checks_puts_first = true,
                     EtcdVersions* versions = nullptr)
      : store_(versions), lessor_(options), checks_puts_first_(checks_puts_first) {}

  EtcdApplied apply(const EtcdRequest& request, MonoTime now) {
    EtcdApplied applied;
    const EtcdError refused = check_etcd_request(request);
    if (refused != EtcdError::none) {
      applied.reply = EtcdReply::failed(refused);
    } else {
      applied.changes = apply(request, now, applied.reply, true);
    }
    return applied;
  }
  // The same for a request that was checked when it was proposed: its changes.  `reply` is new, and is made in full only
  // if a caller waits for it: else a transaction's results are left out.
  std::span<const EtcdChange> apply(const EtcdRequest& request, MonoTime now, EtcdReply& reply, bool in_full);
  // A range, or a transaction that does not write.
  EtcdReply read(const EtcdRequest& request) const;

  const EtcdMvcc& store() const { return store_; }
  EtcdLessor& lessor() { return lessor_; }
  const EtcdLessor& lessor() const { return lessor_; }

  std::string save() const;              // a snapshot
  bool load(std::string_view snapshot);  // a lessor that has loaded one leads no more
  // One number for all that is replicated: members that have applied the same entries have the same.
  std::uint64_t fingerprint() const;

 private:
  EtcdError txn(const EtcdTxn& txn, EtcdTxnReply& reply, bool in_full);
  // The operations of the branch that is taken, or why they may not run.
  EtcdError choose(const EtcdTxn& txn, bool& succeeded, const std::vector<EtcdOp>*& ops) const;
  // `reply`: null if no caller waits for it.
  void put(const EtcdPut& put, EtcdPutReply* reply);
  void erase(const EtcdDelete& del, EtcdDeleteReply* reply);
  EtcdError revoke(EtcdLeaseId id);

  EtcdMvcc store_;
  EtcdLessor lessor_;
  bool checks_puts_first_;
};

}  // namespace picklock
