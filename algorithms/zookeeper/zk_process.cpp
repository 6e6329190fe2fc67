#include "algorithms/zookeeper/zk_process.hpp"

#include <charconv>

#include "base/check.hpp"

namespace picklock {

void ZkHolder::granted(const ZooKeeper& zk) {
  holding = true;
  if (!zk.connected()) hear(zk.state());  // it may have been told while no thread held
}

void ZkHolder::hear(ZooState state) {
  if (!holding || state == ZooState::connected) return;
  const bool final = state != ZooState::disconnected;
  if (reaction == ZkReaction::stops_at_disconnected || (final && reaction == ZkReaction::stops_at_expired)) lost.set();
}

ZkProcess::ZkProcess(const Host& host, ZooConnector& connector, Duration session)
    : host_(host),
      connector_(connector),
      session_(session),
      watcher_(host, "the session's state"),
      changed_(host, "a change of the session's state") {
  host_.spawn("zk-state", listen());
}

ZkProcess& ZkProcess::of(const LockContext& context, Duration session) {
  PICKLOCK_CHECK(context.process != nullptr);
  return context.process->get<ZkProcess>(context.host, context.get<ZooConnector>(), session);
}

ZooKeeper ZkProcess::handle() {
  if (!zk_ || !zk_.alive()) zk_ = connector_.connect(session_, watcher_);
  return zk_;
}

Task<void> ZkProcess::listen() {
  for (;;) {
    const ZooEvent event = co_await watcher_.next();
    std::erase_if(holders_, [](const auto& holder) { return holder.expired(); });
    for (const auto& weak : holders_) {
      if (const auto holder = weak.lock()) holder->hear(event.state);
    }
    changed_.notify();
  }
}

Task<Nothing> ZkProcess::change() {
  co_await changed_.wait();
  co_return Nothing{};
}

Task<bool> ZkProcess::connected(ZooKeeper zk, Patience patience) {
  while (!zk.connected()) {
    if (!zk.alive()) co_return false;
    if (patience.remaining() == kForever) {
      co_await changed_.wait();
      continue;
    }
    if (patience.remaining() == Duration{}) co_return false;
    const auto changed = co_await with_timeout(host_, change(), patience.remaining());
    if (!changed) co_return false;
  }
  co_return true;
}

std::string zk_path(std::string_view lock_name) {
  return lock_name.starts_with('/') ? std::string(lock_name) : '/' + std::string(lock_name);
}

namespace {

// Nothing: they are no digits.
std::optional<std::int64_t> all_digits(std::string_view digits) {
  constexpr std::string_view kZeros = "00000000";  // ten digits begin so until a hundred nodes have been made
  if (digits.starts_with(kZeros)) digits.remove_prefix(kZeros.size());
  std::int64_t number = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + (digit - '0');
  }
  return number;
}

}  // namespace

std::optional<std::int64_t> zk_number(std::string_view name, std::string_view mark) {
  constexpr std::size_t kUsual = 10;  // digits that a server adds
  if (name.size() > kUsual && name.substr(0, name.size() - kUsual).ends_with(mark)) {
    if (const auto number = all_digits(name.substr(name.size() - kUsual))) return number;
  }
  std::size_t at = name.size();
  while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') --at;
  if (!name.substr(0, at).ends_with(mark)) {
    if (at == 0 || name[--at] != '-') return std::nullopt;  // its sign
    if (!name.substr(0, at).ends_with(mark)) return std::nullopt;
  }
  const std::string_view digits = name.substr(at);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

bool zk_comes_before(std::int64_t a, std::int64_t b, ZkNameOrder order) {
  if (order != ZkNameOrder::wrapped_number) return a < b;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b)) < 0;
}

Task<bool> zk_event(Host host, ZooWatcher watcher, Patience patience) {
  if (patience.remaining() == kForever) {
    (void)co_await watcher.next();
    co_return true;
  }
  const auto event = co_await with_timeout(host, watcher.next(), patience.remaining());
  co_return event.has_value();
}

}  // namespace picklock
