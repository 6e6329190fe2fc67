// Commands, replies and scripts of Redis, as values.  They carry what the protocol means; the transport decides
// how they are written as bytes.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/small_bytes.hpp"
#include "sim/task/mark.hpp"

namespace picklock {

// An argument of a command is a text or an integer (sent in decimal).
template <class T>
concept RedisArgument = std::convertible_to<const T&, std::string_view> ||(std::integral<T> && !std::same_as<T, bool>);

// An integer that is sent again and again: its digits are written once.
class RedisNumber {
 public:
  explicit RedisNumber(std::int64_t value)
      : value_(value),
        size_(static_cast<std::size_t>(std::to_chars(digits_, std::end(digits_), value).ptr - digits_)) {}
  std::int64_t value() const { return value_; }
  operator std::string_view() const { return {digits_, size_}; }  // NOLINT: an argument

 private:
  std::int64_t value_;
  std::size_t size_;
  char digits_[24];
};

// An argument as text; a number's digits are kept here.
class RedisArgumentText {
 public:
  template <class T>
  explicit RedisArgumentText(const T& value) {
    if constexpr (std::convertible_to<const T&, std::string_view>) {
      text_ = value;
    } else {
      const auto end = std::to_chars(digits_, digits_ + sizeof digits_, value).ptr;
      text_ = {digits_, static_cast<std::size_t>(end - digits_)};
    }
  }
  RedisArgumentText(const RedisArgumentText&) = delete;
  RedisArgumentText& operator=(const RedisArgumentText&) = delete;
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  char digits_[24];
};

// A command: its name and arguments, packed as [count: 2 bytes]([length: varint][bytes])*, as logs and replication
// streams keep them.  Usual lock commands stay within the inline storage.  At most 65,535 arguments.
class RedisCommand {
 public:
  static constexpr std::uint32_t kInlineBytes = 112;
  static constexpr std::size_t kMostArguments = 0xFFFF;

  RedisCommand() { packed_.append(std::string_view("\0\0", 2)); }
  template <RedisArgument... Args>
  explicit RedisCommand(std::string_view name, const Args&... args) {
    pack(name, RedisArgumentText(args)...);
  }
  // The verb is the name as a number: a server that knows it need not look the name up.
  template <RedisArgument... Args>
  RedisCommand(Mark verb, std::string_view name, const Args&... args) : verb_(verb) {
    pack(name, RedisArgumentText(args)...);
  }

  void add(std::string_view text);
  template <class T>
  requires(std::integral<T> && !std::same_as<T, bool>) void add(T number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    add(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }
  // Forgets everything, keeps the storage.
  void clear();

  std::size_t argc() const;
  std::string_view arg(std::size_t index) const;  // arg(0) is the name; empty beyond the end
  Mark verb() const { return verb_; }             // none: only the name tells
  std::string_view bytes() const { return packed_.view(); }
  std::string to_string() const;

  friend bool operator==(const RedisCommand& a, const RedisCommand& b) { return a.bytes() == b.bytes(); }

 private:
  static constexpr std::size_t kShort = 128;  // a length below it takes one byte

  template <class... Args>
  void pack(std::string_view name, const Args&... args) {
    const std::size_t all = (name.size() + ... + args.text().size());
    if (all >= kShort) {  // long arguments are possible
      packed_.append(std::string_view("\0\0", 2));
      add(name);
      (add(args.text()), ...);
      return;
    }
    constexpr std::size_t kCount = 1 + sizeof...(args);
    char* to = packed_.grow(static_cast<std::uint32_t>(2 + kCount + all));
    *to++ = static_cast<char>(kCount & 255);
    *to++ = static_cast<char>(kCount >> 8);
    to = put_short(to, name);
    ((to = put_short(to, args.text())), ...);
  }
  static char* put_short(char* to, std::string_view text) {
    *to++ = static_cast<char>(text.size());
    copy_short(to, text.data(), text.size());
    return to + text.size();
  }

  Mark verb_ = mark::none;
  SmallBytes<kInlineBytes> packed_;
};
inline void encode(const RedisCommand& command, std::string& to) { to += command.bytes(); }

// A reply.  Redis's two nils ("$-1" and "*-1") are one.
class RedisReply {
 public:
  enum class Kind : std::uint8_t { nil, integer, status, error, bulk, array };

  RedisReply() {}  // nil; not defaulted: that would fill the text with zeros
  RedisReply(const RedisReply& other);
  RedisReply(RedisReply&& other) noexcept = default;
  RedisReply& operator=(const RedisReply& other) { return *this = RedisReply(other); }
  RedisReply& operator=(RedisReply&& other) noexcept = default;
  [[gnu::always_inline]] ~RedisReply() {
    if (elements_ != nullptr) forget_elements();
  }
  static RedisReply nil() { return {}; }
  static RedisReply integer(std::int64_t value);
  static RedisReply status(std::string_view text) { return {Kind::status, text}; }
  static RedisReply ok() { return {Kind::status, "OK"}; }
  static RedisReply error(std::string_view text) { return {Kind::error, text}; }  // "ERR why"
  static RedisReply bulk(std::string_view text) { return {Kind::bulk, text}; }
  static RedisReply array(std::vector<RedisReply> elements = {});

  Kind kind() const { return kind_; }
  bool is_nil() const { return kind_ == Kind::nil; }
  bool is_integer() const { return kind_ == Kind::integer; }
  bool is_status() const { return kind_ == Kind::status; }
  bool is_error() const { return kind_ == Kind::error; }
  bool is_bulk() const { return kind_ == Kind::bulk; }
  bool is_array() const { return kind_ == Kind::array; }
  bool is_ok() const { return kind_ == Kind::status && text() == "OK"; }

