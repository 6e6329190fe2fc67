#include "algorithms/curator/curator_annotation.hpp"

#include <utility>

namespace picklock {

void CuratorAnnotationOptions::fields(FieldVisitor& v) {
  mutex.client.fields(v);
  v.field({.name = "session-check", .help = "whether the node must be of this session"}, mutex.session_check);
  v.field({.name = "wait", .help = "how long a call waits for the lock", .least = 0}, wait);
  v.field({.name = "instance", .help = "whether each call makes a mutex of its own"}, instance);
  v.field({.name = "release", .help = "whether a call releases a lock that it did not get"}, release);
  v.field({.name = "errors", .help = "effect of an exception thrown by the acquire or by the method"}, errors);
}

CuratorAnnotation::CuratorAnnotation(const LockContext& context, const CuratorAnnotationOptions& options)
    : Lock(context.host),
      context_(context),
      name_(context.name),
      options_(options),
      loss_(std::make_shared<CuratorLoss>(context.host, options.mutex.client.reaction)) {
  CuratorClient::of(context, options.mutex.client).tell(loss_);
}

std::shared_ptr<CuratorMutex> CuratorAnnotation::instance() {
  if (options_.instance == CuratorInstance::per_path && only_) return only_;
  LockContext context = context_;
  context.name = name_;
  only_ = std::make_shared<CuratorMutex>(context, options_.mutex);
  return only_;
}

Task<Acquired> CuratorAnnotation::acquire(Patience patience) {
  (void)patience.over();
  const std::shared_ptr<CuratorMutex> mutex = instance();
  auto got = co_await mutex->acquire(Patience::lasting(host_, options_.wait));
  if (got.yes()) {
    calls_.push_back(mutex);
    if (calls_.size() == 1) loss_->granted(CuratorClient::of(context_, options_.mutex.client).state());
    co_return got;
  }
  if (got.unknown()) co_return got;
  if (options_.release == CuratorFinally::always) {
    const auto released = co_await mutex->release(Hold());
    co_return Acquired::refusal(Why::error, released.error());
  }
  co_return options_.errors == CuratorErrors::swallowed ? Acquired::refusal() : got;
}

Task<Outcome<>> CuratorAnnotation::release(Hold hold) {
  if (calls_.empty()) co_return Outcome<>::refusal(Why::error, "no call has entered");
  const std::shared_ptr<CuratorMutex> mutex = calls_.back();
  calls_.pop_back();
  if (calls_.empty()) loss_->released();
  auto released = co_await mutex->release(hold);
  co_return released;
}

}  // namespace picklock
