#include "sim/zookeeper/watches.hpp"

#include <algorithm>
#include <utility>

namespace picklock {

void ZooWatches::leave(Table& table, std::string_view path, Client client) {
  auto found = table.find(path);
  if (found == table.end()) found = table.emplace(std::string(path), std::vector<Client>()).first;
  std::vector<Client>& clients = found->second;
  if (std::find(clients.begin(), clients.end(), client) == clients.end()) clients.push_back(client);
}

void ZooWatches::add(Client client, const ZooRequest& read, ZooCode answered) {
  if (!read.watch) return;
  if (answered != ZooCode::ok && !(read.op == ZooOp::exists && answered == ZooCode::no_node)) return;
  leave(read.op == ZooOp::get_children ? child_ : data_, read.path, client);
}

void ZooWatches::trigger(Table& table, std::string_view path, ZooEventType type, std::vector<Fired>& fired,
                         std::size_t told_from) {
  if (table.empty()) return;
  const auto found = table.find(path);
  if (found == table.end()) return;
  const std::size_t told_to = fired.size();
  for (const Client client : found->second) {
    const auto told = [client](const Fired& f) { return f.client == client; };
    const auto begin = fired.begin() + static_cast<std::ptrdiff_t>(told_from);
    const auto end = fired.begin() + static_cast<std::ptrdiff_t>(told_to);
    if (std::any_of(begin, end, told)) continue;
    fired.push_back({client, type, std::string(path)});
  }
  table.erase(found);
}

void ZooWatches::fire(const ZooEffect& effect, std::vector<Fired>& fired) {
  const std::size_t begin = fired.size();
  switch (effect.kind) {
    case ZooEffect::Kind::data_changed:
      return trigger(data_, effect.path, ZooEventType::data_changed, fired, begin);
    case ZooEffect::Kind::created:
      trigger(data_, effect.path, ZooEventType::created, fired, begin);
      break;
    case ZooEffect::Kind::deleted:
      trigger(data_, effect.path, ZooEventType::deleted, fired, begin);
      trigger(child_, effect.path, ZooEventType::deleted, fired, begin);  // told once of one deletion
      break;
  }
  trigger(child_, effect.path.parent(), ZooEventType::children_changed, fired, fired.size());
}

void ZooWatches::set_watches(Client client, const ZooRequest& request, const ZooTree& tree, std::vector<Fired>& fired) {
  for (const std::string& path : request.data_watches) {
    const ZooTree::Node* const node = tree.find(path);
    if (node == nullptr) {
      fired.push_back({client, ZooEventType::deleted, path});
    } else if (node->mzxid > request.relative_zxid) {
      fired.push_back({client, ZooEventType::data_changed, path});
    } else {
      leave(data_, path, client);
    }
  }
  for (const std::string& path : request.exist_watches) {
    if (tree.find(path) != nullptr) {
      fired.push_back({client, ZooEventType::created, path});
    } else {
      leave(data_, path, client);
    }
  }
  for (const std::string& path : request.child_watches) {
    const ZooTree::Node* const node = tree.find(path);
    if (node == nullptr) {
      fired.push_back({client, ZooEventType::deleted, path});
    } else if (node->pzxid > request.relative_zxid) {
      fired.push_back({client, ZooEventType::children_changed, path});
    } else {
      leave(child_, path, client);
    }
  }
}

void ZooWatches::forget(Client client) {
  for (Table* const table : {&data_, &child_}) {
    for (auto entry = table->begin(); entry != table->end();) {
      std::erase(entry->second, client);
      entry = entry->second.empty() ? table->erase(entry) : std::next(entry);
    }
  }
}

void ZooWatches::clear() {
  data_.clear();
  child_.clear();
}

std::size_t ZooWatches::size() const {
  std::size_t n = 0;
  for (const Table* const table : {&data_, &child_}) {
    for (const auto& [path, clients] : *table) n += clients.size();
  }
  return n;
}

ZooReply zoo_notification(ZooWatches::Fired fired, std::int64_t zxid) {
  ZooReply reply;
  reply.xid = kZooNotificationXid;
  reply.zxid = zxid;
  reply.event = fired.type;
  reply.path = std::move(fired.path);
  return reply;
}

}  // namespace picklock
