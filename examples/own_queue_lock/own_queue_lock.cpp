// own-queue-lock, on ZooKeeper: a queue of ephemeral sequential nodes, each waits for the one before it.
//
// Promises:  one owner at a time among the sessions that live; first come, first served.
// Does not:  stop a holder whose session has expired without its knowledge.
#include "own_queue_lock.hpp"

#include <algorithm>
#include <charconv>

#include "algorithms/lock.hpp"
#include "algorithms/random_guid.hpp"
#include "algorithms/zookeeper/zk_process.hpp"

using namespace picklock;

namespace {

struct OwnQueueOptions {
  Duration session = seconds(2);

  void fields(FieldVisitor& v) {
    v.field({.name = "session", .help = "session timeout that is asked for", .least = 1'000'000}, session);
  }
};

// The number that ZooKeeper has put behind the name of a sequential node.
std::int64_t number_of(std::string_view name) {
  std::int64_t number = 0;
  const std::size_t digits = std::min<std::size_t>(name.size(), 10);
  std::from_chars(name.data() + name.size() - digits, name.data() + name.size(), number);
  return number;
}

class OwnQueueLock final : public Lock {
 public:
  OwnQueueLock(const LockContext& context, const OwnQueueOptions& options)
      : Lock(context.host),
        process_(ZkProcess::of(context, options.session)),
        directory_(zk_path(context.name)),
        watcher_(context.host) {}

  Task<Acquired> acquire(Patience patience) override {
    (void)patience.over();
    ZooKeeper zk = process_.handle();
    const std::string guid = random_uuid(host_);  // a create whose answer is lost can be found by it
    std::optional<Hold> mine;
    for (bool may_be_there = false;;) {
      if (!zk.alive()) {  // nothing of an expired session is left
        zk = process_.handle();
        mine.reset();
        may_be_there = false;
      }
      if (!mine && may_be_there) {
        const auto children = co_await zk.get_children(directory_);
        if (children.yes()) mine = own_of(children.value().names, guid);
        if (children.yes() || children.is(ZooCode::no_node)) may_be_there = false;  // no directory, no node
      }
      if (!mine && !may_be_there) {
        const auto made = co_await zk.create(directory_ + "/" + guid + "-", "", ZooMode::ephemeral_sequential);
        if (made.yes()) mine = Hold(made.value().path);
        may_be_there = made.unknown();
        if (made.is(ZooCode::no_node)) {
          const auto directory = co_await zk.create(directory_, "", ZooMode::persistent);
          if (directory.yes() || directory.is(ZooCode::node_exists)) continue;
        }
      }
      if (mine) {
        const auto children = co_await zk.get_children(directory_);
        if (children.yes()) {
          const auto before = before_of(children.value().names, mine->value.substr(directory_.size() + 1));
          if (!before) {
            mine.reset();  // another deleted it
            continue;
          }
          if (before->empty()) {
            zk_ = zk;
            co_return Acquired::of(*mine);
          }
          watcher_.forget();
          const auto there = co_await zk.exists(directory_ + "/" + *before, watcher_);
          if (there.is(ZooCode::no_node)) continue;
          if (there.yes()) {
            const bool woken = co_await zk_event(host_, watcher_, patience);
            if (woken) continue;
            break;
          }
        }
      }
      const bool connected = co_await process_.connected(zk, patience);
      if (!connected && zk.alive()) break;
    }
    zk.forget(watcher_);
    host_.spawn("leave", leave(&process_, zk, directory_, guid));
    co_return patience.exhausted();
  }

  Task<Outcome<>> release(Hold hold) override {
    const Outcome<> removed = co_await remove(&process_, zk_, hold.value);
    co_return removed;
  }

 private:
  std::optional<Hold> own_of(const std::vector<std::string>& names, const std::string& guid) const {
    for (const std::string& name : names) {
      if (name.starts_with(guid)) return Hold(directory_ + "/" + name);
    }
    return std::nullopt;
  }

  // The node that stands before `mine`; empty: mine is the first; nothing: it is not there.
  static std::optional<std::string> before_of(const std::vector<std::string>& names, const std::string& mine) {
    if (std::find(names.begin(), names.end(), mine) == names.end()) return std::nullopt;
    std::string before;
    for (const std::string& name : names) {
      if (number_of(name) >= number_of(mine)) continue;
      if (before.empty() || number_of(name) > number_of(before)) before = name;
    }
    return before;
  }

  static Task<Outcome<>> remove(ZkProcess* process, ZooKeeper zk, std::string path) {
    for (bool unknown = false;;) {
      const auto removed = co_await zk.remove(path);
      if (removed.yes()) co_return Outcome<>::of({});
      unknown |= removed.unknown();
      if (removed.is(ZooCode::no_node)) co_return unknown ? Outcome<>::of({}) : Outcome<>::refusal();
      if (!zk_may_retry(removed.code())) co_return Outcome<>::refusal();  // the session took it along
      const bool connected = co_await process->connected(zk, Patience::unlimited(process->host()));
      if (!connected) co_return Outcome<>::refusal();
    }
  }

  // Out of patience: whatever this acquire has put into the queue goes.
  static Task<void> leave(ZkProcess* process, ZooKeeper zk, std::string directory, std::string guid) {
    while (zk.alive()) {
      const auto children = co_await zk.get_children(directory);
      if (children.yes()) {
        for (const std::string& name : children.value().names) {
          if (name.starts_with(guid)) (void)co_await remove(process, zk, directory + "/" + name);
        }
        co_return;
      }
      if (children.is(ZooCode::no_node)) co_return;
      (void)co_await process->connected(zk, Patience::unlimited(process->host()));
    }
  }

  ZkProcess& process_;
  std::string directory_;
  ZooWatcher watcher_;
  ZooKeeper zk_;  // of the hold
};

constexpr AssumptionOf kAssumptions[] = {{"pauses-shorter-than", "session", 6},
                                         {"delays-shorter-than", "session", 6},
                                         {"disconnections-shorter-than", "session", 6},
                                         {"clock-rates-within", ""},
                                         {"no-power-losses", ""},
                                         {"no-data-loss", ""}};

}  // namespace

void add_own_queue_lock() {
  add_lock_kind({
      .name = "own-queue-lock",
      .summary = "a queue of ephemeral sequential nodes, each waits for the one before it",
      .source = "this project",
      .claims = {.fair = true, .renewing = true},
      .service = "zookeeper",
      .ownership = "znode-first",
      .assumptions = kAssumptions,
      .default_options = []() -> std::unique_ptr<Options> { return std::make_unique<OptionsOf<OwnQueueOptions>>(); },
      .make = [](const LockContext& context, const Options& options) -> std::unique_ptr<Lock> {
        return std::make_unique<OwnQueueLock>(context, options.as<OwnQueueOptions>());
      },
      .lease = [](const Options& options) { return std::optional(options.as<OwnQueueOptions>().session); },
      .terms = {.what = "session timeout", .option = "session"},
  });
}
