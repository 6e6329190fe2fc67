// A subcommand that states its options, and does its work once they are parsed.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace picklock {

struct Subcommand {
  const CLI::App* app;
  std::function<int()> run;  // gives the exit status
};

}  // namespace picklock
