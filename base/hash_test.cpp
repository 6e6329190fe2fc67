#include "base/hash.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/fnv.hpp"
#include "base/law.hpp"

namespace picklock {
namespace {

TEST(Hash, TheFinalizerIsThatOfSplitmix64) {
  // The first outputs of the reference implementation (Vigna) for the state 0.
  EXPECT_EQ(mix(kGolden), 0xe220a8397b1dcdafu);
  EXPECT_EQ(mix(2 * kGolden), 0x6e789e6aa1b965f4u);
}

TEST(Hash, Fnv1aHasThePublishedValues) {
  static_assert(fnv1a("") == 0xcbf29ce484222325);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8u);
  EXPECT_EQ(fnv1a("bar", fnv1a("foo")), fnv1a("foobar"));
}

TEST(Hash, OfATextGoesOnWhereItStopped) {
  EXPECT_EQ(hash_more(hash_of("a"), ".b"), hash_of("a.b"));
  EXPECT_NE(hash_of("ab"), hash_of("ba"));
}

TEST(Hash, ThatIsRememberedIsThatOfTheText) {
  for (int round = 0; round < 2; ++round) {
    for (std::size_t size = 0; size < 200; ++size) {
      for (const char letter : {'a', 'b'}) {
        const std::string text = letter + std::string(size, '-') + "same end";
        EXPECT_EQ(remembered_hash_of(text), hash_of(text));
      }
    }
  }
}

TEST(Hash, OfALawCountsEveryMember) {
  EXPECT_EQ(hash_of(Law::uniform(1, 2)), hash_of(Law::uniform(1, 2)));
  EXPECT_NE(hash_of(Law::uniform(1, 2)), hash_of(Law::uniform(1, 3)));
  EXPECT_NE(hash_of(Law::table({{1, 1}, {2, 1}})), hash_of(Law::table({{1, 1}, {2, 2}})));
}

TEST(Hash, OfBytesSeesLengthAndEveryByte) {
  EXPECT_NE(hash_bytes(std::string_view("\0", 1)), hash_bytes(""));
  EXPECT_NE(hash_bytes("12345678a"), hash_bytes("12345678b"));
  EXPECT_NE(hash_bytes("a2345678"), hash_bytes("b2345678"));
  std::string text(40, 'x');
  for (std::size_t size = 1; size <= text.size();
       ++size) {  // surrounding bytes, which are no part of the argument, do not change the hash
    const std::uint64_t hash = hash_bytes(std::string_view(text).substr(0, size));
    EXPECT_EQ(hash_bytes(std::string(size, 'x')), hash);
    for (std::size_t i = 0; i < size; ++i) {
      std::string changed(size, 'x');
      changed[i] = 'y';
      EXPECT_NE(hash_bytes(changed), hash) << size << " " << i;
    }
  }
}

}  // namespace
}  // namespace picklock
