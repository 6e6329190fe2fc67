#include "algorithms/zookeeper/zookeeper_lock.hpp"

#include <algorithm>

#include "algorithms/random_guid.hpp"

namespace picklock {
namespace {

constexpr std::string_view kMarks[] = {"-lock-", "-write-", "-read-"};

struct Queued {
  std::int64_t number = 0;
  const std::string* name = nullptr;
  bool reads = false;
};

std::optional<Queued> queued(const std::string& name) {
  for (const std::string_view mark : kMarks) {
    if (const auto number = zk_number(name, mark)) return Queued{*number, &name, mark == kMarks[2]};
  }
  return std::nullopt;
}

}  // namespace

void ZookeeperLockOptions::fields(FieldVisitor& v) {
  v.field({.name = "session", .help = "session timeout that is asked for", .least = 1'000'000}, session);
  v.field({.name = "reaction", .help = "reaction of a holder to a change of its session's state"}, reaction);
  v.field({.name = "token", .help = "number that the storage gets as fencing token"}, token);
  v.field({.name = "node", .help = "whether a node goes with its session"}, node);
  v.field({.name = "guid", .help = "whether a client can find its node if the create got no answer"}, guid);
  v.field({.name = "watch", .help = "nodes that a waiter watches: the one before it, or all"}, watch);
  v.field({.name = "container", .help = "the directory is a container, which vanishes when it is empty"}, container);
  v.field({.name = "order", .help = "order of the nodes; by text and by number agree here"}, order);
}

std::optional<std::string> zk_blocker(const std::vector<std::string>& children, std::string_view mine, ZkQueue queue,
                                      ZkNameOrder order) {
  const auto own = std::find(children.begin(), children.end(), mine);
  if (own == children.end()) return std::nullopt;
  const auto me = queued(*own);
  if (!me) return std::nullopt;
  std::optional<Queued> nearest;
  for (const std::string& name : children) {
    if (&name == &*own) continue;
    const auto other = queued(name);
    if (!other) continue;
    const bool shares = queue == ZkQueue::read_write && me->reads && other->reads;
    if (shares || !zk_comes_before(other->number, me->number, order)) continue;
    if (!nearest || zk_comes_before(nearest->number, other->number, order)) nearest = other;
  }
  return nearest ? *nearest->name : std::string();
}

ZookeeperLock::ZookeeperLock(const LockContext& context, const ZookeeperLockOptions& options, ZkQueue queue)
    : Lock(context.host),
      process_(ZkProcess::of(context, options.session)),
      options_(options),
      queue_(queue),
      directory_(zk_path(context.name)),
      mark_(queue == ZkQueue::exclusive             ? kMarks[0]
            : context.sharing == Sharing::exclusive ? kMarks[1]
                                                    : kMarks[2]),
      holder_(std::make_shared<ZkHolder>(context.host, options.reaction)),
      watcher_(context.host, "the one before it") {
  process_.tell(holder_);
}

Task<Acquired> ZookeeperLock::acquire(Patience patience) {
  (void)patience.over();
  holder_->released();
  holder_->lost.clear();
  for (;;) {
    const ZooKeeper zk = process_.handle();
    Place mine;
    Step step = co_await enter(zk, &patience, &mine);
    if (step == Step::done) {
      step = co_await wait_turn(zk, &patience, &mine);
      zk.forget(watcher_);
      if (step != Step::done) leave(zk, mine.path);
    }
    if (step == Step::anew) continue;
    if (step == Step::over) co_return patience.exhausted();
    if (step == Step::failed) co_return Acquired::refusal(Why::error, "refused by ZooKeeper");
    zk_ = zk;
    Hold hold(mine.path);
    const auto fence = co_await token(zk, &mine);
    hold.token = fence;
    holder_->granted(zk);
    co_return Acquired::of(std::move(hold));
  }
}

// A failed verb: wait for the connection, if that can help.  Done: try again.
Task<ZookeeperLock::Step> ZookeeperLock::recover(ZooKeeper zk, Patience* patience, ZooCode code) {
  if (code == ZooCode::session_expired) co_return Step::anew;
  if (!zk_may_retry(code)) co_return Step::failed;
  const bool connected = co_await process_.connected(zk, *patience);
  if (connected) co_return Step::done;
  co_return zk.alive() ? Step::over : Step::anew;
}

Task<ZookeeperLock::Step> ZookeeperLock::enter(ZooKeeper zk, Patience* patience, Place* mine) {
  const std::string guid = options_.guid ? random_uuid(host_) : "x";
  std::string prefix;
  prefix.reserve(directory_.size() + 1 + guid.size() + mark_.size());
  prefix.append(directory_).append(1, '/').append(guid).append(mark_);
  const bool ephemeral = options_.node == ZkNode::ephemeral;
  const ZooMode mode = ephemeral ? ZooMode::ephemeral_sequential : ZooMode::persistent_sequential;
  for (;;) {
    const auto made = co_await zk.create(prefix, "", mode);
    if (made.yes()) {
      mine->path = made.value().path;
      mine->stat = made.value().stat;
      co_return Step::done;
    }
    if (made.is(ZooCode::no_node)) {
      const Step directory = co_await make_directory(zk);
      if (directory == Step::done) continue;
    }
    if (made.unknown()) patience->note_unknown();
    const ZooCode code = made.is(ZooCode::no_node) ? ZooCode::connection_loss : made.code();
    const Step step = co_await recover(zk, patience, code);
    const bool lost_track = options_.guid && made.unknown();
    Step found = step;
    if (step == Step::done && lost_track) found = co_await find(zk, patience, guid, mine);
    // It may be there, and no client would wait for its turn.
    if (found == Step::over && lost_track) host_.spawn("zk-leave", find_and_remove(zk, guid));
    if (found != Step::done || !mine->path.empty()) co_return found;
  }
}

// Done, and no path: it had not been created.
Task<ZookeeperLock::Step> ZookeeperLock::find(ZooKeeper zk, Patience* patience, std::string guid, Place* mine) {
  for (;;) {
    const auto children = co_await zk.get_children(directory_);
    ZooCode code = children.code();
    if (children.is(ZooCode::no_node)) co_return Step::done;
    if (children.yes()) {
      const auto& names = children.value().names;
      const auto own = std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.starts_with(guid); });
      if (own == names.end()) co_return Step::done;
      const std::string path = directory_ + '/' + *own;
      const auto there = co_await zk.exists(path);
      if (there.yes()) {
        mine->path = path;
        mine->stat = there.value();
        co_return Step::done;
      }
      code = there.code();
      if (there.is(ZooCode::no_node)) co_return Step::anew;
    }
    const Step step = co_await recover(zk, patience, code);
    if (step != Step::done) co_return step;
  }
}

