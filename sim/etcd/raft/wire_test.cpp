#include "sim/etcd/raft/wire.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace picklock {
namespace {

RaftEntry some_entry() {
  return {*rc::gen::arbitrary<RaftTerm>(), *rc::gen::arbitrary<RaftIndex>(), *rc::gen::string<std::string>()};
}

RC_GTEST_PROP(RaftWire, MessagesComeBackAsTheyWere, ()) {
  RaftMessage m;
  m.kind = static_cast<RaftMessage::Kind>(*rc::gen::inRange(0, static_cast<int>(RaftMessage::Kind::count_)));
  m.from = *rc::gen::arbitrary<RaftId>();
  m.to = *rc::gen::arbitrary<RaftId>();
  m.term = *rc::gen::arbitrary<RaftTerm>();
  m.index = *rc::gen::arbitrary<RaftIndex>();
  m.log_term = *rc::gen::arbitrary<RaftTerm>();
  m.commit = *rc::gen::arbitrary<RaftIndex>();
  m.hint = *rc::gen::arbitrary<RaftIndex>();
  m.context = *rc::gen::arbitrary<std::uint64_t>();
  m.reject = *rc::gen::arbitrary<bool>();
  for (int n = *rc::gen::inRange(0, 4); n > 0; --n) m.entries.push_back(some_entry());
  m.data = *rc::gen::string<std::string>();
  std::string bytes;
  encode(m, bytes);
  RC_ASSERT(decode_raft_message(bytes) == std::optional(m));
  const auto cut = *rc::gen::inRange<std::size_t>(0, bytes.size());
  const auto shorter = decode_raft_message(std::string_view(bytes).substr(0, cut));
  const bool is_another = !shorter || !(*shorter == m);  // RC_ASSERT looks at both sides of an "or"
  RC_ASSERT(is_another);
}

RC_GTEST_PROP(RaftWire, AnyBytesAreSurvived, (const std::string& bytes)) {
  (void)decode_raft_message(bytes);
  RaftStored stored;
  (void)decode_raft_record(bytes, stored);
}

TEST(RaftWire, RecordsAddUpToWhatIsStored) {
  RaftStored stored;
  const auto add = [&stored](const auto& part) {
    std::string bytes;
    encode(part, bytes);
    ASSERT_TRUE(decode_raft_record(bytes, stored));
  };
  add(RaftHardState{3, 2, 1});
  add(RaftEntry{1, 1, "old"});
  add(RaftSnapshot{5, 2, "state"});
  add(RaftEntry{3, 6, "new"});
  add(RaftHardState{4, 1, 6});
  EXPECT_EQ(stored.hard, (RaftHardState{4, 1, 6}));
  EXPECT_EQ(stored.snapshot, (RaftSnapshot{5, 2, "state"}));
  EXPECT_EQ(stored.entries, (std::vector<RaftEntry>{{3, 6, "new"}})) << "what was logged before a snapshot is void";
}

}  // namespace
}  // namespace picklock
