// A set that is kept in etcd itself: one key, and a writing transaction that compares the lock's key first, or
// nothing.
//
// From:      jepsen-io/etcd, src/jepsen/etcd/lock.clj (LockingEtcdSetClient); etcd's Mutex.IsOwner.
#pragma once

#include <string>

#include "scenarios/workloads/kept_set.hpp"

namespace picklock {

class Etcd;

enum class EtcdGuard : std::uint8_t {
  none,
  key_exists,  // version(the lock's key) > 0: true even for a key that another hold has made since
  owner        // create_revision(the lock's key) == token
};
constexpr auto enum_names(EtcdGuard) { return name_list("none", "key-exists", "owner"); }

class EtcdSet final : public KeptSet {
 public:
  struct Options {
    EtcdGuard guard = EtcdGuard::owner;
    void fields(FieldVisitor& v);
  };
  explicit EtcdSet(const Options& options) : options_(options) {}

  static std::string key_of(ResourceId resource) { return "set-" + std::to_string(resource); }
  Task<Outcome<Stored>> look(Host host, Stores stores, ResourceId resource, Fence) const override {
    return read(host, &stores.reach.get<Etcd>(), key_of(resource));
  }

 private:
  Task<Outcome<Stored>> write(Section& s, Stored next) const override {
    return put(s.host, &s, std::move(next), options_.guard);
  }
  static Task<Outcome<Stored>> read(Host host, Etcd* etcd, std::string key);
  static Task<Outcome<Stored>> put(Host host, Section* s, Stored next, EtcdGuard guard);
  Options options_;
};

}  // namespace picklock
