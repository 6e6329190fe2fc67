// Watchers and subscribers: the database's half of WATCH and SUBSCRIBE.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/redis/text.hpp"

namespace picklock {

// Watched keys, each with a version that grows whenever the key is modified, present or not.
class RedisWatches {
 public:
  std::uint64_t watch(std::string_view key);  // returns the version; pair with unwatch
  void unwatch(std::string_view key);
  void touch(std::string_view key) {
    if (!watched_.empty()) touch_watched(key);
  }
  std::uint64_t version(std::string_view key) const;  // version of a watched key
  std::size_t size() const { return watched_.size(); }
  void clear() { watched_.clear(); }

 private:
  struct Key {
    RedisText key;
    std::uint64_t version = 0;
    std::uint32_t watchers = 0;
  };
  void touch_watched(std::string_view key);
  const Key* find(std::string_view key) const;

  std::vector<Key> watched_;
};

// A client may subscribe to a channel, to all whose names match a pattern, or to a channel of the shard that owns its name's slot.
enum class RedisTopic : std::uint8_t { channel, pattern, shard_channel };
inline constexpr std::array kRedisTopics = {RedisTopic::channel, RedisTopic::pattern, RedisTopic::shard_channel};

// Topics and their subscribers, in the order of subscription, which is that of delivery.
class RedisSubscribers {
 public:
  struct Subscriber {
    RedisText topic;
    std::uint32_t session = 0;
    RedisTopic kind = RedisTopic::channel;
  };
  void add(RedisTopic kind, std::string_view topic, std::uint32_t session);
  void remove(RedisTopic kind, std::string_view topic, std::uint32_t session);
  const std::vector<Subscriber>& all() const { return all_; }
  void clear() { all_.clear(); }

 private:
  std::vector<Subscriber> all_;
};

}  // namespace picklock
