#include "sim/redis/link_messages.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace {

TEST(RedisLinkMessages, ComeBackFromTheirBytes) {
  using Kind = RedisLinkMessage::Kind;
  const std::string log("a log\0with a zero", 17);
  const RedisLinkMessage all[] = {{},
                                  {Kind::goes_on, {7}, 0, {}},
                                  {Kind::snapshot, {~std::uint64_t{0}}, 12, log},
                                  {Kind::unit, {}, -1, "unit"},
                                  {Kind::unit, {}, 3, ""}};
  for (const RedisLinkMessage& message : all) {
    std::string bytes;
    encode(message, bytes);
    EXPECT_EQ(decode_link_message(bytes), message);
  }
}

TEST(RedisLinkMessages, OtherBytesAreNone) {
  EXPECT_EQ(decode_link_message(""), std::nullopt);
  EXPECT_EQ(decode_link_message("X"), std::nullopt);
  EXPECT_EQ(decode_link_message("Nmore"), std::nullopt);
  EXPECT_EQ(decode_link_message("C1234567"), std::nullopt) << "seven bytes of an id";
  EXPECT_EQ(decode_link_message("S"), std::nullopt);
}

}  // namespace
}  // namespace picklock
