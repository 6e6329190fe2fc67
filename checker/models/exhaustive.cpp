#include "checker/models/exhaustive.hpp"

#include <cassert>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace picklock {
namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

struct Operation {
  std::int64_t owner = 0;
  bool acquire = false;
  bool failed = false;
  std::uint32_t invoked = 0;
  std::uint32_t returned = kNever;  // of a crashed operation: never
};

class Search {
 public:
  explicit Search(std::vector<Operation> operations) : operations_(std::move(operations)) {
    assert(operations_.size() <= 60);
  }

  bool from(std::uint64_t done, std::int64_t owner) {
    std::uint32_t deadline = kNever;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if ((done >> i & 1) == 0 && operations_[i].returned < deadline) {
        deadline = operations_[i].returned;
      }
    }
    if (deadline == kNever) return true;  // only crashed ones are left
    if (!visited_.insert({done, owner}).second) return false;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const Operation& next = operations_[i];
      if ((done >> i & 1) != 0 || next.invoked > deadline) continue;
      if (owner != (next.acquire ? kNobody : next.owner)) continue;
      if (from(done | std::uint64_t{1} << i, next.acquire ? next.owner : kNobody)) return true;
    }
    return false;
  }

  static constexpr std::int64_t kNobody = -1;

 private:
  std::vector<Operation> operations_;
  std::set<std::pair<std::uint64_t, std::int64_t>> visited_;
};

}  // namespace

bool mutex_is_linearizable(const History& history, Owner owner) {
  std::vector<Operation> operations;
  std::map<std::int32_t, std::size_t> pending;
  for (const OperationEvent& event : history.operations) {
    if (event.type == OperationType::invoke) {
      const bool acquire = history.names.view(history.functions[event.f]) == "acquire";
      pending[event.process] = operations.size();
      operations.push_back(
          {owner == Owner::hold ? event.hold : event.process, acquire, false, event.index, kNever});
    } else {
      Operation& operation = operations[pending.at(event.process)];
      operation.failed = event.type == OperationType::fail;
      if (event.type == OperationType::ok) operation.returned = event.index;
    }
  }
  std::erase_if(operations, [](const Operation& o) { return o.failed; });
  return Search(std::move(operations)).from(0, Search::kNobody);
}

}  // namespace picklock
