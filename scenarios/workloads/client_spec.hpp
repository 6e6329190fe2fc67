// What a scenario says of a client.
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

enum class ClientRole : std::uint8_t {
  holder,    // acquires, works, releases
  operator_  // at its start ends, once, whatever holds there are: Lock::force_release
};
constexpr auto enum_names(ClientRole) { return name_list("holder", "operator"); }

// Of several acquisitions of one round, which is given back first.
enum class ReleaseOrder : std::uint8_t {
  newest_first,  // as one nests
  oldest_first   // a writer that has taken the read lock as well lets go of the write lock, and reads on
};
constexpr auto enum_names(ReleaseOrder) { return name_list("newest-first", "oldest-first"); }

struct ClientSpec {
  std::string name;
  std::string machine;  // whose process it is a thread of; empty: its own
  ClientRole role = ClientRole::holder;
  std::vector<std::string> locks;               // taken in this order; none: the scenario's lock
  Law start;                                    // when it begins, after the start of the run
  Law hold = Law::constant(milliseconds(50));   // work within the critical section
  Law think = Law::constant(milliseconds(10));  // pause between two rounds
  Law between;                                  // pause between two acquisitions of one round
  std::int64_t rounds = 1;                      // how often it acquires; 0: as long as the load lasts
  std::optional<Duration> patience;             // of an acquire; none: without limit
  std::optional<Duration> abandon_after;        // walks away from an acquire in mid-flight
  bool honours_deadline = false;                // stops when the grant's local deadline has passed
  OnLoss on_loss = OnLoss::stop;                // when the lock says that the hold was lost
  ReleaseOrder releases = ReleaseOrder::newest_first;

  const std::string& machine_name() const { return machine.empty() ? name : machine; }
  void fields(FieldVisitor& v);
  bool operator==(const ClientSpec&) const = default;
};

}  // namespace picklock
