#include "checker/search/exploration.hpp"

#include "base/hash.hpp"

namespace picklock {
namespace {

// One word per operation, for sets of them as exclusive ors (Zobrist 1970).
std::uint64_t word_of(OperationId id) { return mix((std::uint64_t{id} + 1) * kGolden); }

void use_one(std::vector<std::uint64_t>& used, std::uint32_t alike) {
  const auto at = std::lower_bound(used.begin(), used.end(), std::uint64_t{alike} << 32);
  if (at != used.end() && *at >> 32 == alike) {
    ++*at;
  } else {
    used.insert(at, std::uint64_t{alike} << 32 | 1);
  }
}

}  // namespace

// Asked at each step; counted now and then, and whenever a table is about to double.
bool Search::exceeded(std::size_t used_words) {
  constexpr std::uint32_t kUnasked = 16;
  if (++unasked_ < kUnasked && !seen_.about_to_grow(used_words) && !bounds_.stopped()) return false;
  bounds_.spend(unasked_ - 1);
  unasked_ = 0;
  const std::size_t to_add = seen_.memory_to_add(used_words);
  const std::size_t bytes =
      timeline_memory_ + to_add + space_.memory() + paths_.capacity() * sizeof(PathNode) +
      (ends_words_ + frontier_words_) * sizeof(std::uint64_t) + frames_.capacity() * sizeof(Frame) +
      (candidates_.capacity() + pool_.capacity() + path_.capacity() + longest_.capacity()) * sizeof(OperationId);
  return bounds_.exceeded(bytes) || to_add >= Configurations::kFull;
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
    if (frames_.back().next == candidates_.size() && !list_more()) {
      candidates_.resize(frames_.back().first);
      frames_.pop_back();
      unwind(frames_.empty() ? 0 : frames_.back().path);
      continue;
    }
    if (const auto explored = try_next()) return *explored;
  }
  return Explored::exhausted;
}

// On the straight way, two of three configurations lead on.
bool Search::too_large() const {
  constexpr std::uint64_t kFew = 256;
  if (!straight_) return seen_.size() > largest_;
  return seen_.size() > kFew + std::uint64_t{longest_passed_} * 3 / 2;
}

std::optional<Explored> Search::try_next() {
  Frame& frame = frames_.back();
  const Configuration c = seen_.at(frame.entry);
  const bool known = !frame.all && frame.next == frame.first;  // it was tried when it was listed
  const OperationId id = candidates_[frame.next++];
  if (exceeded(c.used.size() + 1)) return Explored::stopped;
  const StateId state = known ? frame.after : space_.step(c.state, id);
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
  if (too_large()) return Explored::too_large;
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

// The others are looked for when the first has led to nothing.  Are there any?
bool Search::list_more() {
  Frame& frame = frames_.back();
  if (frame.all) return false;
  list_others(seen_.at(frame.entry));
  return frame.next < candidates_.size();
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
  frames_.push_back({entry, candidates_.size(), candidates_.size(), path_.size(), 0, false});
  note_longest(c.passed);
  list_first(c);
  return true;
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

}  // namespace picklock
