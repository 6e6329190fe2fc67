#include "algorithms/lua/lua_locks.hpp"

#include <gtest/gtest.h>

#include <string>

#include "algorithms/lock.hpp"

namespace picklock {
namespace lua_locks_test {

const std::string kText = "lock = {}\nfunction acquire() return no end\nfunction release() return no end\n";

TEST(LuaLocks, AreAtMost128InAProcess) {
  std::string error;
  int added = 0;
  while (error.empty() && added < 1000) {
    error = add_lua_lock_text("number" + std::to_string(added) + ".lua", kText);
    added += error.empty() ? 1 : 0;
  }
  EXPECT_EQ(added, 128);
  EXPECT_EQ(error, "number128.lua: found 128 locks of files before it, which are the most that one process can have");
  EXPECT_NE(find_lock_kind("number127.lua"), nullptr);
  EXPECT_EQ(find_lock_kind("number128.lua"), nullptr);
  EXPECT_EQ(add_lua_lock_text("number3.lua", kText), "number3.lua: there is a lock of this name already");
  EXPECT_EQ(add_lua_lock_text("set-nx-px", kText), "set-nx-px: there is a lock of this name already");

  const std::size_t names = lock_kind_names().size();
  forget_lua_locks();
  EXPECT_EQ(lock_kind_names().size(), names - 128);
  EXPECT_EQ(find_lock_kind("number3.lua"), nullptr);
  EXPECT_NE(find_lock_kind("set-nx-px"), nullptr);
  EXPECT_EQ(add_lua_lock_text("number3.lua", kText), "");
  forget_lua_locks();
}

}  // namespace lua_locks_test
}  // namespace picklock
