// A script that has no body in C++: its Lua text runs as Redis 7.0 runs it.
//
// Each run has an interpreter of its own (sim/lua/machine.hpp).  scripts/compare-scripts holds it against a real server.  It differs:
//
//   - Missing are the libraries bit, cjson, cmsgpack and struct; load, collectgarbage and gcinfo; redis.setresp, set_repl,
//     breakpoint and debug; and commands that the simulated server lacks.
//   - A script is stopped after 5,000,000 instructions, with 16 MB of data, or at a pattern of more than 2,000 characters, where a
//     real server goes on.  Bytecode is not run.
//   - A table's text is "table", without an address; one with tables for keys cannot be traversed; table.foreach is missing.
//   - math.random begins with the same numbers in each script; a real server goes on with those of the scripts before.
//   - Fields of a hash come in the order of their names; a real server's order is unspecified.
//   - error() with a table that has no text `err` ends the script with an error; a real 7.0.15 crashes.
//   - The append-only file has SET where a real one has SETNX or SET with NX, XX or GET that took effect.
#pragma once

#include <optional>
#include <string_view>

#include "sim/task/redis_values.hpp"

namespace picklock {

RedisReply run_script_text(std::string_view lua, ScriptContext& context);
// Error of a text that cannot be run; nothing: it can.
std::optional<RedisReply> script_text_error(std::string_view lua);

}  // namespace picklock
