#include "sim/etcd/member_calls.hpp"

#include <algorithm>

namespace picklock {

EtcdCalls::EtcdCalls(const EtcdMemberContext& me)
    : me_(me),
      last_(std::uint64_t{me.self} << 56 | std::uint64_t{me.world().incarnation(me.service.node()) & 0xffff} << 40) {}

std::uint64_t EtcdCalls::begin(EtcdCallOwner& owner, Duration left) {
  const std::uint64_t id = take_number();
  const MonoTime asked = me_.now();
  const auto [place, is_new] = deadlines_.emplace(asked + std::min(left, me_.options().request_timeout()), id);
  calls_.emplace(id, Call{&owner, asked});
  if (place == deadlines_.begin()) sooner_.ring();
  return id;
}

EtcdCallOwner* EtcdCalls::owner(std::uint64_t id) const {
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : found->second.owner;
}

void EtcdCalls::apply(std::uint64_t id, const EtcdReply& reply) {
  if (EtcdCallOwner* const part = owner(id)) part->applied(id, reply);
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
    while (!deadlines_.empty() && !waits(deadlines_.begin()->second)) deadlines_.erase(deadlines_.begin());
    std::optional<MonoTime> first;
    if (!deadlines_.empty()) first = deadlines_.begin()->first;
    if (!first || host.monotonic_now() < *first) {  // one with less time may come
      co_await service.wait({.until = first, .bell = &sooner_, .messages = false, .what = "requests"});
      continue;
    }
    while (!deadlines_.empty() && deadlines_.begin()->first <= host.monotonic_now()) {
      const std::uint64_t id = deadlines_.begin()->second;
      deadlines_.erase(deadlines_.begin());
      const auto found = calls_.find(id);
      if (found != calls_.end()) found->second.owner->timed_out(id, found->second.asked);
    }
  }
}

}  // namespace picklock
