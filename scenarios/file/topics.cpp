#include "scenarios/file/topics.hpp"

#include <algorithm>

namespace picklock {
namespace {

constexpr Topic kTopics[] = {{"redis", "locks of Redis, on one server or many"},
                             {"etcd", "locks of etcd"},
                             {"zookeeper", "locks of ZooKeeper"},
                             {"redlock", "Redlock and its libraries"},
                             {"redisson", "Redisson's locks"},
                             {"redis-py", "redis-py's lock"},
                             {"jedis", "a lock with Jedis"},
                             {"go", "Go's libraries and code"},
                             {"laravel", "Laravel's cache lock"},
                             {"spring", "Spring's lock registry"},
                             {"curator", "Curator's locks"},
                             {"kazoo", "kazoo's locks"},
                             {"kubernetes", "Kubernetes' leader election"},
                             {"seats", "cinema seats, sold under locks"},
                             {"as-published", "an article's code, unchanged"},
                             {"pause", "a process stops and goes on"},
                             {"crash", "a process or host dies"},
                             {"partition", "nodes are cut off from one another"},
                             {"delay", "messages take long"},
                             {"slow-link", "one link is slow"},
                             {"slow-disk", "a disk is slow"},
                             {"clock", "a clock jumps or runs wrong"},
                             {"failover", "another server takes over"},
                             {"replication", "too few replicas have a write"},
                             {"persistence", "a server loses power, or restarts"},
                             {"lost-answer", "an answer does not arrive"},
                             {"abandoned", "a client gives up its acquire"},
                             {"lease", "work outlasts a lease"},
                             {"renewal", "a lease is prolonged, or not"},
                             {"loss-noticed", "a holder is told of its loss"},
                             {"session", "clients share a session, or it ends"},
                             {"watch", "a watch misses an event"},
                             {"lost-wake-up", "a waiter is never woken"},
                             {"overtaking", "a later client goes first"},
                             {"deadlock", "clients wait for each other"},
                             {"overflow", "a counter comes to its end"},
                             {"fencing", "tokens at the resource"},
                             {"read-write", "readers share, writers do not"},
                             {"semaphore", "several may hold at once"},
                             {"election", "a lock that makes a leader"},
                             {"cost", "time and requests that a lock costs"},
                             {"control", "nothing goes wrong, as a control"}};

}  // namespace

std::span<const Topic> topics() { return kTopics; }

bool is_issue(std::string_view tag) {
  const std::size_t dash = tag.rfind('-');
  if (dash == std::string_view::npos || dash + 1 == tag.size()) return false;
  return std::all_of(tag.begin() + static_cast<std::ptrdiff_t>(dash) + 1, tag.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace picklock
