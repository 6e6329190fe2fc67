// An ensemble's judge on servers that let ephemerals outlive their session.

#include "sim/zookeeper/judge.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace picklock {
namespace {

constexpr std::int64_t kSession = 7;

struct Reports {
  ZooJudge judge;
  std::int64_t counter = 0;

  Reports() { judge.asked_to_close(kSession); }
  static ZooEffect effect(ZooEffect::Kind kind, const std::string& path) { return {kind, ZooPath(path), 1, kSession}; }
  void applied(const std::vector<ZabSid>& by, ZooTxn::Kind kind, std::vector<ZooEffect> effects) {
    ++counter;
    for (const ZabSid sid : by) report(sid, counter, kind, effects);
  }
  bool report(ZabSid sid, std::int64_t n, ZooTxn::Kind kind, const std::vector<ZooEffect>& effects) {
    ZooProposal p{.session = kSession, .xid = 1, .txn = {}};
    p.txn.kind = kind;
    p.txn.session = kSession;
    return judge.applied(sid, zab_zxid(1, n), static_cast<std::uint64_t>(n), p, effects, TrueTime{});
  }
  void creates(const std::string& path) {
    applied({1, 2}, ZooTxn::Kind::create, {effect(ZooEffect::Kind::created, path)});
  }
  void closes(const std::vector<std::string>& deletes) {
    std::vector<ZooEffect> gone;
    for (const std::string& path : deletes) gone.push_back(effect(ZooEffect::Kind::deleted, path));
    applied({1, 2}, ZooTxn::Kind::close_session, gone);
  }
};

TEST(ZooJudge, IsContentWithACloseThatDeletesAll) {
  Reports r;
  r.creates("/a");
  r.creates("/b");
  r.applied({1, 2}, ZooTxn::Kind::remove, {Reports::effect(ZooEffect::Kind::deleted, "/a")});
  r.closes({"/b"});
  EXPECT_TRUE(r.judge.content()) << r.judge.complaints()[0];
}

TEST(ZooJudge, SeesWhatACloseHasLeft) {
  Reports r;
  r.creates("/a");
  r.creates("/b");
  r.closes({"/b"});
  ASSERT_FALSE(r.judge.content());
  EXPECT_EQ(r.judge.complaints()[0], "/a outlives its session, closed by 1:3");
}

TEST(ZooJudge, SeesWhatIsCreatedAfterTheClose) {
  Reports r;
  r.closes({});
  r.creates("/a");
  ASSERT_FALSE(r.judge.content());
  EXPECT_EQ(r.judge.complaints()[0], "/a belongs to a session that was closed before 1:2");
}

// It need not be the first to apply the close.
TEST(ZooJudge, SeesWhatOneServerAloneHasLeft) {
  Reports r;
  r.creates("/a");
  r.report(1, 2, ZooTxn::Kind::close_session, {Reports::effect(ZooEffect::Kind::deleted, "/a")});
  EXPECT_TRUE(r.judge.content());
  r.report(2, 2, ZooTxn::Kind::close_session, {});
  ASSERT_FALSE(r.judge.content());
  EXPECT_EQ(r.judge.complaints()[0], "server 2 deletes 0 ephemerals by 1:2 where another deleted 1");
}

// The leader's clock alone decides on a session that no client asked to close, however fast it runs.
TEST(ZooJudge, SaysWhatNoServerHasAppliedBefore) {
  Reports r;
  const auto applies = [&r](ZabSid sid, std::int64_t n) { return r.report(sid, n, ZooTxn::Kind::check, {}); };
  EXPECT_TRUE(applies(1, 1));
  EXPECT_FALSE(applies(2, 1));
  EXPECT_TRUE(applies(2, 2));
  EXPECT_TRUE(applies(2, 3));
  EXPECT_FALSE(applies(1, 2));
  EXPECT_FALSE(applies(1, 3));
}

std::vector<std::string> complaints_of_expiry(ZabMs heard, std::optional<ZabMs> expired) {
  constexpr std::int64_t kOther = 8;
  Reports r;
  r.judge.touched(kOther, 1, 4'000, heard);
  if (expired) r.judge.expired(kOther, 1, *expired);
  ZooProposal p{.session = kOther, .txn = {}};
  p.txn.kind = ZooTxn::Kind::close_session;
  p.txn.session = kOther;
  r.judge.applied(1, zab_zxid(1, 1), 1, p, {}, TrueTime{});
  return r.judge.complaints();
}

TEST(ZooJudge, SeesASessionThatIsClosedTooEarly) {
  EXPECT_TRUE(complaints_of_expiry(1'000, 5'000).empty());
  EXPECT_EQ(complaints_of_expiry(1'000, 4'000),
            std::vector<std::string>{"a session is closed 3000 ms after its leader heard of it"});
  EXPECT_EQ(complaints_of_expiry(1'000, std::nullopt),
            std::vector<std::string>{"a session is closed that its leader did not let expire"});
}

}  // namespace
}  // namespace picklock
