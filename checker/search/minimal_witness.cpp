#include "checker/search/minimal_witness.hpp"

#include <algorithm>
#include <unordered_map>

namespace picklock {
namespace {

// Some of the operations of another space, numbered anew.
class Selection final : public StateSpace {
 public:
  Selection(StateSpace& all, const std::vector<OperationId>& chosen) : all_(all), chosen_(chosen) {}

  StateId initial() override { return all_.initial(); }
  StateId step(StateId state, OperationId id) override { return all_.step(state, chosen_[id]); }
  bool may_follow(OperationId a, OperationId b) override { return all_.may_follow(chosen_[a], chosen_[b]); }
  bool may_omit(OperationId a, OperationId b) override { return all_.may_omit(chosen_[a], chosen_[b]); }
  bool attainable(StateId state, OperationId id, std::span<const OperationId> others) override {
    theirs_.clear();
    for (const OperationId other : others) theirs_.push_back(chosen_[other]);
    return all_.attainable(state, chosen_[id], theirs_);
  }
  bool observes(OperationId id) override { return all_.observes(chosen_[id]); }
  void keep(std::span<StateId> states) override { all_.keep(states); }
  std::string describe(StateId state) override { return all_.describe(state); }
  std::string why_not(StateId state, OperationId id) override { return all_.why_not(state, chosen_[id]); }
  [[nodiscard]] std::size_t memory() const override { return all_.memory(); }

 private:
  StateSpace& all_;
  const std::vector<OperationId>& chosen_;
  std::vector<OperationId> theirs_;  // scratch
};

class Shrinker {
 public:
  Shrinker(const Disorder& disorder, Bounds& bounds, bool own_time)
      : intervals_(disorder.intervals),
        space_(disorder.space),
        kinds_(disorder.kinds),
        stuck_(disorder.stuck),
        bounds_(bounds),
        own_time_(own_time) {
    for (OperationId id = 0; id < size(); ++id) {
      if (kinds_[id] >= by_kind_.size()) by_kind_.resize(kinds_[id] + std::size_t{1});
      if (!space_.observes(id)) by_kind_[kinds_[id]].push_back(id);
    }
  }

  // Prefers the operations that come first.
  SmallestSet shrink(const std::vector<OperationId>& preferred);

  // All, `stuck` first, then those near to it.
  [[nodiscard]] std::vector<OperationId> near_ones() const;
  // Takes in turn one that `stuck` may need before it, and one that may hinder it there; then the rest.
  [[nodiscard]] std::vector<OperationId> related_ones() const;

 private:
  enum class Answer : std::uint8_t { order, no_order, unknown };

  [[nodiscard]] OperationId size() const { return static_cast<OperationId>(intervals_.size()); }
  bool is_witness(std::span<const OperationId> found, std::span<const OperationId> more);
  Answer search(SmallestSet& of);
  void drop_needless();
  // Kinds that may be of use at any time, and those that may be if they cannot come later.
  struct Useful {
    std::vector<std::uint32_t> always, before;
  };
  const Useful& useful_to(OperationId id);
  void add_useful(std::vector<OperationId>& chosen);

