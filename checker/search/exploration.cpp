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
  if (++counts_.unasked < kUnasked && !seen_.about_to_grow(used_words) && !bounds_.stopped()) return false;
  bounds_.spend(counts_.unasked - 1);
  counts_.unasked = 0;
  const std::size_t to_add = seen_.memory_to_add(used_words);
  const std::size_t bytes =
      counts_.timeline_bytes + to_add + space_.memory() + cut_.paths.capacity() * sizeof(PathNode) +
      (cut_.ends_words + cut_.frontier_words) * sizeof(std::uint64_t) + walk_.frames.capacity() * sizeof(Frame) +
      (walk_.candidates.capacity() + scratch_.pool.capacity() + walk_.path.capacity() + longest_.order.capacity()) *
          sizeof(OperationId);
  return bounds_.exceeded(bytes) || to_add >= Configurations::kFull;
}

// The first success suffices at the end of the history.
Explored Search::explore(std::uint32_t from, std::uint32_t to, std::uint64_t largest) {
  goal_.to = to;
  goal_.first_suffices = to == timeline_.completed();
  goal_.largest = largest;
  seen_.clear();
  cut_.ends.clear();
  cut_.ends_words = 0;
  longest_.order.clear();
  longest_.root = 0;
  longest_.passed = from;
  for (std::size_t root = 0; root < cut_.frontier.size(); ++root) {
    const Explored explored = explore_from(root, from);
    if (explored != Explored::exhausted) {
      counts_.configurations += seen_.size();
      return explored;
    }
  }
  counts_.configurations += seen_.size();
  return Explored::exhausted;
}

Explored Search::explore_from(std::size_t root, std::uint32_t from) {
  walk_.root = root;
  longest_.intact = 0;
  walk_.frames.clear();
  walk_.candidates.clear();
  walk_.path.clear();
  scratch_.live.assign((timeline_.slots() + 63) / 64, 0);
  scratch_.used = cut_.frontier[root].used;
  Configuration begin{0, from, cut_.frontier[root].state, scratch_.live, scratch_.used};
  observe(begin);
  if (begin.passed == goal_.to && goal_.first_suffices) return Explored::succeeded;
  push(begin);
  while (!walk_.frames.empty()) {
    if (walk_.frames.back().next == walk_.candidates.size() && !list_more()) {
      walk_.candidates.resize(walk_.frames.back().first);
      walk_.frames.pop_back();
      unwind(walk_.frames.empty() ? 0 : walk_.frames.back().path);
      continue;
    }
    if (const auto explored = try_next()) return *explored;
  }
  return Explored::exhausted;
}

// A straight exploration leads on from two of three configurations.
bool Search::too_large() const {
  constexpr std::uint64_t kFew = 256;
  if (!goal_.straight) return seen_.size() > goal_.largest;
  return seen_.size() > kFew + std::uint64_t{longest_.passed} * 3 / 2;
}

std::optional<Explored> Search::try_next() {
  Frame& frame = walk_.frames.back();
  const Configuration c = seen_.at(frame.entry);
  const bool known = !frame.all && frame.next == frame.first;  // true: the candidate was tried when it was listed
  const OperationId id = walk_.candidates[frame.next++];
  if (exceeded(c.used.size() + 1)) return Explored::stopped;
  const StateId state = known ? frame.after : space_.step(c.state, id);
  if (state == kImpossible) return std::nullopt;
  Configuration after = c;
  after.state = state;
  scratch_.live.assign(c.live.begin(), c.live.end());
  scratch_.used.assign(c.used.begin(), c.used.end());
  unwind(frame.path);
  place(id, after);
  observe(after);
  after.live = scratch_.live;
  after.used = scratch_.used;
  if (timeline_.any_until() && after.passed < timeline_.completed()) {
    after.latest = latest_invoke(after);
    forget_late(after.latest);
    after.used = scratch_.used;
  }
  if (after.passed == goal_.to && goal_.first_suffices) return Explored::succeeded;
  if (!push(after)) return std::nullopt;
  if (too_large()) return Explored::too_large;
  if (options_.limit != 0 && counts_.configurations + seen_.size() > options_.limit) return Explored::turn_over;
  return std::nullopt;
}

// Puts an operation at the end of walk_.path; the state is the caller's.
void Search::place(OperationId id, Configuration& c) {
  walk_.path.push_back(id);
  if (timeline_.is_crashed(id)) {
    use_one(scratch_.used, timeline_.class_of(id));
    return;
  }
  const std::uint32_t slot = timeline_.slot(id);
  scratch_.live[slot / 64] |= std::uint64_t{1} << (slot % 64);
  c.hash ^= word_of(id);
  advance(c);
}

// Passes the returns of what is linearized.
void Search::advance(Configuration& c) {
  for (; c.passed < goal_.to; ++c.passed) {
    const std::uint32_t next = timeline_.slot(timeline_.returning(c.passed));
    if (!has(scratch_.live, next)) return;
    scratch_.live[next / 64] &= ~(std::uint64_t{1} << (next % 64));
  }
}

// Places all completed operations that only observe, are pending, and are possible in this state.
void Search::observe(Configuration& c) {
  for (bool again = observers_.any; again && c.passed < goal_.to;) {
    again = false;
    const std::uint32_t passed = c.passed;
    for (const OperationId id : timeline_.pending_at(passed)) {
      if (id == Timeline::kNobody || !observers_.are[id] || has(scratch_.live, timeline_.slot(id))) continue;
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
  Frame& frame = walk_.frames.back();
  if (frame.all) return false;
  list_others(seen_.at(frame.entry));
  return frame.next < walk_.candidates.size();
}

void Search::unwind(std::size_t length) {
  walk_.path.resize(length);
  longest_.intact = std::min(longest_.intact, length);
}

// False if it was searched already.
bool Search::push(const Configuration& c) {
  const Entry entry = seen_.add(c);
  if (entry == Configurations::kSeen) return false;
  if (c.passed == goal_.to) {
    note_end(c);
    return true;
  }
  walk_.frames.push_back({entry, walk_.candidates.size(), walk_.candidates.size(), walk_.path.size(), 0, false});
  note_longest(c.passed);
  list_first(c);
  return true;
}

void Search::note_longest(std::uint32_t passed) {
  if (passed < longest_.passed) return;
  if (passed == longest_.passed && walk_.path.size() <= longest_.order.size()) return;
  longest_.order.resize(longest_.intact);
  longest_.order.insert(longest_.order.end(), walk_.path.begin() + static_cast<std::ptrdiff_t>(longest_.intact),
                        walk_.path.end());
  longest_.intact = walk_.path.size();
  longest_.root = walk_.root;
  longest_.passed = passed;
}

}  // namespace picklock
