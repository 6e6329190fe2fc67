#include "sim/task/redis_values.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "base/varint.hpp"

namespace picklock {
namespace {

constexpr std::size_t kCountBytes = 2;

std::size_t packed_argc(std::string_view packed) {
  return static_cast<unsigned char>(packed[0]) | static_cast<std::size_t>(static_cast<unsigned char>(packed[1])) << 8;
}

void quote(std::string_view text, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (byte < 32 || byte >= 127) {
      ((out += "\\x") += kHex[byte >> 4]) += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

void RedisCommand::add(std::string_view text) {
  const std::size_t count = argc() + 1;
  PICKLOCK_CHECK(count <= kMostArguments);
  const auto size = static_cast<std::uint32_t>(text.size());
  if (size < 128) {  // nearly always
    char* to = packed_.grow(1 + size);
    *to++ = static_cast<char>(size);
    if (size > 0) std::memcpy(to, text.data(), size);
  } else {
    const auto head = static_cast<std::uint32_t>(varint_size(size));
    std::memcpy(put_varint(packed_.grow(head + size), size), text.data(), size);
  }
  packed_.data()[0] = static_cast<char>(count & 255);
  packed_.data()[1] = static_cast<char>(count >> 8);
}

void RedisCommand::clear() { packed_.assign(std::string_view("\0\0", 2)); }

std::size_t RedisCommand::argc() const { return packed_argc(packed_.view()); }

std::string_view RedisCommand::arg(std::size_t index) const {
  if (index >= argc()) return {};
  std::string_view rest = packed_.view().substr(kCountBytes);
  std::string_view text;
  for (std::size_t i = 0; i <= index; ++i) take_text(rest, text);
  return text;
}

std::string RedisCommand::to_string() const {
  std::string out;
  for (std::size_t i = 0; i < argc(); ++i) {
    if (i > 0) out += ' ';
    const std::string_view text = arg(i);
    const bool plain = !text.empty() && text.find_first_not_of(
                                            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                            "0123456789_-+.:/*(){}[]!@#$%^&=<>,;?|~") == std::string_view::npos;
    if (plain) {
      out += text;
    } else {
      quote(text, out);
    }
  }
  return out;
}

RedisReply::RedisReply(const RedisReply& other) : kind_(other.kind_), integer_(other.integer_), text_(other.text_) {
  if (other.elements_ != nullptr) elements_ = std::make_unique<std::vector<RedisReply>>(*other.elements_);
}

RedisReply RedisReply::integer(std::int64_t value) {
  RedisReply reply;
  reply.become(value);
  return reply;
}

RedisReply RedisReply::array(std::vector<RedisReply> elements) {
  RedisReply reply(Kind::array, {});
  reply.elements_ = std::make_unique<std::vector<RedisReply>>(std::move(elements));
  return reply;
}

void RedisReply::push_back(RedisReply element) {
  if (elements_ == nullptr) elements_ = std::make_unique<std::vector<RedisReply>>();
  elements_->push_back(std::move(element));
}

void RedisReply::forget_elements() noexcept { elements_.reset(); }

std::string RedisReply::to_string() const {
  std::string out;
  switch (kind_) {
    case Kind::nil:
      return "nil";
    case Kind::integer:
      return std::to_string(integer_);
    case Kind::status:
      return std::string(text());
    case Kind::error:
      return "!" + std::string(text());
    case Kind::bulk:
      quote(text(), out);
      return out;
    case Kind::array:
      out = "[";
      for (const RedisReply& element : elements()) {
        if (out.size() > 1) out += ", ";
        out += element.to_string();
      }
      return out + "]";
  }
  return out;
}

bool operator==(const RedisReply& a, const RedisReply& b) {
  const auto ours = a.elements(), theirs = b.elements();
  return a.kind_ == b.kind_ && a.integer_ == b.integer_ && a.text_ == b.text_ &&
         std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end());
}

ScriptResult ScriptResult::nil() {
  ScriptResult result{RedisReply()};
  result.lua_nil_ = true;
  return result;
}

ScriptResult ScriptResult::number(double value) { return ScriptResult(static_cast<std::int64_t>(value)); }

ScriptResult ScriptResult::array(std::initializer_list<ScriptResult> values) {
  RedisReply reply = RedisReply::array();
  for (const ScriptResult& value : values) {
    if (value.lua_nil_) break;
    reply.push_back(value.reply_);
  }
  return reply;
}

RedisCommand RedisScript::call(std::span<const std::string_view> keys,
                               std::span<const std::string_view> arguments) const {
  RedisCommand command("EVAL", sent_as(), keys.size());
  for (const std::string_view key : keys) command.add(key);
  for (const std::string_view argument : arguments) command.add(argument);
  return command;
}

}  // namespace picklock
