#include "algorithms/zookeeper/zookeeper_write_lock.hpp"

#include <algorithm>

#include "algorithms/random_guid.hpp"

namespace picklock {
namespace {

constexpr int kAttempts = 10;
constexpr Duration kDelay = milliseconds(500);

// ZNodeName: what stands before the last hyphen, and the number behind it, which may be negative.
std::size_t hyphen_of(std::string_view name) {
  const std::size_t last = name.rfind('-');
  return last != std::string_view::npos && last > 0 && name[last - 1] == '-' ? last - 1 : last;
}
std::string_view prefix_of(std::string_view name) { return name.substr(0, hyphen_of(name)); }
std::int64_t number_of(std::string_view name) {
  const std::string_view behind = name.substr(hyphen_of(name));
  return behind.starts_with("--") ? -zk_number(behind, "--").value_or(1) : zk_number(behind, "-").value_or(-1);
}

}  // namespace

void ZookeeperWriteLockOptions::fields(FieldVisitor& v) {
  v.field({.name = "session", .help = "session timeout that is asked for", .least = 1'000'000}, session);
  v.field({.name = "reaction", .help = "reaction of a holder to a change of its session's state"}, reaction);
  v.field({.name = "predecessor-gone", .help = "step if the node before vanishes after it was listed"},
          predecessor_gone);
  v.field({.name = "recovered", .help = "part that is kept of a node that is found again"}, recovered);
  v.field({.name = "prefix", .help = "prefix by which a node is found again"}, prefix);
  v.field({.name = "order", .help = "key by which nodes are sorted"}, order);
}

ZookeeperWriteLock::ZookeeperWriteLock(const LockContext& context, const ZookeeperWriteLockOptions& options)
    : Lock(context.host),
      process_(ZkProcess::of(context, options.session)),
      options_(options),
      directory_(zk_path(context.name)),
      holder_(std::make_shared<ZkHolder>(context.host, options.reaction)),
      watcher_(context.host, "the one before it") {
  process_.tell(holder_);
}

std::string ZookeeperWriteLock::prefix() {
  return options_.prefix == ZkPrefix::session ? "x-" + std::to_string(zk_.session()) + "-" : "x-" + guid_ + "-";
}

// ZNodeName.compareTo.  A path stands before the name that ends it: the slash before the x.
bool ZookeeperWriteLock::before(const std::string& a, const std::string& b) const {
  const auto left = prefix_of(a), right = prefix_of(b);
  const auto m = number_of(a), n = number_of(b);
  if (options_.order == ZkOrder::path) return left != right ? left < right : m < n;
  return m != n ? m < n : left < right;
}

Task<Acquired> ZookeeperWriteLock::acquire(Patience patience) {
  (void)patience.over();
  holder_->released();
  holder_->lost.clear();
  watcher_.forget();
  id_.clear();
  czxid_.reset();
  zk_ = process_.handle();
  guid_ = random_uuid(host_);
  const bool connected = co_await process_.connected(zk_, patience);
  if (!connected) co_return patience.exhausted();
  co_await make_directory();
  for (bool by_caller = true;; by_caller = false) {
    const Said said = co_await lock();
    if (said == Said::owner) break;
    if (by_caller && said == Said::connection_loss) co_return Acquired::unknown_because(Why::disconnected);
    if (by_caller && said == Said::expired) co_return Acquired::refusal(Why::error, "session expired");
    if (by_caller && said == Said::failed) co_return Acquired::refusal(Why::error, "refused by ZooKeeper");
    // Errors of the watcher's lock() are only logged, and nothing comes after them.
    const bool woken = co_await zk_event(host_, watcher_, patience);
    if (!woken) {
      (void)co_await release(Hold(id_));
      co_return patience.exhausted();
    }
  }
  Hold hold(id_);
  hold.token = czxid_;
  holder_->granted(zk_);
  co_return Acquired::of(std::move(hold));
}

Task<Nothing> ZookeeperWriteLock::make_directory() {
  for (std::size_t slash = directory_.find('/', 1);; slash = directory_.find('/', slash + 1)) {
    (void)co_await zk_.create(directory_.substr(0, slash));
    if (slash == std::string::npos) co_return Nothing{};
  }
}

Task<ZookeeperWriteLock::Said> ZookeeperWriteLock::lock() {
  Said said = Said::failed;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    said = co_await execute();
    if (said != Said::connection_loss) co_return said;
    if (attempt > 0) co_await host_.sleep(kDelay * attempt);
  }
  co_return said;
}

Task<ZookeeperWriteLock::Said> ZookeeperWriteLock::execute() {
  const auto thrown = [](ZooCode code) {
    return code == ZooCode::session_expired ? Said::expired : zk_may_retry(code) ? Said::connection_loss : Said::failed;
  };
  do {
    if (id_.empty()) {
      const ZooCode found = co_await find_prefix(prefix());
      if (found != ZooCode::ok) co_return thrown(found);
    }
    const auto children = co_await zk_.get_children(directory_);
    if (!children.yes()) co_return thrown(children.code());
    std::vector<std::string> sorted;
    for (const std::string& name : children.value().names) sorted.push_back(directory_ + '/' + name);
    std::sort(sorted.begin(), sorted.end(), [this](const auto& a, const auto& b) { return before(a, b); });
    if (sorted.empty()) {
      id_.clear();
      continue;
    }
    owner_ = sorted.front();
    const std::string* lower = nullptr;
    for (const std::string& path : sorted) {
      if (before(path, id_)) lower = &path;
    }
    if (lower == nullptr) {
      if (id_ != owner_) co_return Said::waits;  // it waits without a watch
      if (!czxid_) {                             // found again; WriteLock itself knows of no token
        const auto mine = co_await zk_.exists(id_);
        if (mine.yes()) czxid_ = mine.value().czxid;
      }
      co_return Said::owner;
    }
    const auto watched = co_await zk_.exists(*lower, watcher_);
    if (watched.yes()) co_return Said::waits;
    if (!watched.is(ZooCode::no_node)) co_return thrown(watched.code());
    if (options_.predecessor_gone == ZkGone::hangs) co_return Said::waits;
  } while (true);
}

Task<ZooCode> ZookeeperWriteLock::find_prefix(std::string prefix) {
  const auto children = co_await zk_.get_children(directory_);
  if (!children.yes()) co_return children.code();
  for (const std::string& name : children.value().names) {
    if (!name.starts_with(prefix)) continue;
    id_ = options_.recovered == ZkRecovered::name ? name : directory_ + '/' + name;
    co_return ZooCode::ok;
  }
  const auto made = co_await zk_.create(directory_ + '/' + prefix, "", ZooMode::ephemeral_sequential);
  if (made.yes()) {
    id_ = made.value().path;
    czxid_ = made.value().stat.czxid;
  }
  co_return made.code();
}

Task<Outcome<>> ZookeeperWriteLock::release(Hold hold) {
  holder_->released();
  if (hold.value.empty()) co_return Outcome<>::refusal();
  id_.clear();
  if (hold.value.front() != '/') co_return Outcome<>::refusal(Why::error, "IllegalArgumentException: not a path");
  const auto removed = co_await zk_.remove(hold.value);
  co_return removed;
}

}  // namespace picklock
