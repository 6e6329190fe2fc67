// Choosing a lock: each fault against each family of locks, for docs/choosing.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::live {

// One cell of faults × families: the outcome of a command.
struct Choice {
  std::string fault, family, command, depends;
  std::uint64_t runs = 0;
  std::uint64_t two_at_once = 0, tested = 0;  // runs, of mutual exclusion
  std::uint64_t updates_lost = 0, updates_tested = 0;
  std::uint64_t never_free = 0, free_tested = 0;
};
const std::vector<Choice>& choices();
const Choice& choice_of(std::string_view fault, std::string_view family);

// All cells, with their verdicts in words.
std::string choosing_overview(const std::vector<Choice>& cells);
// The cells of one fault: verdicts, what they depend on, commands.
std::string choosing_table(const std::vector<Choice>& cells, std::string_view fault);
std::vector<std::string> choosing_faults();

}  // namespace picklock::live
