#include "sim/etcd/entry.hpp"

#include <gtest/gtest.h>

#include "sim/etcd/raft/data.hpp"

namespace picklock {
namespace {

EtcdEntry put(int n) { return {1, static_cast<std::uint64_t>(n), 7, EtcdPut("k" + std::to_string(n), "v", 3)}; }

TEST(EtcdEntry, IsFoundOnTheDiskAsItWasWritten) {
  std::string bytes;
  encode(put(1), bytes);
  EXPECT_EQ(decode_etcd_entry(bytes), put(1));
  EXPECT_EQ(decode_etcd_entry(bytes.substr(0, bytes.size() - 1)), std::nullopt);
  EXPECT_EQ(decode_etcd_entry("\xff"), std::nullopt);
  EXPECT_EQ(decode_etcd_entry(""), std::nullopt);
}

TEST(EtcdEntry, IsSharedByAllThatHoldItsData) {
  const RaftData first = RaftData::of(put(1)), same = first, other = RaftData::of(put(2));
  ASSERT_NE(first.get<EtcdEntry>(), nullptr);
  EXPECT_EQ(*first.get<EtcdEntry>(), put(1));
  EXPECT_EQ(same.get<EtcdEntry>(), first.get<EtcdEntry>());
  EXPECT_EQ(*other.get<EtcdEntry>(), put(2));
}

TEST(EtcdEntry, ItsBytesAreMadeOnceAndCompared) {
  const RaftData one = RaftData::of(put(1));
  std::string bytes;
  encode(put(1), bytes);
  EXPECT_EQ(one.view(), bytes);
  EXPECT_EQ(one, RaftData(bytes)) << "a disk's";
  EXPECT_EQ(one.hash(), RaftData(bytes).hash());
  EXPECT_NE(one, RaftData::of(put(2)));
  EXPECT_EQ(RaftData(bytes).get<EtcdEntry>(), nullptr) << "a text is no value until it is decoded";
}

}  // namespace
}  // namespace picklock
