// Service: how often each client of a scenario got the lock.  A change that ends a violation by keeping clients out for ever
// repairs nothing, so whatever calls a change a repair asks this first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/file/scenario.hpp"
#include "scenarios/run/result.hpp"

namespace picklock {

// Acquires after which a client went on as a holder: under load, and once the faults were healed, before the probe.
struct ClientService {
  std::string client;
  std::uint64_t sections = 0, healed = 0;
  bool waits_in_turn = false;  // true: it asks at the load's end for a lock of which the service names another owner
  bool operator==(const ClientService&) const = default;
};
// The scenario's clients, in their order; operators are none.
std::vector<ClientService> service_in(const Scenario& scenario, const RunResult& result);

// A client that got the lock less often under load than before the change.
struct LessService {
  std::string client;
  std::uint64_t before = 0, after = 0;
  bool when_healed = false;  // true: the client got the lock once the faults were healed
  bool in_turn = false;      // true: the client still waited for its turn as the load ended, which was too short
  bool operator==(const LessService&) const = default;
};
// Compares the clients that both have.
std::vector<LessService> less_service(const std::vector<ClientService>& before,
                                      const std::vector<ClientService>& after);

// Whether a client that was served under load is not, or less than half as often, and not because it waits in turn.
bool ends_service(const std::vector<LessService>& less);
// "b is never served", "b is served only after healing", "b waits in turn as the load ends", "a is served 2 times instead of 5"
std::string in_words(const LessService& less);
std::string in_words(const std::vector<LessService>& less);

}  // namespace picklock
