#include "sim/quorum/journal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/core/world_lab.hpp"

namespace picklock {
namespace {

using testing::Lab;
using testing::ms;

using Records = std::vector<std::string>;

Records read(World& world, NodeId n, std::string_view name = "wal") {
  Journal journal;
  Records all;
  journal.open(world, n, name, [&](std::string_view r) { all.emplace_back(r); });
  return all;
}

Task<void> append(World* world, Journal* journal, Host, Records records, bool sync) {
  for (const std::string& r : records) journal->add(r);
  co_await journal->write();
  if (sync) co_await journal->sync();
  world->stop();
}

struct JournalLab : Lab {
  NodeId n = world.nodes.add("n");
  Journal journal;
  JournalLab() { journal.open(world, n, "wal"); }
  ~JournalLab() { world.reset(0); }
  void add(Records records, bool sync = true) {
    world.tasks.start(n, "writer", append(&world, &journal, world.host(n), std::move(records), sync));
    run();
  }
};

TEST(Journal, WhatWasSyncedOutlivesTheLossOfPower) {
  JournalLab lab;
  lab.add({"one", "", std::string("\0three\xff", 7)});
  lab.add({"four"}, false);
  EXPECT_EQ(read(lab.world, lab.n), (Records{"one", "", std::string("\0three\xff", 7), "four"}));
  lab.world.faults.kill(lab.n);
  EXPECT_EQ(read(lab.world, lab.n).size(), 4u) << "a kill loses nothing that was written";
  lab.world.faults.lose_power(lab.n);
  EXPECT_EQ(read(lab.world, lab.n).size(), 3u);
}

TEST(Journal, WhatWasAddedAndNotWrittenDiesWithTheProcess) {
  JournalLab lab;
  lab.journal.add("one");
  EXPECT_TRUE(lab.journal.anything_to_write());
  EXPECT_EQ(read(lab.world, lab.n), Records{});
  lab.journal.open(lab.world, lab.n, "wal");
  EXPECT_FALSE(lab.journal.anything_to_write());
}

TEST(Journal, IsReplacedAllOrNothing) {
  JournalLab lab;
  lab.add({"one", "two", "three"});
  lab.journal.add("snapshot");
  lab.journal.replace();
  EXPECT_EQ(read(lab.world, lab.n), Records{"snapshot"});
  lab.world.faults.lose_power(lab.n);
  EXPECT_EQ(read(lab.world, lab.n), (Records{"one", "two", "three"}));
  lab.world.faults.restart(lab.n);
  lab.journal.open(lab.world, lab.n, "wal");
  lab.journal.add("snapshot");
  lab.journal.replace();
  lab.add({"four"});
  lab.world.faults.lose_power(lab.n);
  EXPECT_EQ(read(lab.world, lab.n), (Records{"snapshot", "four"}));
}

// Whatever is left of the bytes, the records that are read are the first of those that were written, and
// the log can be continued after them.
RC_GTEST_PROP(Journal, EndsBeforeTheFirstBrokenFrame, ()) {
  const auto records = *rc::gen::container<Records>(rc::gen::string<std::string>());
  std::string bytes;
  std::vector<std::size_t> ends;
  for (const std::string& r : records) {
    Journal::frame(bytes, r);
    ends.push_back(bytes.size());
  }
  const auto cut = *rc::gen::inRange<std::size_t>(0, bytes.size() + 1);
  const bool flip = *rc::gen::arbitrary<bool>();  // a torn block, not only a short file
  std::string torn = flip ? bytes : bytes.substr(0, cut);
  if (flip && cut < torn.size()) torn[cut] = static_cast<char>(torn[cut] ^ 0x20);
  const auto whole =
      static_cast<std::size_t>(std::count_if(ends.begin(), ends.end(), [cut](std::size_t end) { return end <= cut; }));

  Lab lab;
  const NodeId n = lab.world.nodes.add("n");
  Disk& disk = lab.world.nodes.disk(n);
  disk.append(disk.open("wal"), torn);
  Records expected(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(whole));
  RC_ASSERT(read(lab.world, n) == expected);
  Journal journal;
  journal.open(lab.world, n, "wal");
  journal.add("after");
  lab.world.tasks.start(n, "writer", append(&lab.world, &journal, lab.world.host(n), {}, true));
  lab.run();
  expected.push_back("after");
  RC_ASSERT(read(lab.world, n) == expected);
  lab.world.reset(0);
}

}  // namespace
}  // namespace picklock
