#include "checker/search/search.hpp"

#include <algorithm>
#include <utility>

#include "checker/search/exploration.hpp"

namespace picklock {

Search::Search(std::span<const OperationSpan> intervals, StateSpace& space, Bounds& bounds,
               const SearchOptions& options)
    : timeline_(intervals),
      space_(space),
      bounds_(bounds),
      options_(options),
      seen_((timeline_.slots() + 63) / 64, timeline_.class_until()) {
  counts_.timeline_bytes = timeline_.memory() + intervals.size() / 8;
  observers_.are.reserve(intervals.size());
  for (OperationId id = 0; id < intervals.size(); ++id) {
    // An observation made early could be too early for one that has to take effect before.
    observers_.are.push_back(!timeline_.any_until() && !timeline_.is_crashed(id) && space.observes(id));
    observers_.any = observers_.any || observers_.are.back();
  }
}

std::uint32_t Search::next_cut(std::uint32_t from) const {
  const std::uint32_t last = timeline_.completed();
  for (std::uint32_t p = from + 1; p < last; ++p) {
    if (p - from >= options_.segment && timeline_.quiescent(p)) return p;
  }
  return last;
}

SearchOutcome Search::run() {
  cut_.frontier.push_back({space_.initial(), {}, kNoPath});
  const std::uint32_t last = timeline_.completed();
  if (options_.order == SearchOrder::just_in_time && options_.straight && next_cut(0) < last) {
    goal_.straight = true;
    const Explored explored = explore(0, last, kNoLimit);
    goal_.straight = false;
    if (explored == Explored::succeeded) return outcome(SearchVerdict::linearizable);
    if (explored == Explored::stopped) return outcome(SearchVerdict::stopped);
    if (explored == Explored::turn_over) return outcome(SearchVerdict::turn_over);
    if (explored == Explored::exhausted) return outcome(SearchVerdict::not_linearizable);
    counts_.in_vain = std::exchange(counts_.configurations, 0);
  }
  bool patient = false;  // all ends of each segment, at any price
  for (std::uint32_t from = 0; from < last;) {
    std::uint32_t to = options_.order == SearchOrder::by_invoke ? last : next_cut(from);
    const std::uint64_t few = std::uint64_t{to - from} * options_.configurations_per_operation;
    Explored explored = explore(from, to, patient || to == last ? kNoLimit : few);
    if (explored == Explored::too_large) {
      const std::uint64_t many = options_.configurations_at_once + 4 * std::uint64_t{last - from};
      to = last;
      explored = explore(from, last, many);
    }
    if (explored == Explored::too_large) {
      patient = true;
      continue;
    }
    if (explored == Explored::stopped) return outcome(SearchVerdict::stopped);
    if (explored == Explored::turn_over) return outcome(SearchVerdict::turn_over);
    if (explored == Explored::succeeded) break;
    if (cut_.ends.empty()) return outcome(SearchVerdict::not_linearizable);
    cut();
    from = to;
  }
  return outcome(SearchVerdict::linearizable);
}

// Goes on from the ends of the segment, those that used less first, and forgets all else.
void Search::cut() {
  std::vector<End> kept;
  std::stable_sort(cut_.ends.begin(), cut_.ends.end(),
                   [](const End& a, const End& b) { return a.used.size() < b.used.size(); });
  for (End& end : cut_.ends) {
    const bool needless = std::any_of(kept.begin(), kept.end(), [&](const End& other) {
      return other.state == end.state && uses_no_more(other.used, end.used);
    });
    if (!needless) kept.push_back(std::move(end));
  }
  if (options_.flaw == SearchFlaw::cut_keeps_one_end) kept.resize(1);
  if (options_.flaw == SearchFlaw::cut_forgets_crashed) {
    for (End& end : kept) end.used.clear();
  }
  cut_.frontier = std::move(kept);
  cut_.frontier_words = cut_.ends_words;
  std::vector<StateId> states;
  for (const End& end : cut_.frontier) states.push_back(end.state);
  space_.keep(states);
  for (std::size_t i = 0; i < states.size(); ++i) cut_.frontier[i].state = states[i];
  if (cut_.paths.size() > 2 * cut_.paths_kept + 4096) forget_paths();
  ++counts_.cuts;
}

// Keeps those that lead to the frontier: most ends of a segment lead nowhere.
void Search::forget_paths() {
  std::vector<std::uint32_t> place(cut_.paths.size(), kNoPath);
  for (const End& end : cut_.frontier) {
    for (auto at = end.path; at != kNoPath && place[at] == kNoPath; at = cut_.paths[at].before) {
      place[at] = 0;
    }
  }
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < cut_.paths.size(); ++i) {
    if (place[i] == kNoPath) continue;
    PathNode node = cut_.paths[i];  // the node before it has moved already
    if (node.before != kNoPath) node.before = place[node.before];
    place[i] = kept;
    cut_.paths[kept++] = node;
  }
  cut_.paths.resize(kept);
  for (End& end : cut_.frontier) end.path = end.path == kNoPath ? kNoPath : place[end.path];
  cut_.paths_kept = kept;
}

void Search::note_end(const Configuration& c) {
  std::uint32_t path = cut_.frontier[walk_.root].path;
  for (const OperationId id : walk_.path) {
    cut_.paths.push_back({path, id});
    path = static_cast<std::uint32_t>(cut_.paths.size() - 1);
  }
  cut_.ends.push_back({c.state, {c.used.begin(), c.used.end()}, path});
  cut_.ends_words += c.used.size() + sizeof(End) / sizeof(std::uint64_t);
}

SearchOutcome Search::outcome(SearchVerdict verdict) {
  SearchOutcome out;
  out.verdict = verdict;
  out.configurations = counts_.in_vain + counts_.configurations;
  out.cuts = counts_.cuts;
  if (verdict != SearchVerdict::not_linearizable) return out;
  for (auto at = cut_.frontier[longest_.root].path; at != kNoPath; at = cut_.paths[at].before) {
    out.longest.push_back(cut_.paths[at].operation);
  }
  std::reverse(out.longest.begin(), out.longest.end());
  out.longest.insert(out.longest.end(), longest_.order.begin(), longest_.order.end());
  out.stuck = timeline_.returning(longest_.passed);
  return out;
}

SearchOutcome search_order(std::span<const OperationSpan> intervals, StateSpace& space, Bounds& bounds,
                           const SearchOptions& options) {
  return Search(intervals, space, bounds, options).run();
}

}  // namespace picklock
