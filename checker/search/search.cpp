#include "checker/search/search.hpp"

#include <algorithm>
#include <optional>

#include "base/hash.hpp"
#include "checker/search/configurations.hpp"

namespace picklock {
namespace {

enum class Explored : std::uint8_t { succeeded, exhausted, too_large, turn_over, stopped };

class Search {
 public:
  Search(std::span<const OperationSpan> intervals, StateSpace& space, Bounds& bounds, const SearchOptions& options)
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

  SearchOutcome run();

 private:
  using Entry = Configurations::Entry;

  // A configuration at a cut, and how it was reached.
  struct End {
    StateId state = 0;
    std::vector<std::uint64_t> used;
    std::uint32_t path = kNoPath;
  };
  struct PathNode {
    std::uint32_t before = kNoPath;
    OperationId operation = 0;
  };
  static constexpr std::uint32_t kNoPath = 0xffffffff;
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  struct Frame {
    Entry entry = 0;
    std::size_t first = 0;  // of its candidates
    std::size_t next = 0;   // that is not yet tried
    std::size_t path = 0;   // length of path_ here
  };

  Explored explore(std::uint32_t from, std::uint32_t to, std::uint64_t largest);
  Explored explore_from(std::size_t root, std::uint32_t from);
  bool push(const Configuration& configuration);
  void place(OperationId id, Configuration& c);
  void advance(Configuration& c);
  void observe(Configuration& c);
  void unwind(std::size_t length);
  std::optional<Explored> try_next();
  void list_candidates(const Configuration& c);
  void fill_pool(const Configuration& c, OperationId returning);
  bool may_follow(OperationId a, OperationId b);
  std::uint32_t latest_invoke(const Configuration& c);
  void forget_late(std::uint32_t latest);
  void note_longest(std::uint32_t passed);
  void note_end(const Configuration& c);
  void cut();
  void forget_paths();
  SearchOutcome outcome(SearchVerdict verdict);
  std::uint32_t next_cut(std::uint32_t from) const;
  bool exceeded(std::size_t used_words);

  Timeline timeline_;
  std::vector<bool> observes_;  // by operation: it is completed and observes
  bool any_observes_ = false;
  StateSpace& space_;
  Bounds& bounds_;
  SearchOptions options_;
  Configurations seen_;
  std::size_t timeline_memory_;

  std::vector<End> frontier_;  // at the last cut
  std::vector<End> ends_;      // found so far at the next one
  std::vector<PathNode> paths_;
  std::size_t paths_kept_ = 0;
  std::size_t ends_words_ = 0;
  std::size_t frontier_words_ = 0;

  std::uint32_t to_ = 0;
  bool first_suffices_ = false;
  std::uint64_t largest_ = 0;
  std::size_t root_ = 0;
  std::vector<Frame> frames_;
  std::vector<OperationId> candidates_;  // of all frames
  std::vector<OperationId> path_;        // the operations placed since the root
  std::vector<OperationId> pool_;        // scratch
  std::vector<std::uint64_t> live_;      // scratch
  std::vector<std::uint64_t> used_;      // scratch

  // The longest order of this segment: its first `intact_` operations are those of path_.
  std::vector<OperationId> longest_;
  std::size_t intact_ = 0;
  std::size_t longest_root_ = 0;
  std::uint32_t longest_passed_ = 0;

