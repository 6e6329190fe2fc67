#include "algorithms/curator/curator_mutex.hpp"

#include <algorithm>
#include <utility>

namespace picklock {
namespace {

constexpr std::string_view kRevoke = "__REVOKE__";

}  // namespace

void CuratorMutexOptions::fields(FieldVisitor& v) {
  client.fields(v);
  v.field({.name = "session-check", .help = "whether the node must be of this session"}, session_check);
  v.field({.name = "release", .help = "reaction of a release whose delete failed"}, release);
  v.field({.name = "revocable", .help = "others may ask the holder to stop"}, revocable);
  v.field({.name = "token", .help = "number that the storage gets as fencing token"}, token);
}

CuratorMutex::CuratorMutex(const LockContext& context, std::string path, const CuratorMutexOptions& options)
    : Lock(context.host),
      data_(std::make_shared<CuratorLockData>()),
      client_(CuratorClient::of(context, options.client)),
      path_(std::move(path)),
      options_(options),
      watcher_(context.host, "the node before mine"),
      loss_(std::make_shared<CuratorLoss>(context.host, options.client.reaction)) {
  client_.tell(loss_);
}

Event* CuratorMutex::lost() {
  const bool never = options_.client.reaction == CuratorReaction::ignores && !options_.revocable;
  return never ? nullptr : &loss_->lost;
}

Acquired CuratorMutex::grant() {
  Hold hold(data_->path);
  const std::int64_t zxid = data_->mzxid != 0 ? data_->mzxid : data_->czxid;
  if (zxid != 0) hold.token = zxid;
  return Acquired::of(std::move(hold));
}

Task<Acquired> CuratorMutex::acquire(Patience patience) {
  if (data_->count > 0) {
    ++data_->count;
    co_return grant();
  }
  std::optional<Duration> wait;
  if (patience.remaining() < kForever) wait = patience.remaining();
  auto answer = co_await attempt(wait);
  co_return answer;
}

// LockInternals.attemptLock
Task<Acquired> CuratorMutex::attempt(std::optional<Duration> wait) {
  Waiting w;
  w.start = client_.now();
  w.left = wait;
  for (std::int64_t n = 0;; ++n) {
    Found found = Found::failed;
    const auto made = co_await create();
    if (made.answer.yes()) {
      w.mine = {made.answer.value().path, made.answer.value().stat.czxid, made.answer.value().stat.ephemeral_owner, 0};
      in_line_ = w.mine.path;
      const Found looped = co_await loop(&w);
      in_line_.clear();
      found = looped;
    } else {
      w.code = made.answer.code();
      w.in_doubt = w.in_doubt || made.left_behind;
      if (w.code == ZooCode::no_node) found = Found::no_node;
    }
    if (found == Found::held) {
      *data_ = w.mine;
      data_->count = 1;
      loss_->granted(client_.state());
      co_return grant();
    }
    if (found == Found::no_node) {
      const bool again = co_await client_.may_retry(n);
      if (again) continue;
    }
    if (w.in_doubt) co_return Acquired::unknown_because(Why::disconnected);
    if (found == Found::timed_out) co_return Acquired::refusal();
    co_return Acquired::refusal(Why::error, std::string(to_string(w.code)));
  }
}

Task<CuratorMutex::Found> CuratorMutex::loop(Waiting* w) {
  if (options_.revocable) {
    const ZooWatcher watcher(host_, "revocation");
    const auto read = co_await client_.get_data(w->mine.path, watcher);
    if (read.yes()) host_.spawn("revocation", run_revocation(w->mine.path, watcher));
  }
  Found found = co_await look_and_wait(w);
  if (found == Found::held && w->mine.czxid == 0) {
    const ZooCode code = co_await learn_stat(w);
    if (code == ZooCode::no_node) found = Found::no_node;
  }
  if (found == Found::held && options_.token == CuratorToken::mzxid) {
    const ZooCode code = co_await read_token(w);
    if (code == ZooCode::no_node) found = Found::no_node;
  }
  if (found != Found::held) (void)co_await remove_mine(w);
  co_return found;
}

Task<CuratorMutex::Found> CuratorMutex::look_and_wait(Waiting* w) {
  const std::string mine = w->mine.path.substr(path_.size() + 1);
  for (;;) {
    auto listed = co_await client_.get_children(path_);
    w->code = listed.code();
    if (listed.is(ZooCode::no_node)) co_return Found::no_node;
    if (!listed.yes()) co_return Found::failed;
    std::vector<std::string>& children = listed.value().names;
    std::stable_sort(children.begin(), children.end(), [this](const std::string& a, const std::string& b) {
      const std::string left = sort_key(a), right = sort_key(b);
      return left < right;
    });
    const Place here = place(children, mine);
    if (!here.listed) co_return Found::no_node;
    if (here.first) {
      if (options_.session_check == CuratorSessionCheck::never) co_return Found::held;
      w->code = co_await learn_stat(w);
      if (w->code != ZooCode::ok && w->code != ZooCode::no_node) co_return Found::failed;
      const bool ours = w->code == ZooCode::ok && w->mine.session == client_.zookeeper().session();
      co_return ours ? Found::held : Found::no_node;
    }
    watcher_.forget();  // a signal without a waiter is lost, as in notifyAll
    const auto read = co_await client_.get_data(path_ + '/' + here.watch, watcher_);
    w->code = read.code();
    if (read.is(ZooCode::no_node)) continue;
    if (!read.yes()) co_return Found::failed;
    if (!w->left) {
      (void)co_await watcher_.next();
      continue;
    }
    const CuratorTime now = client_.now();
    *w->left -= now - w->start;
    w->start = now;
    if (*w->left <= Duration{}) co_return Found::timed_out;
    (void)co_await with_timeout(host_, watcher_.next(), *w->left);
  }
}

// The Stat of the own node, if it came without: what a holder that fences reads.
Task<ZooCode> CuratorMutex::learn_stat(Waiting* w) {
  if (w->mine.czxid != 0) co_return ZooCode::ok;
  const auto stat = co_await client_.exists(w->mine.path);
  if (!stat.yes()) co_return stat.code();
  w->mine.czxid = stat.value().czxid;
  w->mine.session = stat.value().ephemeral_owner;
  co_return ZooCode::ok;
}

// Reads the node's token with checkExists().forPath().
Task<ZooCode> CuratorMutex::read_token(Waiting* w) {
  const auto stat = co_await client_.exists(w->mine.path);
  if (!stat.yes()) co_return stat.code();
  w->mine.mzxid = stat.value().mzxid;
  co_return ZooCode::ok;
}

Task<Nothing> CuratorMutex::remove_mine(Waiting* w) {
  const auto removed = co_await client_.remove_guaranteed(w->mine.path);
  w->in_doubt = w->in_doubt || !removed.yes();
  co_return Nothing{};
}

Task<Outcome<>> CuratorMutex::interrupted() {
  client_.zookeeper().forget(watcher_);
  if (!creating_.empty() && options_.client.find_and_delete) {
    client_.find_and_delete_in_background(path_, std::exchange(creating_, {}));
    co_return Outcome<>::unknown_because(Why::timed_out);
  }
  if (in_line_.empty()) co_return Outcome<>::unknown_because(Why::timed_out);
  const std::string mine = std::exchange(in_line_, {});
  const auto removed = co_await client_.remove_guaranteed(mine);
  co_return removed.yes() ? Outcome<>::of({}) : Outcome<>::unknown_because(Why::disconnected);
}

Task<Outcome<>> CuratorMutex::release(Hold) {
  if (data_->count == 0) co_return Outcome<>::refusal(Why::error, "You do not own the lock");
  if (--data_->count > 0) co_return Outcome<>::of({});
  loss_->released();
  client_.zookeeper().forget(watcher_);
  const std::string mine = data_->path;
  for (;;) {
    const auto removed = co_await client_.remove_guaranteed(mine);
    if (removed.yes()) co_return Outcome<>::of({});
    if (options_.release == CuratorRelease::until_deleted && curator_retries(removed.code())) {
      co_await host_.sleep(options_.client.retry_base);
      continue;
    }
    co_return removed.unknown() ? Outcome<>::unknown_because(removed.why())
                                : Outcome<>::refusal(removed.why(), removed.error());
  }
}

// --- revocation ----------------------------------------------------------------------------------------

Task<Outcome<>> CuratorMutex::force_release() {
  if (!options_.revocable) co_return Outcome<>::refusal();
  auto listed = co_await client_.get_children(path_);
  if (!listed.yes() || listed.value().names.empty()) co_return Outcome<>::refusal();
  const std::vector<std::string>& children = listed.value().names;
  const std::string first = *std::min_element(children.begin(), children.end(), [this](const auto& a, const auto& b) {
    const std::string left = sort_key(a), right = sort_key(b);
    return left < right;
  });
  const auto set = co_await client_.set_data(path_ + '/' + first, std::string(kRevoke));
  co_return set.refused() ? Outcome<>::refusal(set.why(), set.error()) : Outcome<>::unknown_because(Why::timed_out);
}

Task<void> CuratorMutex::run_revocation(std::string mine, ZooWatcher watcher) {
  for (;;) {
    const auto event = co_await watcher.next();
    if (event.type == ZooEventType::none && event.state != ZooState::expired) continue;
    if (event.type != ZooEventType::data_changed) co_return;
    const auto read = co_await client_.get_data(mine, watcher);
    if (!read.yes()) co_return;
    if (read.value().data == kRevoke && data_->count > 0 && data_->path == mine) loss_->lost.set();
  }
}

// --- the driver ----------------------------------------------------------------------------------------

Task<CuratorCreated> CuratorMutex::create() {
  return client_.create_protected(path_, std::string(lock_name()), ZooMode::ephemeral_sequential, &creating_);
}

// StandardLockInternalsDriver, with one lease.
CuratorMutex::Place CuratorMutex::place(const std::vector<std::string>& sorted, const std::string& mine) const {
  const auto here = std::find(sorted.begin(), sorted.end(), mine);
  if (here == sorted.end()) return {};
  if (here == sorted.begin()) return {true, true, {}};
  return {true, false, *std::prev(here)};
}

// The key is the text behind the last "lock-".
std::string CuratorMutex::sort_key(const std::string& child) const {
  const std::size_t at = child.rfind(lock_name());
  return at == std::string::npos ? child : child.substr(at + lock_name().size());
}

}  // namespace picklock
