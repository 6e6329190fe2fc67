// A script that has no body in C++: its Lua text runs as Redis 7.0 runs it.
//
// Each run has an interpreter of its own (lua/machine.hpp).  Missing beside a real server: the libraries bit, cjson,
// cmsgpack and struct; load, collectgarbage and gcinfo; redis.setresp, set_repl, breakpoint and debug.  A script is stopped
// after 5,000,000 instructions or with 16 MB of data, where a real server goes on.
#pragma once

#include <string_view>

#include "sim/task/redis_values.hpp"

namespace picklock {

RedisReply run_script_text(std::string_view lua, ScriptContext& context);

}  // namespace picklock
