#include "checker/search/timeline.hpp"

#include <algorithm>
#include <unordered_map>

namespace picklock {

Timeline::Timeline(std::span<const OperationSpan> intervals) : intervals_(intervals), slots_(intervals.size()) {
  std::vector<OperationId> crashed;
  for (OperationId id = 0; id < intervals.size(); ++id) {
    (is_crashed(id) ? crashed : by_return_).push_back(id);
  }
  by_invoke_ = by_return_;
  const auto earlier_invoke = [&](OperationId a, OperationId b) {
    return intervals_[a].invoked < intervals_[b].invoked;
  };
  std::sort(by_invoke_.begin(), by_invoke_.end(), earlier_invoke);
  std::sort(crashed.begin(), crashed.end(), earlier_invoke);
  std::sort(by_return_.begin(), by_return_.end(),
            [&](OperationId a, OperationId b) { return intervals_[a].returned < intervals_[b].returned; });

  std::unordered_map<std::uint32_t, std::uint32_t> class_of_alike;  // never iterated
  for (const OperationId id : crashed) {
    const auto next = static_cast<std::uint32_t>(classes_.size());
    const auto [found, fresh] = class_of_alike.try_emplace(intervals_[id].alike, next);
    if (fresh) classes_.emplace_back();
    Crashed& alike = classes_[found->second];
    alike.invoked.push_back(intervals_[id].invoked);
    alike.operations.push_back(id);
    slots_[id] = found->second;
    any_until_ = any_until_ || intervals_[id].until != OperationSpan::kNever;
  }
  for (const Crashed& alike : classes_) {
    if (any_until_) class_until_.push_back(intervals_[alike.operations.front()].until);
  }
  for (std::size_t p = 0; any_until_ && p < by_return_.size(); ++p) {
    latest_.push_back(std::max(p == 0 ? 0 : latest_[p - 1], intervals_[by_return_[p]].invoked));
  }
  assign_slots();
}

void Timeline::assign_slots() {
  begun_.reserve(by_return_.size());
  std::vector<std::uint32_t> unused;
  std::uint32_t begun = 0;
  for (const OperationId returning : by_return_) {
    for (; begun < by_invoke_.size(); ++begun) {
      const OperationId next = by_invoke_[begun];
      if (intervals_[next].invoked > intervals_[returning].returned) break;
      if (unused.empty()) unused.push_back(static_cast<std::uint32_t>(slot_count_++));
      slots_[next] = unused.back();
      unused.pop_back();
    }
    begun_.push_back(begun);
    unused.push_back(slots_[returning]);
  }
  pending_.assign(slot_count_, kNobody);
  const std::uint32_t first = begun_.empty() ? 0 : begun_[0];
  for (std::uint32_t i = 0; i < first; ++i) pending_[slots_[by_invoke_[i]]] = by_invoke_[i];
}

std::uint32_t Timeline::available(const Crashed& alike, std::uint32_t p) const {
  const auto end = std::lower_bound(alike.invoked.begin(), alike.invoked.end(), intervals_[by_return_[p]].returned);
  return static_cast<std::uint32_t>(end - alike.invoked.begin());
}

std::span<const OperationId> Timeline::pending_at(std::uint32_t p) {
  for (; at_ < p; ++at_) {
    pending_[slots_[by_return_[at_]]] = kNobody;
    for (std::uint32_t i = begun_[at_]; i < begun_[at_ + 1]; ++i) {
      pending_[slots_[by_invoke_[i]]] = by_invoke_[i];
    }
  }
  for (; at_ > p; --at_) {
    for (std::uint32_t i = begun_[at_ - 1]; i < begun_[at_]; ++i) {
      pending_[slots_[by_invoke_[i]]] = kNobody;
    }
    pending_[slots_[by_return_[at_ - 1]]] = by_return_[at_ - 1];
  }
  return pending_;
}

std::size_t Timeline::memory() const {
  std::size_t words = by_return_.capacity() + by_invoke_.capacity() + begun_.capacity() + slots_.capacity() +
                      pending_.capacity() + latest_.capacity() + class_until_.capacity();
  for (const Crashed& alike : classes_) {
    words += alike.invoked.capacity() + alike.operations.capacity() + sizeof(Crashed) / 4;
  }
  return words * sizeof(std::uint32_t);
}

}  // namespace picklock
