#include "app/kept.hpp"

#include "base/hash.hpp"
#include "scenarios/file/write.hpp"

namespace picklock {

Kept kept_results(const StoreWords& words, const std::string& kind, const std::vector<const Scenario*>& scenarios,
                  const std::vector<Property>& properties) {
  Kept kept;
  if (words.store.empty()) return kept;
  CellContent content{kind, {}, {}, properties, kGolden};
  for (const Scenario* const s : scenarios) {
    content.scenario += (content.scenario.empty() ? "" : "\n# ---\n") + write_scenario(*s);
    content.lock += (content.lock.empty() ? "" : ",") + s->lock.name;
    const auto behaviour = behaviour_of(*s, properties);
    // A scenario that does not compile is reported when it is played.
    if (behaviour.index() == 1) return kept;
    content.behaviour = mix(content.behaviour, std::get<0>(behaviour));
  }
  kept.store = std::make_unique<Store>(words.store, Store::Open::or_create);
  kept.memory = kept.store->cell(content, words.play_again);
  return kept;
}

}  // namespace picklock
