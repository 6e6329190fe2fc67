#include "checker/properties/wrong_release.hpp"

#include "checker/properties/wrong_command.hpp"

namespace picklock {

Verdict wrong_release(const History& history, const JudgeOptions&, Scratch&) {
  return count_wrong_commands(history, GrantChange::wrong_release);
}

std::string explain_wrong_release(const Verdict& verdict, const History& history,
                                  const JudgeOptions&) {
  return explain_wrong_command(verdict, history, "ended");
}

}  // namespace picklock
