#include "algorithms/zookeeper/go_zookeeper_channel_lock.hpp"

#include <utility>

namespace picklock {
namespace {

// A watch's one event, as a channel that select can wait for.
class GoZkEventCase final : public GoCase {
 public:
  explicit GoZkEventCase(std::shared_ptr<GoChannel<GoZkError>> channel) : receive_(*channel), channel_(channel) {}
  bool can_go_on() const override { return receive_.can_go_on(); }
  void go_on() override { receive_.go_on(); }
  void enlist(GoSelection& s, std::size_t index) override { receive_.enlist(s, index); }
  void withdraw(const GoSelection& s) override { receive_.withdraw(s); }
  GoZkError error() const { return receive_.value.value_or(GoZkError::connection_closed); }

 private:
  GoReceive<GoZkError> receive_;
  std::shared_ptr<GoChannel<GoZkError>> channel_;
};

Task<void> forward(Host host, ZooWatcher watcher, std::shared_ptr<GoChannel<GoZkError>> to) {
  const GoZkError event = co_await GoZkConn::watch_event(host, watcher);
  (void)co_await to->send(event);
}

}  // namespace

GoZookeeperChannelLockOptions GoZookeeperChannelLockOptions::of(ArticlePreset preset) {
  GoZookeeperChannelLockOptions o;
  o.preset = preset;
  if (preset == ArticlePreset::as_meant) return o;
  o.library_lock = true;
  o.get = GoGet::unbuffered;
  o.stop = GoZkStop::sent_always;
  o.path = GoZkPath::after_grant;
  o.parse_error = GoZkParseError::goes_on;
  o.orphan = GoZkOrphan::left;
  o.unlock = GoZkUnlock::keeps_path;
  return o;
}

void GoZookeeperChannelLockOptions::fields(FieldVisitor& v) {
  using O = GoZookeeperChannelLockOptions;
  const ArticlePreset before = preset;
  if (v.leading(kArticlePreset, preset)) {
    change_settings(*this, of(before), of(preset), &O::library_lock, &O::get, &O::stop, &O::path, &O::parse_error,
                    &O::orphan, &O::unlock);
  }
  v.field({.name = "session", .help = "session timeout that is asked for", .least = milliseconds(1).ns}, session);
  v.field({.name = "reaction", .help = "reaction of a holder to a change of its session's state"}, reaction);
  v.field({.name = "library-lock", .help = "the client first takes go-zookeeper's lock on /lock, for ever"},
          library_lock);
  v.field({.name = "get", .help = "channel that announces a grant"}, get);
  v.field({.name = "stop", .help = "when an unlock speaks to the waiting goroutine"}, stop);
  v.field({.name = "path", .help = "moment at which the client notes the path that its unlock deletes"}, path);
  v.field({.name = "parse-error", .help = "treatment of a child whose name has no number"}, parse_error);
  v.field({.name = "orphan", .help = "treatment of the node when a wait ends without a grant"}, orphan);
  v.field({.name = "unlock", .help = "whether the object can be locked again"}, unlock);
  v.field({.name = "guid-search", .help = "owner of the nodes that a retried create may return"}, guid_search);
}

GoZookeeperChannelLock::GoZookeeperChannelLock(const LockContext& context, const GoZookeeperChannelLockOptions& options)
    : Lock(context.host),
      conn_(GoZkConn::of(context, options.session)),
      options_(options),
      path_(zk_path(context.name)),
      answers_(context.host, options.get),
      stop_(context.host),
      holder_(std::make_shared<ZkHolder>(context.host, options.reaction)) {
  conn_.tell(holder_);
}

Task<Acquired> GoZookeeperChannelLock::acquire(Patience patience) {
  (void)patience.over();
  holder_->released();
  holder_->lost.clear();
  in_doubt_ = false;
  const Get get = answers_.of_call();
  (void)co_await begin(get);
  const auto told = co_await get->receive_within(patience.remaining());
  if (!told) co_return Acquired::unknown_because(Why::timed_out);
  if (!*told) {
    co_return in_doubt_ ? Acquired::unknown_because(Why::disconnected) : Acquired::refusal(Why::error, "false");
  }
  auto hold = co_await conn_.granted(granted_, holder_);
  co_return hold;
}

// Work of Lock() before it returns its channel: no patience bounds it.
Task<Nothing> GoZookeeperChannelLock::begin(Get get) {
  if (options_.library_lock) {
    GoZookeeperLockOptions of_library;
    GoZkMutex library(conn_, "/lock", of_library);
    (void)co_await library.lock();  // its error is ignored, and so is the object from here on
  }
  if (!lock_path_.empty()) {
    (void)co_await get->send(false);
    co_return Nothing{};
  }
  GoZkNode mine;
  const GoZkError made = co_await conn_.create_with_parents(path_, "lock-", options_.guid_search, &mine);
  if (made != GoZkError::none) {
    in_doubt_ = in_doubt_ || mine.left_behind;
    (void)co_await get->send(false);
    co_return Nothing{};
  }
  if (!go_zk_sequence(mine.path)) {
    (void)co_await stopped_or_failed(get, mine.path, true);
    co_return Nothing{};
  }
  host_.spawn("watch", watch_lock(get, mine));
  co_return Nothing{};
}

// The wait has ended without a grant.
Task<Nothing> GoZookeeperChannelLock::stopped_or_failed(Get get, std::string mine, bool tell) {
  if (options_.orphan == GoZkOrphan::deleted) {
    const GoZkError removed = co_await conn_.remove(mine);
    in_doubt_ = in_doubt_ || (removed != GoZkError::none && removed != GoZkError::no_node);
  } else {
    in_doubt_ = true;
  }
  if (tell) (void)co_await get->send(false);
  co_return Nothing{};
}

Task<void> GoZookeeperChannelLock::watch_lock(Get get, GoZkNode mine) {
  const std::int64_t number = go_zk_sequence(mine.path).value_or(0);
  const std::string name = mine.path.substr(path_.size() + 1);
  for (;;) {
    std::vector<std::string> children;
    const GoZkError listed = co_await conn_.children(path_, &children);
    GoZkError error = listed;
    GoZkPlace place;
    if (error == GoZkError::none) place = go_zk_place(children, number, name);
    if (error == GoZkError::none && !place.parsed) {
      const bool ends = options_.parse_error == GoZkParseError::ends;
      if (ends) error = GoZkError::other;
      in_doubt_ = in_doubt_ || !ends;  // false, and yet it stands in the queue
      for (const std::string& child : children) {
        if (error == GoZkError::none && !go_zk_sequence(child)) (void)co_await get->send(false);
      }
    }
    if (error == GoZkError::none && place.lowest) {
      granted_ = mine;
      if (options_.path == GoZkPath::before_grant) lock_path_ = mine.path;
      (void)co_await get->send(true);
      if (options_.path == GoZkPath::before_grant) co_return;
      co_await host_.yield("between the grant and its path");
      lock_path_ = mine.path;
      co_return;
    }
    const ZooWatcher watcher(host_, "the node before mine");
    if (error == GoZkError::none) {
      const GoZkError watched = co_await conn_.get_w(path_ + '/' + place.before, watcher);
      if (watched == GoZkError::no_node) continue;
      error = watched;
    }
    if (error == GoZkError::none) {
      const auto event = std::make_shared<GoChannel<GoZkError>>(host_, 1);
      host_.spawn("event", forward(host_, watcher, event));
      GoZkEventCase changed(event);
      GoReceive<bool> stopped(stop_);
      std::vector<GoCase*> cases{&changed, &stopped};
      ++waiting_;
      const std::size_t chosen = co_await go_select(host_, std::move(cases));
      --waiting_;
      if (chosen == 1) {
        (void)co_await stopped_or_failed(get, mine.path, false);
        co_return;
      }
      error = changed.error();
    }
    if (error == GoZkError::none) continue;
    (void)co_await stopped_or_failed(get, mine.path, true);
    co_return;
  }
}

Task<Outcome<>> GoZookeeperChannelLock::release(Hold) {
  holder_->released();
  if (options_.stop == GoZkStop::sent_always || waiting_ > 0) (void)co_await stop_.send(true);
  if (lock_path_.empty()) co_return Outcome<>::refusal(Why::error, "nothing to unlock");
  const GoZkError removed = co_await conn_.remove(lock_path_);
  if (options_.unlock == GoZkUnlock::clears_path) lock_path_.clear();
  co_return go_zk_released(removed);
}

}  // namespace picklock
