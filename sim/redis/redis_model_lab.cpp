#include "sim/redis/redis_model_lab.hpp"

#include <algorithm>
#include <cstdlib>

namespace picklock {
namespace {

const RedisReply kWrongType = RedisReply::error("WRONGTYPE Operation against a key holding the wrong kind of value");
const RedisReply kNotInteger = RedisReply::error("ERR value is not an integer or out of range");
const RedisReply kSyntax = RedisReply::error("ERR syntax error");

RedisReply number(std::size_t n) { return RedisReply::integer(static_cast<std::int64_t>(n)); }
RedisReply bulk(const std::string& text) { return RedisReply::bulk(text); }

// Test inputs are small: a number is what std::to_string gives back.
std::optional<std::int64_t> integer(const std::string& text) {
  const long long value = std::strtoll(text.c_str(), nullptr, 10);
  return std::to_string(value) == text ? std::optional<std::int64_t>(value) : std::nullopt;
}

std::string score_text(double score) {  // scores in the tests are whole or halves
  std::string text = std::to_string(score);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

bool any_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return word == w; });
}

}  // namespace

RedisModel::Key* RedisModel::live(const std::string& name) {
  const auto at = keys_.find(name);
  if (at == keys_.end()) return nullptr;
  if (!past(at->second)) return &at->second;
  keys_.erase(at);  // every access to an expired key deletes it
  touch(name);
  return nullptr;
}

template <class Value>
bool RedisModel::holds_other(const std::string& name) {
  const Key* key = live(name);
  return key != nullptr && !std::holds_alternative<Value>(key->value);
}

template <class Value>
Value& RedisModel::at(const std::string& name) {
  if (live(name) == nullptr) keys_[name] = Key{Value{}, std::nullopt};
  return std::get<Value>(keys_[name].value);
}

void RedisModel::put(const std::string& name, const std::string& value, std::optional<std::int64_t> deadline) {
  live(name);  // the write deletes an expired key before it makes a new one
  keys_[name] = Key{value, deadline};
  touch(name);
}

RedisReply RedisModel::execute(int id, const Words& words) {
  Session& session = sessions_[id];
  const std::string& verb = words[0];
  if (!session.channels.empty() && !any_of(verb, {"SUBSCRIBE", "UNSUBSCRIBE", "PING"})) {
    std::string lower = verb;
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    if (session.queue) session.spoilt = true;
    return RedisReply::error("ERR Can't execute '" + lower +
                             "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are "
                             "allowed in this context");
  }
  if (any_of(verb, {"MULTI", "EXEC", "DISCARD", "WATCH"})) return session_command(session, words);
  if (session.queue) {
    session.queue->push_back(words);
    return RedisReply::status("QUEUED");
  }
  return any_of(verb, {"UNWATCH", "SUBSCRIBE", "UNSUBSCRIBE", "PING"}) ? session_command(session, words) : run(words);
}

RedisReply RedisModel::session_command(Session& session, const Words& words) {
  const std::string& verb = words[0];
  if (verb == "PING") {
    return session.channels.empty() ? RedisReply::status("PONG") : RedisReply::array({bulk("pong"), bulk("")});
  }
  if (verb == "SUBSCRIBE") {
    session.channels.insert(words[1]);
    return RedisReply::array({bulk("subscribe"), bulk(words[1]), number(session.channels.size())});
  }
  if (verb == "UNSUBSCRIBE") {
    session.channels.erase(words[1]);
    return RedisReply::array({bulk("unsubscribe"), bulk(words[1]), number(session.channels.size())});
  }
  if (verb == "MULTI") {
    if (session.queue) return RedisReply::error("ERR MULTI calls can not be nested");
    session.queue.emplace();
    return RedisReply::ok();
  }
  if (verb == "WATCH") {
    if (session.queue) return RedisReply::error("ERR WATCH inside MULTI is not allowed");
    const auto at = keys_.find(words[1]);
    const bool expired = at != keys_.end() && past(at->second);
    // The deletion of what has expired already does not count.
    session.watched.try_emplace(words[1], modifications_[words[1]] + expired, expired);
    return RedisReply::ok();
  }
  if (verb == "UNWATCH") {
    session.watched.clear();
    return RedisReply::ok();
  }
  if (!session.queue) return RedisReply::error("ERR " + verb + " without MULTI");
  const std::vector<Words> queue = std::move(*session.queue);
  const bool spoilt = session.spoilt;
  bool modified = false;
  for (const auto& [name, then] : session.watched) {
    const auto at = keys_.find(name);
    const bool expired = at != keys_.end() && past(at->second) && !then.second;
    modified = modified || expired || modifications_[name] > then.first;
  }
  session = Session{std::nullopt, false, {}, session.channels};
  if (verb == "DISCARD") return RedisReply::ok();
  if (spoilt) {
    return RedisReply::error("EXECABORT Transaction discarded because of previous errors.");
  }
  if (modified) return RedisReply::nil();
  RedisReply replies = RedisReply::array();
  for (const Words& queued : queue) {
    replies.push_back(any_of(queued[0], {"UNWATCH", "SUBSCRIBE", "UNSUBSCRIBE", "PING"})
                          ? session_command(session, queued)
                          : run(queued));
  }
  return replies;
}

