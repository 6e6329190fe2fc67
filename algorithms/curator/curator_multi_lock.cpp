#include "algorithms/curator/curator_multi_lock.hpp"

#include <numeric>
#include <utility>

namespace picklock {

void CuratorMultiOptions::fields(FieldVisitor& v) {
  mutex.fields(v);
  v.field({.name = "after-exception", .help = "whether the other members are still taken"}, after_exception);
}

CuratorMultiLock::CuratorMultiLock(const LockContext& context, const CuratorMultiOptions& options)
    : Lock(context.host),
      client_(CuratorClient::of(context, options.mutex.client)),
      options_(options),
      loss_(std::make_shared<CuratorLoss>(context.host, options.mutex.client.reaction)) {
  for (const std::string_view name : context.all_names()) {
    members_.push_back(std::make_unique<CuratorMutex>(context, curator_path(name), options.mutex));
  }
  client_.tell(loss_);
}

Task<Acquired> CuratorMultiLock::acquire(Patience patience) {
  const Duration each = patience.remaining();
  Members got;
  Acquired failure = Acquired::refusal();
  bool success = true, in_doubt = false;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Patience own = each < kForever ? Patience::lasting(host_, each) : Patience::unlimited(host_);
    const auto taken = co_await members_[i]->acquire(own);
    if (taken.yes()) {
      got.push_back(i);
      continue;
    }
    success = false;
    in_doubt = in_doubt || taken.unknown();
    const bool in_vain = taken.why() == Why::refused;  // false: an exception
    if (!in_vain) failure = taken;
    if (in_vain || options_.after_exception == CuratorAfterException::stops) break;
  }
  if (!success) {
    const auto undone = co_await release_in_reverse(got);
    if (in_doubt || undone.unknown()) co_return Acquired::unknown_because(Why::disconnected);
    co_return failure;
  }
  if (++depth_ == 1) loss_->granted(client_.state());
  co_return Acquired::of(Hold("all"));
}

Task<Outcome<>> CuratorMultiLock::release_in_reverse(Members which) {
  Outcome<> answer = Outcome<>::of({});
  for (std::size_t i = which.size(); i-- > 0;) {
    const auto released = co_await members_[which[i]]->release(Hold());
    if (released.unknown() || (!released.yes() && answer.yes())) answer = released;
  }
  co_return answer;
}

Task<Outcome<>> CuratorMultiLock::release(Hold) {
  if (depth_ > 0 && --depth_ == 0) loss_->released();
  Members all(members_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  auto answer = co_await release_in_reverse(all);
  co_return answer;
}

}  // namespace picklock
