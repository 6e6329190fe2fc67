// Entries that the members of one cluster decode together.

#include "sim/etcd/decoded_requests.hpp"

#include <gtest/gtest.h>

#include <string>

namespace picklock {
namespace {

EtcdEntry put(int n) { return {2, static_cast<std::uint64_t>(n) + 1, 7, EtcdPut("key", std::to_string(n), 0)}; }
RaftData copy_of(const RaftData& bytes) { return bytes.view(); }

TEST(EtcdDecodedRequests, SharesWhatItsBytesSay) {
  EtcdDecodedRequests decoded;
  const RaftData first = decoded.encode(put(1)), second = decoded.encode(put(2));
  const auto one = decoded.decode(first), other = decoded.decode(second), again = decoded.decode(first);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one, again) << "the same entry, not an equal one";
  EXPECT_EQ(*one, put(1));
  EXPECT_EQ(*other, put(2));
  EXPECT_TRUE(decoded.pool().share(first.view()).is(first)) << "what arrives is what was sent";
}

TEST(EtcdDecodedRequests, BytesSayAllThatIsKnownOfThem) {
  EtcdDecodedRequests here, there;
  const auto told = there.decode(copy_of(here.encode(put(1))));
  ASSERT_TRUE(told);
  EXPECT_EQ(*told, put(1));
}

TEST(EtcdDecodedRequests, ForgetsAndDecodesAnew) {
  EtcdDecodedRequests decoded;
  const RaftData bytes = decoded.encode(put(0));
  const auto kept = decoded.decode(bytes);
  for (int n = 1; n < 100; ++n) EXPECT_EQ(*decoded.decode(decoded.encode(put(n))), put(n));
  const auto anew = decoded.decode(bytes);
  EXPECT_NE(kept, anew);
  EXPECT_EQ(*kept, *anew);
  EXPECT_FALSE(decoded.pool().share(bytes.view()).is(bytes));
}

TEST(EtcdDecodedRequests, BytesThatAreNoEntryAreNone) {
  EtcdDecodedRequests decoded;
  EXPECT_EQ(decoded.decode(""), nullptr) << "nothing was remembered so far";
  EXPECT_EQ(decoded.decode("\xff"), nullptr);
}

}  // namespace
}  // namespace picklock
