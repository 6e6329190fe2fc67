#include "algorithms/zookeeper/go_zookeeper_lock.hpp"

#include <utility>

namespace picklock {

void GoZookeeperLockOptions::fields(FieldVisitor& v) {
  v.field({.name = "session", .help = "session timeout that is asked for", .least = milliseconds(1).ns}, session);
  v.field({.name = "reaction", .help = "reaction of a holder to a change of its session's state"}, reaction);
  v.field({.name = "orphan", .help = "treatment of the node when a wait ends in an error"}, orphan);
  v.field({.name = "node-check", .help = "whether the own node must be among the children"}, node_check);
  v.field({.name = "guid-search", .help = "owner of the nodes that a retried create may return"}, guid_search);
  v.field({.name = "unlock", .help = "effect on the object of an unlock that finds no node"}, unlock);
  v.field({.name = "parse", .help = "where in a child's name its number begins"}, parse);
}

GoZkPlace go_zk_place(const std::vector<std::string>& children, std::int64_t mine, const std::string& my_name,
                      GoZkParse parse) {
  GoZkPlace place;
  std::int64_t lowest = mine, before = -1;
  for (const std::string& child : children) {
    const auto number = go_zk_sequence(child, parse);
    place.parsed = place.parsed && number;
    place.listed = place.listed || child == my_name;
    const std::int64_t s = number.value_or(0);
    if (s < lowest) lowest = s;
    if (s < mine && s > before) {
      before = s;
      place.before = child;
    }
  }
  place.lowest = lowest == mine;
  return place;
}

Task<GoZkMutex::Result> GoZkMutex::lock() {
  if (locking_ || !node_.path.empty()) co_return Result(GoZkError::other, true, false);
  locking_ = true;
  GoZkNode mine;
  GoZkError error = co_await conn_.create_with_parents(path_, "lock-", options_.guid_search, &mine);
  bool in_doubt = error != GoZkError::none && mine.left_behind;
  if (error == GoZkError::none) {
    error = co_await wait_turn(mine);
    if (error == GoZkError::none) {
      node_ = mine;
    } else if (options_.orphan == GoZkOrphan::deleted) {
      const GoZkError removed = co_await conn_.remove(mine.path);
      in_doubt = removed != GoZkError::none && removed != GoZkError::no_node;
    } else {
      in_doubt = true;
    }
  }
  locking_ = false;
  co_return Result(error, false, in_doubt);
}

Task<GoZkError> GoZkMutex::wait_turn(GoZkNode mine) {
  const auto number = go_zk_sequence(mine.path, options_.parse);
  if (!number) co_return GoZkError::other;
  const std::string name = mine.path.substr(path_.size() + 1);
  for (;;) {
    std::vector<std::string> children;
    const GoZkError listed = co_await conn_.children(path_, &children);
    if (listed != GoZkError::none) co_return listed;
    const GoZkPlace place = go_zk_place(children, *number, name, options_.parse);
    if (!place.parsed) co_return GoZkError::other;
    if (!place.listed && options_.node_check == GoZkNodeCheck::listed) co_return GoZkError::no_node;
    if (place.lowest) co_return GoZkError::none;
    const ZooWatcher watcher(conn_.host(), "the node before mine");
    const GoZkError watched = co_await conn_.get_w(path_ + '/' + place.before, watcher);
    if (watched == GoZkError::no_node) continue;
    if (watched != GoZkError::none) co_return watched;
    const GoZkError event = co_await GoZkConn::watch_event(conn_.host(), watcher);
    if (event != GoZkError::none) co_return event;
  }
}

Task<GoZkMutex::Result> GoZkMutex::unlock() {
  if (node_.path.empty()) co_return Result(GoZkError::other, true, false);
  const GoZkError removed = co_await conn_.remove(node_.path);
  const bool gone = removed == GoZkError::no_node && options_.unlock == GoZkUnlock::clears_path;
  if (removed == GoZkError::none || gone) node_ = {};
  co_return Result(removed, false, removed == GoZkError::connection_closed);
}

GoZookeeperLock::GoZookeeperLock(const LockContext& context, const GoZookeeperLockOptions& options)
    : Lock(context.host),
      conn_(GoZkConn::of(context, options.session)),
      options_(options),
      mutex_(conn_, zk_path(context.name), options),
      holder_(std::make_shared<ZkHolder>(context.host, options.reaction)) {
  conn_.tell(holder_);
}

Task<void> GoZookeeperLock::run_lock(Told told) {
  const auto result = co_await mutex_.lock();
  (void)co_await told->send(result);
}

Task<Acquired> GoZookeeperLock::acquire(Patience patience) {
  (void)patience.over();
  holder_->released();
  holder_->lost.clear();
  const Told told = std::make_shared<GoChannel<GoZkMutex::Result>>(host_, 1);
  host_.spawn("lock", run_lock(told));
  const auto result = co_await told->receive_within(patience.remaining());
  if (!result) co_return Acquired::unknown_because(Why::timed_out);
  if (result->deadlock) co_return Acquired::refusal(Why::error, "zk: trying to acquire a lock twice");
  if (result->error != GoZkError::none) {
    co_return result->in_doubt ? Acquired::unknown_because(Why::disconnected)
                               : Acquired::refusal(Why::error, std::string(to_string(result->error)));
  }
  auto hold = co_await conn_.granted(mutex_.node(), holder_);
  co_return hold;
}

Task<Outcome<>> GoZookeeperLock::release(Hold) {
  holder_->released();
  const auto result = co_await mutex_.unlock();
  if (result.deadlock) co_return Outcome<>::refusal(Why::error, "zk: not locked");
  co_return go_zk_released(result.error);
}

}  // namespace picklock