  std::uint64_t configurations_ = 0;
  std::uint32_t cuts_ = 0;
};

// One word per operation, for sets of them as exclusive ors (Zobrist 1970).
std::uint64_t word_of(OperationId id) { return mix((std::uint64_t{id} + 1) * kGolden); }

bool has(std::span<const std::uint64_t> bits, std::uint32_t slot) { return (bits[slot / 64] >> (slot % 64) & 1) != 0; }

std::uint32_t count_of(std::span<const std::uint64_t> used, std::uint32_t alike) {
  const auto at = std::lower_bound(used.begin(), used.end(), std::uint64_t{alike} << 32);
  return at != used.end() && *at >> 32 == alike ? static_cast<std::uint32_t>(*at) : 0;
}

void use_one(std::vector<std::uint64_t>& used, std::uint32_t alike) {
  const auto at = std::lower_bound(used.begin(), used.end(), std::uint64_t{alike} << 32);
  if (at != used.end() && *at >> 32 == alike) {
    ++*at;
  } else {
    used.insert(at, std::uint64_t{alike} << 32 | 1);
  }
}

bool Search::exceeded(std::size_t used_words) {
  const std::size_t to_add = seen_.memory_to_add(used_words);
  const std::size_t bytes =
      timeline_memory_ + to_add + space_.memory() + paths_.capacity() * sizeof(PathNode) +
      (ends_words_ + frontier_words_) * sizeof(std::uint64_t) + frames_.capacity() * sizeof(Frame) +
      (candidates_.capacity() + pool_.capacity() + path_.capacity() + longest_.capacity()) * sizeof(OperationId);
  return bounds_.exceeded(bytes) || to_add >= Configurations::kFull;
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

// To the end of the history, the first success suffices.
Explored Search::explore(std::uint32_t from, std::uint32_t to, std::uint64_t largest) {
  to_ = to;
  first_suffices_ = to == timeline_.completed();
  largest_ = largest;
  seen_.clear();
  ends_.clear();
  ends_words_ = 0;
  longest_.clear();
  longest_root_ = 0;
  longest_passed_ = from;
  for (std::size_t root = 0; root < frontier_.size(); ++root) {
    const Explored explored = explore_from(root, from);
    if (explored != Explored::exhausted) {
      configurations_ += seen_.size();
      return explored;
    }
  }
  configurations_ += seen_.size();
  return Explored::exhausted;
}

Explored Search::explore_from(std::size_t root, std::uint32_t from) {
  root_ = root;
  intact_ = 0;
  frames_.clear();
  candidates_.clear();
  path_.clear();
  live_.assign((timeline_.slots() + 63) / 64, 0);
  used_ = frontier_[root].used;
  Configuration begin{0, from, frontier_[root].state, live_, used_};
  observe(begin);
  if (begin.passed == to_ && first_suffices_) return Explored::succeeded;
  push(begin);
  while (!frames_.empty()) {
    if (frames_.back().next == candidates_.size()) {
      candidates_.resize(frames_.back().first);
      frames_.pop_back();
      unwind(frames_.empty() ? 0 : frames_.back().path);
      continue;
    }
    if (const auto explored = try_next()) return *explored;
  }
  return Explored::exhausted;
}

std::optional<Explored> Search::try_next() {
  Frame& frame = frames_.back();
  const Configuration c = seen_.at(frame.entry);
  const OperationId id = candidates_[frame.next++];
  if (exceeded(c.used.size() + 1)) return Explored::stopped;
  const StateId state = space_.step(c.state, id);
  if (state == kImpossible) return std::nullopt;
  Configuration after = c;
  after.state = state;
  live_.assign(c.live.begin(), c.live.end());
  used_.assign(c.used.begin(), c.used.end());
  unwind(frame.path);
  place(id, after);
  observe(after);
  after.live = live_;
  after.used = used_;
  if (timeline_.any_until() && after.passed < timeline_.completed()) {
    after.latest = latest_invoke(after);
    forget_late(after.latest);
    after.used = used_;
  }
  if (after.passed == to_ && first_suffices_) return Explored::succeeded;
  if (!push(after)) return std::nullopt;
  if (seen_.size() > largest_) return Explored::too_large;
  if (options_.limit != 0 && configurations_ + seen_.size() > options_.limit) return Explored::turn_over;
  return std::nullopt;
}

// Puts an operation at the end of path_; the state is the caller's.
void Search::place(OperationId id, Configuration& c) {
  path_.push_back(id);
  if (timeline_.is_crashed(id)) {
    use_one(used_, timeline_.class_of(id));
    return;
  }
  const std::uint32_t slot = timeline_.slot(id);
  live_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  c.hash ^= word_of(id);
  advance(c);
}

// Passes the returns of what is linearized.
void Search::advance(Configuration& c) {
  for (; c.passed < to_; ++c.passed) {
    const std::uint32_t next = timeline_.slot(timeline_.returning(c.passed));
    if (!has(live_, next)) return;
    live_[next / 64] &= ~(std::uint64_t{1} << (next % 64));
  }
}

// Places all completed operations that only observe, are pending, and are possible in this state.
void Search::observe(Configuration& c) {
  for (bool again = any_observes_; again && c.passed < to_;) {
    again = false;
    const std::uint32_t passed = c.passed;
    for (const OperationId id : timeline_.pending_at(passed)) {
      if (id == Timeline::kNobody || !observes_[id] || has(live_, timeline_.slot(id))) continue;
      if (space_.step(c.state, id) == kImpossible) continue;
      place(id, c);
      if (c.passed == passed) continue;
      again = true;  // others are pending now
      break;
    }
  }
}

void Search::unwind(std::size_t length) {
  path_.resize(length);
  intact_ = std::min(intact_, length);
}

// False if it was searched already.
bool Search::push(const Configuration& c) {
  const Entry entry = seen_.add(c);
  if (entry == Configurations::kSeen) return false;
  if (c.passed == to_) {
    note_end(c);
    return true;
  }
  frames_.push_back({entry, candidates_.size(), candidates_.size(), path_.size()});
  note_longest(c.passed);
  list_candidates(c);
  return true;
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

void Search::note_longest(std::uint32_t passed) {
  if (passed < longest_passed_) return;
  if (passed == longest_passed_ && path_.size() <= longest_.size()) return;
  longest_.resize(intact_);
  longest_.insert(longest_.end(), path_.begin() + static_cast<std::ptrdiff_t>(intact_), path_.end());
  intact_ = path_.size();
  longest_root_ = root_;
  longest_passed_ = passed;
}

// The operation that returns next, then those that it, or another candidate, may have to wait for.
void Search::list_candidates(const Configuration& c) {
  const OperationId returning = timeline_.returning(c.passed);
  fill_pool(c, returning);
  std::size_t done = candidates_.size();
  candidates_.push_back(returning);
  if (options_.flaw == SearchFlaw::all_may_follow) return;
  for (; done < candidates_.size() && !pool_.empty(); ++done) {
    if (exceeded(0)) return;  // the next step will see it, too
    const OperationId candidate = candidates_[done];
    std::erase_if(pool_, [&](OperationId other) {
      if (may_follow(other, candidate)) return false;
      if (timeline_.is_crashed(other) && space_.may_omit(other, candidate)) return false;
      candidates_.push_back(other);
      return true;
    });
  }
  // It must be possible now, or after some of the others.
  const auto first = candidates_.begin() + static_cast<std::ptrdiff_t>(frames_.back().first);
  if (space_.step(c.state, returning) == kImpossible &&
      !space_.attainable(c.state, returning, std::span(first + 1, candidates_.end()))) {
    candidates_.erase(first, candidates_.end());
  } else if (options_.order == SearchOrder::by_invoke) {
    std::sort(first, candidates_.end(),
              [&](OperationId a, OperationId b) { return timeline_.invoked(a) < timeline_.invoked(b); });
  }
}

// In real time as well.
bool Search::may_follow(OperationId a, OperationId b) {
  return timeline_.until(a) >= timeline_.invoked(b) && space_.may_follow(a, b);
}

// Of the operations that have taken effect.
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
  std::erase_if(used_, [&](std::uint64_t used) { return timeline_.class_until()[used >> 32] < latest; });
}

// What might take effect now, besides the operation that returns next.
void Search::fill_pool(const Configuration& c, OperationId returning) {
  pool_.clear();
  const auto pending = timeline_.pending_at(c.passed);
  for (std::uint32_t slot = 0; slot < pending.size(); ++slot) {
    const OperationId id = pending[slot];
    if (id != Timeline::kNobody && id != returning && !has(c.live, slot)) pool_.push_back(id);
  }
  const auto& classes = timeline_.classes();
  const std::uint32_t latest = timeline_.any_until() ? latest_invoke(c) : 0;
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    if (!timeline_.any_available(classes[i], c.passed)) break;
    const std::uint32_t used = count_of(c.used, i);
    if (used < timeline_.available(classes[i], c.passed) && timeline_.until(classes[i].operations[used]) >= latest) {
      pool_.push_back(classes[i].operations[used]);
    }
  }
}

SearchOutcome Search::outcome(SearchVerdict verdict) {
  SearchOutcome out;
  out.verdict = verdict;
  out.configurations = configurations_;
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

}  // namespace

SearchOutcome search_order(std::span<const OperationSpan> intervals, StateSpace& space, Bounds& bounds,
                           const SearchOptions& options) {
  return Search(intervals, space, bounds, options).run();
}

}  // namespace picklock
