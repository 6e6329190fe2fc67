#include "sim/etcd/watches.hpp"

#include <algorithm>

namespace picklock {

EtcdReply EtcdWatchHub::create(const EtcdMvcc& store, std::uint64_t stream, const EtcdWatchCreate& what) {
  const Key key{stream, what.id};
  const auto [it, is_new] = watchers_.try_emplace(key);
  if (!is_new) return EtcdReply::failed(EtcdError::malformed);
  Watcher& w = it->second;
  w.what = what;
  w.next = what.revision == 0 ? store.revision() + 1 : what.revision;
  w.synced = w.next > store.revision();
  if (w.synced) {
    index(key, w);
  } else {
    add(unsynced_, key);
  }
  EtcdWatchReply created;
  created.header.revision = store.revision();
  created.id = what.id;
  created.created = true;
  return {EtcdError::none, std::move(created)};
}

void EtcdWatchHub::add(Keys& keys, const Key& key) {
  const auto place = std::lower_bound(keys.begin(), keys.end(), key);
  if (place == keys.end() || *place != key) keys.insert(place, key);
}

void EtcdWatchHub::remove(Keys& keys, const Key& key) {
  const auto place = std::lower_bound(keys.begin(), keys.end(), key);
  if (place != keys.end() && *place == key) keys.erase(place);
}

void EtcdWatchHub::index(const Key& key, const Watcher& w) {
  add(w.what.keys.end.empty() ? by_key_[w.what.keys.key] : by_range_, key);
}

void EtcdWatchHub::erase(std::map<Key, Watcher>::iterator it) {
  const auto& [key, w] = *it;
  if (!w.synced) {
    remove(unsynced_, key);
  } else if (!w.what.keys.end.empty()) {
    remove(by_range_, key);
  } else {
    const auto single = by_key_.find(w.what.keys.key);
    remove(single->second, key);
    if (single->second.empty()) by_key_.erase(single);
  }
  watchers_.erase(it);
}

bool EtcdWatchHub::cancel(std::uint64_t stream, std::int64_t id) {
  const auto found = watchers_.find({stream, id});
  if (found == watchers_.end()) return false;
  erase(found);
  return true;
}

void EtcdWatchHub::close(std::uint64_t stream) {
  for (auto it = watchers_.lower_bound({stream, INT64_MIN}); it != watchers_.end() && it->first.first == stream;) {
    erase(it++);
  }
}

void EtcdWatchHub::clear() {
  watchers_.clear();
  by_key_.clear();
  by_range_.clear();
  unsynced_.clear();
  deliveries_.clear();
}

void EtcdWatchHub::send_events(const EtcdMvcc& store, const Key& key, Watcher& w, std::span<const EtcdChange> changes) {
  EtcdWatchReply reply;
  for (const EtcdChange& c : changes) {
    if (c.revision() < w.next || !w.what.keys.contains(c.after().key)) continue;
    if (c.deleted() ? w.what.no_deletes : w.what.no_puts) continue;
    EtcdEvent& e = reply.events.emplace_back();
    e.deleted = c.deleted();
    e.kv = c.after();
    if (w.what.previous && c.before().version != 0) e.previous = c.before();
  }
  w.next = std::max(w.next, store.revision() + 1);
  if (reply.events.empty()) return;
  reply.header.revision = store.revision();
  reply.id = key.second;
  deliveries_.push_back({key.first, std::move(reply)});
}

void EtcdWatchHub::notify(const EtcdMvcc& store, std::span<const EtcdChange> changes) {
  if (changes.empty() || watchers_.empty()) return;
  Keys concerned = by_range_;
  for (const EtcdChange& c : changes) {
    const auto single = by_key_.find(c.after().key);
    if (single == by_key_.end()) continue;
    for (const Key& key : single->second) add(concerned, key);
  }
  for (const Key& key : concerned) send_events(store, key, watchers_.at(key), changes);
}

void EtcdWatchHub::catch_up(const EtcdMvcc& store) {
  const auto upto = unsynced_.begin() + static_cast<std::ptrdiff_t>(std::min(unsynced_.size(), kMostAtOnce));
  const Keys now(unsynced_.begin(), upto);
  unsynced_.erase(unsynced_.begin(), upto);
  for (const Key& key : now) {
    Watcher& w = watchers_.at(key);
    if (w.next < store.compacted()) {
      send_cancelled(store, key, store.compacted(), EtcdError::none);
      continue;
    }
    send_events(store, key, w, store.changes_since(w.next));
    w.synced = true;
    index(key, w);
  }
}

void EtcdWatchHub::send_cancelled(const EtcdMvcc& store, const Key& key, EtcdRevision compacted, EtcdError error) {
  EtcdWatchReply reply;
  reply.header.revision = store.revision();
  reply.id = key.second;
  reply.cancelled = true;
  reply.compacted = compacted;
  reply.error = error;
  deliveries_.push_back({key.first, std::move(reply)});
  erase(watchers_.find(key));
}

void EtcdWatchHub::progress(const EtcdMvcc& store) {
  for (const auto& [key, w] : watchers_) {
    if (!w.what.progress || !w.synced || w.next > store.revision() + 1) continue;
    EtcdWatchReply reply;
    reply.header.revision = store.revision();
    reply.id = key.second;
    deliveries_.push_back({key.first, std::move(reply)});
  }
}

void EtcdWatchHub::lose_leader(const EtcdMvcc& store) {
  for (auto it = watchers_.begin(); it != watchers_.end();) {
    const Key key = it->first;
    const bool ends = it->second.what.require_leader;
    ++it;
    if (ends) send_cancelled(store, key, 0, EtcdError::no_leader);
  }
}

void EtcdWatchHub::resync() {
  by_key_.clear();
  by_range_.clear();
  for (auto& [key, w] : watchers_) {
    w.synced = false;
    add(unsynced_, key);
  }
}

}  // namespace picklock
