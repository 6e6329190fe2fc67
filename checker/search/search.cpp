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
      seen_((timeline_.slots() + 63) / 64, timeline_.class_until()),
      timeline_memory_(timeline_.memory() + intervals.size() / 8) {
  observes_.reserve(intervals.size());
  for (OperationId id = 0; id < intervals.size(); ++id) {
    // To observe early could be too early for one that has to take effect before.
    observes_.push_back(!timeline_.any_until() && !timeline_.is_crashed(id) && space.observes(id));
    any_observes_ = any_observes_ || observes_.back();
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
  frontier_.push_back({space_.initial(), {}, kNoPath});
  const std::uint32_t last = timeline_.completed();
  if (options_.order == SearchOrder::just_in_time && options_.straight && next_cut(0) < last) {
    straight_ = true;
    const Explored explored = explore(0, last, kNoLimit);
    straight_ = false;
    if (explored == Explored::succeeded) return outcome(SearchVerdict::linearizable);
    if (explored == Explored::stopped) return outcome(SearchVerdict::stopped);
    if (explored == Explored::turn_over) return outcome(SearchVerdict::turn_over);
    if (explored == Explored::exhausted) return outcome(SearchVerdict::not_linearizable);
    in_vain_ = std::exchange(configurations_, 0);
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
    if (ends_.empty()) return outcome(SearchVerdict::not_linearizable);
    cut();
    from = to;
  }
  return outcome(SearchVerdict::linearizable);
}

// Goes on from the ends of the segment, those that used less first, and forgets all else.
void Search::cut() {
  std::vector<End> kept;
  std::stable_sort(ends_.begin(), ends_.end(),
                   [](const End& a, const End& b) { return a.used.size() < b.used.size(); });
  for (End& end : ends_) {
    const bool needless = std::any_of(kept.begin(), kept.end(), [&](const End& other) {
      return other.state == end.state && uses_no_more(other.used, end.used);
    });
    if (!needless) kept.push_back(std::move(end));
  }
  if (options_.flaw == SearchFlaw::cut_keeps_one_end) kept.resize(1);
  if (options_.flaw == SearchFlaw::cut_forgets_crashed) {
    for (End& end : kept) end.used.clear();
  }
  frontier_ = std::move(kept);
  frontier_words_ = ends_words_;
  std::vector<StateId> states;
  for (const End& end : frontier_) states.push_back(end.state);
  space_.keep(states);
  for (std::size_t i = 0; i < states.size(); ++i) frontier_[i].state = states[i];
  if (paths_.size() > 2 * paths_kept_ + 4096) forget_paths();
  ++cuts_;
}

// Keeps those that lead to the frontier: most ends of a segment lead nowhere.
void Search::forget_paths() {
  std::vector<std::uint32_t> place(paths_.size(), kNoPath);
  for (const End& end : frontier_) {
    for (auto at = end.path; at != kNoPath && place[at] == kNoPath; at = paths_[at].before) {
      place[at] = 0;
    }
  }
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    if (place[i] == kNoPath) continue;
    PathNode node = paths_[i];  // whose predecessor was moved before it
    if (node.before != kNoPath) node.before = place[node.before];
    place[i] = kept;
    paths_[kept++] = node;
  }
  paths_.resize(kept);
  for (End& end : frontier_) end.path = end.path == kNoPath ? kNoPath : place[end.path];
  paths_kept_ = kept;
}

void Search::note_end(const Configuration& c) {
  std::uint32_t path = frontier_[root_].path;
  for (const OperationId id : path_) {
    paths_.push_back({path, id});
    path = static_cast<std::uint32_t>(paths_.size() - 1);
  }
  ends_.push_back({c.state, {c.used.begin(), c.used.end()}, path});
  ends_words_ += c.used.size() + sizeof(End) / sizeof(std::uint64_t);
}

SearchOutcome Search::outcome(SearchVerdict verdict) {
  SearchOutcome out;
  out.verdict = verdict;
  out.configurations = in_vain_ + configurations_;
  out.cuts = cuts_;
  if (verdict != SearchVerdict::not_linearizable) return out;
  for (auto at = frontier_[longest_root_].path; at != kNoPath; at = paths_[at].before) {
    out.longest.push_back(paths_[at].operation);
  }
  std::reverse(out.longest.begin(), out.longest.end());
  out.longest.insert(out.longest.end(), longest_.begin(), longest_.end());
  out.stuck = timeline_.returning(longest_passed_);
  return out;
}

SearchOutcome search_order(std::span<const OperationSpan> intervals, StateSpace& space, Bounds& bounds,
                           const SearchOptions& options) {
  return Search(intervals, space, bounds, options).run();
}

}  // namespace picklock
