#include "sim/etcd/watches.hpp"

#include <gtest/gtest.h>

namespace picklock {
namespace watches_test {

struct Lab {
  EtcdMvcc store;
  EtcdWatchHub hub;
  std::vector<std::string> taken() {
    std::vector<std::string> all;
    for (EtcdWatchDelivery& d : hub.deliveries()) {
      all.push_back(std::to_string(d.stream) + ": " + to_string(EtcdReply{EtcdError::none, std::move(d.reply)}));
    }
    hub.deliveries().clear();
    return all;
  }
  void put(const char* key, const char* value) {
    (void)store.put(key, value, 0);
    hub.notify(store, store.commit());
  }
  void erase(const char* key) {
    (void)store.erase({key, {}});
    hub.notify(store, store.commit());
  }
  std::string watch(std::uint64_t stream, EtcdWatchCreate what, std::int64_t id = 1) {
    what.id = id;
    return to_string(hub.create(store, stream, what));
  }
};
using Texts = std::vector<std::string>;

TEST(EtcdWatches, TellWhatHappensFromNowOn) {
  Lab lab;
  lab.put("a", "0");
  EXPECT_EQ(lab.watch(1, EtcdWatchCreate("a")), "@2 watch 1 created");
  EXPECT_EQ(lab.watch(2, EtcdWatchCreate(etcd_prefix("a"))), "@2 watch 1 created");
  lab.put("a", "1");
  lab.put("ab", "1");
  lab.erase("a");
  EXPECT_EQ(lab.taken(), (Texts{"1: @3 watch 1 | put a=1(c2 m3 v2)", "2: @3 watch 1 | put a=1(c2 m3 v2)",
                                "2: @4 watch 1 | put ab=1(c4 m4 v1)", "1: @5 watch 1 | delete a(m5)",
                                "2: @5 watch 1 | delete a(m5)"}));
}

TEST(EtcdWatches, CatchUpFromAnOldRevisionInOneReply) {
  Lab lab;
  lab.put("a", "1"), lab.put("b", "1"), lab.put("a", "2");
  (void)lab.watch(1, EtcdWatchCreate("a", 2));
  EXPECT_TRUE(lab.hub.unsynced());
  lab.put("a", "3");
  EXPECT_EQ(lab.taken(), Texts{}) << "not before it is synced";
  lab.hub.catch_up(lab.store);
  EXPECT_FALSE(lab.hub.unsynced());
  EXPECT_EQ(lab.taken(), Texts{"1: @5 watch 1 | put a=1(c2 m2 v1) | put a=2(c2 m4 v2) | put a=3(c2 m5 v3)"});
  lab.put("a", "4");
  EXPECT_EQ(lab.taken(), Texts{"1: @6 watch 1 | put a=4(c2 m6 v4)"}) << "and nothing twice";
}

TEST(EtcdWatches, OfARevisionToComeIgnoreWhatLiesBefore) {
  Lab lab;
  (void)lab.watch(1, EtcdWatchCreate("a", 4));
  lab.put("a", "1"), lab.put("a", "2"), lab.put("a", "3");
  EXPECT_EQ(lab.taken(), Texts{"1: @4 watch 1 | put a=3(c2 m4 v3)"});
}

TEST(EtcdWatches, AreCancelledIfTheirPastIsCompacted) {
  Lab lab;
  lab.put("a", "1"), lab.put("a", "2"), lab.put("a", "3");
  ASSERT_EQ(lab.store.compact(3), EtcdError::none);
  (void)lab.watch(1, EtcdWatchCreate("a", 2), 1);
  (void)lab.watch(1, EtcdWatchCreate("a", 3), 2);
  lab.hub.catch_up(lab.store);
  EXPECT_EQ(lab.taken(),
            (Texts{"1: @4 watch 1 cancelled compacted=3", "1: @4 watch 2 | put a=2(c2 m3 v2) | put a=3(c2 m4 v3)"}));
  EXPECT_EQ(lab.hub.size(), 1U);
}

TEST(EtcdWatches, LoseTheirLeaderOnlyIfTheyAskedForOne) {
  Lab lab;
  EtcdWatchCreate strict("a");
  strict.require_leader = true;
  (void)lab.watch(1, strict);
  (void)lab.watch(2, EtcdWatchCreate("a"));
  lab.hub.lose_leader(lab.store);
  EXPECT_EQ(lab.taken(), Texts{"1: @1 watch 1 cancelled !etcdserver: no leader"});
  EXPECT_EQ(lab.hub.size(), 1U);
}

TEST(EtcdWatches, FiltersPreviousValuesAndProgress) {
  Lab lab;
  lab.put("a", "1");
  EtcdWatchCreate deletes("a");
  deletes.no_puts = true, deletes.previous = true, deletes.progress = true;
  (void)lab.watch(1, deletes);
  EtcdWatchCreate puts("a");
  puts.no_deletes = true;
  (void)lab.watch(2, puts);
  lab.put("a", "2"), lab.erase("a");
  EXPECT_EQ(lab.taken(),
            (Texts{"2: @3 watch 1 | put a=2(c2 m3 v2)", "1: @4 watch 1 | delete a(m4) before a=2(c2 m3 v2)"}));
  lab.hub.progress(lab.store);
  EXPECT_EQ(lab.taken(), Texts{"1: @4 watch 1"});
}

TEST(EtcdWatches, EndWithTheirStreamOrByThemselves) {
  Lab lab;
  (void)lab.watch(1, EtcdWatchCreate("a"), 1);
  (void)lab.watch(1, EtcdWatchCreate(etcd_prefix("a")), 2);
  (void)lab.watch(2, EtcdWatchCreate("a"), 1);
  EXPECT_EQ(lab.watch(2, EtcdWatchCreate("a"), 1), "!malformed") << "an id is used once";
  lab.hub.close(1);
  EXPECT_TRUE(lab.hub.cancel(2, 1));
  EXPECT_FALSE(lab.hub.cancel(2, 1));
  lab.put("a", "1");
  EXPECT_EQ(lab.taken(), Texts{});
}

}  // namespace watches_test
}  // namespace picklock
