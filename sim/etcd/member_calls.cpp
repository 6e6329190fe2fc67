#include "sim/etcd/member_calls.hpp"

#include <algorithm>

namespace picklock {

EtcdCalls::EtcdCalls(const EtcdMemberContext& me)
    : me_(me),
      last_(std::uint64_t{me.self} << 56 | std::uint64_t{me.world().incarnation(me.service.node()) & 0xffff} << 40) {}

std::uint64_t EtcdCalls::begin(EtcdCallOwner& owner, Duration left) {
  const std::uint64_t id = take_number();
  const MonoTime asked = me_.now();
  const Deadline deadline{asked + std::min(left, me_.options().request_timeout()), id};
  if (deadlines_.empty() || deadline < deadlines_.front()) sooner_.ring();
  deadlines_.extend() = deadline;
  for (std::size_t i = deadlines_.size() - 1; i > 0 && deadlines_[i] < deadlines_[i - 1]; --i) {
    std::swap(deadlines_[i], deadlines_[i - 1]);
  }
  calls_.push_back({id, &owner, asked});
  return id;
}

void EtcdCalls::end(std::uint64_t id) {
  const auto found = find(id);
  if (found != calls_.end()) calls_.erase(found);
}

std::vector<EtcdCalls::Call>::const_iterator EtcdCalls::find(std::uint64_t id) const {
  return std::find_if(calls_.begin(), calls_.end(), [id](const Call& c) { return c.id == id; });
}

EtcdCallOwner* EtcdCalls::owner(std::uint64_t id) const {
  const auto found = find(id);
  return found == calls_.end() ? nullptr : found->owner;
}

void EtcdCalls::apply(std::uint64_t id, EtcdReply&& reply) {
  if (EtcdCallOwner* const part = owner(id)) part->applied(id, std::move(reply));
}

void EtcdCalls::confirm(std::uint64_t id) {
  if (EtcdCallOwner* const part = owner(id)) part->confirmed(id);
}

void EtcdCalls::fail(std::uint64_t id, EtcdError why) {
  if (EtcdCallOwner* const part = owner(id)) part->failed(id, why);
}

Task<void> EtcdCalls::expire(Service service) {
  const Host host = service.host();
  for (;;) {
    while (!deadlines_.empty() && !waits(deadlines_.front().second)) deadlines_.drop_front();
    std::optional<MonoTime> first;
    if (!deadlines_.empty()) first = deadlines_.front().first;
    if (!first || host.monotonic_now() < *first) {  // one with less time may come
      co_await service.wait({.until = first, .bell = &sooner_, .messages = false, .what = "requests"});
      continue;
    }
    while (!deadlines_.empty() && deadlines_.front().first <= host.monotonic_now()) {
      const std::uint64_t id = deadlines_.front().second;
      deadlines_.drop_front();
      const auto found = find(id);
      if (found != calls_.end()) found->owner->timed_out(id, found->asked);
    }
  }
}

}  // namespace picklock
