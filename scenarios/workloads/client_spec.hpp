// A client as a scenario describes it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/law.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

enum class OnLoss : std::uint8_t { stop, ignore };
constexpr auto enum_names(OnLoss) { return name_list("stop", "ignore"); }

enum class OnRefusal : std::uint8_t {
  give_up,  // the round is over
  go_on     // the caller overlooks the answer and works without the lock: it fails open
};
constexpr auto enum_names(OnRefusal) { return name_list("give-up", "go-on"); }

enum class ClientRole : std::uint8_t {
  holder,    // acquires, works, releases
  operator_  // ends all holds by force, once, at its start: Lock::force_release
};
constexpr auto enum_names(ClientRole) { return name_list("holder", "operator"); }

// Order in which a round gives back several acquisitions.
enum class ReleaseOrder : std::uint8_t {
  newest_first,  // nested sections end in this order
  oldest_first   // a writer that has taken the read lock as well lets go of the write lock, and reads on
};
constexpr auto enum_names(ReleaseOrder) { return name_list("newest-first", "oldest-first"); }

struct ClientSpec {
  std::string name;
  std::string machine;  // host machine: clients with the same one are threads of one process; empty: its own machine
  ClientRole role = ClientRole::holder;
  std::vector<std::string> locks;               // locks in the order in which they are taken; none: the scenario's lock
  Law start;                                    // delay from the start of the run to its first round
  Law hold = Law::constant(milliseconds(50));   // work within the critical section
  Law think = Law::constant(milliseconds(10));  // pause between two rounds
  Law between;                                  // pause between two acquisitions of one round
  std::int64_t rounds = 1;                      // 0: until the load phase ends
  std::optional<Duration> patience;             // patience of an acquire; none: without limit
  std::optional<Duration> abandon_after;        // the client abandons an acquire in flight; none: never
  std::optional<Duration> interrupt_after;      // … and its library cleans up after it; none: never
  std::optional<Duration> throws_after;         // an uncaught exception ends the section and its thread; none: never
  bool forgets_release = false;                 // true: goes on after the section without giving the lock back
  OnRefusal on_refusal = OnRefusal::give_up;    // reaction to an acquire that was not granted
  bool honours_deadline = false;                // true: the client stops when the grant's local deadline has passed
  OnLoss on_loss = OnLoss::stop;                // reaction to the lock's news that the hold was lost
  ReleaseOrder releases = ReleaseOrder::newest_first;

  const std::string& machine_name() const { return machine.empty() ? name : machine; }
  void fields(FieldVisitor& v);
  bool operator==(const ClientSpec&) const = default;
};

}  // namespace picklock
