// The steps of Lua's search for a pattern, counted before it searches: a pattern with many repetitions takes a time that
// grows with a power of the text's length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace picklock {

struct PatternSearch {
  std::string_view text, pattern;
  std::size_t from = 0;
  bool every = false;     // every match, as gsub and gmatch search; otherwise the first one
  bool anchored = false;  // `^` at the begin of the pattern means the begin of the text
};

struct PatternSteps {
  std::int64_t steps = 0;  // one for each character compared, and each part of the pattern tried
  bool found = false;      // the first match, if there is one:
  std::size_t begin = 0, end = 0;
};

// Searches as Lua does, and stops after `most` steps, or where the pattern has a mistake.
PatternSteps count_pattern_steps(const PatternSearch& search, std::int64_t most);

// The same for a search of the text without patterns.
PatternSteps count_plain_steps(std::string_view text, std::string_view wanted, std::size_t from, std::int64_t most);

// True if it has a character with a special meaning.
bool is_pattern(std::string_view text);

}  // namespace picklock
