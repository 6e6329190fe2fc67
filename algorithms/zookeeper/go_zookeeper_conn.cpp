#include "algorithms/zookeeper/go_zookeeper_conn.hpp"

#include <charconv>
#include <utility>

#include "algorithms/random_guid.hpp"
#include "base/check.hpp"

namespace picklock {
namespace {

constexpr int kServersOfARound = 3;

}  // namespace

std::string_view to_string(GoZkError error) {
  switch (error) {
    case GoZkError::none:
      return "";
    case GoZkError::connection_closed:
      return "zk: connection closed";
    case GoZkError::no_server:
      return "zk: could not connect to a server";
    case GoZkError::session_expired:
      return "zk: session has been expired by the server";
    case GoZkError::no_node:
      return "zk: node does not exist";
    case GoZkError::node_exists:
      return "zk: node already exists";
    case GoZkError::invalid_path:
      return "zk: invalid path";
    case GoZkError::other:
      return "zk: an error of the server";
  }
  return "";
}

std::optional<std::int64_t> go_zk_sequence(std::string_view name, GoZkParse parse) {
  constexpr std::string_view kLock = "lock-", kKazoo = "__", kDash = "-";
  std::string_view mark = kDash;
  if (parse == GoZkParse::behind_lock) mark = name.find(kLock) != std::string_view::npos ? kLock : kKazoo;
  std::string_view digits = name;
  for (std::size_t at = 0; (at = digits.find(mark)) != std::string_view::npos;) digits.remove_prefix(at + mark.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

Outcome<> go_zk_released(GoZkError removed) {
  if (removed == GoZkError::none) return Outcome<>::of({});
  if (removed == GoZkError::no_node) return Outcome<>::refusal();
  if (removed == GoZkError::connection_closed) return Outcome<>::unknown_because(Why::disconnected);
  return Outcome<>::refusal(Why::error, std::string(to_string(removed)));
}

GoZkConn::GoZkConn(const Host& host, ZooConnector& connector, Duration session)
    : host_(host), connector_(connector), session_(session), watcher_(host, "the session's state") {
  host_.spawn("zk-events", listen());
}

GoZkConn& GoZkConn::of(const LockContext& context, Duration session) {
  PICKLOCK_CHECK(context.process != nullptr);
  return context.process->get<GoZkConn>(context.host, context.get<ZooConnector>(), session);
}

void GoZkConn::connect() { zk_ = connector_.connect(session_, watcher_); }

Task<Acquired> GoZkConn::granted(GoZkNode mine, std::shared_ptr<ZkHolder> holder) {
  if (mine.czxid == 0 && !mine.path.empty()) {  // found by its guid: a holder that fences asks
    ZooStat stat;
    const GoZkError looked = co_await exists(mine.path, &stat);
    if (looked == GoZkError::none) mine.czxid = stat.czxid;
  }
  Hold hold(mine.path);
  if (mine.czxid != 0) hold.token = mine.czxid;
  holder->granted(zk_);
  co_return Acquired::of(std::move(hold));
}

Task<void> GoZkConn::listen() {
  for (;;) {
    const auto event = co_await watcher_.next();
    std::erase_if(holders_, [](const auto& holder) { return holder.expired(); });
    for (const auto& weak : holders_) {
      if (const auto holder = weak.lock()) holder->hear(event.state);
    }
  }
}

template <class T>
GoZkError GoZkConn::error_of(const ZooOutcome<T>& answer) {
  switch (answer.code()) {
    case ZooCode::ok:
      return GoZkError::none;
    case ZooCode::connection_loss:
    case ZooCode::operation_timeout:
      return answer.unknown() ? GoZkError::connection_closed : GoZkError::no_server;
    case ZooCode::session_expired:
      return GoZkError::session_expired;
    case ZooCode::no_node:
      return GoZkError::no_node;
    case ZooCode::node_exists:
      return GoZkError::node_exists;
    default:
      return GoZkError::other;
  }
}

// A request that was not sent waits for the next server, until a round of them has been tried.  A handle that refuses
// without having asked any server is dead, unless it did so only in passing.
template <class T, class Verb>
Task<ZooOutcome<T>> GoZkConn::ask(Verb verb) {
  if (!zk_) connect();
  for (int n = 0, expired = 0;; ++n) {
    auto answer = co_await verb(zk_);
    if (answer.yes() || !answer.refused() || n >= kServersOfARound) co_return answer;
    if (answer.is(ZooCode::session_expired) && !zk_.alive()) {
      if (++expired == 2) connect();
    } else if (!answer.is(ZooCode::connection_loss)) {
      co_return answer;
    }
  }
}

Task<GoZkError> GoZkConn::children(std::string path, std::vector<std::string>* names) {
  const auto verb = [path](const ZooKeeper& zk) { return zk.get_children(path); };
  auto answer = co_await ask<ZooChildren>(verb);
  if (answer.yes()) *names = std::move(answer.value().names);
  co_return error_of(answer);
}

Task<GoZkError> GoZkConn::exists(std::string path, ZooStat* stat) {
  const auto verb = [path](const ZooKeeper& zk) { return zk.exists(path); };
  const auto answer = co_await ask<ZooStat>(verb);
  if (answer.yes()) *stat = answer.value();
  co_return error_of(answer);
}

Task<GoZkError> GoZkConn::get_w(std::string path, ZooWatcher watcher) {
  if (path.ends_with('/')) co_return GoZkError::invalid_path;
  const auto verb = [path, watcher](const ZooKeeper& zk) { return zk.get_data(path, watcher); };
  const auto answer = co_await ask<ZooData>(verb);
  co_return error_of(answer);
}

Task<GoZkError> GoZkConn::create(std::string path, ZooMode mode, GoZkNode* node) {
  const auto verb = [path, mode](const ZooKeeper& zk) { return zk.create(path, {}, mode); };
  const auto answer = co_await ask<ZooCreated>(verb);
  if (answer.yes()) {
    node->path = answer.value().path;
    node->czxid = answer.value().stat.czxid;
  }
  node->left_behind = node->left_behind || answer.unknown();
  co_return error_of(answer);
}

Task<GoZkError> GoZkConn::remove(std::string path) {
  const auto verb = [path](const ZooKeeper& zk) { return zk.remove(path); };
  const auto answer = co_await ask<Nothing>(verb);
  co_return error_of(answer);
}

Task<GoZkError> GoZkConn::create_protected(std::string parent, std::string name, GoZkGuidSearch search,
                                           GoZkNode* node) {
  const std::string guid = random_guid_hex(host_);
  const std::string path = parent + "/_c_" + guid + '-' + name;
  GoZkError error = GoZkError::none;
  for (int i = 0; i < 3; ++i) {
    error = co_await create(path, ZooMode::ephemeral_sequential, node);
    if (error == GoZkError::session_expired) continue;  // "it can't exist"
    if (error != GoZkError::connection_closed) co_return error;
    const GoZkError found = co_await find(parent, guid, search, node);
    if (found != GoZkError::none || !node->path.empty()) co_return found;
  }
  co_return error;
}

Task<GoZkError> GoZkConn::find(std::string parent, std::string guid, GoZkGuidSearch search, GoZkNode* node) {
  std::vector<std::string> names;
  const GoZkError listed = co_await children(parent, &names);
  if (listed != GoZkError::none) co_return listed;
  for (const std::string& name : names) {
    if (!name.starts_with("_c_" + guid)) continue;
    const std::string path = parent + '/' + name;
    if (search == GoZkGuidSearch::own_session) {
      ZooStat stat;
      const GoZkError looked = co_await exists(path, &stat);
      if (looked == GoZkError::no_node) continue;
      if (looked != GoZkError::none) co_return looked;
      if (stat.ephemeral_owner != session()) continue;
      node->czxid = stat.czxid;
    }
    node->path = path;
  }
  co_return GoZkError::none;
}

Task<GoZkError> GoZkConn::create_with_parents(std::string parent, std::string name, GoZkGuidSearch search,
                                              GoZkNode* node) {
  GoZkError error = GoZkError::none;
  for (int i = 0; i < 3; ++i) {
    error = co_await create_protected(parent, name, search, node);
    if (error != GoZkError::no_node) co_return error;
    for (std::size_t end = parent.find('/', 1);; end = parent.find('/', end + 1)) {
      const std::string ancestor = parent.substr(0, end);
      ZooStat stat;
      error = co_await exists(ancestor, &stat);
      if (error == GoZkError::no_node) {
        GoZkNode made;
        error = co_await create(ancestor, ZooMode::persistent, &made);
        if (error == GoZkError::node_exists) error = GoZkError::none;
      }
      if (error != GoZkError::none) co_return error;
      if (end == std::string::npos) break;
    }
  }
  co_return GoZkError::no_node;
}

Task<GoZkError> GoZkConn::watch_event(Host, ZooWatcher watcher) {
  for (;;) {
    const auto event = co_await watcher.next();
    if (event.type != ZooEventType::none) co_return GoZkError::none;
    if (event.state == ZooState::expired) co_return GoZkError::session_expired;
    if (event.state == ZooState::closed) co_return GoZkError::connection_closed;
  }
}

}  // namespace picklock