  std::int64_t integer() const { return integer_; }       // 0 unless an integer
  std::string_view text() const { return text_.view(); }  // text of a status, error or bulk; else empty
  std::span<const RedisReply> elements() const {          // empty unless an array
    return elements_ != nullptr ? std::span<const RedisReply>(*elements_) : std::span<const RedisReply>();
  }
  void push_back(RedisReply element);  // *this must be an array
  // A nil becomes an integer, or a text of this kind.
  void become(std::int64_t value) {
    kind_ = Kind::integer;
    integer_ = value;
  }
  void become(Kind kind, std::string_view text) {
    kind_ = kind;
    text_.assign(text);
  }

  // OK  -> OK    bulk -> "v"    integer -> 1    nil -> nil    error -> !ERR why    array -> [1, "v"]
  std::string to_string() const;

  friend bool operator==(const RedisReply& a, const RedisReply& b);

 private:
  RedisReply(Kind kind, std::string_view text) : kind_(kind), text_(text) {}
  void forget_elements() noexcept;

  Kind kind_ = Kind::nil;
  std::int64_t integer_ = 0;
  SmallBytes<40> text_;
  std::unique_ptr<std::vector<RedisReply>> elements_;  // mostly null
};

// The result of a script's body.  Redis converts a Lua value to a reply by these rules:
// false and nil to nil, true to 1, a number to its integer part, an array up to its first nil.
class ScriptResult {
 public:
  ScriptResult(RedisReply reply) : reply_(std::move(reply)) {}              // NOLINT: the answer of redis.call
  ScriptResult(std::string_view text) : reply_(RedisReply::bulk(text)) {}   // NOLINT
  ScriptResult(const char* text) : ScriptResult(std::string_view(text)) {}  // NOLINT
  ScriptResult(bool value)                                                  // NOLINT
      : reply_(value ? RedisReply::integer(1) : RedisReply::nil()) {}
  template <class T>
  requires(std::integral<T> && !std::same_as<T, bool>) ScriptResult(T value)
      : reply_(RedisReply::integer(static_cast<std::int64_t>(value))) {}  // NOLINT
  static ScriptResult nil();
  static ScriptResult number(double value);  // |value| < 2^63
  static ScriptResult array(std::initializer_list<ScriptResult> values);

  const RedisReply& reply() const& { return reply_; }
  RedisReply reply() && { return std::move(reply_); }

 private:
  RedisReply reply_;
  bool lua_nil_ = false;
};

// The server, as a script sees it.  Keys and arguments count from 1, as KEYS and ARGV do in Lua;
// beyond the last they are empty.  A nil reply is Lua's false.
//
// A script whose redis.call fails has no effect from there on: its commands reach the server no more and are answered
// with nil, its result does not count, and `failure` is what its caller gets.  A body ends when all it reads is nil.
class ScriptContext {
 public:
  virtual ~ScriptContext() = default;

  virtual std::size_t key_count() const = 0;
  virtual std::size_t argument_count() const = 0;
  virtual std::string_view key(std::size_t number) const = 0;
  virtual std::string_view argument(std::size_t number) const = 0;
  virtual std::int64_t now_ms() const = 0;  // wall clock, one reading for the whole script

  // redis.call: an error reply ends the script there; what it has written stays written.
  template <RedisArgument... Args>
  RedisReply call(std::string_view name, const Args&... args) {
    RedisReply reply = pcall(RedisCommand(name, args...));
    if (!reply.is_error()) return reply;
    fail(std::move(reply));
    return {};
  }
  // redis.call('GET', key), without a command and a reply to be written: what the key holds until the next call, or nothing.
  std::optional<std::string_view> get(std::string_view key) { return failure_ ? std::nullopt : look(key); }
  // redis.call('DEL', key), in the same way: 1 if there was something, or 0.
  std::int64_t del(std::string_view key) { return failure_ ? 0 : remove(key); }
  // redis.pcall: an error reply is a value like others.
  template <RedisArgument... Args>
  RedisReply pcall(std::string_view name, const Args&... args) {
    return pcall(RedisCommand(name, args...));
  }
  RedisReply pcall(const RedisCommand& command) { return failure_ ? RedisReply() : run(command); }

  // The error reply that has ended the script; nothing: it goes on.
  const std::optional<RedisReply>& failure() const { return failure_; }

 protected:
  void fail(RedisReply error) { failure_ = std::move(error); }

 private:
  virtual RedisReply run(const RedisCommand& command) = 0;
  virtual std::optional<std::string_view> look(std::string_view key) = 0;  // may fail()
  virtual std::int64_t remove(std::string_view key) = 0;                   // may fail()

  std::optional<RedisReply> failure_;
};

// A script in two spellings that must agree: a real server is sent `lua`, a simulated one runs `body`.
// A script without a body is sent to a simulated server as text, too, and runs there.
struct RedisScript {
  const char* name = "";
  const char* lua = "";
  ScriptResult (*body)(ScriptContext&) = nullptr;

  // The simulated server knows scripts with bodies by their names.
  std::string_view sent_as() const { return body != nullptr ? name : lua; }
  // EVAL name numkeys key... argument...
  RedisCommand call(std::span<const std::string_view> keys, std::span<const std::string_view> arguments = {}) const;
  RedisCommand call(std::initializer_list<std::string_view> keys,
                    std::initializer_list<std::string_view> arguments = {}) const {
    return call(std::span(keys.begin(), keys.size()), std::span(arguments.begin(), arguments.size()));
  }
};

}  // namespace picklock
