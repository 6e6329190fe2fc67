#include "algorithms/etcd/etcd_article_lock.hpp"

#include <utility>

namespace picklock {

EtcdArticleOptions EtcdArticleOptions::of(ArticlePreset preset) {
  EtcdArticleOptions o;
  o.preset = preset;
  if (preset == ArticlePreset::as_published) o.get = EtcdArticleGet::unbuffered;
  return o;
}

void EtcdArticleOptions::fields(FieldVisitor& v) {
  const ArticlePreset before = preset;
  if (v.leading(kArticlePreset, preset)) change_settings(*this, of(before), of(preset), &EtcdArticleOptions::get);
  v.field({.name = "ttl", .help = "timeout: the lease, in whole seconds", .least = seconds(1).ns}, ttl);
  v.field({.name = "retry", .help = "time before Lock() is called again after an error", .least = 1}, retry);
  v.field({.name = "get", .help = "channel that announces a grant"}, get);
  v.field({.name = "tells-loss", .help = "whether the holder is told that the renewals have ended"}, tells_loss);
  v.field({.name = "txn-error", .help = "treatment of the lease if the transaction gets no answer"}, txn_error);
  v.field({.name = "watch-end", .help = "reaction of a waiter whose watch has ended"}, watch_end);
  v.field({.name = "watch-error", .help = "reaction of a waiter whose transaction fails with an error"}, watch_error);
  v.field({.name = "unlock-waits", .help = "UnLock waits until the lease is revoked"}, unlock_waits);
  v.field({.name = "watch-from", .help = "first event that a waiter's watch shows"}, watch_from);
  v.field({.name = "drains", .help = "whether the goroutine that keeps the lease alive reads the renewals"}, drains);
}

EtcdArticleLock::EtcdArticleLock(const LockContext& context, const EtcdArticleOptions& options)
    : Lock(context.host),
      etcd_(context.get<Etcd>()),
      name_(context.name),
      options_(options),
      lost_(context.host, "loss of the lock") {}

void EtcdArticleLock::Context::cancel() {
  cancelled = true;
  if (renewals) renewals->cancel();
  if (watch) watch->cancel();
}

Task<Acquired> EtcdArticleLock::acquire(Patience patience) {
  while (!patience.over()) {
    lost_.clear();
    const Get get = std::make_shared<GoChannel<bool>>(host_, options_.get == EtcdArticleGet::per_call ? 1 : 0);
    const auto context = std::make_shared<Context>(host_);
    (void)co_await lock(get, context);
    const auto told = co_await get->receive_within(patience.remaining());
    if (!told) co_return Acquired::unknown_because(Why::timed_out);  // `watch` may take it yet
    if (*told) {
      Hold hold(std::to_string(context->lease));
      hold.deadline = context->renewals ? context->renewals->deadline() : host_.monotonic_now();
      co_return Acquired::of(std::move(hold));
    }
    if (context->unknown) patience.note_unknown();
    co_await patience.pause(options_.retry);
  }
  co_return patience.exhausted();
}

Task<Outcome<EtcdTxnReply>> EtcdArticleLock::try_to_put(EtcdLeaseId lease) {
  EtcdTxn txn;
  txn.compares = {etcd_absent(name_)};
  txn.then = {EtcdPut(name_, "test", lease)};
  auto reply = co_await etcd_.txn(std::move(txn));
  co_return reply;
}

Task<Nothing> EtcdArticleLock::fail(Get get, ContextPointer context, bool unknown) {
  context->unknown = unknown;
  if (options_.txn_error == EtcdArticleError::cancels) {
    context->cancel();
    co_await context->revoked.wait();
    if (context->revocation->yes()) context->unknown = false;  // the lease takes any put key with it
  }
  (void)co_await get->send(false);
  co_return Nothing{};
}

Task<Nothing> EtcdArticleLock::lock(Get get, ContextPointer context) {
  const auto granted = co_await etcd_.grant(options_.ttl);
  if (!granted.yes()) {
    (void)co_await get->send(false);
    co_return Nothing{};
  }
  context->lease = granted.value().id;
  context_ = context;
  host_.spawn("keep-alive", keep_alive(host_, this, context));
  const auto reply = co_await try_to_put(context->lease);
  if (!reply.yes()) {
    (void)co_await fail(get, context, reply.unknown());
  } else if (reply.value().succeeded) {
    (void)co_await get->send(true);
  } else {
    host_.spawn("watch", watch(host_, this, get, context, reply.value().header.revision));
  }
  co_return Nothing{};
}

Task<void> EtcdArticleLock::keep_alive(Host, EtcdArticleLock* self, ContextPointer context) {
  context->renewals = self->etcd_.keep_alive(context->lease);
  if (context->cancelled) context->renewals->cancel();
  if (!self->options_.drains) co_await context->renewals->closed().wait();
  for (;;) {
    const auto answer = co_await context->renewals->next();
    if (!answer) break;
  }
  if (!context->cancelled && self->context_ == context) self->lost_.set();
  const auto revoked = co_await self->etcd_.revoke(context->lease);
  context->revocation = revoked.yes()       ? Outcome<>::of({})
                        : revoked.unknown() ? Outcome<>::unknown_because(revoked.why())
                                            : Outcome<>::refusal(revoked.why(), revoked.error());
  context->revoked.set();
}

Task<bool> EtcdArticleLock::try_again(Get get, ContextPointer context) {
  const auto reply = co_await try_to_put(context->lease);
  if (!reply.yes()) {
    (void)co_await fail(get, context, reply.unknown());
    if (options_.watch_error == EtcdArticleWatchError::panics) co_await host_.panic("txnResp is nil");
    co_return true;
  }
  if (!reply.value().succeeded) co_return false;
  (void)co_await get->send(true);
  co_return true;
}

Task<void> EtcdArticleLock::watch(Host, EtcdArticleLock* self, Get get, ContextPointer context, EtcdRevision revision) {
  const bool from_revision = self->options_.watch_from == EtcdArticleWatchFrom::revision;
  context->watch = self->etcd_.watch(EtcdWatchCreate(self->name_, from_revision ? revision + 1 : 0));
  if (context->cancelled) context->watch->cancel();
  for (;;) {
    const auto reply = co_await context->watch->next();
    if (!reply) co_return;
    bool tries = false;
    for (const EtcdEvent& e : reply->events) tries = tries || e.deleted;
    if (reply->cancelled && self->options_.watch_end == EtcdArticleWatchEnd::tries_again) {
      tries = true;
      context->watch = self->etcd_.watch(EtcdWatchCreate(self->name_));  // watches first, then looks
      if (context->cancelled) context->watch->cancel();
    }
    if (!tries) continue;
    const bool over = co_await self->try_again(get, context);
    if (over) co_return;
  }
}

Task<Outcome<>> EtcdArticleLock::release(Hold) {
  const ContextPointer context = context_;
  context->cancel();
  if (!options_.unlock_waits) co_return Outcome<>::of({});
  co_await context->revoked.wait();
  co_return *context->revocation;
}

std::optional<MonoTime> EtcdArticleLock::deadline(const Hold& hold) const {
  const bool mine = context_ && context_->renewals && hold.value == std::to_string(context_->lease);
  return mine ? context_->renewals->deadline() : hold.deadline;
}

}  // namespace picklock
