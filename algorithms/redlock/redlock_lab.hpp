// For tests of Redlock and its products: five servers of the lab, and clients whose locks the table makes.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "algorithms/redis/redis_lock_lab.hpp"
#include "algorithms/redlock/redlock.hpp"

namespace picklock::testing {

constexpr Duration kTtl = milliseconds(1000);  // Redlock allows 12 ms of it for drift
constexpr Duration kAnswered = milliseconds(3);

struct RedlockServers : RedisLockLab {
  explicit RedlockServers(std::size_t n = 5) : RedisLockLab(n) {}
  void lose_from(NodeId node, std::size_t first, Fate fate, std::size_t how_often = 1) {
    for (std::size_t i = first; i < servers.size(); ++i) {
      servers[i].next(node, std::deque<Fate>(how_often, fate));
    }
  }
  std::size_t holding(const std::string& value) {
    std::size_t n = 0;
    for (LabServer& s : servers) n += s.ask("GET", "door") == '"' + value + '"';
    return n;
  }
  std::string occupy(std::size_t first, std::size_t end, const char* by = "someone") {
    for (std::size_t i = first; i < end; ++i) servers[i].ask("SET", "door", by);
    return by;
  }
};

// A client of the lock of this kind, whose options are a T.
template <class T = RedlockOptions>
struct RedlockClient : LabClient {
  using Edit = std::function<void(T&)>;
  RedlockClient(RedlockServers& servers, NodeId node, Edit edit = {}, std::string_view kind = "redlock")
      : LabClient(servers.process(node), 1, kind, options_of<T>([edit](T& o) {
                    o.ttl = kTtl;
                    o.retry = Law::constant(milliseconds(10));
                    if (edit) edit(o);
                  })) {}
  void once() { acquire(Patience::one_attempt(host())); }
  void forever() { acquire(Patience::unlimited(host())); }
};

}  // namespace picklock::testing
