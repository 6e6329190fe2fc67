#include "sim/zookeeper/path.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"

namespace picklock {
namespace {

TEST(ZooPath, KnowsItsPartsAndTheirHashes) {
  const ZooPath path("/lock/n-0000000007");
  EXPECT_EQ(path.text(), "/lock/n-0000000007");
  EXPECT_EQ(path.parent(), "/lock");
  EXPECT_EQ(path.name(), "n-0000000007");
  EXPECT_EQ(path.hash(), hash_of("/lock/n-0000000007"));
  EXPECT_EQ(path.parent_hash(), hash_of("/lock"));
  EXPECT_EQ(path.name_hash(), hash_of("n-0000000007"));
  EXPECT_EQ(path.number(), 7);
  EXPECT_EQ(ZooPath("/lock").parent(), "/");
  EXPECT_EQ(ZooPath("/lock").number(), std::nullopt);
}

TEST(ZooPath, IsEqualToEveryPathOfItsText) {
  const ZooPath path("/lock"), copy = path;
  EXPECT_EQ(copy, path);
  EXPECT_EQ(copy.text().data(), path.text().data()) << "they share it";
  EXPECT_EQ(ZooPath("/lock"), path);
  EXPECT_FALSE(ZooPath("/locks") == path);
  EXPECT_FALSE(ZooPath() == path);
  EXPECT_TRUE(ZooPath("").empty());
  EXPECT_EQ(ZooPath(), ZooPath(""));
}

}  // namespace
}  // namespace picklock
