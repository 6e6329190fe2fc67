#include "checker/properties/wrong_renewal.hpp"

#include "checker/properties/wrong_command.hpp"

namespace picklock {

Finding wrong_renewal(const History& history, const JudgeOptions&, Scratch& scratch) {
  return count_wrong_commands(history, scratch, GrantChange::wrong_renewal);
}

std::string explain_wrong_renewal(const Finding& finding, const History& history, const JudgeOptions&) {
  return explain_wrong_command(finding, history, "extended");
}

}  // namespace picklock
