#include "sim/redis/append_only_file.hpp"

#include <cstring>
#include <vector>

namespace picklock {
namespace {

enum class Next { entry, end, torn, bad };

// Takes the next entry off the front of `rest`.
Next take_entry(std::string_view& rest, RedisCommandView& command) {
  if (rest.empty()) return Next::end;
  if (rest.size() < 4) return Next::torn;
  std::uint32_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    size |= static_cast<std::uint32_t>(static_cast<unsigned char>(rest[i])) << (8 * i);
  }
  if (rest.size() - 4 < size) return Next::torn;
  command = RedisCommandView(rest.substr(4, size));
  if (!command.valid()) return Next::bad;
  rest.remove_prefix(4 + size);
  return Next::entry;
}

}  // namespace

void append_to_log(const RedisCommandView& effect, std::string& log) {
  const auto size = static_cast<std::uint32_t>(effect.bytes().size());
  for (unsigned shift = 0; shift < 32; shift += 8) log += static_cast<char>(size >> shift & 255);
  log += effect.bytes();
}

void append_to_log(const RedisOutputs& out, EffectTarget target, std::string& log) {
  out.for_each_effect(target, [&log](const RedisCommandView& e) { append_to_log(e, log); });
}

void rewrite_log(const RedisKeyspace& keys, std::string& log) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const RedisEntry& entry = keys.at(i);
    const std::string_view key = entry.key.view();
    RedisCommand command;
    switch (entry.type) {
      case RedisType::string:
        command = RedisCommand("SET", key, entry.text.view());
        break;
      case RedisType::hash:
        command = RedisCommand("HSET", key);
        for (const RedisField& field : entry.fields) {
          command.add(field.name.view());
          command.add(field.value.view());
        }
        break;
      case RedisType::set:
        command = RedisCommand("SADD", key);
        for (const RedisField& member : entry.fields) command.add(member.name.view());
        break;
      case RedisType::list:
        command = RedisCommand("RPUSH", key);
        for (const RedisText& item : entry.items) command.add(item.view());
        break;
      case RedisType::sorted_set:
        command = RedisCommand("ZADD", key);
        for (const RedisScored& scored : entry.scored) {
          command.add(format_redis_score(scored.score).view());
          command.add(scored.member.view());
        }
        break;
    }
    append_to_log(command, log);
    if (entry.expires_at_ms == kNoExpiry) continue;
    const RedisCommand deadline("PEXPIREAT", key, entry.expires_at_ms);
    append_to_log(deadline, log);
  }
}

LogLoad load_log(std::string_view log, RedisDatabase& database) {
  LogLoad load;
  RedisOutputs ignored;
  std::vector<RedisCommandView> transaction;
  bool in_transaction = false;
  std::string_view rest = log;
  const auto apply = [&](const RedisCommandView& command) {
    ++load.commands;
    ignored.clear();
    return !database.apply(command, 0, ignored).is_error();
  };
  for (;;) {
    if (!in_transaction) load.valid_bytes = log.size() - rest.size();
    RedisCommandView command;
    const Next next = take_entry(rest, command);
    if (next == Next::bad) load.end = LogLoad::End::corrupt;
    if (next == Next::torn || (next == Next::end && in_transaction)) {
      load.end = LogLoad::End::truncated;
    }
    if (next != Next::entry) return load;

    bool good = true;
    if (is_redis_word(command.arg(0), "MULTI")) {
      in_transaction = true;
      transaction.clear();
    } else if (is_redis_word(command.arg(0), "EXEC")) {
      in_transaction = false;
      for (const RedisCommandView& queued : transaction) good = good && apply(queued);
    } else if (in_transaction) {
      transaction.push_back(command);
    } else {
      good = apply(command);
    }
    if (!good) {
      load.end = LogLoad::End::corrupt;
      return load;
    }
  }
}

}  // namespace picklock
