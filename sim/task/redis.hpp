// The client of Redis, as a lock uses it: verbs over a Channel.
//
// Each verb sends one command and answers yes (with a value), no, or unknown.  An error reply is a
// refusal with Why::error and the server's own words: the command had no effect.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/task/exchange.hpp"
#include "sim/task/redis_values.hpp"

namespace picklock {

// A message of publish/subscribe.
struct RedisPublished {
  std::string channel;
  std::string message;
};

class Redis {
 public:
  // The channel must lead to a server that takes each RedisCommand and answers with a RedisReply.
  explicit Redis(Channel& channel) : channel_(&channel) {}

  // The same connection, with this limit to the wait for each answer.
  Redis within(Duration timeout) const {
    Redis other = *this;
    other.timeout_ = timeout;
    return other;
  }

  template <class Value>
  class Verb;

  // SET key value NX PX ttl: yes if the key did not exist.
  auto set_nx_px(std::string_view key, std::string_view value, const RedisNumber& ttl_ms) const;
  auto set_nx_px(std::string_view key, std::string_view value, Duration ttl) const;
  auto setnx(std::string_view key, std::string_view value) const;  // yes: the key did not exist
  auto expire(std::string_view key, Duration ttl) const;           // whole seconds; yes if it exists
  auto pexpire(std::string_view key, const RedisNumber& ttl_ms) const;
  auto pexpire(std::string_view key, Duration ttl) const;           // milliseconds; yes if it exists
  auto get(std::string_view key) const;                             // refused: no such key
  auto getset(std::string_view key, std::string_view value) const;  // value: the old one, if any
  auto del(std::string_view key) const;                             // yes: a key was deleted
  auto pttl(std::string_view key) const;                            // -2 absent, -1 no expiry, else ms
  auto eval(const RedisScript& script, std::initializer_list<std::string_view> keys,
            std::initializer_list<std::string_view> arguments) const;  // value: the reply
  // Runs a script with one key: yes if it answers 1.
  template <class... Arguments>
  auto eval_yes(const RedisScript& script, std::string_view key, const Arguments&... arguments) const;
  auto command(const RedisCommand& command) const;                         // any other command; value: the reply
  auto publish(std::string_view channel, std::string_view message) const;  // value: receivers
  // Once subscribed, a connection receives; see Channel for what `arrivals` is told, and when a
  // subscription has to be made anew.
  auto subscribe(std::string_view channel) const;
  auto unsubscribe(std::string_view channel) const;
  std::optional<RedisPublished> published() const;  // the next message, if one has come
  std::optional<RedisReply> take_push() const;      // next message that the server sent unasked, if any has come
  Channel& arrivals() const { return *channel_; }

 private:
  Channel* channel_;
  Duration timeout_{};
};

template <class Value>
class [[nodiscard]] Redis::Verb : public ExchangeAwaiter {
 public:
  using Convert = Outcome<Value> (*)(RedisReply& reply);  // converts a reply that is no error

  template <class... Command>
  [[gnu::always_inline]] Verb(const Redis& redis, Convert convert, Mark m, Command&&... command)
      : ExchangeAwaiter(*redis.channel_, m, redis.timeout_), convert_(convert) {
    exchange_.request = Payload::make<RedisCommand>(arena(), std::forward<Command>(command)...);
  }
  void await_suspend(std::coroutine_handle<> me) { send(me); }
  Outcome<Value> await_resume() {
    if (replied()) {
      auto* const reply = exchange_.reply.get<RedisReply>();
      if (reply == nullptr) return Outcome<Value>::refusal(Why::error, "ERR malformed reply");
      if (reply->is_error()) return Outcome<Value>::refusal(Why::error, std::string(reply->text()));
      return convert_(*reply);
    }
    if (exchange_.state == Exchange::State::not_connected) {
      return Outcome<Value>::refusal(Why::not_connected);
    }
    return Outcome<Value>::unknown_because(why_not());
  }

