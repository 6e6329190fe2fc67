#include "algorithms/zookeeper/zookeeper_herd_lock.hpp"

#include "algorithms/random_guid.hpp"

namespace picklock {

void ZookeeperHerdOptions::fields(FieldVisitor& v) {
  v.field({.name = "session", .help = "session timeout that is asked for", .least = 1'000'000}, session);
  v.field({.name = "reaction", .help = "reaction of a holder to a change of its session's state"}, reaction);
  v.field({.name = "guid", .help = "whether a client recognises its node if the create got no answer"}, guid);
  v.field({.name = "gap", .help = "whether a waiter looks if the node had gone before it was watched"}, gap);
}

ZookeeperHerdLock::ZookeeperHerdLock(const LockContext& context, const ZookeeperHerdOptions& options)
    : Lock(context.host),
      process_(ZkProcess::of(context, options.session)),
      options_(options),
      path_(zk_path(context.name)),
      holder_(std::make_shared<ZkHolder>(context.host, options.reaction)),
      watcher_(context.host, "the lock's node") {
  process_.tell(holder_);
}

Task<Acquired> ZookeeperHerdLock::acquire(Patience patience) {
  holder_->released();
  holder_->lost.clear();
  (void)patience.over();
  for (;;) {
    const ZooKeeper zk = process_.handle();
    const std::string guid = options_.guid ? random_uuid(host_) : "";
    for (bool asked = false;;) {
      const auto taken = co_await take(zk, guid, asked);
      if (taken.yes()) {
        zk_ = zk;
        Hold hold(guid);
        hold.token = taken.value().czxid;
        holder_->granted(zk);
        co_return Acquired::of(std::move(hold));
      }
      if (taken.is(ZooCode::session_expired)) break;
      if (taken.unknown()) patience.note_unknown();
      if (zk_may_retry(taken.code())) {
        asked |= taken.unknown() && options_.guid;
        const bool connected = co_await process_.connected(zk, patience);
        if (connected) continue;
        if (!zk.alive()) break;
        co_return patience.exhausted();
      }
      if (!taken.is(ZooCode::node_exists)) co_return Acquired::refusal(Why::error, taken.error());
      watcher_.forget();
      const auto watched = co_await zk.exists(path_, watcher_);
      const bool trusts = options_.gap == ZkGap::waits && watched.is(ZooCode::no_node);
      if (!watched.yes() && !trusts) continue;  // gone already, or the next attempt will tell
      const bool woken = co_await zk_event(host_, watcher_, patience);
      if (!woken) {
        zk.forget(watcher_);
        co_return patience.exhausted();
      }
      if (!zk.alive()) break;
    }
  }
}

// Creates it; if that has been tried before without an answer, looks first whose the node is.
Task<ZooOutcome<ZooStat>> ZookeeperHerdLock::take(ZooKeeper zk, std::string guid, bool again) {
  if (again) {
    auto found = co_await zk.get_data(path_);
    if (found.yes() && found.value().data == guid) co_return ZooOutcome<ZooStat>::of(found.value().stat);
    if (!found.yes() && !found.is(ZooCode::no_node)) co_return ZooOutcome<ZooStat>::failed(found.code(), false);
  }
  auto made = co_await zk.create(path_, guid, ZooMode::ephemeral);
  if (made.yes()) co_return ZooOutcome<ZooStat>::of(made.value().stat);
  co_return ZooOutcome<ZooStat>::failed(made.code(), made.unknown());
}

Task<Outcome<>> ZookeeperHerdLock::release(Hold hold) {
  holder_->released();
  bool unknown = false;
  for (;;) {
    const auto removed = co_await zk_.remove(path_);
    if (removed.yes()) co_return Outcome<>::of({});
    unknown |= removed.unknown();
    if (removed.is(ZooCode::no_node)) co_return unknown ? Outcome<>::of({}) : Outcome<>::refusal();
    if (!zk_may_retry(removed.code())) co_return Outcome<>::refusal();  // the session took it along
    if (removed.unknown()) {
      // It may be another's by now, of this session too; only with a guid can that be told.
      const bool connected = co_await process_.connected(zk_, Patience::unlimited(host_));
      if (!connected) co_return Outcome<>::refusal();
      const auto now = co_await zk_.get_data(path_);
      const bool others = now.yes() && now.value().data != hold.value;
      if (now.is(ZooCode::no_node) || others) co_return Outcome<>::of({});
      continue;
    }
    const bool connected = co_await process_.connected(zk_, Patience::unlimited(host_));
    if (!connected) co_return Outcome<>::refusal();
  }
}

Task<Outcome<>> ZookeeperHerdLock::force_release() {
  const ZooKeeper zk = process_.handle();
  const auto removed = co_await zk.remove(path_);
  co_return removed;
}

}  // namespace picklock
