#include "algorithms/zookeeper/kazoo_lock.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/random_guid.hpp"

namespace picklock {
namespace {

constexpr std::string_view kLock = "__lock__", kReadLock = "__rlock__";

constexpr bool kazoo_retries(ZooCode code) {
  return code == ZooCode::connection_loss || code == ZooCode::operation_timeout || code == ZooCode::session_expired;
}

// KazooRetry's pauses: of each the next is twice as long as it was in the end.
class KazooPauses {
 public:
  explicit KazooPauses(Duration longest) : longest_(longest) {}

  Duration next(const Host& host) {
    const Duration pause = host.draw_duration(Purpose::retry_delay, Law::uniform(delay_ * 6 / 10, delay_ * 14 / 10));
    delay_ = std::min(pause * 2, longest_);
    return pause;
  }

 private:
  Duration delay_ = milliseconds(100), longest_;
};

// The number behind one of the names, `-?\d{10}`: what contenders are compared by, as text.
std::optional<std::string> sequence_of(const std::string& child, std::string_view name) {
  const std::size_t at = child.rfind(name);
  if (at == std::string::npos) return std::nullopt;
  const std::string number = child.substr(at + name.size());
  const bool overflown = !number.empty() && number.front() == '-';
  if (number.size() != (overflown ? 11u : 10u)) return std::nullopt;
  return number;
}

}  // namespace

void KazooLockOptions::fields(FieldVisitor& v) {
  v.field({.name = "session", .help = "session timeout that is asked for", .least = milliseconds(1).ns}, session);
  v.field({.name = "reaction", .help = "reaction of a holder to a change of its session's state"}, reaction);
  v.field({.name = "cleanup", .help = "how often the node of a refused acquire is deleted"}, cleanup);
  v.field({.name = "object", .help = "whether each acquire is that of a new object"}, object);
  v.field({.name = "find-node", .help = "owner of the nodes that a retried acquire may adopt"}, find_node);
  v.field({.name = "watch", .help = "request by which a waiter watches the node before its own"}, watch);
}

void KazooReadWriteOptions::fields(FieldVisitor& v) {
  lock.fields(v);
  v.field({.name = "contenders", .help = "writers for which a reader waits"}, contenders);
}

std::optional<std::string> kazoo_predecessor(const std::vector<std::string>& children, const std::string& mine,
                                             KazooRole role, KazooContenders contenders) {
  const auto mine_number = sequence_of(mine, role == KazooRole::reader ? kReadLock : kLock);
  if (!mine_number || std::find(children.begin(), children.end(), mine) == children.end()) return std::nullopt;
  std::string nearest, nearest_number;
  for (const std::string& child : children) {
    auto number = sequence_of(child, kLock);
    if (!number && role == KazooRole::writer) number = sequence_of(child, kReadLock);
    if (!number || child == mine) continue;
    const bool counts = *number < *mine_number || (role == KazooRole::reader && contenders == KazooContenders::all);
    if (!counts || (!nearest.empty() && *number < nearest_number)) continue;
    nearest = child;
    nearest_number = *number;
  }
  return nearest;
}

KazooLock::KazooLock(const LockContext& context, const KazooLockOptions& options, KazooRole role,
                     KazooContenders contenders)
    : Lock(context.host),
      process_(ZkProcess::of(context, options.session)),
      options_(options),
      role_(role),
      contenders_(contenders),
      path_(zk_path(context.name)),
      watcher_(context.host, "the node before mine"),
      holder_(std::make_shared<ZkHolder>(context.host, options.reaction)) {
  process_.tell(holder_);
}

template <class T, class Verb>
Task<ZooOutcome<T>> KazooLock::ask(ZooKeeper zk, Verb verb) {
  for (;;) {
    auto answer = co_await verb(zk);
    if (!answer.is(ZooCode::connection_loss) || !answer.refused()) co_return answer;
    const bool connected = co_await process_.connected(zk, Patience::unlimited(host_));
    if (!connected) co_return answer;
  }
}

// The lambdas are no coroutines: they only make the verb's task.
Task<ZooOutcome<ZooChildren>> KazooLock::list(ZooKeeper zk) {
  return ask<ZooChildren>(zk, [path = path_](const ZooKeeper& z) { return z.get_children(path); });
}
Task<ZooOutcome<>> KazooLock::remove(ZooKeeper zk, std::string path) {
  return ask<Nothing>(zk, [path](const ZooKeeper& z) { return z.remove(path); });
}

void KazooLock::begin_object() {
  prefix_ = random_guid_hex(host_) + std::string(role_ == KazooRole::reader ? kReadLock : kLock);
  create_tried_ = assured_path_ = false;
  node_.clear();
}

KazooLock::Inner KazooLock::after(Asking* a, ZooCode code) const {
  a->code = code;
  return kazoo_retries(code) ? Inner::again : Inner::failed;
}

Task<Acquired> KazooLock::acquire(Patience patience) {
  Asking a;
  a.blocking = patience.remaining() > Duration{};
  if (a.blocking && patience.remaining() < kForever) a.timeout = patience.remaining();
  const bool held_already = acquired_;
  if (!held_already && (prefix_.empty() || options_.object == KazooObject::per_call)) begin_object();
  const MonoTime stop = a.timeout ? host_.monotonic_now() + *a.timeout : MonoTime{};
  KazooPauses pauses(seconds(60));
  Inner inner = Inner::again;
  for (;;) {
    inner = co_await inner_acquire(&a);
    if (inner != Inner::again) break;
    const Duration pause = pauses.next(host_);
    if (a.timeout && host_.monotonic_now() + pause >= stop) break;  // RetryFailedError
    co_await host_.sleep(pause);
  }
  if (inner == Inner::gotten) {
    acquired_ = true;
    if (czxid_ == 0) {
      const auto stat = co_await zk_.exists(path_ + '/' + node_);
      if (stat.yes()) czxid_ = stat.value().czxid;
    }
    holder_->released();
    holder_->lost.clear();
    holder_->granted(zk_);
    Hold hold(path_ + '/' + node_);
    if (czxid_ != 0) hold.token = czxid_;
    co_return Acquired::of(std::move(hold));
  }
  if (held_already) co_return Acquired::refusal();
  const bool clean = co_await cleaned_up();
  if (!clean) co_return Acquired::unknown_because(Why::disconnected);
  if (inner == Inner::failed) co_return Acquired::refusal(Why::error, std::string(to_string(a.code)));
  co_return Acquired::refusal();
}

Task<Outcome<>> KazooLock::interrupted() {
  if (acquired_) co_return Outcome<>::of({});  // another thread of the object holds: it is left alone
  zk_.forget(watcher_);
  const bool clean = co_await cleaned_up();
  co_return clean ? Outcome<>::of({}) : Outcome<>::unknown_because(Why::disconnected);
}

Task<KazooLock::Inner> KazooLock::inner_acquire(Asking* a) {
  if (acquired_) co_return a->blocking ? Inner::again : Inner::not_now;
  zk_ = process_.handle();
  const ZooKeeper zk = zk_;
  if (!assured_path_) {
    const ZooCode assured = co_await ensure_path(zk);
    if (assured != ZooCode::ok) co_return after(a, assured);
    assured_path_ = true;
  }
  if (std::exchange(create_tried_, true)) {
    const ZooCode found = co_await find_node(zk);
    if (found != ZooCode::ok) co_return after(a, found);
  } else {
    node_.clear();
  }
  if (node_.empty()) {
    const std::string path = path_ + '/' + prefix_;
    const auto create = [path](const ZooKeeper& z) { return z.create(path, {}, ZooMode::ephemeral_sequential); };
    const auto made = co_await ask<ZooCreated>(zk, create);
    if (!made.yes()) co_return after(a, made.code());
    node_ = made.value().path.substr(path_.size() + 1);
    czxid_ = made.value().stat.czxid;
  }
  const Inner waited = co_await wait_turn(a, zk);
  zk.forget(watcher_);
  co_return waited;
}

Task<KazooLock::Inner> KazooLock::wait_turn(Asking* a, ZooKeeper zk) {
  for (;;) {
    watcher_.forget();
    const auto listed = co_await list(zk);
    if (!listed.yes()) co_return after(a, listed.code());
    const auto before = kazoo_predecessor(listed.value().names, node_, role_, contenders_);
    if (!before) co_return Inner::again;  // ForceRetryError
    if (before->empty()) co_return Inner::gotten;
    if (!a->blocking) co_return Inner::not_now;
    const ZooCode watched = co_await watch(zk, path_ + '/' + *before);
    if (watched == ZooCode::no_node) continue;
    if (watched != ZooCode::ok) co_return after(a, watched);
    const Patience whole = a->timeout ? Patience::lasting(host_, *a->timeout) : Patience::unlimited(host_);
    const bool woken = co_await zk_event(host_, watcher_, whole);
    if (!woken) co_return Inner::timed_out;  // LockTimeout
  }
}

Task<ZooCode> KazooLock::watch(ZooKeeper zk, std::string path) {
  if (options_.watch == KazooWatch::exists) {
    const auto found = co_await zk.exists(path, watcher_);
    co_return found.code();
  }
  const auto read = co_await zk.get_data(path, watcher_);
  co_return read.code();
}

Task<ZooCode> KazooLock::ensure_path(ZooKeeper zk) {
  for (std::size_t end = path_.find('/', 1);; end = path_.find('/', end + 1)) {
    const std::string ancestor = path_.substr(0, end);
    const auto create = [ancestor](const ZooKeeper& z) { return z.create(ancestor); };
    const auto made = co_await ask<ZooCreated>(zk, create);
    if (!made.yes() && !made.is(ZooCode::node_exists)) co_return made.code();
    if (end == std::string::npos) co_return ZooCode::ok;
  }
}

// The object's uuid identifies it.
Task<ZooCode> KazooLock::find_node(ZooKeeper zk) {
  const auto listed = co_await list(zk);
  if (!listed.yes()) co_return listed.code();
  node_.clear();
  for (const std::string& child : listed.value().names) {
    if (!child.starts_with(prefix_)) continue;
    if (options_.find_node == KazooFindNode::own_session) {
      const auto stat = co_await zk.exists(path_ + '/' + child);
      if (!stat.yes() && !stat.is(ZooCode::no_node)) co_return stat.code();
      if (!stat.yes() || stat.value().ephemeral_owner != zk.session()) continue;
    }
    node_ = child;
    czxid_ = 0;
  }
  co_return ZooCode::ok;
}

// _best_effort_cleanup: false if a node may have been left.
Task<bool> KazooLock::cleaned_up() {
  const ZooKeeper zk = process_.handle();
  if (node_.empty()) {
    const ZooCode found = co_await find_node(zk);
    if (found == ZooCode::no_node) co_return true;
    if (found != ZooCode::ok) co_return false;
    if (node_.empty()) co_return true;
  }
  const std::string mine = path_ + '/' + node_;
  const auto removed = co_await remove(zk, mine);
  if (removed.yes() || removed.is(ZooCode::no_node)) {
    node_.clear();
    co_return true;
  }
  if (options_.cleanup == KazooCleanup::until_deleted) host_.spawn("cleanup", clean_up_until_done(zk, mine));
  co_return false;
}

Task<void> KazooLock::clean_up_until_done(ZooKeeper zk, std::string path) {
  for (;;) {
    const bool connected = co_await process_.connected(zk, Patience::unlimited(host_));
    if (!connected) co_return;  // the session takes it along
    const auto removed = co_await remove(zk, path);
    if (!zk_may_retry(removed.code())) co_return;
  }
}

Task<Outcome<>> KazooLock::release(Hold) {
  if (!acquired_) co_return Outcome<>::refusal();
  holder_->released();
  const std::string mine = path_ + '/' + node_;
  for (KazooPauses pauses(seconds(3600));;) {
    const ZooKeeper zk = process_.handle();
    const auto removed = co_await remove(zk, mine);
    if (removed.yes() || removed.is(ZooCode::no_node)) break;
    if (!kazoo_retries(removed.code())) {
      co_return removed.unknown() ? Outcome<>::unknown_because(removed.why())
                                  : Outcome<>::refusal(removed.why(), removed.error());
    }
    const Duration pause = pauses.next(host_);
    co_await host_.sleep(pause);
  }
  acquired_ = false;
  node_.clear();
  co_return Outcome<>::of({});
}

}  // namespace picklock
