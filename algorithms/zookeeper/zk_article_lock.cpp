#include "algorithms/zookeeper/zk_article_lock.hpp"

#include <algorithm>

#include "algorithms/random_guid.hpp"

namespace picklock {
namespace {

constexpr std::string_view kPrefix = "/lock_";

}  // namespace

void ZkArticleOptions::fields(FieldVisitor& v) {
  v.field({.name = "session", .help = "session timeout that is asked for", .least = 1'000'000}, session);
  v.field({.name = "reaction", .help = "reaction of a holder to a change of its session's state"}, reaction);
  v.field({.name = "on-wake", .help = "step after the node before has vanished"}, on_wake);
  v.field({.name = "predecessor-gone", .help = "step if the node before vanishes before it is watched"},
          predecessor_gone);
  v.field({.name = "latch", .help = "whether the latch exists before the event that counts it down can arrive"}, latch);
  v.field({.name = "events", .help = "events that a waiter and a holder look at"}, events);
  v.field({.name = "errors", .help = "step after an error of tryLock"}, errors);
  v.field({.name = "guid", .help = "whether a client can find its node if the create got no answer"}, guid);
  v.field({.name = "order", .help = "how names are sorted"}, order);
  v.field({.name = "root", .help = "directory of the lock's nodes"}, root);
  v.field({.name = "object", .help = "whether the threads of a process share one object"}, object);
  v.field({.name = "unlock-errors", .help = "step after an error of unlock"}, unlock_errors);
}

ZkArticleOptions ZkArticleOptions::repaired() {
  ZkArticleOptions o;
  o.on_wake = ZkOnWake::lists_again;
  o.predecessor_gone = ZkArticleGone::lists_again;
  o.latch = ZkLatch::before_watch;
  o.events = ZkEvents::all;
  o.errors = ZkErrors::reported;
  o.guid = true;
  o.order = ZkNameOrder::wrapped_number;
  o.unlock_errors = ZkUnlockErrors::retried;
  return o;
}

ZkArticleLock::ZkArticleLock(const LockContext& context, const ZkArticleOptions& options)
    : Lock(context.host),
      process_(ZkProcess::of(context, options.session)),
      options_(options),
      root_(zk_path(options.root == ZkRoot::one ? std::string_view("lock") : context.name)),
      holder_(std::make_shared<ZkHolder>(context.host,
                                         options.events == ZkEvents::all ? options.reaction : ZkReaction::ignores)),
      object_(object_of(context, options)) {
  process_.tell(holder_);
}

std::shared_ptr<ZkArticleLock::Object> ZkArticleLock::object_of(const LockContext& context,
                                                                const ZkArticleOptions& options) {
  std::shared_ptr<Object> own;
  std::shared_ptr<Object>& object = options.object == ZkObject::shared ? context.process->get<Shared>().object : own;
  if (object != nullptr) return object;
  object = std::make_shared<Object>(context.host, options.events);
  context.host.spawn("zk-event", process(context.host, object));
  return object;
}

Task<void> ZkArticleLock::process(Host, std::shared_ptr<Object> object) {
  for (;;) {
    const ZooEvent event = co_await object->watcher.next();
    const bool final = event.state == ZooState::expired || event.state == ZooState::closed;
    const bool counts = event.type == ZooEventType::deleted ||
                        (object->events == ZkEvents::all && (event.type != ZooEventType::none || final));
    if (counts && object->latch != nullptr) object->latch->set();
  }
}

Task<Acquired> ZkArticleLock::acquire(Patience patience) {
  (void)patience.over();
  holder_->released();
  holder_->lost.clear();
  Said said = Said::anew;
  while (said == Said::anew) {
    zk_ = process_.handle();
    said = co_await try_lock(&patience);
    if (said == Said::no) said = co_await wait_lock(&patience);
  }
  if (said == Said::interrupted) {
    if (options_.errors == ZkErrors::reported && !object_->current_node.empty()) {
      host_.spawn("zk-leave", remove_in_background(object_->current_node));
      co_return patience.exhausted();
    }
    co_return Acquired::unknown_because(Why::timed_out);  // its node may yet come to the front
  }
  if (said == Said::thrown) co_return Acquired::refusal(Why::error, "an exception");
  if (said == Said::no) co_return Acquired::refusal();
  Hold hold(object_->current_node);
  hold.token = object_->czxid;
  holder_->granted(zk_);
  co_return Acquired::of(std::move(hold));
}

// Reported: waits until it is worth trying again. Swallowed: it is printed, and the method returns false.
Task<ZkArticleLock::Said> ZkArticleLock::failed(ZooCode code, Patience* patience) {
  if (options_.errors == ZkErrors::swallowed) {
    swallowed_ = true;
    co_return Said::no;
  }
  if (code == ZooCode::session_expired) co_return Said::anew;
  if (!zk_may_retry(code)) co_return Said::thrown;
  const bool connected = co_await process_.connected(zk_, *patience);
  if (connected) co_return Said::yes;
  co_return zk_.alive() ? Said::interrupted : Said::anew;
}

Task<ZkArticleLock::Said> ZkArticleLock::try_lock(Patience* patience) {
  const Said created = co_await create(patience);
  if (created != Said::yes) co_return created;
  const Said listed = co_await list(patience);
  co_return listed;
}

Task<ZkArticleLock::Said> ZkArticleLock::create(Patience* patience) {
  object_->guid = options_.guid ? random_uuid(host_) : "";
  if (options_.errors == ZkErrors::reported) object_->current_node.clear();
  const std::string prefix = root_ + (options_.guid ? '/' + object_->guid + "-lock_" : std::string(kPrefix));
  for (bool root_made = false;;) {
    const auto made = co_await zk_.create(prefix, "", ZooMode::ephemeral_sequential);
    if (made.yes()) {
      object_->current_node = made.value().path;
      object_->czxid = made.value().stat.czxid;
      co_return Said::yes;
    }
    if (made.is(ZooCode::no_node) && !std::exchange(root_made, true)) {
      for (std::size_t slash = root_.find('/', 1);; slash = root_.find('/', slash + 1)) {
        (void)co_await zk_.create(root_.substr(0, slash));
        if (slash == std::string::npos) break;
      }
      continue;
    }
    if (made.unknown()) patience->note_unknown();
    const Said said = co_await failed(made.code(), patience);
    if (said != Said::yes) co_return said;
    if (!options_.guid) continue;
    const bool found = co_await find(object_->guid);
    if (found) co_return Said::yes;
  }
}

Task<bool> ZkArticleLock::find(std::string guid) {
  const auto children = co_await zk_.get_children(root_);
  if (!children.yes()) co_return false;
  for (const std::string& name : children.value().names) {
    if (!name.starts_with(guid)) continue;
    const auto mine = co_await zk_.exists(root_ + '/' + name);
    if (!mine.yes() || mine.value().ephemeral_owner != zk_.session()) co_return false;
    object_->current_node = root_ + '/' + name;
    object_->czxid = mine.value().czxid;
    co_return true;
  }
  co_return false;
}

bool ZkArticleLock::before(const std::string& a, const std::string& b) const {
  if (options_.order == ZkNameOrder::text) return a < b;
  return zk_comes_before(zk_number(a, "lock_").value_or(0), zk_number(b, "lock_").value_or(0), options_.order);
}

// yes: it is the first.  no: `wait_node` is the one before.
Task<ZkArticleLock::Said> ZkArticleLock::list(Patience* patience) {
  for (;;) {
    auto children = co_await zk_.get_children(root_);
    if (!children.yes()) {
      if (children.is(ZooCode::no_node) && options_.errors == ZkErrors::reported) co_return Said::anew;
      const Said said = co_await failed(children.code(), patience);
      if (said != Said::yes) co_return said;
      continue;
    }
    std::vector<std::string> names = std::move(children.value().names);
    if (names.empty()) co_return options_.errors == ZkErrors::swallowed ? Said::no : Said::anew;
    const auto earlier = [this](const auto& a, const auto& b) { return before(a, b); };
    std::sort(names.begin(), names.end(), earlier);
    const std::string mine = object_->current_node.substr(object_->current_node.rfind('/') + 1);
    if (names.front() == mine) co_return Said::yes;
    const auto at = std::lower_bound(names.begin(), names.end(), mine, earlier);
    // Collections.binarySearch says -(place) - 1 of what is not there, and get() of that throws.
    if (at == names.end() || *at != mine) co_return options_.errors == ZkErrors::swallowed ? Said::thrown : Said::anew;
    object_->wait_node = '/' + *std::prev(at);
    co_return Said::no;
  }
}

Task<ZkArticleLock::Said> ZkArticleLock::wait_lock(Patience* patience) {
  for (;;) {
    std::shared_ptr<Event> latch;
    if (options_.latch == ZkLatch::before_watch) {
      latch = std::make_shared<Event>(host_, "the latch");
      object_->latch = latch;
    }
    const auto there = co_await zk_.exists(root_ + object_->wait_node, object_->watcher);
    if (!there.yes() && !there.is(ZooCode::no_node)) {
      const Said said = co_await failed(there.code(), patience);
      if (said != Said::yes) co_return said;
      continue;
    }
    if (there.yes()) {
      if (latch == nullptr) {
        co_await host_.yield("before the latch is there");
        latch = std::make_shared<Event>(host_, "the latch");
        object_->latch = latch;
      }
      const bool counted = co_await await_latch(latch, *patience);
      if (!counted) co_return Said::interrupted;
      if (!zk_.alive() && options_.events == ZkEvents::all) co_return Said::anew;
      if (options_.on_wake == ZkOnWake::returns_true) co_return Said::yes;
    } else if (options_.predecessor_gone == ZkArticleGone::returns_false) {
      co_return Said::no;
    }
    swallowed_ = false;
    const Said listed = co_await list(patience);
    if (listed != Said::no || swallowed_) co_return listed;
  }
}

Task<bool> ZkArticleLock::await_latch(std::shared_ptr<Event> latch, Patience patience) {
  struct Wait {
    static Task<Nothing> until(Host, std::shared_ptr<Event> event) {
      co_await event->wait();
      co_return Nothing{};
    }
  };
  if (patience.remaining() == kForever) {
    co_await latch->wait();
    co_return true;
  }
  const auto counted = co_await with_timeout(host_, Wait::until(host_, latch), patience.remaining());
  co_return counted.has_value();
}

Task<void> ZkArticleLock::remove_in_background(std::string path) { (void)co_await remove(zk_, path); }

Task<Outcome<>> ZkArticleLock::remove(ZooKeeper zk, std::string path) {
  for (bool unknown = false;;) {
    const auto removed = co_await zk.remove(path);
    if (removed.yes()) co_return Outcome<>::of({});
    unknown |= removed.unknown();
    if (removed.is(ZooCode::no_node) && unknown) co_return Outcome<>::of({});
    if (!zk_may_retry(removed.code())) co_return Outcome<>::refusal();
    const bool connected = co_await process_.connected(zk, Patience::unlimited(host_));
    if (!connected) co_return Outcome<>::refusal();
  }
}

// The article deletes the node that its field names by now, even another's.
Task<Outcome<>> ZkArticleLock::release(Hold hold) {
  holder_->released();
  if (options_.unlock_errors == ZkUnlockErrors::retried) {
    const std::string mine = options_.object == ZkObject::shared ? object_->current_node : hold.value;
    const Outcome<> removed = co_await remove(zk_, mine);
    co_return removed;
  }
  const std::string path = object_->current_node;
  const auto there = co_await zk_.exists(path);
  if (there.yes()) (void)co_await zk_.remove(path);
  co_return Outcome<>::of({});  // unlock() tells neither a result nor an error
}

}  // namespace picklock