RedisReply RedisModel::run(const Words& words) {
  const std::string& verb = words[0];
  if (verb == "SET") return set(words);
  if (any_of(verb, {"EXPIRE", "PEXPIRE", "PEXPIREAT"})) return expire(words);
  if (verb == "PUBLISH") {
    std::size_t receivers = 0;
    for (const auto& [id, session] : sessions_) receivers += session.channels.count(words[1]);
    return number(receivers);
  }
  if (verb == "EVAL") {  // release, set-then-fail
    const std::string& key = words[3];
    if (words[1] == "set-then-fail") {
      put(key, words[4], std::nullopt);
      return RedisReply::error(std::string(kWrongType.text()) + " script: set-then-fail, on @user_script:1.");
    }
    if (holds_other<std::string>(key)) {
      return RedisReply::error(std::string(kWrongType.text()) + " script: release, on @user_script:1.");
    }
    const bool mine = live(key) != nullptr && at<std::string>(key) == words[4];
    return mine ? run({"DEL", key}) : RedisReply::integer(0);
  }
  if (verb[0] == 'H') return hash_command(words);
  if (verb[0] == 'L' || (verb[0] == 'R' && verb != "RENAME")) return list_command(words);
  if (verb[0] == 'Z') return sorted_set_command(words);
  if (any_of(verb, {"DEL", "EXISTS", "PERSIST", "PTTL", "TTL", "TYPE", "RENAME", "COPY"})) {
    return key_command(words);
  }
  return string_command(words);
}

RedisReply RedisModel::set(const Words& words) {
  std::set<std::string> options;
  std::optional<std::int64_t> time;
  bool bad_time = false;
  bool not_integer = false;
  std::string unit;
  for (std::size_t i = 3; i < words.size(); ++i) {
    options.insert(words[i]);
    if (!any_of(words[i], {"EX", "PX", "PXAT", "EXAT"})) continue;
    if (i + 1 == words.size() || (!unit.empty() && unit != words[i])) return kSyntax;
    unit = words[i];
    time = integer(words[++i]);
    not_integer = !time;
    bad_time = time && *time <= 0;
  }
  if ((options.count("NX") && options.count("XX")) || (options.count("KEEPTTL") && !unit.empty())) {
    return kSyntax;
  }
  if (not_integer) return kNotInteger;
  if (bad_time) return RedisReply::error("ERR invalid expire time in 'set' command");
  std::optional<std::int64_t> deadline;
  if (unit == "EX") deadline = now + *time * 1000;
  if (unit == "PX") deadline = now + *time;
  if (unit == "EXAT") deadline = *time * 1000;
  if (unit == "PXAT") deadline = *time;

  const std::string& name = words[1];
  const Key* key = live(name);
  const bool get = options.count("GET") > 0;
  RedisReply old;
  if (get && key != nullptr) {
    if (holds_other<std::string>(name)) return kWrongType;
    old = bulk(std::get<std::string>(key->value));
  }
  if (options.count(key != nullptr ? "NX" : "XX") > 0) return old;
  if (options.count("KEEPTTL") > 0 && key != nullptr) deadline = key->deadline;
  put(name, words[2], deadline);
  return get ? old : RedisReply::ok();
}

RedisReply RedisModel::expire(const Words& words) {
  std::set<std::string> options(words.begin() + 3, words.end());
  if (options.count("NX") && options.size() > 1) {
    return RedisReply::error("ERR NX and XX, GT or LT options at the same time are not compatible");
  }
  if (options.count("GT") && options.count("LT")) {
    return RedisReply::error("ERR GT and LT options at the same time are not compatible");
  }
  const auto time = integer(words[2]);
  if (!time) return kNotInteger;
  const std::int64_t deadline = words[0] == "EXPIRE" ? now + *time * 1000 : words[0] == "PEXPIRE" ? now + *time : *time;
  Key* key = live(words[1]);
  if (key == nullptr) return RedisReply::integer(0);
  const bool has = key->deadline.has_value();
  if ((options.count("NX") && has) || (options.count("XX") && !has) ||
      (options.count("GT") && (!has || deadline <= *key->deadline)) ||
      (options.count("LT") && has && deadline >= *key->deadline)) {
    return RedisReply::integer(0);
  }
  key->deadline = deadline;
  touch(words[1]);
  if (deadline <= now) keys_.erase(words[1]);
  return RedisReply::integer(1);
}

