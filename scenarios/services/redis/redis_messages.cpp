#include "scenarios/services/redis/redis_messages.hpp"

#include "base/printable.hpp"
#include "base/shorten.hpp"
#include "sim/redis/link_messages.hpp"
#include "sim/redis/replication_stream.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {
namespace {

constexpr std::size_t kLongestArgument = 40;

std::string words_of(const RedisCommandView& command) {
  std::string words;
  for (std::size_t i = 0; i < command.argc(); ++i) {
    if (i > 0) words += ' ';
    const std::string argument = printable(command.arg(i));
    const bool plain = !argument.empty() && argument.find(' ') == std::string::npos;
    if (!plain) words += '"';
    words += shorten(argument, kLongestArgument);
    if (!plain) words += '"';
  }
  return words;
}

// Words for what a master sends without being asked.
std::string words_of_link(std::string_view body) {
  const std::optional<RedisLinkMessage> message = decode_link_message(body);
  if (!message) return "";
  switch (message->kind) {
    case RedisLinkMessage::Kind::nothing:
      return "the snapshot is not ready yet";
    case RedisLinkMessage::Kind::goes_on:
      return "the replication goes on";
    case RedisLinkMessage::Kind::snapshot:
      return "a snapshot of all keys, up to offset " + std::to_string(message->offset);
    case RedisLinkMessage::Kind::unit:
      break;
  }
  if (message->data.size() < ReplicationUnitView::kHeader) return "";
  std::string words;
  ReplicationUnitView(message->data).for_each([&](const RedisCommandView& command, RedisEffectKind) {
    words += (words.empty() ? "replication: " : "; ") + words_of(command);
  });
  return words;
}

}  // namespace

std::string redis_message_words(const CarriedMessage& message) {
  if (message.answers) {
    RedisReply reply;
    return decode(message.body, reply) ? reply.to_string() : "";
  }
  const RedisCommandView command(message.body);
  if (command.valid()) return words_of(command);
  return message.among_servers && !message.body.empty() ? words_of_link(message.body) : "";
}

}  // namespace picklock
