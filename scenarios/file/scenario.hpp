// A scenario: everything that a run depends on but its seed.
//
// A plain value, written by hand as TOML (scenarios/library), generated, shrunk, compared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/lock.hpp"
#include "checker/properties/expectation.hpp"
#include "faults/plan.hpp"
#include "scenarios/workloads/client_spec.hpp"
#include "scenarios/workloads/workload.hpp"
#include "sim/core/draws.hpp"
#include "sim/etcd/client.hpp"
#include "sim/etcd/options.hpp"
#include "sim/redis/cluster/options.hpp"
#include "sim/redis/options.hpp"
#include "sim/redis/sentinel/options.hpp"
#include "sim/storage/options.hpp"
#include "sim/task/fields.hpp"
#include "sim/zookeeper/client.hpp"
#include "sim/zookeeper/server_options.hpp"

namespace picklock {

struct LockSpec {
  std::string name = "set-nx-px";  // of the lock kind
  std::string key = "lock";        // the lock's name at the service
  AnyOptions options;              // of that kind
  bool operator==(const LockSpec&) const = default;
};

struct ClockSpec {
  std::string node;
  Duration offset{};           // of the wall clock, from the start on
  std::int64_t drift_ppm = 0;  // of both clocks

  void fields(FieldVisitor& v);
  bool operator==(const ClockSpec&) const = default;
};

struct LinkSpec {  // the latency of one link, in one direction
  std::string from, to;
  Law latency;

  void fields(FieldVisitor& v);
  bool operator==(const LinkSpec&) const = default;
};

struct PhaseSpec {
  Duration load = seconds(5);              // ends earlier if every client has done its rounds
  Duration settle = seconds(1);            // between healing and the probe
  std::optional<Duration> probe_patience;  // none: longest lease + failover bound, as defined

  void fields(FieldVisitor& v);
  bool operator==(const PhaseSpec&) const = default;
};

struct Reseed {  // the same until then, differently afterwards
  Duration at{};
  std::int64_t seed = 0;
  bool operator==(const Reseed&) const = default;
};

// Which Redis servers there are beside the masters that the lock needs.  Machines: redis (or redis1,
// redis2, …), redis-replica1 (redis1-replica1), …, sentinel1, …  Of a cluster the masters are redis1, redis2, …,
// each with an equal share of the slots; clients follow the owner of the lock's slot.
struct TopologySpec {
  std::int64_t replicas = 0;   // of each master
  std::int64_t sentinels = 0;  // that watch over the only master; clients ask them for it
  std::int64_t cluster = 0;    // masters of a cluster; 0: none

  void fields(FieldVisitor& v);
  bool operator==(const TopologySpec&) const = default;
};

// Which members a client machine knows.
enum class EtcdEndpoints : std::uint8_t {
  all,
  own  // one: the first machine the first member, and so on, round and round
};
constexpr auto enum_names(EtcdEndpoints) { return name_list("all", "own"); }

// The cluster of a lock that asks etcd.  Machines: etcd1, etcd2, …
struct EtcdSpec {
  std::int64_t members = 3;
  EtcdEndpoints endpoints = EtcdEndpoints::all;
  EtcdOptions server;        // of every member
  EtcdClientOptions client;  // of every client

  void fields(FieldVisitor& v);
  bool operator==(const EtcdSpec&) const = default;
};

// The ensemble of a lock that asks ZooKeeper.  Machines: zookeeper1, zookeeper2, …, the observers last.
struct ZooKeeperSpec {
  std::int64_t servers = 3, observers = 0;
  std::int64_t counter_starts_at = 0;  // creates that the directories of the locks have behind them; 0: they are made
  ZooServerOptions server;             // of every server
  ZooClientOptions client;             // of every client

  void fields(FieldVisitor& v);
  bool operator==(const ZooKeeperSpec&) const = default;
};

struct Scenario {
  std::string name;         // of the file, without .toml
  std::string description;  // the comment at its head

  LockSpec lock;
  std::vector<ClientSpec> clients;
  WorkloadSpec workload;
  RedisOptions redis;
  TopologySpec topology;
  ClusterOptions cluster;
  SentinelOptions sentinel;
  EtcdSpec etcd;
  ZooKeeperSpec zookeeper;
  StorageOptions storage;
  Law latency = Law::uniform(microseconds(50), microseconds(150));  // one way, of every link
  std::vector<LinkSpec> links;
  Duration request_timeout = seconds(1);
  std::vector<ClockSpec> clocks;
  FaultPlan faults;
  PhaseSpec phases;
  std::int64_t event_budget = 10'000'000;

  std::map<std::string, Expectation> expect;  // by property
  std::vector<std::string> sometimes;         // conditions without which a `holds` is vacuous

  std::vector<DrawOverride> overrides;
  std::optional<Reseed> reseed;

  bool operator==(const Scenario&) const = default;
};

}  // namespace picklock
