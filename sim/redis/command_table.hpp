// The commands that the simulated server knows.
//
// To add one: a handler in the file of its family, its declaration in commands.hpp, one line in
// command_table.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/redis/call.hpp"

namespace picklock {

struct RedisCommandSpec {
  enum Flags : std::uint8_t {
    kNone = 0,
    kWrite = 1,
    kReadonly = 2,
    kNoScript = 4,
    kImmediate = 8,        // runs at once inside a transaction, too
    kWhileSubscribed = 16  // allowed on a connection that has subscriptions
  };
  std::string_view name;  // lower case; "script|load": a subcommand
  int arity = 0;          // arguments, the name included; negative: at least that many
  std::uint8_t flags = kNone;
  RedisReply (*handler)(RedisCall&) = nullptr;
  std::span<const RedisCommandSpec> subcommands = {};  // the second word names them; none: the handler reads it

  bool has(Flags flag) const { return (flags & flag) != 0; }
  bool takes(std::size_t argc) const {
    return arity >= 0 ? argc == static_cast<std::size_t>(arity) : argc >= static_cast<std::size_t>(-arity);
  }
};

std::span<const RedisCommandSpec> redis_commands();                 // sorted by name
const RedisCommandSpec* find_redis_command(std::string_view name);  // case does not matter
// The subcommand that a command means, or else itself; null: it has no such subcommand.
const RedisCommandSpec* subcommand_of(const RedisCommandSpec& spec, const RedisCommandView& command);

// The arguments of a command that are keys, or channels of a shard: from `first` on every `step`-th, up to `last` (negative: counted
// from the end). 0: none, or as many as the command itself says (EVAL).
struct RedisKeyPlaces {
  int first = 0, last = 0, step = 0;
};
RedisKeyPlaces key_places_of(const RedisCommandSpec& spec);
bool counts_its_keys(const RedisCommandSpec& spec);  // the second argument is the number of keys, as for EVAL
// Index: the number of the verb, as RedisCommandView::verb() has it; null: no such command.
using RedisCommandsByVerb = std::array<const RedisCommandSpec*, mark::first_zookeeper>;
const RedisCommandsByVerb& redis_commands_by_verb();

}  // namespace picklock
