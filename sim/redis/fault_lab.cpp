#include "sim/redis/fault_lab.hpp"

#include <algorithm>
#include <utility>

namespace picklock {

void FaultLab::begin_world(std::uint64_t seed) {
  world.reset(seed);
  acts_.clear();
}

void FaultLab::at(Duration when, Act act) {
  acts_.push_back(std::move(act));
  world.actions.at(TrueTime{} + when,
                   {[](World& w, void* f, std::uint64_t) { (*static_cast<Act*>(f))(w); }, &acts_.back(), 0});
}

std::vector<std::uint32_t> FaultLab::cut(const std::vector<NodeId>& island, Fate fate) {
  NetworkRule out, in;
  for (NodeId n = 1; n <= world.nodes.count(); ++n) {
    (std::find(island.begin(), island.end(), n) != island.end() ? out.from : out.to).set(n);
  }
  in.from = out.to;
  in.to = out.from;
  out.fate = in.fate = fate;
  const std::uint32_t first = world.network.install(out);
  const std::uint32_t second = world.network.install(in);
  return {first, second};
}

void FaultLab::heal(const std::vector<std::uint32_t>& rules) {
  for (const std::uint32_t id : rules) world.network.uninstall(id);
}

}  // namespace picklock
