// Requests that the members of one cluster decode together.

#include "sim/etcd/decoded_requests.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace {

std::string put(int n) { return encode(EtcdRequest(EtcdPut("key", std::to_string(n), 0))); }

TEST(EtcdDecodedRequests, SharesWhatItsBytesSay) {
  EtcdDecodedRequests decoded;
  const std::string first = put(1), second = put(2);
  const auto one = decoded.decode(first), other = decoded.decode(second), again = decoded.decode(std::string(first));
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one, again) << "the same request, not an equal one";
  EXPECT_EQ(*one, *decode_etcd_request(first));
  EXPECT_EQ(*other, *decode_etcd_request(second));
}

TEST(EtcdDecodedRequests, ForgetsAndDecodesAnew) {
  EtcdDecodedRequests decoded;
  const auto kept = decoded.decode(put(0));
  for (int n = 1; n < 100; ++n) EXPECT_EQ(*decoded.decode(put(n)), *decode_etcd_request(put(n)));
  const auto anew = decoded.decode(put(0));
  EXPECT_NE(kept, anew);
  EXPECT_EQ(*kept, *anew);
}

TEST(EtcdDecodedRequests, BytesThatAreNoRequestAreNone) {
  EtcdDecodedRequests decoded;
  EXPECT_EQ(decoded.decode(""), nullptr) << "nothing was remembered so far";
  EXPECT_EQ(decoded.decode("\xff"), nullptr);
}

}  // namespace
}  // namespace picklock