  std::span<const OperationSpan> intervals_;
  StateSpace& space_;
  std::span<const std::uint32_t> kinds_;
  OperationId stuck_;
  Bounds& bounds_;
  bool own_time_;
  std::vector<std::vector<OperationId>> by_kind_;  // operations that change something
  SmallestSet smallest_;                           // the smallest set known to be a witness
  bool unsure_ = false;                            // some search did not come to its end
  std::unordered_map<OperationId, Useful> useful_;
};

// The kinds of operations of which one without an answer may be of use to this operation.
const Shrinker::Useful& Shrinker::useful_to(OperationId id) {
  const auto [found, fresh] = useful_.try_emplace(id < size() ? id : size() + kinds_[id - size()]);
  Useful& useful = found->second;
  if (!fresh) return useful;
  for (std::uint32_t kind = 0; kind < by_kind_.size() && !bounds_.exceeded(0); ++kind) {
    if (by_kind_[kind].empty()) continue;
    const OperationId one = size() + by_kind_[kind].front();
    if (space_.may_omit(one, id)) continue;
    (space_.may_follow(one, id) ? useful.before : useful.always).push_back(kind);
  }
  bounds_.add_others((useful.always.capacity() + useful.before.capacity()) * sizeof(std::uint32_t));
  return useful;
}

// Adds to the kept operations those left out that may be of use.
void Shrinker::add_useful(std::vector<OperationId>& chosen) {
  std::vector<bool> there(intervals_.size()), whole(by_kind_.size());
  for (const OperationId id : chosen) there[id] = true;
  const auto add = [&](OperationId other) {
    if (there[other]) return;
    there[other] = true;
    chosen.push_back(size() + other);
  };
  for (std::size_t next = 0; next < chosen.size() && !bounds_.exceeded(0); ++next) {
    const OperationId id = chosen[next];
    const std::uint32_t invoked = intervals_[id % size()].invoked;
    const Useful& useful = useful_to(id);
    for (const std::uint32_t kind : useful.always) {
      if (whole[kind]) continue;
      whole[kind] = true;
      for (const OperationId other : by_kind_[kind]) add(other);
    }
    for (const std::uint32_t kind : own_time_ ? useful.before : std::vector<std::uint32_t>()) {
      for (const OperationId other : by_kind_[kind]) {
        if (intervals_[other].returned < invoked) add(other);
      }
    }
  }
}

// Does the set have an order?  Notes how far its orders get.
Shrinker::Answer Shrinker::search(SmallestSet& of) {
  constexpr std::uint64_t kOwnTime = 50'000, kAnyTime = 2'000;  // configurations; few help where any time will do
  std::vector<OperationId> chosen = of.operations;
  add_useful(chosen);
  bounds_.spend(chosen.size() + intervals_.size() / 16);  // pays for sorting them, and for marking those chosen
  if (bounds_.exceeded_now(0)) return Answer::unknown;
  const auto left_out = static_cast<std::uint32_t>(chosen.size() - of.operations.size());
  std::vector<OperationSpan> intervals;
  for (const OperationId id : chosen) {
    if (id >= size() && own_time_) {
      const OperationSpan& own = intervals_[id - size()];
      intervals.push_back({own.invoked + left_out, OperationSpan::kNever, id, own.returned});
      if (own.returned != OperationSpan::kNever) intervals.back().until += left_out;
      continue;
    }
    if (id >= size()) {  // a crashed operation may come before all others
      const auto at = static_cast<std::uint32_t>(intervals.size() - of.operations.size());
      intervals.push_back({at, OperationSpan::kNever, kinds_[id - size()]});
      continue;
    }
    OperationSpan interval = intervals_[id];
    interval.invoked += left_out;
    if (interval.returned != OperationSpan::kNever) interval.returned += left_out;
    interval.alike = kinds_[id];
    intervals.push_back(interval);
  }
  Selection selection(space_, chosen);
  for (const SearchOrder order : {SearchOrder::just_in_time, SearchOrder::by_invoke}) {
    space_.keep({});
    SearchOptions options;
    options.order = order;
    options.limit = own_time_ ? kOwnTime : kAnyTime;
    SearchOutcome outcome = search_order(intervals, selection, bounds_, options);
    if (outcome.verdict == SearchVerdict::linearizable) return Answer::order;
    if (outcome.verdict == SearchVerdict::stopped) return Answer::unknown;
    if (outcome.verdict == SearchVerdict::turn_over) continue;
    of.longest.clear();
    for (const OperationId id : outcome.longest) of.longest.push_back(chosen[id]);
    of.stuck = chosen[outcome.stuck];
    return Answer::no_order;
  }
  return Answer::unknown;
}

bool Shrinker::is_witness(std::span<const OperationId> found, std::span<const OperationId> more) {
  SmallestSet set;
  set.operations.assign(found.begin(), found.end());
  set.operations.insert(set.operations.end(), more.begin(), more.end());
  const Answer answer = search(set);
  unsure_ = unsure_ || answer == Answer::unknown;
  if (answer != Answer::no_order) return false;
  const bool fewer = smallest_.operations.empty() || set.operations.size() < smallest_.operations.size();
  if (fewer) smallest_ = std::move(set);
  return true;
}

// One by one, where a search that gave up may have kept too many.
void Shrinker::drop_needless() {
  unsure_ = false;
  for (std::size_t i = smallest_.operations.size(); i-- > 0;) {
    std::vector<OperationId> fewer = smallest_.operations;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    is_witness(fewer, {});
  }
}

std::vector<OperationId> Shrinker::near_ones() const {
  const OperationSpan& stuck = intervals_[stuck_];
  const auto distance = [&](OperationId id) -> std::uint32_t {
    const OperationSpan& o = intervals_[id];
    if (o.invoked > stuck.returned) return o.invoked - stuck.returned;
    return o.returned < stuck.invoked ? stuck.invoked - o.returned : 0;
  };
  std::vector<OperationId> ids;
  for (OperationId id = 0; id < size(); ++id) {
    if (id != stuck_) ids.push_back(id);
  }
  std::stable_sort(ids.begin(), ids.end(), [&](OperationId a, OperationId b) { return distance(a) < distance(b); });
  ids.insert(ids.begin(), stuck_);
  return ids;
}

std::vector<OperationId> Shrinker::related_ones() const {
  std::vector<OperationId> useful, hindering, rest;
  const std::vector<OperationId> near = near_ones();
  for (auto id = near.begin() + 1; id != near.end(); ++id) {
    const bool uses = !space_.may_follow(*id, stuck_);
    (uses ? useful : !space_.may_follow(stuck_, *id) ? hindering : rest).push_back(*id);
  }
  std::vector<OperationId> ids = {stuck_};
  for (std::size_t i = 0; i < std::max(useful.size(), hindering.size()); ++i) {
    if (i < useful.size()) ids.push_back(useful[i]);
    if (i < hindering.size()) ids.push_back(hindering[i]);
  }
  ids.insert(ids.end(), rest.begin(), rest.end());
  return ids;
}

SmallestSet Shrinker::shrink(const std::vector<OperationId>& preferred) {
  constexpr std::size_t kUnwieldy = 64;  // more operations than a reader can use, unless the set is minimal
  constexpr std::size_t kFar = 512;      // a witness in their own time will be smaller
  smallest_ = {};
  unsure_ = false;
  const std::span<const OperationId> all(preferred);
  const auto late = [&] { return bounds_.exceeded_now(0); };
  std::size_t enough = 1;  // the operations at the beginning that are a witness; all of them are one
  while (enough < all.size() && !late() && !is_witness({}, all.first(enough))) {
    enough *= 2;
    if (!own_time_ && enough > kFar) return {};
  }
  enough = std::min(enough, all.size());
  std::vector<OperationId> found;
  while (!late() && enough > 0 && !is_witness(found, {})) {
    std::size_t few = 0;  // largest number tried that is no witness
    while (enough - few > 1 && !late()) {
      const std::size_t middle = few + (enough - few) / 2;
      (is_witness(found, all.first(middle)) ? enough : few) = middle;
    }
    found.push_back(all[--enough]);
  }
  if (enough == 0) is_witness(found, {});
  if (unsure_) drop_needless();
  smallest_.minimal = !unsure_ && !late();
  if (!smallest_.minimal && smallest_.operations.size() > kUnwieldy) smallest_ = {};
  std::sort(smallest_.operations.begin(), smallest_.operations.end(),
            [&](OperationId a, OperationId b) { return intervals_[a].invoked < intervals_[b].invoked; });
  return std::move(smallest_);
}

}  // namespace

SmallestSet smallest_set(const Disorder& disorder, bool own_time, Bounds& bounds) {
  constexpr std::size_t kMany = 1'000;  // operations, of which a second look costs more than it is worth
  Shrinker shrinker(disorder, bounds, own_time);
  SmallestSet best = shrinker.shrink(shrinker.related_ones());
  if (best.minimal && (best.operations.size() <= 2 || disorder.intervals.size() > kMany)) return best;
  SmallestSet other = shrinker.shrink(shrinker.near_ones());
  return better(other, best) ? other : best;
}

bool better(const SmallestSet& a, const SmallestSet& b) {
  if (a.operations.empty() || b.operations.empty()) return b.operations.empty() && !a.operations.empty();
  return a.minimal == b.minimal ? a.operations.size() < b.operations.size() : a.minimal;
}

}  // namespace picklock
