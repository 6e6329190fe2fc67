#include "sim/redis/registries.hpp"

#include <algorithm>

namespace picklock {

const RedisWatches::Key* RedisWatches::find(std::string_view key) const {
  for (const Key& watched : watched_) {
    if (watched.key.view() == key) return &watched;
  }
  return nullptr;
}

std::uint64_t RedisWatches::watch(std::string_view key) {
  if (const Key* found = find(key)) {
    ++const_cast<Key*>(found)->watchers;
    return found->version;
  }
  watched_.push_back({RedisText(key), 0, 1});
  return 0;
}

void RedisWatches::unwatch(std::string_view key) {
  const Key* found = find(key);
  if (found == nullptr) return;
  Key& watched = watched_[static_cast<std::size_t>(found - watched_.data())];
  if (--watched.watchers > 0) return;
  std::swap(watched, watched_.back());
  watched_.pop_back();
}

std::uint64_t RedisWatches::version(std::string_view key) const {
  const Key* found = find(key);
  return found != nullptr ? found->version : 0;
}

void RedisWatches::touch_watched(std::string_view key) {
  if (const Key* found = find(key)) ++const_cast<Key*>(found)->version;
}

void RedisSubscribers::add(RedisTopic kind, std::string_view topic, std::uint32_t session) {
  all_.push_back({RedisText(topic), session, kind});
}

void RedisSubscribers::remove(RedisTopic kind, std::string_view topic, std::uint32_t session) {
  std::erase_if(all_,
                [&](const Subscriber& s) { return s.session == session && s.kind == kind && s.topic.view() == topic; });
}

}  // namespace picklock
