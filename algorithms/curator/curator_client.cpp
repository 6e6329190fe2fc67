#include "algorithms/curator/curator_client.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.hpp"

namespace picklock {

std::string_view to_string(CuratorState state) {
  constexpr std::array<std::string_view, 5> kNames = {"LATENT", "CONNECTED", "SUSPENDED", "RECONNECTED", "LOST"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string curator_path(std::string_view lock_name) {
  return lock_name.starts_with('/') ? std::string(lock_name) : '/' + std::string(lock_name);
}

void CuratorLoss::granted(CuratorState now) {
  holding = true;
  lost.clear();
  hear(now);
}

void CuratorLoss::hear(CuratorState state) {
  if (!holding || reaction == CuratorReaction::ignores) return;
  const bool doubt = state == CuratorState::suspended && reaction == CuratorReaction::stops_at_suspended;
  if (doubt || state == CuratorState::lost) lost.set();
}

CuratorClient::CuratorClient(const Host& host, ZooConnector& connector, const CuratorOptions& options)
    : host_(host), connector_(connector), options_(options), connected_(host, "a connection") {}

CuratorClient& CuratorClient::of(const LockContext& context, const CuratorOptions& options) {
  PICKLOCK_CHECK(context.process != nullptr);
  return context.process->get<CuratorClient>(context.host, context.get<ZooConnector>(), options);
}

void CuratorClient::start() {
  if (zookeeper_) return;
  connect();
  host_.spawn("curator-state", run_states());
}

// --- the connection's states -----------------------------------------------------------------------

void CuratorClient::connect() {
  watcher_ = ZooWatcher(host_, "a change of the connection");
  zookeeper_ = connector_.connect(options_.session, watcher_);
  connected_.clear();
  unconnected_since_ = now();
}

Task<void> CuratorClient::run_states() {
  for (;;) {
    const ZooWatcher watcher = watcher_;
    if (state_ != CuratorState::suspended || options_.expiration_percent == 0) {
      const auto event = co_await watcher.next();
      if (event.type == ZooEventType::none) hear(event.state);
      continue;
    }
    // The pause is one of the monotonic clock, its length may have been reckoned on the wall clock.
    const Duration left = timeout_to_lost() - (now() - suspended_since_);
    const auto event = co_await with_timeout(host_, watcher.next(), std::max(left, Duration{}));
    if (event) {
      if (event->type == ZooEventType::none) hear(event->state);
    } else if (now() - suspended_since_ >= timeout_to_lost()) {
      suspended_since_ = now();  // CURATOR-405: once, not again and again
      zookeeper_.inject_expiration();
    }
  }
}

Duration CuratorClient::timeout_to_lost() const {
  const Duration session = negotiated_ > Duration{} ? negotiated_ : options_.session;
  return milliseconds(session.ms() * options_.expiration_percent / 100);
}

void CuratorClient::hear(ZooState state) {
  switch (state) {
    case ZooState::connected:
      become(std::exchange(greeted_, true) ? CuratorState::reconnected : CuratorState::connected);
      negotiated_ = zookeeper_.timeout();
      connected_.set();
      return;
    case ZooState::disconnected:
      if (connected_.is_set()) unconnected_since_ = now();
      connected_.clear();
      if (state_ != CuratorState::lost && state_ != CuratorState::suspended) become(CuratorState::suspended);
      return;
    case ZooState::expired:
      become(CuratorState::lost);
      // The real library makes a handle anew; one that goes on with a new session by itself need not.
      if (!zookeeper_.alive()) connect();
      return;
    case ZooState::closed:
      return;
  }
}

void CuratorClient::become(CuratorState state) {
  if (state == state_) return;
  state_ = state;
  if (state == CuratorState::suspended) suspended_since_ = now();
  std::erase_if(listeners_, [](const auto& listener) { return listener.expired(); });
  for (const auto& listener : listeners_) {
    if (const auto l = listener.lock()) l->hear(state);
  }
}

// --- calls -------------------------------------------------------------------------------------------

Task<Nothing> CuratorClient::connected_at_last() {
  co_await connected_.wait();
  co_return Nothing{};
}

Task<Nothing> CuratorClient::block_until_connected() {
  start();
  if (!connected_.is_set()) (void)co_await with_timeout(host_, connected_at_last(), options_.connection);
  co_return Nothing{};
}

bool CuratorClient::given_up_connecting() const {
  const Duration session = negotiated_ > Duration{} ? negotiated_ : options_.session;
  return !connected_.is_set() && now() - unconnected_since_ >= std::min(session, options_.connection);
}

Task<bool> CuratorClient::may_retry(std::int64_t n) {
  if (options_.retry_policy != CuratorRetry::forever && n >= options_.retries) co_return false;
  Duration pause = options_.retry_base;
  if (options_.retry_policy == CuratorRetry::exponential) {
    const std::int64_t factor = host_.draw(Purpose::retry_delay, Law::uniform(0, (std::int64_t{2} << n) - 1));
    pause = std::min(pause * std::max<std::int64_t>(factor, 1), options_.retry_most.value_or(kForever));
  }
  co_await host_.sleep(pause);
  co_return true;
}

template <class T, class Verb>
Task<ZooOutcome<T>> CuratorClient::retried(Verb verb, bool* in_doubt) {
  (void)co_await block_until_connected();
  for (std::int64_t n = 0;; ++n) {
    auto answer = ZooOutcome<T>::failed(ZooCode::connection_loss, false);
    if (!given_up_connecting()) {
      auto real = co_await verb(zookeeper_);
      answer = std::move(real);
    }
    if (answer.yes() || !curator_retries(answer.code())) co_return answer;
    if (in_doubt != nullptr && answer.unknown()) *in_doubt = true;
    const bool again = co_await may_retry(n);
    if (!again) co_return answer;
  }
}

// The lambdas are no coroutines: they only make the verb's task.
Task<ZooOutcome<ZooChildren>> CuratorClient::get_children(std::string path, ZooWatcher watcher) {
  return retried<ZooChildren>([path, watcher](const ZooKeeper& zk) { return zk.get_children(path, watcher); });
}
Task<ZooOutcome<ZooData>> CuratorClient::get_data(std::string path, ZooWatcher watcher) {
  return retried<ZooData>([path, watcher](const ZooKeeper& zk) { return zk.get_data(path, watcher); });
}
Task<ZooOutcome<ZooStat>> CuratorClient::exists(std::string path) {
  return retried<ZooStat>([path](const ZooKeeper& zk) { return zk.exists(path); });
}
Task<ZooOutcome<ZooStat>> CuratorClient::set_data(std::string path, std::string data) {
  return retried<ZooStat>([path, data](const ZooKeeper& zk) { return zk.set_data(path, data); });
}
Task<ZooOutcome<std::vector<ZooAnswer>>> CuratorClient::multi(std::vector<ZooCall> parts, bool* in_doubt) {
  return retried<std::vector<ZooAnswer>>([parts](const ZooKeeper& zk) { return zk.multi(parts); }, in_doubt);
}
Task<ZooOutcome<>> CuratorClient::remove_with_retries(std::string path) {
  return retried<Nothing>([path](const ZooKeeper& zk) { return zk.remove(path); });
}

// --- deletes -----------------------------------------------------------------------------------------

Task<ZooOutcome<>> CuratorClient::remove_guaranteed(std::string path) {
  auto removed = co_await remove_with_retries(path);
  if (removed.is(ZooCode::no_node)) co_return ZooOutcome<>::of({});
  if (!removed.yes() && curator_retries(removed.code())) delete_in_background(path);
  co_return removed;
}

void CuratorClient::remove_in_background(std::string path) {
  host_.spawn("curator-background", run_remove(std::move(path)));
}

Task<void> CuratorClient::run_remove(std::string path) {
  const auto removed = co_await remove_guaranteed(std::move(path));
  (void)removed;
}

void CuratorClient::delete_in_background(std::string path) {
  if (!options_.background_deletes) return;
  ++deletes_pending_;
  host_.spawn("curator-background", run_delete(std::move(path)));
}

Task<void> CuratorClient::run_delete(std::string path) {
  for (std::int64_t n = 0;;) {
    if (!connected_.is_set()) {
      co_await host_.sleep(seconds(1));
      continue;
    }
    const auto removed = co_await zookeeper_.remove(path);
    if (removed.yes() || !curator_retries(removed.code())) break;
    const bool again = co_await may_retry(n++);
    if (again) continue;
    n = 0;  // FailedDeleteManager: from the beginning
    co_await host_.sleep(options_.retry_base);
  }
  --deletes_pending_;
}

Task<void> CuratorClient::run_find_and_delete(std::string parent, std::string prefix) {
  for (;;) {
    std::string found;
    const auto looked = co_await find(parent, prefix, &found);
    if (!looked.yes() && curator_retries(looked.code())) {
      co_await host_.sleep(options_.retry_base);
      continue;
    }
    if (!found.empty()) delete_in_background(found);
    co_return;
  }
}

}  // namespace picklock
