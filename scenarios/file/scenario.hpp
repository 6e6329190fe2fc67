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
#include "scenarios/services/settings.hpp"
#include "scenarios/workloads/client_spec.hpp"
#include "scenarios/workloads/workload.hpp"
#include "sim/core/draws.hpp"
#include "sim/storage/options.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

// Reaction of all clients to the loss of the lock.
enum class LockOnLoss : std::uint8_t {
  by_client,  // each client decides: on-loss, honours-deadline
  stop,       // clients stop when the lock tells them; at the local end of a lease at the latest
  ignore      // clients go on
};
constexpr auto enum_names(LockOnLoss) { return name_list("by-client", "stop", "ignore"); }

struct LockSpec {
  std::string name = "set-nx-px";   // name of the lock kind
  std::string key = "lock";         // the lock's name at the service
  std::optional<Duration> lease{};  // lease asked for, for any lock kind; the kind's own option has the result
  LockOnLoss on_loss = LockOnLoss::by_client;
  AnyOptions options{};  // options of that kind
  bool operator==(const LockSpec&) const = default;
};

struct ClockSpec {
  std::string node;
  Duration offset{};           // offset of the wall clock, constant from the start on
  std::int64_t drift_ppm = 0;  // drift of both clocks

  void fields(FieldVisitor& v);
  bool operator==(const ClockSpec&) const = default;
};

struct LinkSpec {  // latency of one link, in one direction
  std::string from, to;
  Law latency;

  void fields(FieldVisitor& v);
  bool operator==(const LinkSpec&) const = default;
};

struct PhaseSpec {
  static constexpr Duration kUsualLoad = seconds(5);
  std::optional<Duration> load;  // none: the usual length, and as long again after faults that would be cut off
  Duration settle = seconds(1);  // time between healing and the probe
  std::optional<Duration> probe_patience;  // none: longest lease + failover bound, as defined

  // The time that the load has at least, unless every client has done its rounds before.
  Duration least_load() const { return load.value_or(kUsualLoad); }

  void fields(FieldVisitor& v);
  bool operator==(const PhaseSpec&) const = default;
};

// Changes the draws from then on.  Several make a recipe: a run as its seed and the instants at which it branched off.
struct Reseed {
  Duration at{};
  std::int64_t seed = 0;
  bool operator==(const Reseed&) const = default;
};

struct Scenario {
  std::string name;         // name of the file, without .toml
  std::string description;  // the comment at its head

  LockSpec lock;
  std::vector<ClientSpec> clients;
  WorkloadSpec workload;
  ServiceSettings services;  // tables [redis], [etcd], …, each by its type
  StorageOptions storage;
  Law latency = Law::uniform(microseconds(50), microseconds(150));  // latency of every link, one way
  std::vector<LinkSpec> links;
  Duration request_timeout = seconds(1);
  std::vector<ClockSpec> clocks;
  FaultPlan faults;
  PhaseSpec phases;
  std::int64_t event_budget = 10'000'000;

  std::map<std::string, Expectation> expect;  // key: property
  std::vector<std::string> sometimes;         // conditions without which a `holds` is vacuous

  std::vector<DrawOverride> overrides;
  std::vector<Reseed> reseeds;

  bool operator==(const Scenario&) const = default;
};

}  // namespace picklock
