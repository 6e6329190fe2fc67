#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "sim/redis/keyspace.hpp"

namespace picklock {
namespace {

RC_GTEST_PROP(RedisKeyspaceProperty, HoldsWhatAMapHolds, ()) {
  const auto steps = *rc::gen::container<std::vector<std::pair<int, std::string>>>(rc::gen::pair(
      rc::gen::inRange(0, 4), rc::gen::elementOf(std::vector<std::string>{"", "a", "ab", "b", "zz", "k1"})));
  RedisKeyspace keys;
  std::map<std::string, int> model;
  int serial = 0;
  for (const auto& [what, key] : steps) {
    RedisEntry* entry = keys.find(key);
    RC_ASSERT((entry != nullptr) == (model.count(key) > 0));
    if (what == 0 && entry != nullptr) {
      keys.erase(*entry);
      model.erase(key);
    } else if (what == 1 && *rc::gen::weightedElement<bool>({{9, false}, {1, true}})) {
      keys.clear();
      model.clear();
    } else if (entry == nullptr) {
      keys.insert(key, RedisType::string).text.assign(std::to_string(++serial));
      model[key] = serial;
    }
    RC_ASSERT(keys.size() == model.size());
    std::size_t i = 0;
    for (const auto& [name, value] : model) {
      RC_ASSERT(keys.at(i).key.view() == name);
      RC_ASSERT(keys.at(i++).text.view() == std::to_string(value));
    }
  }
}

TEST(RedisKeyspace, FingerprintDependsOnContentsNotOnHistory) {
  RedisKeyspace one;
  one.insert("a", RedisType::string).text.assign("1");
  one.insert("h", RedisType::hash).add_field("x");
  one.find("h")->add_field("a").value.assign("2");
  one.insert("z", RedisType::sorted_set).set_score("m", 1);
  one.find("z")->set_score("n", 0);

  RedisKeyspace two;
  two.insert("gone", RedisType::list).items.emplace_back("x");
  two.insert("z", RedisType::sorted_set).set_score("n", 7);
  two.find("z")->set_score("m", 1);
  two.find("z")->set_score("n", 0);
  two.insert("h", RedisType::hash).add_field("a").value.assign("2");
  two.find("h")->add_field("x");
  two.erase(*two.find("gone"));
  two.insert("a", RedisType::string).text.assign("1");
  EXPECT_EQ(one.fingerprint(), two.fingerprint());
  EXPECT_EQ(RedisKeyspace(one).fingerprint(), one.fingerprint());

  const auto differs = [&](auto change) {
    RedisKeyspace other = one;
    change(other);
    EXPECT_NE(other.fingerprint(), one.fingerprint());
  };
  differs([](RedisKeyspace& k) { k.find("a")->text.assign("2"); });
  differs([](RedisKeyspace& k) { k.find("a")->expires_at_ms = 5; });
  differs([](RedisKeyspace& k) { k.find("a")->become(RedisType::list); });
  differs([](RedisKeyspace& k) { k.find("h")->field("a")->value.assign("3"); });
  differs([](RedisKeyspace& k) { k.find("h")->add_field("y"); });
  differs([](RedisKeyspace& k) { k.find("z")->set_score("m", 2); });
  differs([](RedisKeyspace& k) { k.erase(*k.find("a")); });
  differs([](RedisKeyspace& k) { k.clear(); });
}

TEST(RedisKeyspace, LongTextsSurviveCopiesAndMoves) {
  const std::string text(1000, 'x');
  RedisText one(text);
  RedisText two = one;
  RedisText three = std::move(one);
  EXPECT_EQ(two.view(), text);
  EXPECT_EQ(three.view(), text);
  two.assign("short");
  three = two;
  EXPECT_EQ(three.view(), "short");
  three = std::move(two);
  EXPECT_EQ(three.view(), "short");
}

}  // namespace
}  // namespace picklock
