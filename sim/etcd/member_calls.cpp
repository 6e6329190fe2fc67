#include "sim/etcd/member_calls.hpp"

#include <algorithm>

namespace picklock {

EtcdCalls::EtcdCalls(const EtcdMemberContext& me)
    : me_(me),
      last_(std::uint64_t{me.self} << 56 | std::uint64_t{me.world().nodes.incarnation(me.service.node()) & 0xffff}
                                               << 40) {}

std::uint64_t EtcdCalls::begin(EtcdCallOwner& owner, Duration left) {
  const std::uint64_t id = take_number();
  const MonoTime asked = me_.now();
  const MonoTime deadline = asked + std::min(left, me_.options().request_timeout());
  if (!earliest_ || deadline < *earliest_) sooner_.ring();
  calls_.push_back({id, &owner, asked, deadline});
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
    const auto first = std::min_element(calls_.begin(), calls_.end(),
                                        [](const Call& a, const Call& b) { return a.deadline < b.deadline; });
    earliest_.reset();
    if (first != calls_.end()) earliest_ = first->deadline;
    if (earliest_ && *earliest_ <= host.monotonic_now()) {
      first->owner->timed_out(first->id, first->asked);
      continue;
    }
    co_await service.wait({.until = earliest_, .bell = &sooner_, .messages = false, .what = "requests"});
  }
}

}  // namespace picklock