Task<ZookeeperLock::Step> ZookeeperLock::make_directory(ZooKeeper zk) {
  const ZooMode mode = options_.container ? ZooMode::container : ZooMode::persistent;
  for (std::size_t slash = directory_.find('/', 1);; slash = directory_.find('/', slash + 1)) {
    const auto made = co_await zk.create(directory_.substr(0, slash), "", mode);
    if (!made.yes() && !made.is(ZooCode::node_exists)) co_return Step::failed;
    if (slash == std::string::npos) co_return Step::done;
  }
}

Task<ZookeeperLock::Step> ZookeeperLock::wait_turn(ZooKeeper zk, Patience* patience, const Place* mine) {
  const std::string_view name = std::string_view(mine->path).substr(directory_.size() + 1);
  for (;;) {
    watcher_.forget();
    const bool all = options_.watch == ZkWatch::parent;
    // Named: g++ 12 destroys such a temporary twice if the choice stands in the co_await.
    const ZooWatcher of_all = all ? watcher_ : ZooWatcher();
    const auto children = co_await zk.get_children(directory_, of_all);
    ZooCode code = children.code();
    if (children.is(ZooCode::no_node)) co_return Step::anew;
    if (children.yes()) {
      const auto blocker = zk_blocker(children.value().names, name, queue_, options_.order);
      if (!blocker) co_return Step::anew;  // another client has deleted it
      if (blocker->empty()) co_return Step::done;
      if (!all) {
        const auto watched = co_await zk.exists(directory_ + '/' + *blocker, watcher_);
        if (watched.is(ZooCode::no_node)) continue;
        code = watched.code();
      }
    }
    if (code != ZooCode::ok) {
      const Step step = co_await recover(zk, patience, code);
      if (step != Step::done) co_return step;
      continue;
    }
    const bool woken = co_await zk_event(host_, watcher_, *patience);
    if (!woken) co_return Step::over;
    if (!zk.alive()) co_return Step::anew;
  }
}

Task<std::optional<std::int64_t>> ZookeeperLock::token(ZooKeeper zk, const Place* mine) {
  if (options_.token == ZkToken::sequence) co_return zk_number(mine->path, mark_);
  if (options_.token == ZkToken::mzxid) {
    const auto now = co_await zk.exists(mine->path);
    if (now.yes()) co_return now.value().mzxid;
  }
  co_return mine->stat.czxid;
}

Task<Outcome<>> ZookeeperLock::remove(ZooKeeper zk, std::string path) {
  bool unknown = false;
  for (;;) {
    const auto removed = co_await zk.remove(path);
    if (removed.yes()) co_return Outcome<>::of({});
    unknown |= removed.unknown();
    if (removed.is(ZooCode::no_node)) co_return unknown ? Outcome<>::of({}) : Outcome<>::refusal();
    if (!zk_may_retry(removed.code())) co_return Outcome<>::refusal();  // the session took it along
    const bool connected = co_await process_.connected(zk, Patience::unlimited(host_));
    if (!connected) co_return Outcome<>::refusal();
  }
}

Task<void> ZookeeperLock::find_and_remove(ZooKeeper zk, std::string guid) {
  Patience unlimited = Patience::unlimited(host_);
  Place left;
  (void)co_await find(zk, &unlimited, guid, &left);
  if (!left.path.empty()) (void)co_await remove(zk, left.path);
}

Task<void> ZookeeperLock::remove_in_background(ZooKeeper zk, std::string path) { (void)co_await remove(zk, path); }

void ZookeeperLock::leave(const ZooKeeper& zk, const std::string& path) {
  if (zk.alive()) host_.spawn("zk-leave", remove_in_background(zk, path));
}

Task<Outcome<>> ZookeeperLock::release(Hold hold) {
  holder_->released();
  const Outcome<> removed = co_await remove(zk_, hold.value);
  co_return removed;
}

Task<Outcome<>> ZookeeperLock::force_release() {
  const ZooKeeper zk = process_.handle();
  const auto children = co_await zk.get_children(directory_);
  if (!children.yes()) co_return Outcome<>::refusal();
  for (const std::string& name : children.value().names) {
    if (zk_blocker(children.value().names, name, ZkQueue::exclusive, options_.order) != std::string()) continue;
    const auto removed = co_await zk.remove(directory_ + '/' + name);
    co_return removed;
  }
  co_return Outcome<>::refusal();
}

}  // namespace picklock
