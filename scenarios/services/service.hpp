// The seam of a lock service: all that scenarios, runs, histories and reports know of one.
//
// A service is one folder and one line of the table in services.cpp.  Its folder decides which machines there are
// and what runs on them, which tables of a scenario file are its own, what a client machine gets to reach it, who
// owns a lock according to its servers, which of the service's promises a run has broken, and how long it may be gone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/lock.hpp"
#include "checker/properties/assumptions.hpp"
#include "scenarios/recording/change_reader.hpp"
#include "scenarios/recording/grants.hpp"
#include "scenarios/recording/ownership.hpp"
#include "scenarios/recording/server_views.hpp"
#include "scenarios/services/problem.hpp"
#include "scenarios/services/settings.hpp"
#include "sim/core/world.hpp"

namespace picklock {

// A lock's use of its service, as a scenario describes it.
struct ServiceUse {
  const ServiceSettings& settings;
  const LockKind& lock;
  const Options& options;  // options of the lock
  std::string_view key;    // key of the lock at the service
  std::optional<Duration> lease;
};

// A machine that runs clients, or the probe.
struct ClientMachine {
  NodeId node = 0;
  std::size_t number = 0;  // 0, 1, … among the machines of clients
  bool probes = false;     // true: the probe's, which connects when it first asks, and knows every server
  Duration request_timeout{};
};

// The process of one client machine, seen from a service: its connections, its library.  Made for each run; it
// outlives the locks of that process.
class ServiceClient {
 public:
  ServiceClient() = default;
  ServiceClient(const ServiceClient&) = delete;
  ServiceClient& operator=(const ServiceClient&) = delete;
  virtual ~ServiceClient() = default;

  // A process begins on the machine: what the one before it knew is gone.
  virtual void boot(World&, NodeId) {}
  // Adds what a lock of this process needs to reach the service, by type.
  virtual void give(Reach& reach) = 0;
};

// The service of one scenario: its machines and their programs, which are used for run after run.
class Deployment {
 public:
  Deployment(const Deployment&) = delete;
  Deployment& operator=(const Deployment&) = delete;
  virtual ~Deployment() = default;

  // --- of the scenario

  // Names of the machines; the first has NodeId 1.
  const std::vector<std::string>& machines() const { return machines_; }
  // The first machines, as many as this, never talk to each other.
  virtual std::size_t independent_machines() const { return 0; }
  struct NamedLock {
    std::string where;  // place in the scenario: "clients[0].locks"
    std::string name;
    std::string key;  // key at the service
  };
  // Adds what this service cannot serve.  `asked`: the locks that clients name.
  virtual void check(std::span<const NamedLock> asked, std::vector<ScenarioProblem>& problems) const;
  // The longest time after the last fault until the service answers again, as after the loss of a leader.
  virtual Duration failover_bound() const { return {}; }
  // The longest time for which the library of a waiting client does nothing: until it gives a request up, or connects again.
  virtual Duration idle_bound() const { return {}; }
  // Number of machines that may stay dead while the service still answers.
  virtual std::size_t spare_machines() const { return 0; }
  // Makes the judge of the lock with this key, by the ownership rule of its kind.
  virtual std::unique_ptr<GrantJudge> judge_of(const std::string& key) const = 0;
  // Makes the reader of resources that a workload keeps in this service; null: no workload does.
  virtual std::unique_ptr<ChangeReader> change_reader() const { return nullptr; }

  // --- of a run

  // Boots all machines in a world that has them, for locks with these keys.
  virtual void install(World& world, std::span<const std::string> keys) = 0;
  // Opens the connections of one client machine.
  virtual std::unique_ptr<ServiceClient> connect(World& world, const ClientMachine& machine) = 0;

  // --- after a run

  // Lowers the time of each hold to when a server first heard of it, where servers say so themselves.
  virtual void first_heard(std::vector<std::int64_t>& by_hold) const;
  // The promise that the service broke, in words; empty: none, or the scenario gave its servers a defect.
  virtual std::string broken_invariant() const { return {}; }
  // The promise that a defect of its servers broke, in words; empty: none.
  virtual std::string shown_defect() const { return {}; }
  // Makes the reader of what each server sees of a lock, for pictures; null: the service does not tell.
  virtual std::unique_ptr<ServerViews> views_of(std::uint32_t lock, const std::string& key) const;
  // Roles of the servers that the run's journal shows, ascending; empty: they have none.
  virtual std::vector<ServerRole> roles_in(std::span<const TraceRecord>) const { return {}; }
  // Adds the failovers and data losses that the run's journal shows.
  virtual void measure(const World& world, ExecutedFaults& faults) const;

 protected:
  Deployment() = default;
  NodeId add_machine(std::string name) {
    machines_.push_back(std::move(name));
    return static_cast<NodeId>(machines_.size());
  }
  // NAME1, NAME2, …
  std::vector<NodeId> add_machines(std::string_view name, std::int64_t count);

 private:
  std::vector<std::string> machines_;
};

// Random choices of a generated scenario.
class ServiceDice {
 public:
  virtual std::int64_t number(std::int64_t least, std::int64_t most) = 0;
  virtual bool one_in(std::int64_t n) = 0;
  virtual Duration duration(Duration least, Duration most) = 0;

 protected:
  ~ServiceDice() = default;
};

// The part of a service's tables that generated scenarios vary.
struct ServiceVariety {
  // Visits options of the servers that may have any value.
  void (*options)(ServiceSettings& settings, FieldVisitor& v);
  // Chooses the machines for a lock anew.
  void (*machines)(ServiceSettings& settings, const LockKind& lock, const Options& options, ServiceDice& dice);
};

// Content of a connection between a service's machines, as a report sees it.
struct CarriedMessage {
  std::string_view body;
  bool answers = false;        // true: a reply, or a push to a client
  bool among_servers = false;  // true: no client is at either end
};

// One line of the table in services.cpp.
struct ServiceKind {
  std::string_view name;                           // "etcd": lock kinds name their service so
  std::string_view title;                          // name in sentences: "etcd"
  std::span<const ServiceTable> tables;            // tables of a scenario file
  std::span<const OwnershipRule> ownership_rules;  // rules that its judge knows
  std::unique_ptr<Deployment> (*make)(const ServiceUse& use);
  std::vector<TraceKindInfo> (*trace_kinds)();  // kinds of its machines' records
  TraceKind notification = 0;                   // the record of a push to a client, which costs count; 0: it has none
  std::optional<ServiceVariety> variety = {};   // none: a generated scenario has the defaults
  // The servers' lease for the one that a lock of this kind asks for; null: they grant any.
  Duration (*granted)(const ServiceSettings& settings, const LockKind& lock, Duration asked) = nullptr;
  // A message in words; empty: nothing that is worth telling.  Null: the service does not tell.
  std::string (*message_words)(const CarriedMessage& message) = nullptr;
  std::string_view place = "key";  // place of its data, in words
};

std::span<const ServiceKind* const> services();
const ServiceKind* find_service(std::string_view name);
// The rule by which the service of a lock kind tells its owner; null if there is no such service or rule.
const OwnershipRule* ownership_rule_of(const LockKind& kind);
const ServiceTable* find_service_table(std::string_view name);
template <class Visit>
void for_each_service_table(const Visit& visit) {
  for (const ServiceKind* const kind : services()) {
    for (const ServiceTable& table : kind->tables) visit(table);
  }
}
// Adds a program's service: call it at the start of main, before any scenario is read.
// False if there is a service, or a table, of that name already.  `kind` must outlive the program's runs.
bool add_service(const ServiceKind& kind);

}  // namespace picklock
