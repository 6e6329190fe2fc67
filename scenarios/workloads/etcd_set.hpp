// A set that is kept in etcd itself, beside the lock that protects it.
//
// The items stand in one key, as text.  A section reads the key, works, and writes it back with one item more, in
// a transaction that compares the lock's key first, or nothing.  Versions of the history are revisions of etcd.
//
// From:      jepsen-io/etcd, src/jepsen/etcd/lock.clj (LockingEtcdSetClient); etcd's Mutex.IsOwner.
// Left out:  sets too large for one request.
#pragma once

#include <string>

#include "scenarios/workloads/workload.hpp"
#include "sim/task/etcd.hpp"

namespace picklock {

enum class EtcdGuard : std::uint8_t {
  none,
  key_exists,  // version(the lock's key) > 0: whoever has one in line by now
  owner        // create_revision(the lock's key) == token
};
inline constexpr std::string_view kEtcdGuardNames[] = {"none", "key-exists", "owner"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<EtcdGuard> = kEtcdGuardNames;

class EtcdSet final : public Workload {
 public:
  struct Options {
    EtcdGuard guard = EtcdGuard::owner;
    void fields(FieldVisitor& v);
  };
  explicit EtcdSet(const Options& options) : options_(options) {}

  Task<void> run(Section& s) override { return body(s.host, &s, options_.guard); }

  static std::string key_of(ResourceId resource);
  // As it stands; version 0: it has never been written.
  static Task<Outcome<Stored>> read(Host host, Etcd* etcd, ResourceId resource);

 private:
  static Task<void> body(Host host, Section* s, EtcdGuard guard);
  static Task<Outcome<Stored>> write(Host host, Section* s, std::vector<std::int64_t> items, EtcdGuard guard);
  Options options_;
};

}  // namespace picklock
