// The README's reference is what the fields say of themselves.
#include "scenarios/file/keys.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace picklock {
namespace {

TEST(Keys, ReadmeListsThemAll) {
  const std::string path = PICKLOCK_SOURCE_DIR "/scenarios/file/README.md";
  std::stringstream in;
  in << std::ifstream(path).rdbuf();
  std::string readme = in.str();
  const std::string marker = "<!-- all keys; written by keys_test, PICKLOCK_REWRITE_GOLDEN=1 -->\n\n";
  const std::size_t begin = readme.find(marker);
  ASSERT_NE(begin, std::string::npos);
  const std::string keys = describe_scenario_keys();
  if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) {
    readme.replace(begin + marker.size(), std::string::npos, keys);
    std::ofstream(path) << readme;
  }
  EXPECT_EQ(readme.substr(begin + marker.size()), keys);
  for (const char* key :
       {"`ttl`", "`honours-deadline`", "`appendonly`", "`probe-patience`", "`drift-ppm`", "`count`"}) {
    EXPECT_NE(keys.find(key), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace picklock
