#include "instruments/hunt/world_classes.hpp"

#include <algorithm>
#include <utility>

namespace picklock {

std::vector<Trigger> event_triggers_of(const std::vector<Fault>& singles) {
  std::vector<Trigger> found;
  for (const Fault& f : singles) {
    if (f.trigger.on.empty() || std::find(found.begin(), found.end(), f.trigger) != found.end()) continue;
    found.push_back(f.trigger);
  }
  return found;
}

WorldClasses::WorldClasses(const std::vector<Fault>& singles, std::vector<Trigger> triggers, const Checked& calm) {
  std::vector<std::int64_t> before;
  for (const std::int64_t fired : calm.fired) {
    if (fired > 1) before.push_back(fired - 1);
  }
  std::sort(before.begin(), before.end());
  before.erase(std::unique(before.begin(), before.end()), before.end());
  const std::size_t step = std::max<std::size_t>(1, (before.size() + kMostInstants - 1) / kMostInstants);
  for (std::size_t i = 0; i < before.size(); i += step) checkpoints_.instants.push_back(before[i]);
  for (const std::int64_t fired : calm.fired) {
    const auto& instants = checkpoints_.instants;
    const auto later = std::lower_bound(instants.begin(), instants.end(), fired);
    const bool none = fired == Checked::kNeverFired || later == instants.begin();
    instant_of_.push_back(none ? kNone : static_cast<std::size_t>(later - instants.begin()) - 1);
  }
  for (const Fault& f : singles) {
    const auto found = std::find(triggers.begin(), triggers.end(), f.trigger);
    trigger_of_.push_back(found == triggers.end() ? kNone : static_cast<std::size_t>(found - triggers.begin()));
  }
  checkpoints_.triggers = std::move(triggers);
}

void WorldClasses::note(std::size_t single, const Checked& checked) {
  Noted noted{checked.fingerprints, {}, {}};
  for (std::size_t i = 0; i < checked.fired.size(); ++i) {
    const std::size_t instant = instant_of_[i];
    const bool ahead = instant != kNone &&
                       (checked.fired[i] == Checked::kNeverFired || checked.fired[i] > checkpoints_.instants[instant]);
    noted.ahead.push_back(ahead);
  }
  noted_[single] = std::move(noted);
}

void WorldClasses::pair_up(const std::vector<std::size_t>& paired) {
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> first;
  for (std::size_t i = 0; i < calm_.size(); ++i) {
    if (calm_[i] != 0) first[{i, calm_[i]}] = kCalm;
  }
  for (const std::size_t single : paired) {
    const auto found = noted_.find(single);
    if (found == noted_.end()) continue;
    Noted& noted = found->second;
    for (std::size_t i = 0; i < noted.fingerprints.size(); ++i) {
      const std::uint64_t print = noted.fingerprints[i];
      noted.stands.push_back(print == 0 ? single : first.try_emplace({i, print}, single).first->second);
    }
  }
}

std::size_t WorldClasses::stands_for(std::size_t single, std::size_t later) const {
  const auto found = noted_.find(single);
  const std::size_t trigger = trigger_of_[later];
  if (found == noted_.end() || trigger == kNone || instant_of_[trigger] == kNone) return single;
  const Noted& noted = found->second;
  if (!noted.ahead[trigger] || noted.stands.empty()) return single;
  return noted.stands[instant_of_[trigger]];
}

}  // namespace picklock
