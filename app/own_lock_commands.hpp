// The subcommands for learners and for owners of a lock: each states its options, and what it does.
#pragma once

#include <functional>
#include <vector>

namespace CLI {
class App;
}

namespace picklock {

struct Subcommand {
  const CLI::App* app;
  std::function<int()> run;  // once the words are parsed; gives the exit status
};

std::vector<Subcommand> add_own_lock_commands(CLI::App& app);

}  // namespace picklock
