#include "sim/redis/link_messages.hpp"

#include <array>

#include "base/packing.hpp"

namespace picklock {
namespace {

// The first byte, by kind.
constexpr std::array<char, 4> kTags = {'N', 'C', 'R', 'S'};

using Kind = RedisLinkMessage::Kind;
constexpr bool has_id(Kind kind) { return kind == Kind::goes_on || kind == Kind::snapshot; }
constexpr bool has_offset(Kind kind) { return kind == Kind::snapshot || kind == Kind::unit; }

}  // namespace

void encode(const RedisLinkMessage& message, std::string& to) {
  Packer out(to);
  out.byte(static_cast<std::uint8_t>(kTags[static_cast<std::size_t>(message.kind)]));
  if (has_id(message.kind)) out.word(message.id.bits);
  if (has_offset(message.kind)) out.word(static_cast<std::uint64_t>(message.offset));
  out.bytes(message.data);
  out.finish();
}

std::optional<RedisLinkMessage> decode_link_message(std::string_view bytes) {
  Unpacker in(bytes);
  const char tag = static_cast<char>(in.byte());
  RedisLinkMessage message;
  for (std::size_t kind = 0; kind < kTags.size(); ++kind) {
    if (kTags[kind] != tag) continue;
    message.kind = static_cast<Kind>(kind);
    if (has_id(message.kind)) message.id.bits = in.word();
    if (has_offset(message.kind)) message.offset = static_cast<std::int64_t>(in.word());
    message.data = in.rest();
    const bool may_have_data = has_offset(message.kind);
    if (!in.good() || (!may_have_data && !message.data.empty())) return std::nullopt;
    return message;
  }
  return std::nullopt;
}

}  // namespace picklock
