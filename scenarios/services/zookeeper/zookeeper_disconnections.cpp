#include "scenarios/services/zookeeper/zookeeper_disconnections.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/zookeeper/inspect.hpp"

namespace picklock {
namespace {

// A session whose client has no connection.
struct Without {
  std::uint16_t node;
  std::uint64_t session;
  std::int64_t since;
};

}  // namespace

Duration longest_disconnection(const World& world) {
  std::vector<Without> without;
  std::int64_t longest = 0;
  const auto close = [&](std::int64_t now, auto which) {
    for (const Without& w : without) {
      if (which(w)) longest = std::max(longest, now - w.since);
    }
    std::erase_if(without, which);
  };
  const auto is_of_link = [](const TraceRecord& r) { return r.kind == trace::zoo_client_link; };
  const auto journal = world.trace.journal();
  for (auto at = journal.begin();; ++at) {
    if (without.empty()) at = std::find_if(at, journal.end(), is_of_link);
    if (at == journal.end()) break;
    const TraceRecord& r = *at;
    if (is_of_link(r)) {
      constexpr std::uint32_t kEnded = 0;
      close(r.time, [&](const Without& w) { return w.node == r.node && w.session == r.b; });
      if (r.a == kEnded) without.push_back({r.node, r.b, r.time});
    } else if (r.kind == trace::process_killed || r.kind == trace::process_panicked || r.kind == trace::power_lost) {
      close(r.time, [&](const Without& w) { return w.node == r.node; });
    }
  }
  close(world.now().ns, [](const Without&) { return true; });
  return {longest};
}

}  // namespace picklock
