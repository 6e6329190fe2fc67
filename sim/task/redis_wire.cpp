#include "sim/task/redis_wire.hpp"

#include <cstring>
#include <stdexcept>

namespace picklock {
namespace {

constexpr std::size_t kCountBytes = 2;
constexpr int kDeepestReply = 32;

std::size_t varint_size(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 128; value >>= 7) ++size;
  return size;
}

char* put_varint(char* to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) *to++ = static_cast<char>(value | 128);
  *to++ = static_cast<char>(value);
  return to;
}

// Takes a varint off the front. False if there is none, or it exceeds 64 bits.
bool take_varint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (shift == 63 && byte > 1) return false;
    value |= static_cast<std::uint64_t>(byte & 127U) << shift;
    if (byte < 128) return true;
  }
  return false;
}

bool take_text(std::string_view& bytes, std::string_view& text) {
  if (bytes.empty()) return false;
  std::uint64_t size = static_cast<unsigned char>(bytes.front());
  if (size < 128) {  // nearly always
    bytes.remove_prefix(1);
  } else if (!take_varint(bytes, size)) {
    return false;
  }
  if (size > bytes.size()) return false;
  text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t unzigzag(std::uint64_t value) { return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1)); }

std::size_t packed_argc(std::string_view packed) {
  return static_cast<unsigned char>(packed[0]) | static_cast<std::size_t>(static_cast<unsigned char>(packed[1])) << 8;
}

std::string_view walk_to(std::string_view packed, std::size_t at, std::size_t steps) {
  std::string_view rest = packed.substr(at);
  std::string_view text;
  for (std::size_t i = 0; i <= steps; ++i) take_text(rest, text);
  return text;
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

template <class Command>
std::string print_command(const Command& command) {
  std::string out;
  for (std::size_t i = 0; i < command.argc(); ++i) {
    if (i > 0) out += ' ';
    const std::string_view text = command.arg(i);
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

}  // namespace

void RedisCommand::add(std::string_view text) {
  const std::size_t count = argc() + 1;
  if (count > 0xFFFF) throw std::length_error("a Redis command has at most 65,535 arguments");
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
  return index < argc() ? walk_to(packed_.view(), kCountBytes, index) : std::string_view();
}

std::string RedisCommand::to_string() const { return print_command(*this); }

RedisCommandView::RedisCommandView(std::string_view packed) {
  if (packed.size() < kCountBytes || packed.size() > UINT32_MAX) return;
  const std::size_t argc = packed_argc(packed);
  std::string_view rest = packed.substr(kCountBytes);
  std::string_view text;
  for (std::size_t i = 0; i < argc; ++i) {
    if (!take_text(rest, text)) return;
    if (i < kIndexed) {
      indexed_[i] = {static_cast<std::uint32_t>(text.data() - packed.data()), static_cast<std::uint32_t>(text.size())};
    }
  }
  if (!rest.empty()) return;
  packed_ = packed;
  argc_ = static_cast<std::uint32_t>(argc);
}

std::string_view RedisCommandView::distant_arg(std::size_t index) const {
  const Slice& last = indexed_[kIndexed - 1];
  return walk_to(packed_, last.offset + last.size, index - kIndexed);
}

std::string RedisCommandView::to_string() const { return print_command(*this); }

RedisReply RedisReply::integer(std::int64_t value) {
  RedisReply reply(Kind::integer, {});
  reply.integer_ = value;
  return reply;
}

RedisReply RedisReply::array(std::vector<RedisReply> elements) {
  RedisReply reply(Kind::array, {});
  reply.elements_ = std::move(elements);
  return reply;
}

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
      for (const RedisReply& element : elements_) {
        if (out.size() > 1) out += ", ";
        out += element.to_string();
      }
      return out + "]";
  }
  return out;
}

std::size_t RedisReply::encoded_size() const {
  switch (kind_) {
    case Kind::nil:
      return 1;
    case Kind::integer:
      return 1 + varint_size(zigzag(integer_));
    case Kind::status:
    case Kind::error:
    case Kind::bulk:
      return 1 + varint_size(text_.size()) + text_.size();
    case Kind::array:
      break;
  }
  std::size_t size = 1 + varint_size(elements_.size());
  for (const RedisReply& element : elements_) size += element.encoded_size();
  return size;
}

char* RedisReply::encode(char* to) const {
  *to++ = static_cast<char>(kind_);
  switch (kind_) {
    case Kind::nil:
      return to;
    case Kind::integer:
      return put_varint(to, zigzag(integer_));
    case Kind::status:
    case Kind::error:
    case Kind::bulk:
      to = put_varint(to, text_.size());
      if (!text_.empty()) std::memcpy(to, text_.data(), text_.size());
      return to + text_.size();
    case Kind::array:
      break;
  }
  to = put_varint(to, elements_.size());
  for (const RedisReply& element : elements_) to = element.encode(to);
  return to;
}

std::string RedisReply::encode() const {
  std::string bytes(encoded_size(), '\0');
  encode(bytes.data());
  return bytes;
}

bool RedisReply::decode(std::string_view bytes, RedisReply& reply) {
  if (decode_one(bytes, 0, reply) && bytes.empty()) return true;
  reply = RedisReply();
  return false;
}

RedisReply RedisReply::decode(std::string_view bytes) {
  RedisReply reply;
  return decode(bytes, reply) ? reply : error("ERR malformed reply");
}

bool RedisReply::decode_one(std::string_view& bytes, int depth, RedisReply& reply) {
  reply = RedisReply();
  if (bytes.empty() || depth > kDeepestReply) return false;
  if (static_cast<unsigned char>(bytes.front()) > static_cast<unsigned char>(Kind::array)) {
    return false;
  }
  reply.kind_ = static_cast<Kind>(bytes.front());
  bytes.remove_prefix(1);
  std::uint64_t number = 0;
  std::string_view text;
  switch (reply.kind_) {
    case Kind::nil:
      return true;
    case Kind::integer:
      if (!take_varint(bytes, number)) return false;
      reply.integer_ = unzigzag(number);
      return true;
    case Kind::status:
    case Kind::error:
    case Kind::bulk:
      if (!take_text(bytes, text)) return false;
      reply.text_.assign(text);
      return true;
    case Kind::array:
      break;
  }
  // An element takes a byte at least, which bounds what a forged count can make us reserve.
  if (!take_varint(bytes, number) || number > bytes.size()) return false;
  for (std::uint64_t i = 0; i < number; ++i) {
    reply.elements_.emplace_back();
    if (!decode_one(bytes, depth + 1, reply.elements_.back())) return false;
  }
  return true;
}

bool operator==(const RedisReply& a, const RedisReply& b) {
  return a.kind_ == b.kind_ && a.integer_ == b.integer_ && a.text_ == b.text_ && a.elements_ == b.elements_;
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
  RedisCommand command("EVAL", name, keys.size());
  for (const std::string_view key : keys) command.add(key);
  for (const std::string_view argument : arguments) command.add(argument);
  return command;
}

}  // namespace picklock
