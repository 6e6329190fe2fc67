// The append-only file: effects as bytes, and back.
//
// An entry is its length (4 bytes, little endian) and the packed command.  As in a real server a file
// may end in the middle of an entry or of a MULTI .. EXEC, which a crash leaves behind: loading
// then keeps what is before (aof-load-truncated yes).  Anything else that is wrong is corruption.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/database.hpp"
#include "sim/redis/outputs.hpp"
#include "sim/redis/wire.hpp"

namespace picklock {

void append_to_log(const RedisCommandView& effect, std::string& log);
void append_to_log(const RedisOutputs& out, EffectTarget target, std::string& log);

// The shortest log that leads to these contents: what a rewrite, or a snapshot, writes.
void rewrite_log(const RedisKeyspace& keys, std::string& log);

struct LogLoad {
  enum class End : std::uint8_t { complete, truncated, corrupt };
  End end = End::complete;
  std::size_t commands = 0;     // applied; MULTI and EXEC do not count
  std::size_t valid_bytes = 0;  // the rest is to be cut off
};

// Adds what the log says to `database`. Keys whose deadline has passed are loaded as well.
LogLoad load_log(std::string_view log, RedisDatabase& database);

}  // namespace picklock
