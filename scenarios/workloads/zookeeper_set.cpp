#include "scenarios/workloads/zookeeper_set.hpp"

#include "algorithms/curator/curator_client.hpp"

namespace picklock {
namespace {

std::string node_of(const Section& s) {
  return s.hold.value.starts_with('/') ? s.hold.value : curator_path(s.lock_name);
}

template <class T>
Outcome<Stored> failed(const ZooOutcome<T>& answer, bool in_doubt) {
  if (answer.unknown()) return Outcome<Stored>::unknown_because(answer.why());
  if (in_doubt) return Outcome<Stored>::unknown_because(Why::disconnected);
  return Outcome<Stored>::refusal(answer.why(), answer.error());
}

}  // namespace

void ZooKeeperSet::Options::fields(FieldVisitor& v) {
  v.field({.name = "guard", .help = "check of the lock's node in the writing multi"}, guard);
}

CuratorClient& ZooKeeperSet::curator_of(const Host& host, const Stores& stores) {
  LockContext context{host, ""};
  context.reach = stores.reach;
  context.process = stores.process;
  return CuratorClient::of(context, {});
}

Task<Outcome<Stored>> ZooKeeperSet::read(Host, CuratorClient* curator, std::string path) {
  auto found = co_await curator->get_data(path);
  Stored stored;  // version 0: it has never been written
  if (found.is(ZooCode::no_node)) co_return Outcome<Stored>::of(std::move(stored));
  if (!found.yes()) co_return failed(found, false);
  stored.version = static_cast<std::uint64_t>(found.value().stat.mzxid);
  stored.items = items_of(found.value().data);
  co_return Outcome<Stored>::of(std::move(stored));
}

Task<Outcome<Stored>> ZooKeeperSet::set(Host, Section* s, Stored next, ZooKeeperGuard guard) {
  CuratorClient& curator = curator_of(s->host, s->stores);
  const std::string path = key_of(s->first_resource + kSet);
  if (next.version == 0) (void)co_await curator.zookeeper().create(path);  // the first writer makes it
  std::vector<ZooCall> parts;
  if (guard != ZooKeeperGuard::none) {
    const std::int32_t version = guard == ZooKeeperGuard::node_version ? 0 : kZooAnyVersion;
    parts.push_back(ZooKeeper::check_part(node_of(*s), version));
  }
  parts.push_back(ZooKeeper::set_data_part(path, text_of(next.items)));
  bool in_doubt = false;
  const auto answer = co_await curator.multi(std::move(parts), &in_doubt);
  if (!answer.yes()) {
    const bool by_guard = answer.is(ZooCode::no_node) || answer.is(ZooCode::bad_version);
    if (by_guard) record_refused_write(*s, next.version);
    co_return failed(answer, in_doubt);
  }
  next.version = static_cast<std::uint64_t>(answer.value().back().stat.mzxid);
  co_return Outcome<Stored>::of(std::move(next));
}

}  // namespace picklock
