#include "instruments/explain/trial.hpp"

#include <fmt/format.h>

#include "base/command_name.hpp"
#include "base/shell.hpp"
#include "scenarios/file/set.hpp"

namespace picklock {

std::string command_of(const Trial& trial) {
  return fmt::format("{} run {}{} --seed {}", program_name(), shell_word(trial.scenario), command_words(trial.edits),
                     trial.seed);
}

Trial with_set(Trial trial, std::string_view path, std::string_view value) {
  trial.edits.set.push_back(assignment_of(path, value));
  return trial;
}

Trial with_edits(Trial trial, const ScenarioEdits& more) {
  if (!more.lock.empty()) trial.edits.lock = more.lock;
  trial.edits.set.insert(trial.edits.set.end(), more.set.begin(), more.set.end());
  trial.edits.without.insert(trial.edits.without.end(), more.without.begin(), more.without.end());
  return trial;
}

Trial with_seed(Trial trial, std::uint64_t seed) {
  trial.seed = seed;
  return trial;
}

}  // namespace picklock
