#include "sim/redis/wire.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/varint.hpp"
#include "sim/redis/encoded_reply.hpp"

namespace picklock {
namespace {

constexpr std::size_t kCountBytes = 2;
constexpr int kDeepestReply = 32;

// `reply` is nil before.
bool decode_one(std::string_view& bytes, int depth, RedisReply& reply) {
  if (bytes.empty() || depth > kDeepestReply) return false;
  if (static_cast<unsigned char>(bytes.front()) > static_cast<unsigned char>(RedisReply::Kind::array)) return false;
  const auto kind = static_cast<RedisReply::Kind>(bytes.front());
  bytes.remove_prefix(1);
  std::uint64_t number = 0;
  std::string_view text;
  switch (kind) {
    case RedisReply::Kind::nil:
      return true;
    case RedisReply::Kind::integer:
      if (!take_varint(bytes, number)) return false;
      reply.become(unzigzag(number));
      return true;
    case RedisReply::Kind::status:
    case RedisReply::Kind::error:
    case RedisReply::Kind::bulk:
      if (!take_text(bytes, text)) return false;
      reply.become(kind, text);
      return true;
    case RedisReply::Kind::array:
      break;
  }
  // An element takes a byte at least, which bounds what a forged count can make us reserve.
  if (!take_varint(bytes, number) || number > bytes.size()) return false;
  std::vector<RedisReply> elements;
  for (std::uint64_t i = 0; i < number; ++i) {
    if (!decode_one(bytes, depth + 1, elements.emplace_back())) return false;
  }
  reply = RedisReply::array(std::move(elements));
  return true;
}

}  // namespace

// --- commands

void RedisCommandView::read(std::string_view packed) {
  if (packed.size() < kCountBytes || packed.size() > UINT32_MAX) return;
  const std::size_t argc =
      static_cast<unsigned char>(packed[0]) | static_cast<std::size_t>(static_cast<unsigned char>(packed[1])) << 8;
  constexpr unsigned kShort = 128;  // a length below it takes one byte
  std::size_t at = kCountBytes, i = 0;
  for (; i < argc && i < kRead; ++i) {
    if (at >= packed.size()) return;
    const auto size = static_cast<unsigned char>(packed[at]);
    if (size >= kShort) break;
    read_[i] = {static_cast<std::uint32_t>(++at), size};
    at += size;
  }
  if (at > packed.size()) return;
  std::string_view rest = packed.substr(at), text;
  for (; i < argc; ++i) {  // a long text, or many
    if (!take_text(rest, text)) return;
    if (i < kRead) {
      read_[i] = {static_cast<std::uint32_t>(text.data() - packed.data()), static_cast<std::uint32_t>(text.size())};
    }
  }
  if (!rest.empty()) return;
  packed_ = packed;
  argc_ = static_cast<std::uint32_t>(argc);
  placed_ = static_cast<std::uint32_t>(std::min(argc, kRead));
  places_ = read_;
}

RedisCommandView& RedisCommandView::operator=(const RedisCommandView& other) {
  packed_ = other.packed_;
  argc_ = other.argc_;
  placed_ = other.placed_;
  verb_ = other.verb_;
  shape_ = other.shape_;
  number_ = other.number_;
  places_ = other.places_;
  if (other.places_ != other.read_ || this == &other) return *this;
  std::copy_n(other.read_, placed_, read_);
  places_ = read_;
  return *this;
}

std::string_view RedisCommandView::distant_arg(std::size_t index) const {
  const RedisArgumentPlace& last = places_[placed_ - 1];
  std::string_view rest = packed_.substr(last.offset + last.size);
  std::string_view text;
  for (std::size_t i = placed_; i <= index; ++i) take_text(rest, text);
  return text;
}

std::string RedisCommandView::to_string() const {
  RedisCommand command;
  for (std::size_t i = 0; i < argc_; ++i) command.add(arg(i));
  return command.to_string();
}

// --- replies

std::size_t encoded_size(const RedisReply& reply) {
  switch (reply.kind()) {
    case RedisReply::Kind::nil:
      return 1;
    case RedisReply::Kind::integer:
      return 1 + varint_size(zigzag(reply.integer()));
    case RedisReply::Kind::status:
    case RedisReply::Kind::error:
    case RedisReply::Kind::bulk:
      return 1 + varint_size(reply.text().size()) + reply.text().size();
    case RedisReply::Kind::array:
      break;
  }
  std::size_t size = 1 + varint_size(reply.elements().size());
  for (const RedisReply& element : reply.elements()) size += encoded_size(element);
  return size;
}

char* encode(const RedisReply& reply, char* to) {
  const std::string_view text = reply.text();
  *to++ = static_cast<char>(reply.kind());
  switch (reply.kind()) {
    case RedisReply::Kind::nil:
      return to;
    case RedisReply::Kind::integer:
      return put_varint(to, zigzag(reply.integer()));
    case RedisReply::Kind::status:
    case RedisReply::Kind::error:
    case RedisReply::Kind::bulk:
      to = put_varint(to, text.size());
      if (!text.empty()) std::memcpy(to, text.data(), text.size());
      return to + text.size();
    case RedisReply::Kind::array:
      break;
  }
  to = put_varint(to, reply.elements().size());
  for (const RedisReply& element : reply.elements()) to = encode(element, to);
  return to;
}

std::string encode(const RedisReply& reply) {
  std::string bytes(encoded_size(reply), '\0');
  encode(reply, bytes.data());
  return bytes;
}

Payload encoded_in_full(const RedisReply& reply, Arena& arena) {
  if (reply.is_array()) {
    Payload bytes(arena, encoded_size(reply));
    encode(reply, bytes.data());
    return bytes;
  }
  const std::string_view text = reply.text();  // of an integer: empty
  const bool counts = reply.kind() == RedisReply::Kind::integer;
  const std::uint64_t number = counts ? zigzag(reply.integer()) : text.size();
  const std::size_t head = 1 + varint_size(number);
  Payload bytes = Payload::knowing(
      arena, RedisKnownReply{reply.kind(), static_cast<std::uint32_t>(head), reply.integer()}, head + text.size());
  *bytes.data() = static_cast<char>(reply.kind());
  copy_short(put_varint(bytes.data() + 1, number), text.data(), text.size());
  return bytes;
}

bool decode(std::string_view bytes, RedisReply& reply) {
  reply = RedisReply();
  if (decode_one(bytes, 0, reply) && bytes.empty()) return true;
  reply = RedisReply();
  return false;
}

RedisReply decode_redis_reply(std::string_view bytes) {
  RedisReply reply;
  if (!decode_one(bytes, 0, reply) || !bytes.empty()) reply = RedisReply::error("ERR malformed reply");
  return reply;
}

}  // namespace picklock
