// The playground's answers: a question and its answer are texts of JSON, as the page sends and reads them.
//
// A question about a scenario names it, or brings its TOML, and says how it is edited:
//
//   {"name": "paused_holder/fenced", "set": ["lock.ttl=1s"], "without": ["fault[0]"], "lock": "redlock", "seed": 3}
//   {"toml": "lock = \"setnx\" …", "variant": "fenced", …}
//   {"name": "paused_holder", "lock": "own.lua", "locks": {"own.lua": "lock = { …"}, …}
//
// `locks` has texts of locks in Lua (docs/lua.md) by the names that the scenario or `lock` gives them.
// A faulty question is answered {"errors": [{"file", "line", "column", "text", …}]}.  If it is no JSON, or has a
// value of another type, that value counts as absent.  Nothing here throws, reads a file or starts a thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/file/error.hpp"

namespace picklock {

class Playground {
 public:
  Playground();
  ~Playground();

  // Every scenario and variant of the library.
  std::string list();
  // Story, TOML, variants and settings of a scenario; errors with line and column.
  std::string read(std::string_view question);
  // One run: digest, verdicts, and what its picture shows.
  std::string run(std::string_view question);
  // The share of violated runs: `begin_range` takes the scenario and the first seed; each `more_of_range` plays the
  // next `count` seeds, and answers with the sums so far.
  std::string begin_range(std::string_view question);
  std::string more_of_range(std::uint64_t count);
  // Answers like `picklock explain`. `progress` hears how many runs have been made.
  std::string explain(std::string_view question, const std::function<void(std::uint64_t)>& progress = {});

 private:
  struct Prepared;
  struct Range;
  const Prepared& prepare(std::string_view question);
  void know_locks(std::map<std::string, std::string> locks);

  std::map<std::string, std::string> locks_;  // Lua locks known now: text by name
  std::vector<ScenarioError> lock_errors_;
  std::unique_ptr<Prepared> prepared_;
  std::unique_ptr<Range> range_;
};

}  // namespace picklock
