#include "services/redis/redis_messages.hpp"

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

// What a master sends without being asked.
std::string words_of_link(std::string_view body) {
  constexpr std::size_t kWord = 8, kUnit = 1 + kWord;
  const auto word = [&](std::size_t at) { return std::to_string(link_message::word_at(body, at)); };
  if (body[0] == link_message::nothing && body.size() == 1) return "the snapshot is not ready yet";
  if (body[0] == link_message::goes_on && body.size() == kUnit) return "the replication goes on";
  if (body[0] == link_message::snapshot && body.size() >= 1 + 2 * kWord)
    return "a snapshot of all keys, up to offset " + word(1 + kWord);
  if (body[0] != link_message::unit || body.size() < kUnit + ReplicationUnitView::kHeader) return "";
  std::string words;
  ReplicationUnitView(body.substr(kUnit)).for_each([&](const RedisCommandView& command, RedisEffectKind) {
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
