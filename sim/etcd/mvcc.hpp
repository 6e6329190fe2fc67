// etcd's store: keys with all their versions, one revision for each transaction that writes.
//
//   store.put("door", "a", lease);      // any number of writes …
//   store.erase({"window", {}});
//   for (const EtcdChange& c : store.commit()) …   // the writes become one revision
//
// A store begins at revision 1.  Within a transaction reads see its own writes.
//
// From:      etcd, server/storage/mvcc/{kvstore,kvstore_txn,key_index}.go; server/etcdserver/txn/range.go.
// Checks:    that revisions grow by one, that versions and create revisions follow.
// Left out:  sub-revisions (order within a revision is the order of the changes), the back-end's batches,
//            compaction in the background: it is over at once.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/packing.hpp"
#include "sim/etcd/inspect.hpp"

namespace picklock {

class EtcdMvcc {
 public:
  // `shared`: versions that other stores have, too; null: there is no other.
  explicit EtcdMvcc(EtcdVersions* shared = nullptr) : shared_(shared) {}

  EtcdRevision revision() const { return revision_; }
  EtcdRevision compacted() const { return compacted_; }  // earlier revisions cannot be read; -1: all can
  std::size_t keys() const;                              // number of existing keys

  // --- reading; a revision of 0 means now
  EtcdError range(const EtcdRange& request, EtcdRangeReply& reply) const;
  EtcdError readable(EtcdRevision revision) const;
  const EtcdKeyValue* find(std::string_view key) const;  // null if it does not exist now
  bool holds(const EtcdCompare& compare) const;
  // Changes from a revision on, which is not before compacted(), in their order.
  std::span<const EtcdChange> changes_since(EtcdRevision revision) const;

  // --- writing
  const EtcdChange& put(std::string_view key, std::string_view value, EtcdLeaseId lease);
  // Returns the deletions; valid until the next write.
  std::span<const EtcdChange> erase(const EtcdInterval& keys);
  // Ends the transaction; what it did, valid until the next write.  Without changes, the revision stays.
  std::span<const EtcdChange> commit();
  EtcdError compact(EtcdRevision revision);

  // --- a snapshot, and its reading; false, and the store is empty, if it is malformed
  void save(Packer& to) const;
  bool load(Unpacker& from);
  // The leases of the keys that exist.
  template <class F>
  void each_key(F f) const {
    for (const auto& [key, versions] : keys_) {
      if (exists(versions)) f(versions.back()->kv);
    }
  }

 private:
  using Versions = std::vector<EtcdChange::Shared>;  // sorted by mod revision; version 0: a deletion
  static const EtcdKeyValue* at(const Versions& versions, EtcdRevision revision);
  static bool exists(const Versions& versions) { return versions.back()->kv.version != 0; }
  const EtcdChange& change(Versions& versions, EtcdVersion::Parts after);
  template <class Keys, class F>
  static void each_place(Keys& all, const EtcdInterval& keys, F f);
  template <class F>
  void each_in(const EtcdInterval& keys, EtcdRevision revision, F f) const;

  EtcdVersions* shared_;
  std::map<std::string, Versions, std::less<>> keys_;
  std::vector<EtcdChange> changes_;  // sorted by revision; begin at the compacted revision
  std::size_t committed_ = 0;        // number of them that belong to finished transactions
  EtcdRevision revision_ = 1, compacted_ = -1;
};

}  // namespace picklock