RedisReply RedisModel::increment(const std::string& name, std::int64_t by) {
  if (holds_other<std::string>(name)) return kWrongType;
  std::int64_t value = 0;
  if (live(name) != nullptr) {
    const auto old = integer(at<std::string>(name));
    if (!old) return kNotInteger;
    value = *old;
  }
  at<std::string>(name) = std::to_string(value + by);
  touch(name);
  return RedisReply::integer(value + by);
}

RedisReply RedisModel::string_command(const Words& words) {
  const std::string& verb = words[0];
  const std::string& name = words[1];
  if (verb == "SETNX") {
    if (live(name) != nullptr) return RedisReply::integer(0);
    put(name, words[2], std::nullopt);
    return RedisReply::integer(1);
  }
  if (verb == "PSETEX") {
    const auto time = integer(words[2]);
    if (!time) return kNotInteger;
    if (*time <= 0) return RedisReply::error("ERR invalid expire time in 'psetex' command");
    put(name, words[3], now + *time);
    return RedisReply::ok();
  }
  if (verb == "INCR") return increment(name, 1);
  if (verb == "DECR") return increment(name, -1);
  if (verb == "INCRBY") {
    const auto by = integer(words[2]);
    return by ? increment(name, *by) : kNotInteger;
  }
  if (holds_other<std::string>(name)) return kWrongType;
  if (verb == "APPEND") {
    at<std::string>(name) += words[2];
    touch(name);
    return number(at<std::string>(name).size());
  }
  const bool present = live(name) != nullptr;
  if (verb == "STRLEN") return number(present ? at<std::string>(name).size() : 0);
  const RedisReply old = present ? bulk(at<std::string>(name)) : RedisReply::nil();
  if (verb == "GETSET") put(name, words[2], std::nullopt);
  if (verb == "GETDEL" && present) {
    keys_.erase(name);
    touch(name);
  }
  return old;  // GET, GETSET, GETDEL
}

RedisReply RedisModel::hash_command(const Words& words) {
  const std::string& verb = words[0];
  const std::string& name = words[1];
  if (verb == "HINCRBY" && !integer(words[3])) return kNotInteger;
  if (holds_other<Hash>(name)) return kWrongType;
  const bool present = live(name) != nullptr;
  const bool has = present && words.size() > 2 && at<Hash>(name).count(words[2]) > 0;
  if (verb == "HSET") {
    at<Hash>(name)[words[2]] = words[3];
    touch(name);
    return RedisReply::integer(!has);
  }
  if (verb == "HINCRBY") {
    const auto old = has ? integer(at<Hash>(name)[words[2]]) : 0;
    if (!old) return RedisReply::error("ERR hash value is not an integer");
    const std::int64_t sum = *old + *integer(words[3]);
    at<Hash>(name)[words[2]] = std::to_string(sum);
    touch(name);
    return RedisReply::integer(sum);
  }
  if (verb == "HDEL") {
    if (!has) return RedisReply::integer(0);
    at<Hash>(name).erase(words[2]);
    touch(name);
    if (at<Hash>(name).empty()) keys_.erase(name);
    return RedisReply::integer(1);
  }
  if (verb == "HGET") return has ? bulk(at<Hash>(name)[words[2]]) : RedisReply::nil();
  if (verb == "HEXISTS") return RedisReply::integer(has);
  if (verb == "HLEN") return number(present ? at<Hash>(name).size() : 0);
  RedisReply all = RedisReply::array();  // HGETALL
  if (!present) return all;
  for (const auto& [field, value] : at<Hash>(name)) {
    all.push_back(bulk(field));
    all.push_back(bulk(value));
  }
  return all;
}

