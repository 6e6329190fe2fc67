// The table `lease_data` of a lock in Lua: how its data say whose the lock is, and until when.
//
//   lease_data = { says = "begin", unit = "ms", clock = "client" }                            -- a number alone
//   lease_data = { time = "until", owner = "holder", says = "end", unit = "s", clock = "server" }   -- members of JSON
#pragma once

#include <string>

#include "algorithms/lua/lua_options.hpp"
#include "base/lease_text.hpp"

namespace picklock {

struct LuaDataLease {
  DataLease lease{};
  std::string clock_option{};  // says "client" or "server"; empty: `lease` does

  DataLease with(const LuaOptions& options) const;
};

// Gives what is wrong, beginning with the word in question and a colon; empty: nothing.
std::string read_lua_data_lease(const LuaValue& table, const std::deque<LuaOption>& options, LuaDataLease& read);

}  // namespace picklock
