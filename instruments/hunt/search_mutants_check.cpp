// Looks whether the zoo notices a search that forgets something.
//
//   hunt_search_mutants_check [PLANS [SEEDS [WORD]]]     default 150 and 4; WORD: defects that contain it alone
//
// A mutant of the search forgets a kind of fault, an event that faults wait for, all events, all times, or one of the clients a and b.
// It plays the plans of the sound search without what it forgets, against the twins of the defects of scenarios/zoo.tsv.  Two figures:
//
//   alone      a defect is hunted with the kinds of faults and the events that its own scenario scripts, so that nothing else stands in
//              for them: the sound search finds it in PLANS plans with each of SEEDS hunt seeds, and the mutant with none; or so in
//              four times PLANS.
//   together   plans until found, of the mutant over the sound search, with all kinds and events: the geometric mean over defects and
//              twice SEEDS seeds, where a hunt that finds nothing counts PLANS + 1, with an interval of 99 % by the bootstrap over
//              defects.
//
// A mutant is noticed if it misses a defect alone, or if the whole interval lies above 1.  If neither is so, the interval says
// how much the mutant can cost.  The table has a line for each mutant, and for comparison one for a search that loses as many faults as one kind
// has, whichever they are.  Exit 1: a mutant is not noticed, and the interval reaches beyond kLittle; or that search is noticed.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "checker/properties/properties.hpp"
#include "instruments/hunt/search_mutants_lab.hpp"

namespace picklock {
namespace {

// A mutant that costs fewer plans than a twentieth is as good as the sound search.
constexpr double kLittle = 1.05;

std::vector<DefectOfZoo> zoo(const std::string& word) {
  std::vector<DefectOfZoo> all;
  std::ifstream in(PICKLOCK_SOURCE_DIR "/scenarios/zoo.tsv");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream cells(line);
    DefectOfZoo d;
    std::string property;
    std::getline(cells, d.scenario, '\t');
    std::getline(cells, d.twin, '\t');
    std::getline(cells, property, '\t');
    d.property = find_property(property).value();
    if (d.scenario.find(word) != std::string::npos) all.push_back(std::move(d));
  }
  return all;
}

struct Tested {
  SearchMutant mutant;
  std::string missed{};        // a defect that it misses alone; empty: none
  std::string usual{};         // the plans that the sound search takes for that one, by seed
  std::vector<double> logs{};  // logarithms of the joint ratios, one for each defect
  std::size_t others = 0;      // hunts together that took more plans than the sound search, or fewer
};

struct Ratio {
  double mean, low, high;
};

// The geometric mean with its interval.
Ratio ratio(const std::vector<double>& logs) {
  constexpr std::size_t kDraws = 4'000, kOutside = kDraws / 200;
  const auto n = logs.size();
  double sum = 0;
  for (const double l : logs) sum += l;
  std::vector<double> means;
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    double drawn = 0;
    for (std::uint64_t i = 0; i < n; ++i) drawn += logs[mix(draw, i) % n];
    means.push_back(std::exp(drawn / static_cast<double>(n)));
  }
  std::sort(means.begin(), means.end());
  return {std::exp(sum / static_cast<double>(n)), means[kOutside], means[kDraws - 1 - kOutside]};
}

class Check {
 public:
  Check(std::uint64_t plans, std::uint64_t seeds, const std::string& word)
      : plans_(plans), seeds_(seeds), defects_(zoo(word)) {
    std::set<std::string> marks;
    for (const DefectOfZoo& d : defects_) marks.merge(scripted_by(load_scenario(d.scenario).scenario).marks);
    for (const FaultKind& kind : fault_kinds()) tested_.push_back({forgets_kind(std::string(kind.name))});
    for (const std::string& mark : marks) tested_.push_back({forgets_mark(mark)});
    for (SearchMutant m : {forgets_events(), forgets_times(), forgets_client("a"), forgets_client("b")}) {
      tested_.push_back({std::move(m)});
    }
  }

  int check() {
    for (const DefectOfZoo& d : defects_) {
      hunt_alone(d);
      hunt_together(d);
      fmt::print(stderr, "{}\n", d.scenario);
    }
    fmt::print("Of {} defects, the sound search finds {} of {} alone, and in {} of {} hunts of {} together.\n\n",
               defects_.size(), found_alone_, scripted_, found_, together_ * 2 * seeds_, together_);
    fmt::print("| search that forgets | misses alone | plans together | noticed |\n|---|---|---|---|\n");
    int unknown = 0;
    for (const Tested& t : tested_) unknown += tell(t);
    tell(any_);
    return unknown == 0 && found_ > 0 && !is_noticed(any_) ? 0 : 1;
  }

