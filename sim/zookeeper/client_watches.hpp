// The watches of one client handle, as the answers to its reads have left them.
//
// From:      ZKWatchManager and WatchRegistration of ZooKeeper 3.8.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/task/zookeeper.hpp"
#include "sim/zookeeper/wire.hpp"

namespace picklock {

// Keeps the watchers by path, in a table for each kind of watch.
class ZooClientWatches {
 public:
  // An answered read leaves its watch, or does not.
  void leave(ZooOp op, ZooCode answered, const std::string& path, const ZooWatcher& watcher);
  // The watchers that hear of an event, once each; their watches are gone.
  std::vector<ZooWatcher> take(ZooEventType event, const std::string& path);
  // `first` and all watchers that wait for anything, once each.
  std::vector<ZooWatcher> everyone(const ZooWatcher& first) const;
  void forget(const ZooWatcher& watcher);
  void clear();

  bool empty() const { return data_.empty() && exist_.empty() && child_.empty(); }
  ZooRequest set_watches(std::int64_t last_zxid) const;  // request for another server; `last_zxid`: last seen

 private:
  using Table = std::map<std::string, std::vector<ZooWatcher>, std::less<>>;
  static void leave(Table& table, const std::string& path, const ZooWatcher& watcher);
  static void merge(Table& from, Table& to, const std::string& path);
  static std::vector<ZooWatcher> take(Table& table, const std::string& path);

  Table data_, exist_, child_;
};

}  // namespace picklock
