// The protected create of Curator's client.
#include "algorithms/curator/curator_client.hpp"
#include "algorithms/random_guid.hpp"

namespace picklock {

Task<CuratorCreated> CuratorClient::create_protected(std::string parent, std::string name, ZooMode mode,
                                                     std::string* under_way) {
  const std::string prefix = "_c_" + random_uuid(host_) + '-';
  if (under_way != nullptr) *under_way = prefix;
  auto created = co_await create_with_prefix(std::move(parent), prefix, std::move(name), mode);
  if (under_way != nullptr) under_way->clear();
  co_return created;
}

Task<CuratorCreated> CuratorClient::create_with_prefix(std::string parent, std::string prefix, std::string name,
                                                       ZooMode mode) {
  CreateAttempt attempt;
  bool in_doubt = false;
  (void)co_await block_until_connected();
  for (std::int64_t n = 0;; ++n) {
    attempt.again = n > 0;
    auto made = co_await create_once(parent, prefix, name, mode, &attempt);
    in_doubt = in_doubt || made.unknown();
    if (made.yes()) co_return CuratorCreated(std::move(made), false);
    bool again = false;
    if (curator_retries(made.code())) {
      const bool allowed = co_await may_retry(n);
      again = allowed;
    }
    if (again && attempt.searched && options_.retry_loops == CuratorRetryLoops::shared) {
      co_return CuratorCreated(ZooOutcome<ZooCreated>::failed(ZooCode::bad_arguments, false), in_doubt);  // null
    }
    if (again) continue;
    // Only ConnectionLoss: after an OperationTimeout Curator does not look.
    if (made.is(ZooCode::connection_loss) && options_.find_and_delete) {
      find_and_delete_in_background(parent, prefix);
    }
    co_return CuratorCreated(std::move(made), in_doubt);
  }
}

Task<ZooOutcome<ZooCreated>> CuratorClient::create_once(std::string parent, std::string prefix, std::string name,
                                                        ZooMode mode, CreateAttempt* attempt) {
  if (given_up_connecting()) co_return ZooOutcome<ZooCreated>::failed(ZooCode::connection_loss, false);
  if (attempt->session == 0) attempt->session = zookeeper_.session();
  if (attempt->again) {
    std::string found;
    const auto looked = co_await find(parent, prefix, &found);
    if (!looked.yes() && !looked.is(ZooCode::no_node)) {
      co_return ZooOutcome<ZooCreated>::failed(looked.code(), false);
    }
    attempt->searched = true;
    const bool stale = attempt->session != zookeeper_.session() && options_.found_node == CuratorFoundNode::own_session;
    if (!found.empty() && stale) {
      delete_in_background(found);
      found.clear();
    }
    attempt->session = zookeeper_.session();  // a node found later is of this one
    if (!found.empty()) {
      ZooCreated mine;
      mine.path = found;
      co_return ZooOutcome<ZooCreated>::of(std::move(mine));
    }
  }
  auto made = co_await create_with_parents(parent, prefix + name, mode);
  co_return made;
}

Task<ZooOutcome<ZooCreated>> CuratorClient::create_with_parents(std::string parent, std::string node, ZooMode mode) {
  const std::string path = parent + '/' + node;
  auto made = co_await zookeeper_.create(path, {}, mode);
  if (!made.is(ZooCode::no_node)) co_return made;
  const auto parents = co_await make_parents(parent);
  if (!parents.yes()) co_return ZooOutcome<ZooCreated>::failed(parents.code(), false);
  auto second = co_await zookeeper_.create(path, {}, mode);
  co_return second;
}

// ZKPaths.mkdirs: containers, so that the server clears them away once they are empty.
Task<ZooOutcome<>> CuratorClient::make_parents(std::string path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string ancestor = path.substr(0, end);
    const auto there = co_await zookeeper_.exists(ancestor);
    if (there.is(ZooCode::no_node)) {
      const auto made = co_await zookeeper_.create(ancestor, {}, ZooMode::container);
      if (!made.yes() && !made.is(ZooCode::node_exists)) co_return ZooOutcome<>::failed(made.code(), made.unknown());
    } else if (!there.yes()) {
      co_return ZooOutcome<>::failed(there.code(), false);
    }
    if (end == std::string::npos) co_return ZooOutcome<>::of({});
  }
}

void CuratorClient::find_and_delete_in_background(std::string parent, std::string prefix) {
  host_.spawn("curator-background", run_find_and_delete(std::move(parent), std::move(prefix)));
}

// Its caller's loop tries it again.
Task<ZooOutcome<ZooChildren>> CuratorClient::children_once(std::string parent) {
  if (given_up_connecting()) co_return ZooOutcome<ZooChildren>::failed(ZooCode::connection_loss, false);
  auto listed = co_await zookeeper_.get_children(parent);
  co_return listed;
}

// The child with this uuid, if there is one.
Task<ZooOutcome<>> CuratorClient::find(std::string parent, std::string prefix, std::string* found) {
  const bool shares = options_.retry_loops == CuratorRetryLoops::shared;
  auto list = shares ? children_once(parent) : get_children(parent);
  const auto listed = co_await list;
  if (!listed.yes()) co_return ZooOutcome<>::failed(listed.code(), false);
  for (const std::string& child : listed.value().names) {
    if (child.starts_with(prefix)) *found = parent + '/' + child;
  }
  co_return ZooOutcome<>::of({});
}

}  // namespace picklock
