// A plain model of the documentation of Redis's commands, for the tests: maps, strings, no speed.
// Shares nothing with the server but the type of replies.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "sim/redis/wire.hpp"

namespace picklock {

class RedisModel {
 public:
  using Words = std::vector<std::string>;
  using Hash = std::map<std::string, std::string>;
  using List = std::deque<std::string>;
  using Scores = std::map<std::string, double>;

  std::int64_t now = 1'000'000;

  RedisReply execute(int session, const Words& words);
  std::size_t size() const { return keys_.size(); }

 private:
  struct Key {
    std::variant<std::string, Hash, List, Scores> value;
    std::optional<std::int64_t> deadline;
  };
  struct Session {
    std::optional<std::vector<Words>> queue;
    bool spoilt = false;
    std::map<std::string, std::pair<int, bool>> watched;  // modifications by then; was expired
    std::set<std::string> channels;
  };

  Key* live(const std::string& name);
  void touch(const std::string& name) { ++modifications_[name]; }
  bool past(const Key& key) const { return key.deadline && now > *key.deadline; }
  RedisReply session_command(Session& session, const Words& words);
  RedisReply run(const Words& words);
  RedisReply set(const Words& words);
  RedisReply expire(const Words& words);
  RedisReply string_command(const Words& words);
  RedisReply hash_command(const Words& words);
  RedisReply list_command(const Words& words);
  RedisReply sorted_set_command(const Words& words);
  RedisReply key_command(const Words& words);
  template <class Value>
  bool holds_other(const std::string& name);
  template <class Value>
  Value& at(const std::string& name);  // created if absent
  void put(const std::string& name, const std::string& value, std::optional<std::int64_t> deadline);
  RedisReply increment(const std::string& name, std::int64_t by);

  std::map<std::string, Key> keys_;
  std::map<std::string, int> modifications_;
  std::map<int, Session> sessions_;
};

}  // namespace picklock
