#include "algorithms/curator/curator_leader_latch.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "sim/task/combinators.hpp"

namespace picklock {
namespace {

constexpr std::string_view kName = "latch-";

std::string number_of(const std::string& child) {
  const std::size_t at = child.rfind(kName);
  return at == std::string::npos ? child : child.substr(at + kName.size());
}

}  // namespace

// --- one object: started, leader or not, closed

class CuratorLeaderLatch::Latch final : public CuratorListener, public std::enable_shared_from_this<Latch> {
 public:
  Latch(const Host& host, CuratorClient& client, std::string path, const CuratorLatchOptions& options, Event& lost)
      : host_(host),
        client_(client),
        path_(std::move(path)),
        options_(options),
        lost_(lost),
        changed_(host, "leadership"),
        states_changed_(host, "a state of the connection"),
        over_(host, "the end of a latch"),
        before_(host, "the node before mine") {}
  const Host& host() const { return host_; }
  bool leads() const { return !closed_ && leads_; }
  Event& changed() { return changed_; }
  Hold hold() const {
    Hold hold(node_);
    if (czxid_ != 0) hold.token = czxid_;
    return hold;
  }

  // AfterConnectionEstablished, internalStart
  static Task<void> start(Host, std::shared_ptr<Latch> self) {
    (void)co_await self->client_.block_until_connected();
    if (self->closed_) co_return;
    self->client_.tell(self);
    self->host_.spawn("latch-listener", listen(self->host_, self));
    (void)co_await self->reset();
  }

  void close() {
    if (std::exchange(closed_, true)) return;
    set_node({});
    if (client_.zookeeper()) client_.zookeeper().forget(before_);  // none yet, if its time is over at once
    set_leadership(false);
    states_changed_.notify();
    over_.set();
  }

  // Its node stays, and no task of its own says anything any more.
  void fall_silent() { closed_ = silent_ = true; }

  void hear(CuratorState state) override {
    states_.push_back(state);
    states_changed_.notify();
  }

 private:
  bool of(CuratorLatchRelease first) const { return options_.release >= first; }

  // The thread of ConnectionStateManager.
  static Task<void> listen(Host, std::shared_ptr<Latch> self) {
    while (!self->closed_) {
      if (self->states_.empty()) {
        co_await self->states_changed_.wait();
        continue;
      }
      const CuratorState state = self->states_.front();
      self->states_.pop_front();
      (void)co_await self->state_changed(state);
    }
  }

  Task<Nothing> state_changed(CuratorState state) {
    const bool suspended_is_error = options_.client.reaction != CuratorReaction::stops_at_lost;
    const bool looks = of(CuratorLatchRelease::v5_9) || suspended_is_error || !leads_;
    if (state == CuratorState::reconnected && looks) {
      if (of(CuratorLatchRelease::v5_6)) {
        check();
      } else {
        (void)co_await reset();
      }
    }
    if (state == CuratorState::lost || (state == CuratorState::suspended && suspended_is_error)) set_leadership(false);
    co_return Nothing{};
  }

  void set_leadership(bool leads) {
    const bool before = std::exchange(leads_, leads);
    if (before && !leads && !closed_) lost_.set();  // close() drops the listeners first
    changed_.notify();
  }

  // Deletes the node that it had, in the background.
  void set_node(std::string node) {
    const std::string old = std::exchange(node_, std::move(node));
    if (!old.empty()) client_.remove_in_background(old);
  }

  Task<Nothing> reset() {
    set_leadership(false);
    co_await host_.yield("the latch was told that it does not lead, and has its node still");
    set_node({});
    host_.spawn("latch-create", create(host_, shared_from_this()));
    co_return Nothing{};
  }

  static Task<void> create(Host, std::shared_ptr<Latch> self) {
    const auto made =
        co_await self->client_.create_protected(self->path_, std::string(kName), ZooMode::ephemeral_sequential);
    if (!made.answer.yes() || self->silent_) co_return;  // a failure is logged
    self->set_node(made.answer.value().path);
    self->czxid_ = made.answer.value().stat.czxid;
    if (self->closed_) {
      self->set_node({});
    } else {
      self->check();
    }
  }

  void check() { host_.spawn("latch-check", run_check(host_, shared_from_this())); }

  static Task<void> run_check(Host, std::shared_ptr<Latch> self) {
    auto listed = co_await self->client_.get_children(self->path_);
    if (!listed.yes()) co_return;  // it is logged
    (void)co_await self->check_leadership(std::move(listed.value().names));
  }

