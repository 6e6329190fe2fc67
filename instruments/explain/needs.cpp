#include "instruments/explain/needs.hpp"

#include <algorithm>

#include "instruments/explain/elements.hpp"

namespace picklock {
namespace {

// More sets than these are not tried.
constexpr std::size_t kMostSets = 200;

class NeedFinder {
 public:
  NeedFinder(Experiments& experiments, const Trial& base, Property property)
      : experiments_(experiments), base_(base), property_(property) {}

  Needed find() {
    Trial whole = base_;
    whole.edits.without.clear();
    const std::vector<Element> elements = elements_of(experiments_.file_of(whole).scenario, base_.edits);
    std::vector<Trial> ahead;
    for (const Element& e : elements) ahead.push_back(with_edits(base_, e.removal));
    experiments_.see_all(ahead);
    for (const Element& e : elements) {
      Removal removal{e, {}, {}, false};
      removal.trial = without(base_, removal);
      const Observed& seen = experiments_.see(removal.trial);
      if (!seen.playable) continue;  // the last client, for example
      removal.needed = !seen.violated(property_);
      needs_.each.push_back(std::move(removal));
    }
    find_sets();
    find_smallest();
    return std::move(needs_);
  }

 private:
  // The trial without this part.  Faults that name a removed client are removed too.
  Trial without(const Trial& trial, Removal& removal) {
    Trial changed = with_edits(trial, removal.element.removal);
    for (;;) {
      const Observed& seen = experiments_.see(changed);
      std::string fault;
      for (const ScenarioProblem& p : seen.problems) {
        if (p.where.starts_with("fault[") && fault.empty()) fault = p.where.substr(0, p.where.find(']') + 1);
      }
      if (fault.empty()) return changed;
      changed.edits.without.push_back(fault);
      removal.along.push_back(fault);
    }
  }

  bool violated(const Trial& trial) { return experiments_.see(trial).violated(property_); }

  // Pairs, and if there are none threes, of which no part is needed alone.
  void find_sets() {
    std::vector<std::size_t> spare;
    for (std::size_t i = 0; i < needs_.each.size(); ++i) {
      if (!needs_.each[i].needed) spare.push_back(i);
    }
    for (const std::size_t size : {std::size_t{2}, std::size_t{3}}) {
      if (needs_.sets.empty()) try_sets(spare, size, 0, {});
    }
  }

  void try_sets(const std::vector<std::size_t>& spare, std::size_t size, std::size_t from,
                const std::vector<std::size_t>& chosen) {
    if (chosen.size() == size) {
      if (needs_.sets_tried++ >= kMostSets) return;
      Trial trial = base_;
      for (const std::size_t i : chosen) trial = with_edits(trial, needs_.each[i].element.removal);
      const Observed& seen = experiments_.see(trial);
      if (seen.playable && !seen.violated(property_) && matters(chosen, seen)) needs_.sets.push_back({chosen, trial});
      return;
    }
    for (std::size_t i = from; i < spare.size(); ++i) {
      std::vector<std::size_t> more = chosen;
      more.push_back(spare[i]);
      try_sets(spare, size, i + 1, more);
    }
  }

  void find_smallest() {
    needs_.smallest = base_;
    std::vector<bool> gone(needs_.each.size());
    for (std::size_t i = 0; i < needs_.each.size(); ++i) {
      if (needs_.each[i].needed) continue;
      const Trial less = one_less(i);
      if (!violated(less)) continue;
      needs_.smallest = less;
      gone[i] = true;
    }
    // An element kept in the beginning may be spare by now.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < needs_.each.size(); ++i) {
        if (gone[i]) continue;
        const Trial less = one_less(i);
        if (!violated(less)) continue;
        needs_.smallest = less;
        gone[i] = changed = true;
      }
    }
    for (std::size_t i = 0; i < needs_.each.size(); ++i) {
      if (gone[i]) continue;
      const Trial less = one_less(i);
      if (!experiments_.see(less).playable) continue;
      needs_.left.push_back(i);
      needs_.one_less.push_back(less);
    }
  }

  // A run with too few clients to test the property proves nothing by its silence.
  bool matters(const std::vector<std::size_t>& chosen, const Observed& without) const {
    const bool clients = std::any_of(chosen.begin(), chosen.end(),
                                     [&](std::size_t i) { return needs_.each[i].element.kind == "client"; });
    return !clients || without.word(property_) != "not tested";
  }

  Trial one_less(std::size_t i) {
    Removal removal = needs_.each[i];
    removal.along.clear();
    return without(needs_.smallest, removal);
  }

  Experiments& experiments_;
  const Trial base_;
  const Property property_;
  Needed needs_;
};

}  // namespace

Needed needs_of(Experiments& experiments, const Trial& base, Property property) {
  return NeedFinder(experiments, base, property).find();
}

}  // namespace picklock
