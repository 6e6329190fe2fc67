// For tests of several Redis servers in one world: mishaps at given times.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "sim/core/world.hpp"

namespace picklock {

class RedisLab {
 public:
  RedisLab() = default;
  RedisLab(const RedisLab&) = delete;
  RedisLab& operator=(const RedisLab&) = delete;

  using Act = std::function<void(World&)>;
  void at(Duration when, Act act) {
    acts_.push_back(std::move(act));
    world.at(TrueTime{} + when,
             {[](World& w, void* f, std::uint64_t) { (*static_cast<Act*>(f))(w); }, &acts_.back(), 0});
  }
  // Nothing passes between these and all others; if held, what is sent meanwhile comes later, as through a proxy.
  std::vector<std::uint32_t> cut(const std::vector<NodeId>& island, Fate fate = Fate::drop) {
    NetworkRule out, in;
    for (NodeId n = 1; n <= world.node_count(); ++n) {
      (std::find(island.begin(), island.end(), n) != island.end() ? out.from : out.to).set(n);
    }
    in.from = out.to;
    in.to = out.from;
    out.fate = in.fate = fate;
    return {world.network.install(out), world.network.install(in)};
  }
  void heal(const std::vector<std::uint32_t>& rules) {
    for (const std::uint32_t id : rules) world.network.uninstall(id);
  }
  void run_until(Duration when) { world.run({.until = TrueTime{} + when}); }
  Duration now() const { return world.now() - TrueTime{}; }

  World world;

 protected:
  ~RedisLab() = default;
  void begin_world(std::uint64_t seed) {
    world.reset(seed);
    acts_.clear();
  }

 private:
  std::deque<Act> acts_;
};

}  // namespace picklock