  // Also of a closed latch, whose answer comes late: it finds no node of its own, and makes another one.
  Task<Nothing> check_leadership(std::vector<std::string> children) {
    if (silent_) co_return Nothing{};
    const std::string mine = node_;
    std::stable_sort(children.begin(), children.end(),
                     [](const auto& a, const auto& b) { return number_of(a) < number_of(b); });
    const std::string name = mine.empty() ? mine : mine.substr(path_.size() + 1);
    const auto here = mine.empty() ? children.end() : std::find(children.begin(), children.end(), name);
    if (here == children.end()) {
      (void)co_await reset();
    } else if (here == children.begin()) {
      (void)co_await lead(mine);
    } else {
      if (of(CuratorLatchRelease::v5_6)) set_leadership(false);
      const std::string previous = path_ + '/' + *std::prev(here);
      (void)co_await watch(previous);
    }
    co_return Nothing{};
  }

  Task<Nothing> lead(std::string mine) {
    if (of(CuratorLatchRelease::v5_9)) {
      const auto read = co_await client_.get_data(mine);
      const bool ours = read.yes() && read.value().stat.ephemeral_owner == client_.zookeeper().session();
      if (!ours) {
        if (!silent_) (void)co_await reset();
        co_return Nothing{};
      }
      czxid_ = read.value().stat.czxid;
    }
    set_leadership(true);
    co_return Nothing{};
  }

  Task<Nothing> watch(std::string previous) {
    const ZooWatcher watcher(host_, "the node before mine");
    before_ = watcher;
    const auto read = co_await client_.get_data(previous, watcher);
    if (read.is(ZooCode::no_node)) {
      if (of(CuratorLatchRelease::v5_6)) {
        check();
      } else {
        (void)co_await reset();
      }
      co_return Nothing{};
    }
    if (!read.yes()) co_return Nothing{};
    std::vector<Task<bool>> ends;
    ends.push_back(until_deleted(host_, watcher));
    ends.push_back(until_closed(host_, shared_from_this()));
    const auto first = co_await first_of(host_, std::move(ends));
    if (first.second && !closed_) check();
    co_return Nothing{};
  }
  static Task<bool> until_deleted(Host, ZooWatcher watcher) {
    for (;;) {
      const auto event = co_await watcher.next();
      if (event.type == ZooEventType::deleted) co_return true;
    }
  }
  static Task<bool> until_closed(Host, std::shared_ptr<Latch> self) {
    while (!self->closed_) co_await self->over_.wait();
    co_return false;
  }

  Host host_;
  CuratorClient& client_;
  std::string path_;
  CuratorLatchOptions options_;
  Event& lost_;
  bool leads_ = false, closed_ = false, silent_ = false;
  std::string node_;        // ourPath
  std::int64_t czxid_ = 0;  // 0: not known
  Event changed_, states_changed_, over_;
  std::deque<CuratorState> states_;  // states that the listener has not heard yet
  ZooWatcher before_;
};

// --- as a lock

void CuratorLatchOptions::fields(FieldVisitor& v) {
  client.fields(v);
  v.field({.name = "release", .help = "release of Curator whose LeaderLatch this is"}, release);
}

CuratorLeaderLatch::CuratorLeaderLatch(const LockContext& context, const CuratorLatchOptions& options)
    : Lock(context.host),
      client_(CuratorClient::of(context, options.client)),
      path_(curator_path(context.name)),
      options_(options),
      lost_(context.host, "loss of the leadership") {}

Event* CuratorLeaderLatch::lost() { return options_.client.reaction == CuratorReaction::ignores ? nullptr : &lost_; }

namespace {

// An acquire that is abandoned, or whose process dies, sends nothing more.
template <class L>
struct SilentUnlessKept {
  std::shared_ptr<L> latch;
  bool kept = false;
  ~SilentUnlessKept() {
    if (!kept) latch->fall_silent();
  }
};

template <class L>
Task<Nothing> until_leader(Host, std::shared_ptr<L> latch) {
  while (!latch->leads()) co_await latch->changed().wait();
  co_return Nothing{};
}

}  // namespace

Task<Acquired> CuratorLeaderLatch::acquire(Patience patience) {
  const auto latch = std::make_shared<Latch>(host_, client_, path_, options_, lost_);
  SilentUnlessKept<Latch> guard{latch};
  host_.spawn("latch-start", Latch::start(host_, latch));
  if (patience.remaining() == kForever) {
    (void)co_await until_leader(host_, latch);
  } else {
    const auto led = co_await with_timeout(host_, until_leader(host_, latch), patience.remaining());
    if (!led) {
      guard.kept = true;
      latch->close();
      co_return Acquired::refusal();
    }
  }
  guard.kept = true;
  latch_ = latch;
  lost_.clear();
  co_return Acquired::of(latch->hold());
}

Task<Outcome<>> CuratorLeaderLatch::release(Hold) {
  if (!latch_) co_return Outcome<>::refusal(Why::error, "Already closed or has not been started");
  std::exchange(latch_, nullptr)->close();
  co_return Outcome<>::of({});
}

}  // namespace picklock
