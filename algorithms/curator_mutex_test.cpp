#include "algorithms/curator_mutex.hpp"

#include <gtest/gtest.h>

#include "algorithms/test_zookeeper.hpp"

namespace picklock {
namespace {

using testing::children_of;
using testing::count_of;
using testing::ms;
using testing::zoo_options;
using testing::ZooLab;
using testing::ZooLockClient;
using testing::ZooLockProcess;

template <class Edit>
auto with(Edit edit) {
  return zoo_options<CuratorMutexOptions>([edit](CuratorMutexOptions& o) {
    o.client.session = seconds(6);
    o.client.connection = seconds(5);
    edit(o);
  });
}
auto plain() {
  return with([](CuratorMutexOptions&) {});
}

struct Mutex : ZooLockClient {
  Mutex(ZooLab& lab, std::string_view name, const SetOptions& set = plain())
      : ZooLockClient(lab, name, "curator-mutex", set) {}
  Mutex(ZooLockProcess& p, std::uint32_t thread, const SetOptions& set = plain())
      : ZooLockClient(p, "curator-mutex", set, thread) {}
};

TEST(CuratorMutex, GrantsInTheOrderOfTheCreatesWithTokensThatGrow) {
  ZooLab lab;
  Mutex a(lab, "a"), b(lab, "b"), c(lab, "c");
  a.acquire();
  lab.run_until(seconds(1));
  ASSERT_TRUE(a.holds());
  b.acquire();
  lab.run_until(seconds(2));
  c.acquire();
  lab.run_until(seconds(3));
  EXPECT_FALSE(b.holds());
  EXPECT_FALSE(c.holds());
  EXPECT_EQ(count_of(lab, "/door"), 3U);
  EXPECT_TRUE(lab.server.tree.find("/door")->container);
  a.release();
  lab.run_until(seconds(4));
  ASSERT_TRUE(a.released->yes());
  ASSERT_TRUE(b.holds());
  EXPECT_FALSE(c.holds());
  b.release();
  lab.run_until(seconds(5));
  ASSERT_TRUE(c.holds());
  EXPECT_LT(*a.acquired->value().token, *b.acquired->value().token);
  EXPECT_LT(*b.acquired->value().token, *c.acquired->value().token);
  EXPECT_EQ(*c.acquired->value().token, lab.server.tree.find(c.acquired->value().value)->czxid);
  c.release();
  lab.run_until(seconds(6));
  EXPECT_EQ(count_of(lab, "/door"), 0U);
}

}  // namespace
}  // namespace picklock
