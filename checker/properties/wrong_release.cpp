#include "checker/properties/wrong_release.hpp"

#include "checker/properties/wrong_command.hpp"

namespace picklock {

Finding wrong_release(const History& history, const JudgeOptions&, Scratch& scratch) {
  return count_wrong_commands(history, scratch, GrantChange::wrong_release);
}

std::string explain_wrong_release(const Finding& finding, const History& history, const JudgeOptions&) {
  return explain_wrong_command(finding, history, "ended");
}

}  // namespace picklock