 private:
  Convert convert_;
};

namespace detail {

inline Outcome<Nothing> redis_yes_if_ok(RedisReply& reply) {
  return reply.is_nil() ? Outcome<Nothing>::refusal() : Outcome<Nothing>::of({});
}
inline Outcome<Nothing> redis_yes_if_nonzero(RedisReply& reply) {
  return reply.integer() != 0 ? Outcome<Nothing>::of({}) : Outcome<Nothing>::refusal();
}
inline Outcome<Nothing> redis_yes_if_one(RedisReply& reply) {
  return reply.integer() == 1 ? Outcome<Nothing>::of({}) : Outcome<Nothing>::refusal();
}
inline Outcome<std::string> redis_string(RedisReply& reply) {
  return reply.is_nil() ? Outcome<std::string>::refusal() : Outcome<std::string>::of(std::string(reply.text()));
}
inline Outcome<std::optional<std::string>> redis_optional_string(RedisReply& reply) {
  using Answer = Outcome<std::optional<std::string>>;
  return reply.is_nil() ? Answer::of(std::nullopt) : Answer::of(std::string(reply.text()));
}
inline Outcome<std::int64_t> redis_integer(RedisReply& reply) { return Outcome<std::int64_t>::of(reply.integer()); }
inline Outcome<RedisReply> redis_any(RedisReply& reply) { return Outcome<RedisReply>::of(std::move(reply)); }

}  // namespace detail

inline auto Redis::set_nx_px(std::string_view key, std::string_view value, const RedisNumber& ttl_ms) const {
  static const Mark kMark = command_mark("SET");
  return Verb<Nothing>(*this, detail::redis_yes_if_ok, kMark, kMark, "SET", key, value, "NX", "PX", ttl_ms);
}
inline auto Redis::set_nx_px(std::string_view key, std::string_view value, Duration ttl) const {
  return set_nx_px(key, value, RedisNumber(ttl.ms()));
}
inline auto Redis::setnx(std::string_view key, std::string_view value) const {
  static const Mark kMark = command_mark("SETNX");
  return Verb<Nothing>(*this, detail::redis_yes_if_nonzero, kMark, kMark, "SETNX", key, value);
}
inline auto Redis::expire(std::string_view key, Duration ttl) const {
  static const Mark kMark = command_mark("EXPIRE");
  return Verb<Nothing>(*this, detail::redis_yes_if_nonzero, kMark, kMark, "EXPIRE", key, ttl.ns / seconds(1).ns);
}
inline auto Redis::pexpire(std::string_view key, const RedisNumber& ttl_ms) const {
  static const Mark kMark = command_mark("PEXPIRE");
  return Verb<Nothing>(*this, detail::redis_yes_if_nonzero, kMark, kMark, "PEXPIRE", key, ttl_ms);
}
inline auto Redis::pexpire(std::string_view key, Duration ttl) const { return pexpire(key, RedisNumber(ttl.ms())); }
inline auto Redis::get(std::string_view key) const {
  static const Mark kMark = command_mark("GET");
  return Verb<std::string>(*this, detail::redis_string, kMark, kMark, "GET", key);
}
inline auto Redis::getset(std::string_view key, std::string_view value) const {
  static const Mark kMark = command_mark("GETSET");
  return Verb<std::optional<std::string>>(*this, detail::redis_optional_string, kMark, kMark, "GETSET", key, value);
}
inline auto Redis::del(std::string_view key) const {
  static const Mark kMark = command_mark("DEL");
  return Verb<Nothing>(*this, detail::redis_yes_if_nonzero, kMark, kMark, "DEL", key);
}
inline auto Redis::pttl(std::string_view key) const {
  static const Mark kMark = command_mark("PTTL");
  return Verb<std::int64_t>(*this, detail::redis_integer, kMark, kMark, "PTTL", key);
}
inline auto Redis::eval(const RedisScript& script, std::initializer_list<std::string_view> keys,
                        std::initializer_list<std::string_view> arguments) const {
  static const Mark kMark = command_mark("EVAL");
  return Verb<RedisReply>(*this, detail::redis_any, kMark, script.call(keys, arguments));
}
template <class... Arguments>
auto Redis::eval_yes(const RedisScript& script, std::string_view key, const Arguments&... arguments) const {
  static const Mark kMark = command_mark("EVAL");
  return Verb<Nothing>(*this, detail::redis_yes_if_one, kMark, kMark, "EVAL", script.sent_as(), "1", key, arguments...);
}
inline auto Redis::publish(std::string_view channel, std::string_view message) const {
  static const Mark kMark = command_mark("PUBLISH");
  return Verb<std::int64_t>(*this, detail::redis_integer, kMark, kMark, "PUBLISH", channel, message);
}
inline auto Redis::subscribe(std::string_view channel) const {
  static const Mark kMark = command_mark("SUBSCRIBE");
  return Verb<RedisReply>(*this, detail::redis_any, kMark, kMark, "SUBSCRIBE", channel);
}
inline auto Redis::unsubscribe(std::string_view channel) const {
  static const Mark kMark = command_mark("UNSUBSCRIBE");
  return Verb<RedisReply>(*this, detail::redis_any, kMark, kMark, "UNSUBSCRIBE", channel);
}
inline std::optional<RedisReply> Redis::take_push() const {
  Payload push;
  if (!channel_->take_push(push)) return std::nullopt;
  auto* const reply = push.get<RedisReply>();
  return reply != nullptr ? std::move(*reply) : RedisReply::error("ERR malformed reply");
}
inline std::optional<RedisPublished> Redis::published() const {
  while (const auto push = take_push()) {
    const auto parts = push->elements();
    if (parts.size() != 3 || parts[0].text() != "message") continue;
    return RedisPublished{std::string(parts[1].text()), std::string(parts[2].text())};
  }
  return std::nullopt;
}
inline auto Redis::command(const RedisCommand& any) const {
  return Verb<RedisReply>(*this, detail::redis_any, command_mark(any.arg(0)), any);
}

}  // namespace picklock
