// An error in a scenario: its place, the text found, the text expected, and the nearest name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace picklock {

struct ScenarioError {
  std::string file;          // file name, or "--set lock.ttl=1s"; empty: no file was found
  std::uint32_t line = 0;    // line, the first is 1; 0: the file as a whole
  std::uint32_t column = 0;  // column in characters, the first is 1
  std::string found;         // text that was found; if nothing was expected, the whole sentence
  std::string expected;
  std::string nearest;  // nearest valid word, spelt for the file; empty: none

  bool operator==(const ScenarioError&) const = default;
};

// paused.toml:7:12: found 'hodl', expected a key of a client; did you mean 'hold'?
std::string print(const ScenarioError& error);

struct SourcePosition {
  std::uint32_t line = 0, column = 0;  // line and column, the first is 1; 0: no position is known
  auto operator<=>(const SourcePosition&) const = default;
};

// Position of each value of a scenario in its file.
class ScenarioPositions {
 public:
  void note(std::string_view path, SourcePosition position);
  // Copies what is within `path`, too: "clients[0]" and "clients[0].hold" to "clients[1]" and so on.
  void copy(std::string_view path, std::string_view to);
  // The path and what is within it: "fault", "fault[0]", "fault[0].on".
  void forget(std::string_view path);
  // Position of the path, or of the nearest thing around it that is written down.
  SourcePosition of(std::string_view path) const;

 private:
  std::map<std::string, SourcePosition, std::less<>> positions_;
};

// One spelling for all that a path may be called: "faults[0].on" becomes "fault[0].on",
// "client.a.hold" "clients.a.hold", "link[1].to" "network.link[1].to", "lock.kind" "lock.name".
std::string canonical_path(std::string_view path);

// `text` between quotes, shortened, without control characters.
std::string quoted(std::string_view text);

}  // namespace picklock
