// The operations of one search, in the three orders that it needs.
//
// Completed operations are numbered by their returns.  A state that has linearized every operation that
// returned before the p-th has, beyond these, linearized only operations that are *pending* at the
// p-th return: so a set of linearized operations is the prefix p and a window of one bit for each
// slot, where a slot is lent to an operation from its invoke to its return.  There are as many slots
// as operations were ever pending at once.
//
// Crashed operations never return and get no slot.  Those that are alike (same function, same
// argument) are interchangeable, and of two the one invoked first may as well be used first: so
// each class needs but the count of those used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "checker/search/state_space.hpp"

namespace picklock {

// The time between invoke and return of an operation, in any unit without ties.
struct OperationSpan {
  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t invoked = 0;
  std::uint32_t returned = kNever;  // return; kNever: it crashed, and may take effect at any later time
  std::uint32_t alike = 0;          // number of a crashed operation, equal for interchangeable ones
  // Crashed: it may not take effect any more once one has that was invoked later than this.  Then no other is alike.
  std::uint32_t until = kNever;
};

class Timeline {
 public:
  explicit Timeline(std::span<const OperationSpan> intervals);

  struct Crashed {
    std::vector<std::uint32_t> invoked;  // ascending
    std::vector<OperationId> operations;
  };

  [[nodiscard]] std::uint32_t completed() const { return static_cast<std::uint32_t>(by_return_.size()); }
  [[nodiscard]] OperationId returning(std::uint32_t p) const { return by_return_[p]; }
  [[nodiscard]] std::uint32_t invoked(OperationId id) const { return intervals_[id].invoked; }
  [[nodiscard]] std::uint32_t until(OperationId id) const { return intervals_[id].until; }
  [[nodiscard]] bool any_until() const { return any_until_; }
  // Indexed by class of crashed operations; empty unless any_until().
  [[nodiscard]] std::span<const std::uint32_t> class_until() const { return class_until_; }
  // The latest invoke among the operations that return before the p-th.
  [[nodiscard]] std::uint32_t latest_before(std::uint32_t p) const { return p == 0 ? 0 : latest_[p - 1]; }
  [[nodiscard]] std::uint32_t slot(OperationId completed) const { return slots_[completed]; }
  [[nodiscard]] std::size_t slots() const { return slot_count_; }

  [[nodiscard]] bool is_crashed(OperationId id) const { return intervals_[id].returned == OperationSpan::kNever; }
  [[nodiscard]] std::uint32_t class_of(OperationId crashed) const { return slots_[crashed]; }
  // Ascending by the first invoke.
  [[nodiscard]] const std::vector<Crashed>& classes() const { return classes_; }
  // Number of operations of a class invoked before the p-th return.
  [[nodiscard]] std::uint32_t available(const Crashed& alike, std::uint32_t p) const;
  [[nodiscard]] bool any_available(const Crashed& alike, std::uint32_t p) const {
    return alike.invoked.front() < intervals_[by_return_[p]].returned;
  }

  // Is no completed operation pending between the returns p - 1 and p?
  [[nodiscard]] bool quiescent(std::uint32_t p) const { return p == 0 || p == completed() || begun_[p - 1] == p; }

  // The operations that are pending at the p-th return, by slot; kNobody where none is.
  std::span<const OperationId> pending_at(std::uint32_t p);
  static constexpr OperationId kNobody = 0xffffffff;

  [[nodiscard]] std::size_t memory() const;  // bytes

 private:
  void assign_slots();

  std::span<const OperationSpan> intervals_;
  std::vector<OperationId> by_return_;
  std::vector<OperationId> by_invoke_;  // completed operations
  std::vector<std::uint32_t> begun_;    // completed operations invoked before the p-th return
  std::vector<std::uint32_t> latest_;   // see latest_before; filled only if any_until_
  bool any_until_ = false;
  std::vector<std::uint32_t> class_until_;
  std::vector<std::uint32_t> slots_;  // index: slot; class of the crashed operation
  std::vector<Crashed> classes_;
  std::size_t slot_count_ = 0;

  std::vector<OperationId> pending_;  // operations pending at the at_-th return
  std::uint32_t at_ = 0;
};

}  // namespace picklock
