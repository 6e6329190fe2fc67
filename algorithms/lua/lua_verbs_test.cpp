#include "algorithms/lua/lua_verbs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace picklock {
namespace lua_verbs_test {

TEST(LuaVerbs, EachHasOneAnswerAndOneName) {
  std::set<std::string> names;
  for (const LuaVerb& verb : lua_verbs()) {
    const std::string name = std::string(verb.ask.object) + ":" + std::string(verb.ask.name);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_NE(verb.now == nullptr, verb.later == nullptr) << name;
  }
  EXPECT_EQ(lua_verbs().size(), lua_asks().size());
}

TEST(LuaVerbs, EachIsInTheManual) {
  std::stringstream page;
  page << std::ifstream(PICKLOCK_SOURCE_DIR "/docs/lua.md").rdbuf();
  for (const LuaVerb& verb : lua_verbs()) {
    const std::string name = "`" + std::string(verb.ask.object) + ":" + std::string(verb.ask.name) + "(";
    EXPECT_NE(page.str().find(name), std::string::npos) << name;
  }
}

}  // namespace lua_verbs_test
}  // namespace picklock
