// The memory of a Redis server of one connection: an open transaction, watched keys,
// subscriptions, its name, the version of the protocol that it speaks. A value; the database that serves it keeps the other half
// (the watchers of each key).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/redis/registries.hpp"
#include "sim/redis/text.hpp"

namespace picklock {

class RedisSession {
 public:
  explicit RedisSession(std::uint32_t id = 0) : id_(id) {}

  std::uint32_t id() const { return id_; }  // names the receiver of deliveries; unique per database
  bool in_transaction() const { return in_transaction_; }
  bool has_queued_write() const { return queued_write_; }
  std::size_t watched() const { return watched_.size(); }
  std::size_t subscriptions() const { return channels_.size() + patterns_.size(); }
  std::size_t shard_subscriptions() const { return shard_channels_.size(); }
  bool subscribes() const { return subscriptions() + shard_subscriptions() > 0; }
  // Version 2 has no way to tell a message from a reply: then a connection with subscriptions has few commands.
  bool is_limited_to_subscriptions() const { return protocol_ == 2 && subscribes(); }

  int protocol() const { return protocol_; }
  const RedisText& name() const { return name_; }
  void set_protocol(int version) { protocol_ = version; }
  void set_name(std::string_view name) { name_ = RedisText(name); }
  // True if a connection that has just been opened would be served in the same way.
  bool is_plain() const {
    return !in_transaction_ && watched_.empty() && !subscribes() && protocol_ == 2 && name_.view().empty();
  }

 private:
  friend class RedisDatabase;
  friend class RedisTransactions;
  friend class RedisSubscriptions;

  struct Watched {
    RedisText key;
    std::uint64_t clean_version = 0;  // newer: the key has been modified
    bool expired_already = false;     // expired before WATCH: its expiry is no modification
  };

  std::uint32_t id_;
  bool in_transaction_ = false;
  bool transaction_spoilt_ = false;  // a command could not be queued
  bool queued_write_ = false;
  std::uint32_t queued_ = 0;
  std::string queue_;  // packed commands, each after its length in 4 bytes
  std::vector<Watched> watched_;
  std::vector<RedisText>& topics(RedisTopic kind) {
    return kind == RedisTopic::channel ? channels_ : kind == RedisTopic::pattern ? patterns_ : shard_channels_;
  }
  std::vector<RedisText> channels_, patterns_, shard_channels_;  // ordered by subscription
  int protocol_ = 2;
  RedisText name_;
};

}  // namespace picklock
