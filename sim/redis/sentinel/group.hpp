// SentinelGroup keeps the instances that a sentinel watches: the master, its replicas, and the other sentinels.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/sentinel/instance.hpp"

namespace picklock {

class SentinelGroup {
 public:
  SentinelInstance& master() { return master_; }
  const SentinelInstance& master() const { return master_; }
  std::vector<SentinelInstance>& replicas() { return replicas_; }
  const std::vector<SentinelInstance>& replicas() const { return replicas_; }
  std::vector<SentinelInstance>& sentinels() { return sentinels_; }
  const std::vector<SentinelInstance>& sentinels() const { return sentinels_; }
  template <class Visit>
  void for_each(Visit&& visit) {  // the master, the replicas, the sentinels
    visit(master_);
    for (SentinelInstance& r : replicas_) visit(r);
    for (SentinelInstance& s : sentinels_) visit(s);
  }

  void watch(std::string master, std::int64_t now) {  // this master, and no other instance
    master_ = SentinelInstance(SentinelInstance::Kind::master, std::move(master), now);
    replicas_.clear();
    sentinels_.clear();
  }
  void add_replica(std::string name, std::int64_t now) {
    replicas_.emplace_back(SentinelInstance::Kind::replica, std::move(name), now);
  }
  void add_sentinel(std::string name, std::int64_t now) {
    sentinels_.emplace_back(SentinelInstance::Kind::sentinel, std::move(name), now);
  }
  // Watches `master` from here on, and all the others, the old master among them, as its replicas.
  void switch_to(std::string master, std::int64_t now);

  bool knows_replica(std::string_view name) const { return knows(replicas_, name); }
  bool knows_sentinel(std::string_view name) const { return knows(sentinels_, name); }
  SentinelInstance* of(SentinelLink link);  // null: the link was given up
  SentinelInstance* promoted() { return const_cast<SentinelInstance*>(std::as_const(*this).promoted()); }
  const SentinelInstance* promoted() const {
    const auto found =
        std::find_if(replicas_.begin(), replicas_.end(), [](const auto& r) { return r.failover.promoted; });
    return found == replicas_.end() ? nullptr : &*found;
  }
  std::int64_t sentinels_that_find_master_down() const {
    return std::count_if(sentinels_.begin(), sentinels_.end(),
                         [](const auto& s) { return s.opinion.finds_master_down; });
  }
  std::int64_t votes_for(std::string_view candidate, SentinelEpoch epoch) const {
    return std::count_if(sentinels_.begin(), sentinels_.end(),
                         [&](const auto& s) { return s.opinion.vote == candidate && s.opinion.vote_epoch == epoch; });
  }
  // The replica to promote, by priority, offset and id; null: none is fit.
  SentinelInstance* best_replica(std::int64_t now, std::int64_t down_after_ms);

 private:
  static bool knows(const std::vector<SentinelInstance>& all, std::string_view name) {
    return std::any_of(all.begin(), all.end(), [name](const SentinelInstance& i) { return i.name == name; });
  }

  SentinelInstance master_;
  std::vector<SentinelInstance> replicas_, sentinels_;
};

}  // namespace picklock
