// Lists the operations that are tried in a configuration, in their order.
#include "checker/search/exploration.hpp"

namespace picklock {
namespace {

std::uint32_t count_of(std::span<const std::uint64_t> used, std::uint32_t alike) {
  const auto at = std::lower_bound(used.begin(), used.end(), std::uint64_t{alike} << 32);
  return at != used.end() && *at >> 32 == alike ? static_cast<std::uint32_t>(*at) : 0;
}

}  // namespace

// The operation that returns next, if it is possible now: as a rule no other is needed.
void Search::list_first(const Configuration& c) {
  const OperationId returning = timeline_.returning(c.passed);
  walk_.frames.back().after = space_.step(c.state, returning);
  const bool possible = walk_.frames.back().after != kImpossible;
  if (possible) walk_.candidates.push_back(returning);
  if (possible && options_.order == SearchOrder::just_in_time) return;
  list_others(c);
}

// Those that it, or another candidate, may have to wait for.  The frame is the last one.
void Search::list_others(const Configuration& c) {
  walk_.frames.back().all = true;
  const OperationId returning = timeline_.returning(c.passed);
  const std::size_t first = walk_.frames.back().first;
  const bool possible = first < walk_.candidates.size();
  if (!possible) walk_.candidates.push_back(returning);
  if (options_.flaw == SearchFlaw::all_may_follow) return;
  fill_pool(c, returning);
  if (!possible && !space_.attainable(c.state, returning, scratch_.pool)) {  // much less so by some of them
    walk_.candidates.pop_back();
    return;
  }
  for (std::size_t done = first; done < walk_.candidates.size() && !scratch_.pool.empty(); ++done) {
    if (exceeded(0)) return;  // the next step will see it, too
    const OperationId candidate = walk_.candidates[done];
    std::erase_if(scratch_.pool, [&](OperationId other) {
      if (may_follow(other, candidate)) return false;
      if (timeline_.is_crashed(other) && space_.may_omit(other, candidate)) return false;
      walk_.candidates.push_back(other);
      return true;
    });
  }
  // It must be possible now, or after some of the others.
  const auto begin = walk_.candidates.begin() + static_cast<std::ptrdiff_t>(first);
  if (!possible && !space_.attainable(c.state, returning, std::span(begin + 1, walk_.candidates.end()))) {
    walk_.candidates.erase(begin, walk_.candidates.end());
  } else if (options_.order == SearchOrder::by_invoke) {
    std::sort(begin, walk_.candidates.end(),
              [&](OperationId a, OperationId b) { return timeline_.invoked(a) < timeline_.invoked(b); });
  }
}

// Obeys real time as well.
bool Search::may_follow(OperationId a, OperationId b) {
  return timeline_.until(a) >= timeline_.invoked(b) && space_.may_follow(a, b);
}

// The latest invoke of the operations that have taken effect.
std::uint32_t Search::latest_invoke(const Configuration& c) {
  std::uint32_t latest = timeline_.latest_before(c.passed);
  const auto pending = timeline_.pending_at(c.passed);
  for (std::uint32_t slot = 0; slot < pending.size(); ++slot) {
    if (pending[slot] != Timeline::kNobody && has(c.live, slot)) {
      latest = std::max(latest, timeline_.invoked(pending[slot]));
    }
  }
  for (const std::uint64_t used : c.used) {
    const auto& alike = timeline_.classes()[used >> 32];
    latest = std::max(latest, alike.invoked[static_cast<std::uint32_t>(used) - 1]);
  }
  return latest;
}

// Crashed operations whose own time is over can take no effect any more, used or not.
void Search::forget_late(std::uint32_t latest) {
  std::erase_if(scratch_.used, [&](std::uint64_t used) { return timeline_.class_until()[used >> 32] < latest; });
}

// Finds the operations that might take effect now, besides the one that returns next.
void Search::fill_pool(const Configuration& c, OperationId returning) {
  scratch_.pool.clear();
  const auto pending = timeline_.pending_at(c.passed);
  for (std::uint32_t slot = 0; slot < pending.size(); ++slot) {
    const OperationId id = pending[slot];
    if (id != Timeline::kNobody && id != returning && !has(c.live, slot)) scratch_.pool.push_back(id);
  }
  const auto& classes = timeline_.classes();
  const std::uint32_t latest = timeline_.any_until() ? latest_invoke(c) : 0;
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    if (!timeline_.any_available(classes[i], c.passed)) break;
    const std::uint32_t used = count_of(c.used, i);
    if (used < timeline_.available(classes[i], c.passed) && timeline_.until(classes[i].operations[used]) >= latest) {
      scratch_.pool.push_back(classes[i].operations[used]);
    }
  }
}

}  // namespace picklock
