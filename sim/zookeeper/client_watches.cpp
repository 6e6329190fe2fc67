#include "sim/zookeeper/client_watches.hpp"

#include <algorithm>
#include <utility>

namespace picklock {

void ZooClientWatches::leave(ZooOp op, ZooCode answered, const std::string& path, const ZooWatcher& watcher) {
  if (answered == ZooCode::ok) {
    leave(op == ZooOp::get_children ? child_ : data_, path, watcher);
  } else if (answered == ZooCode::no_node && op == ZooOp::exists) {
    leave(exist_, path, watcher);
  }
}

std::vector<ZooWatcher> ZooClientWatches::take(ZooEventType event, const std::string& path) {
  switch (event) {
    case ZooEventType::created:
    case ZooEventType::data_changed:
      merge(exist_, data_, path);
      return take(data_, path);
    case ZooEventType::children_changed:
      return take(child_, path);
    case ZooEventType::deleted:
      merge(exist_, data_, path);
      merge(child_, data_, path);
      return take(data_, path);
    case ZooEventType::none:
      return {};
  }
  return {};
}

std::vector<ZooWatcher> ZooClientWatches::everyone(const ZooWatcher& first) const {
  std::vector<ZooWatcher> all;
  if (first) all.push_back(first);
  for (const Table* const table : {&data_, &exist_, &child_}) {
    for (const auto& [path, watchers] : *table) {
      for (const ZooWatcher& w : watchers) {
        if (std::find(all.begin(), all.end(), w) == all.end()) all.push_back(w);
      }
    }
  }
  return all;
}

void ZooClientWatches::forget(const ZooWatcher& watcher) {
  for (Table* const table : {&data_, &exist_, &child_}) {
    for (auto entry = table->begin(); entry != table->end();) {
      std::erase(entry->second, watcher);
      entry = entry->second.empty() ? table->erase(entry) : std::next(entry);
    }
  }
}

void ZooClientWatches::clear() {
  data_.clear();
  exist_.clear();
  child_.clear();
}

ZooRequest ZooClientWatches::set_watches(std::int64_t last_zxid) const {
  ZooRequest request;
  request.op = ZooOp::set_watches;
  request.xid = kZooSetWatchesXid;
  request.relative_zxid = last_zxid;
  for (const auto& [path, watchers] : data_) request.data_watches.push_back(path);
  for (const auto& [path, watchers] : exist_) request.exist_watches.push_back(path);
  for (const auto& [path, watchers] : child_) request.child_watches.push_back(path);
  return request;
}

void ZooClientWatches::leave(Table& table, const std::string& path, const ZooWatcher& watcher) {
  std::vector<ZooWatcher>& all = table[path];
  if (std::find(all.begin(), all.end(), watcher) == all.end()) all.push_back(watcher);
}

void ZooClientWatches::merge(Table& from, Table& to, const std::string& path) {
  const auto found = from.find(path);
  if (found == from.end()) return;
  for (const ZooWatcher& w : found->second) leave(to, path, w);
  from.erase(found);
}

std::vector<ZooWatcher> ZooClientWatches::take(Table& table, const std::string& path) {
  const auto found = table.find(path);
  if (found == table.end()) return {};
  std::vector<ZooWatcher> watchers = std::move(found->second);
  table.erase(found);
  return watchers;
}

}  // namespace picklock
