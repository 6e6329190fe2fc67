#include "sim/zookeeper/proposal.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"

namespace picklock {
namespace {

ZooProposal creation(std::string_view path) {
  ZooProposal p{.origin = 2, .ticket = 5, .session = -7, .xid = 3, .txn = {}};
  p.txn.kind = ZooTxn::Kind::create;
  p.txn.path = ZooPath(path);
  p.txn.data = "x";
  return p;
}

ZabEntry entry_of(ZabZxid zxid, const ZooProposal& proposal) {
  std::string bytes;
  encode(proposal, bytes);
  return {zxid, bytes};
}

TEST(ZooProposalReader, ReadsWhatWasPacked) {
  ZooProposalReader reader;
  const ZabEntry entry = entry_of(zab_zxid(1, 1), creation("/a"));
  const auto& read = reader.read(entry);
  EXPECT_EQ(read.hash, hash_bytes(entry.txn));
  EXPECT_EQ(read.proposal.origin, 2U);
  EXPECT_EQ(read.proposal.ticket, 5U);
  EXPECT_EQ(read.proposal.session, -7);
  EXPECT_EQ(read.proposal.xid, 3);
  EXPECT_TRUE(read.proposal.txn == creation("/a").txn);
}

TEST(ZooProposalReader, ReadsTheSameBytesOnce) {
  ZooProposalReader reader;
  const ZabEntry entry = entry_of(zab_zxid(1, 1), creation("/a"));
  const ZooPath path = reader.read(entry).proposal.txn.path;
  EXPECT_EQ(reader.read(ZabEntry(entry)).proposal.txn.path.text().data(), path.text().data());
}

// A leader that has not got its proposal through may be followed by one that gives its number to another.
TEST(ZooProposalReader, ReadsOtherBytesOfTheSameNumberAnew) {
  ZooProposalReader reader;
  const ZabZxid zxid = zab_zxid(1, 1);
  EXPECT_EQ(reader.read(entry_of(zxid, creation("/a"))).proposal.txn.path.text(), "/a");
  EXPECT_EQ(reader.read(entry_of(zxid, creation("/b"))).proposal.txn.path.text(), "/b");
  EXPECT_EQ(reader.read(entry_of(zxid + 64, creation("/c"))).proposal.txn.path.text(), "/c");
  EXPECT_EQ(reader.read(entry_of(zxid, creation("/b"))).proposal.txn.path.text(), "/b");
}

TEST(ZooProposalReader, TakesTheLeadersWordForItsOwnBytes) {
  ZooProposalReader reader;
  const ZabEntry entry = entry_of(zab_zxid(1, 1), creation("/a"));
  reader.note(entry.zxid, entry.txn, creation("/noted"));
  EXPECT_EQ(reader.read(entry).proposal.txn.path.text(), "/noted");
  EXPECT_EQ(reader.read(entry).hash, hash_bytes(entry.txn));
}

}  // namespace
}  // namespace picklock