 private:
  using Hunts = std::vector<std::unique_ptr<PlansOfDefect>>;
  Hunts hunts(const DefectOfZoo& defect, const HuntSpace& space, std::uint64_t seeds) const {
    Hunts all;
    for (std::uint64_t s = 1; s <= seeds; ++s) all.push_back(std::make_unique<PlansOfDefect>(defect, space, s));
    return all;
  }

  void hunt_alone(const DefectOfZoo& defect) {
    const HuntSpace space = scripted_space(defect);
    if (space.kinds.empty()) return;
    ++scripted_;
    const Hunts all = hunts(defect, space, seeds_);
    std::string usual;
    std::uint64_t most = 0;  // plans of the sound search
    for (const auto& hunt : all) {
      const std::uint64_t plans = hunt->until_found(sound_search(), 4 * plans_);
      if (plans > 4 * plans_) return;
      most = std::max(most, plans);
      usual += fmt::format("{}{}", usual.empty() ? "" : ", ", plans);
    }
    ++found_alone_;
    const std::uint64_t enough = most <= plans_ ? plans_ : 4 * plans_;
    const auto compare = [&](Tested& t) {
      if (!t.missed.empty()) return;
      const auto misses_in = [&](std::uint64_t plans) {
        return std::all_of(all.begin(), all.end(),
                           [&](const auto& hunt) { return hunt->until_found(t.mutant, plans) > plans; });
      };
      if (!misses_in(enough)) return;
      t.missed = defect.scenario;
      t.usual = usual;
    };
    for (Tested& t : tested_) compare(t);
    compare(any_);
  }

  // A defect that takes more plans tells nothing of them. The hunt that decides this is none of those that are compared.
  bool is_soon_found(const DefectOfZoo& defect, const HuntSpace& space) const {
    return PlansOfDefect(defect, space, 2 * seeds_ + 1).until_found(sound_search(), plans_) <= plans_;
  }

  void hunt_together(const DefectOfZoo& defect) {
    const HuntSpace space = whole_space(defect);
    if (!is_soon_found(defect, space)) return;
    ++together_;
    const Hunts all = hunts(defect, space, 2 * seeds_);
    const auto log_of = [&](PlansOfDefect& hunt, const SearchMutant& mutant) {
      return std::log(static_cast<double>(hunt.until_found(mutant, plans_)));
    };
    std::vector<double> sound;
    for (const auto& hunt : all) {
      sound.push_back(log_of(*hunt, sound_search()));
      found_ += hunt->until_found(sound_search(), plans_) <= plans_;
    }
    const auto compare = [&](Tested& t) {
      double sum = 0;
      for (std::size_t s = 0; s < all.size(); ++s) {
        const double log = log_of(*all[s], t.mutant);
        sum += log - sound[s];
        t.others += log != sound[s];
      }
      t.logs.push_back(sum / static_cast<double>(all.size()));
    };
    for (Tested& t : tested_) compare(t);
    compare(any_);
  }

  bool is_noticed(const Tested& t) const { return !t.missed.empty() || ratio(t.logs).low > 1; }

  // True: nothing notices the mutant, and it may cost more than little.
  bool tell(const Tested& t) const {
    const auto [mean, low, high] = ratio(t.logs);
    const bool noticed = is_noticed(t);
    const bool little = high <= kLittle;
    const std::string cost = t.others == 0
                                 ? "no hunt differs"
                                 : fmt::format("costs {:.0f} % at most", std::max(0.0, std::ceil(100 * (high - 1))));
    fmt::print("| {} | {} | {:.2f} [{:.2f}, {:.2f}] | {} |\n", t.mutant.name,
               t.missed.empty() ? "-" : fmt::format("`{}` (else found in {} plans)", t.missed, t.usual), mean, low,
               high, noticed ? "yes" : (little ? "no: " : "**no**: ") + cost);
    return !noticed && !little;
  }

  const std::uint64_t plans_, seeds_;
  const std::vector<DefectOfZoo> defects_;
  std::vector<Tested> tested_;
  Tested any_{forgets_any()};
  std::size_t found_ = 0, together_ = 0, found_alone_ = 0, scripted_ = 0;
};

}  // namespace
}  // namespace picklock

int main(int argc, char** argv) {
  const auto number = [&](int i, std::uint64_t usual) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : usual;
  };
  return picklock::Check(number(1, 150), number(2, 4), argc > 3 ? argv[3] : "").check();
}
