#include "sim/redis/wire.hpp"

#include <algorithm>
#include <vector>

#include "base/varint.hpp"

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
    places_[i] = {static_cast<std::uint32_t>(++at), size};
    at += size;
  }
  if (at > packed.size()) return;
  std::string_view rest = packed.substr(at), text;
  for (; i < argc; ++i) {  // a long text, or many
    if (!take_text(rest, text)) return;
    if (i < kRead) {
      places_[i] = {static_cast<std::uint32_t>(text.data() - packed.data()), static_cast<std::uint32_t>(text.size())};
    }
  }
  if (!rest.empty()) return;
  packed_ = packed;
  argc_ = static_cast<std::uint32_t>(argc);
  placed_ = static_cast<std::uint32_t>(std::min(argc, kRead));
}

RedisCommandView& RedisCommandView::operator=(const RedisCommandView& other) {
  packed_ = other.packed_;
  argc_ = other.argc_;
  placed_ = other.placed_;
  verb_ = other.verb_;
  std::copy_n(other.places_, placed_, places_);
  return *this;
}

std::string_view RedisCommandView::distant_arg(std::size_t index) const {
  const Place& last = places_[placed_ - 1];
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

void encode(const RedisReply& reply, std::string& to) {
  char number[10];
  const auto put = [&](std::uint64_t n) { to.append(number, put_varint(number, n)); };
  to += static_cast<char>(reply.kind());
  switch (reply.kind()) {
    case RedisReply::Kind::nil:
      return;
    case RedisReply::Kind::integer:
      return put(zigzag(reply.integer()));
    case RedisReply::Kind::status:
    case RedisReply::Kind::error:
    case RedisReply::Kind::bulk:
      put(reply.text().size());
      to += reply.text();
      return;
    case RedisReply::Kind::array:
      put(reply.elements().size());
      for (const RedisReply& element : reply.elements()) encode(element, to);
      return;
  }
}

std::string encode(const RedisReply& reply) {
  std::string bytes;
  encode(reply, bytes);
  return bytes;
}

bool decode(std::string_view bytes, RedisReply& reply) {
  reply = RedisReply();
  if (decode_one(bytes, 0, reply) && bytes.empty()) return true;
  reply = RedisReply();
  return false;
}

}  // namespace picklock