RedisReply RedisModel::list_command(const Words& words) {
  const std::string& verb = words[0];
  const std::string& name = words[1];
  if (holds_other<List>(name)) return kWrongType;
  const bool present = live(name) != nullptr;
  if (verb == "LPUSH" || verb == "RPUSH") {
    List& list = at<List>(name);
    verb == "LPUSH" ? list.push_front(words[2]) : list.push_back(words[2]);
    touch(name);
    return number(list.size());
  }
  if (!present) {
    if (verb == "LRANGE") return RedisReply::array();
    return verb == "LLEN" || verb == "LREM" ? RedisReply::integer(0) : RedisReply::nil();
  }
  List& list = at<List>(name);
  RedisReply reply;
  if (verb == "LLEN") return number(list.size());
  if (verb == "LRANGE") {  // 0 -1
    reply = RedisReply::array();
    for (const std::string& item : list) reply.push_back(bulk(item));
    return reply;
  }
  if (verb == "LREM") {  // 0, 1 or -1
    std::size_t removed = 0;
    if (words[2] == "0") {
      removed = std::erase(list, words[3]);
    } else if (words[2] == "1") {
      const auto it = std::find(list.begin(), list.end(), words[3]);
      if (it != list.end()) list.erase(it), removed = 1;
    } else {
      const auto it = std::find(list.rbegin(), list.rend(), words[3]);
      if (it != list.rend()) list.erase(std::next(it).base()), removed = 1;
    }
    if (removed > 0) touch(name);
    reply = number(removed);
  } else if (verb == "LPOP") {
    reply = bulk(list.front());
    list.pop_front();
    touch(name);
  } else {  // RPOP
    reply = bulk(list.back());
    list.pop_back();
    touch(name);
  }
  if (list.empty()) keys_.erase(name);
  return reply;
}

RedisReply RedisModel::sorted_set_command(const Words& words) {
  const std::string& verb = words[0];
  const std::string& name = words[1];
  if (holds_other<Scores>(name)) return kWrongType;
  const bool present = live(name) != nullptr;
  if (verb == "ZADD" || verb == "ZINCRBY") {
    Scores& scores = at<Scores>(name);
    const bool has = scores.count(words[3]) > 0;
    const double old = has ? scores[words[3]] : 0;
    const double score = std::stod(words[2]) + (verb == "ZINCRBY" ? old : 0);
    if (!has || score != old) touch(name);
    scores[words[3]] = score;
    return verb == "ZADD" ? RedisReply::integer(!has) : bulk(score_text(score));
  }
  if (verb == "ZCARD") return number(present ? at<Scores>(name).size() : 0);
  if (verb == "ZREM") {
    if (!present || at<Scores>(name).erase(words[2]) == 0) return RedisReply::integer(0);
    touch(name);
    if (at<Scores>(name).empty()) keys_.erase(name);
    return RedisReply::integer(1);
  }
  if (verb == "ZSCORE") {
    const bool has = present && at<Scores>(name).count(words[2]) > 0;
    return has ? bulk(score_text(at<Scores>(name)[words[2]])) : RedisReply::nil();
  }
  RedisReply reply = RedisReply::array();  // ZRANGEBYSCORE key min max
  if (!present) return reply;
  std::vector<std::pair<double, std::string>> ordered;
  for (const auto& [member, score] : at<Scores>(name)) ordered.emplace_back(score, member);
  std::sort(ordered.begin(), ordered.end());
  for (const auto& [score, member] : ordered) {
    if (score >= std::stod(words[2]) && score <= std::stod(words[3])) reply.push_back(bulk(member));
  }
  return reply;
}

RedisReply RedisModel::key_command(const Words& words) {
  const std::string& verb = words[0];
  const std::string& name = words[1];
  if (verb == "COPY" && name == words[2]) {
    return RedisReply::error("ERR source and destination objects are the same");
  }
  Key* key = live(name);
  const bool present = key != nullptr;
  if (verb == "EXISTS") return RedisReply::integer(present);
  if (verb == "TYPE") {
    constexpr const char* kNames[] = {"string", "hash", "list", "zset"};
    return RedisReply::status(present ? kNames[key->value.index()] : "none");
  }
  if (verb == "PTTL" || verb == "TTL") {
    if (!present) return RedisReply::integer(-2);
    if (!key->deadline) return RedisReply::integer(-1);
    const std::int64_t left = std::max<std::int64_t>(0, *key->deadline - now);
    return RedisReply::integer(verb == "PTTL" ? left : (left + 500) / 1000);
  }
  if (verb == "RENAME" && !present) return RedisReply::error("ERR no such key");
  if (!present) return RedisReply::integer(0);
  if (verb == "DEL") {
    keys_.erase(name);
    touch(name);
    return RedisReply::integer(1);
  }
  if (verb == "PERSIST") {
    if (!key->deadline) return RedisReply::integer(0);
    key->deadline.reset();
    touch(name);
    return RedisReply::integer(1);
  }
  const Key copy = *key;
  if (verb == "COPY") {
    if (live(words[2]) != nullptr) return RedisReply::integer(0);
    keys_[words[2]] = copy;
    touch(words[2]);
    return RedisReply::integer(1);
  }
  if (name == words[2]) return RedisReply::ok();  // RENAME
  live(words[2]);
  keys_[words[2]] = copy;
  keys_.erase(name);
  touch(name);
  touch(words[2]);
  return RedisReply::ok();
}

}  // namespace picklock
