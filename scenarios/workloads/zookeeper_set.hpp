// A set that is kept in ZooKeeper itself: one znode, and a multi that checks the lock's node and sets the data, both
// or neither.
//
// The node that is checked is the one that proves the ownership, or, of a lock whose proof is no path, the one node
// that is the lock.  A check knows paths and versions, and no owners: it fences as long as no two holds have nodes of
// one path.  The data go through Curator's client of the process, that of its lock if that is Curator's; else
// the application has one beside the lock, with a session of its own, whose server may lag behind the lock's.
// Curator tries a call again whose connection was lost, and in a new session if the old one has expired: without
// a guard the write of a holder that has lost everything then takes effect all the same.
//
// From:      Solr's ShardLeaderElectionContextBase (check of the own election node, any version, beside the writes);
//            Kafka's KafkaZkClient (KAFKA-6082: check of the version of the controller's epoch);
//            Curator's CuratorMultiTransactionImpl and RetryLoop.
// Accounting: a write is unknown if one of its attempts was not answered, even if a later one was refused: the lock
//            may have gone in between, and the first may be what stands there.  The application hears only the refusal.
// Left out:  a sync before the read.
#pragma once

#include <string>

#include "scenarios/workloads/kept_set.hpp"

namespace picklock {

class CuratorClient;

enum class ZooKeeperGuard : std::uint8_t {
  none,
  node_exists,  // check(the lock's node, -1)
  node_version  // check(the lock's node, 0): no client has written into it since it was made
};
constexpr auto enum_names(ZooKeeperGuard) { return name_list("none", "node-exists", "node-version"); }

class ZooKeeperSet final : public KeptSet {
 public:
  struct Options {
    ZooKeeperGuard guard = ZooKeeperGuard::node_exists;
    void fields(FieldVisitor& v);
  };
  explicit ZooKeeperSet(const Options& options) : options_(options) {}

  static std::string key_of(ResourceId resource) { return "/set-" + std::to_string(resource); }
  Task<Outcome<Stored>> look(Host host, Stores stores, ResourceId resource, Fence) const override {
    return read(host, &curator_of(host, stores), key_of(resource));
  }

 private:
  Task<Outcome<Stored>> write(Section& s, Stored next) const override {
    return set(s.host, &s, std::move(next), options_.guard);
  }
  static CuratorClient& curator_of(const Host& host, const Stores& stores);
  static Task<Outcome<Stored>> read(Host host, CuratorClient* curator, std::string path);
  static Task<Outcome<Stored>> set(Host host, Section* s, Stored next, ZooKeeperGuard guard);
  Options options_;
};

}  // namespace picklock
