#include "instruments/explain/generality.hpp"

namespace picklock {
namespace {

class SeedCounter {
 public:
  SeedCounter(Experiments& experiments, const Trial& base, Property property)
      : experiments_(experiments), property_(property) {
    const bool at_the_end = base.seed > UINT64_MAX - kOtherSeeds;
    found_.first = at_the_end ? base.seed - kOtherSeeds : base.seed + 1;
    found_.last = found_.first + kOtherSeeds - 1;
  }

  Generality count(const Trial& base, const PropertyExplanation& claims, const std::vector<Cure>& cures) {
    std::vector<Trial> trials;
    plan(base, trials);
    for (const Removal& r : claims.needs.each) {
      if (r.needed) plan(r.trial, trials);
    }
    for (const Quantity& q : claims.quantities) {
      for (const Threshold& t : q.thresholds) {
        plan(t.far_below.trial, trials);
        plan(t.far_above.trial, trials);
      }
    }
    for (const Cure& c : cures) {
      if (c.state == CureState::tried) plan(c.trial, trials);
    }
    experiments_.see_all(trials);

    for_each_seed([&](std::uint64_t seed) {
      const Observed& seen = experiments_.see(with_seed(base, seed));
      if (!seen.playable) return;
      ++found_.violated.of;
      found_.violated.hits += seen.violated(property_);
      ++found_.not_tested.of;
      found_.not_tested.hits += seen.word(property_) == "not tested";
    });
    for (const Removal& r : claims.needs.each) found_.needed.push_back(r.needed ? ended_by(base, r.trial) : Share{});
    for (const Quantity& q : claims.quantities) {
      for (const Threshold& t : q.thresholds)
        found_.thresholds.push_back({same(t.far_below, t.below.harmful), same(t.far_above, t.above.harmful)});
    }
    for (const Cure& c : cures) found_.cures.push_back(c.state == CureState::tried ? cured_by(base, c.trial) : Share{});
    return found_;
  }

 private:
  template <class Visit>
  void for_each_seed(const Visit& visit) const {
    for (std::uint64_t i = 0; i < kOtherSeeds; ++i) visit(found_.first + i);
  }
  void plan(const Trial& trial, std::vector<Trial>& trials) const {
    for_each_seed([&](std::uint64_t seed) { trials.push_back(with_seed(trial, seed)); });
  }
  const Observed& see(const Trial& trial, std::uint64_t seed) { return experiments_.see(with_seed(trial, seed)); }
  // Counts the seeds on which the base violates the property, and the change was played to its end.
  Share ended_by(const Trial& base, const Trial& change) {
    return share_of(base, change, [](const Observed&, const Observed&) { return true; });
  }
  // Counts a seed only if the change also serves every client that the base serves.
  Share cured_by(const Trial& base, const Trial& change) {
    return share_of(base, change, [](const Observed& before, const Observed& after) {
      return !ends_service(less_service(before.service, after.service));
    });
  }
  template <class Counts>
  Share share_of(const Trial& base, const Trial& change, const Counts& counts) {
    Share share;
    for_each_seed([&](std::uint64_t seed) {
      const Observed &changed = see(change, seed), &before = see(base, seed);
      if (!changed.playable || !before.violated(property_)) return;
      ++share.of;
      share.hits += !changed.violated(property_) && counts(before, changed);
    });
    return share;
  }
  Share same(const Tried& tried, bool harmful) {
    Share share;
    for_each_seed([&](std::uint64_t seed) {
      const Observed& seen = see(tried.trial, seed);
      if (!seen.playable) return;
      ++share.of;
      share.hits += seen.violated(property_) == harmful;
    });
    return share;
  }

  Experiments& experiments_;
  const Property property_;
  Generality found_;
};

}  // namespace

Generality generality_of(Experiments& experiments, const Trial& base, const PropertyExplanation& claims,
                         const std::vector<Cure>& cures) {
  return SeedCounter(experiments, base, claims.property).count(base, claims, cures);
}

}  // namespace picklock
