#include "sim/lua/pattern_steps.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <lua.hpp>
#include <optional>

namespace picklock {
namespace {

constexpr char kEscape = '%';
constexpr std::size_t kMostCaptures = 32;

// 5.1 reads a pattern up to its first zero byte.
std::string_view as_read(std::string_view pattern) {
  return LUA_VERSION_NUM == 501 ? pattern.substr(0, pattern.find('\0')) : pattern;
}

bool is_in_class(unsigned char c, char letter) {
  bool is = false;
  switch (std::tolower(static_cast<unsigned char>(letter))) {
    case 'a':
      is = std::isalpha(c) != 0;
      break;
    case 'c':
      is = std::iscntrl(c) != 0;
      break;
    case 'd':
      is = std::isdigit(c) != 0;
      break;
    case 'g':
      if (LUA_VERSION_NUM == 501) return letter == static_cast<char>(c);
      is = std::isgraph(c) != 0;
      break;
    case 'l':
      is = std::islower(c) != 0;
      break;
    case 'p':
      is = std::ispunct(c) != 0;
      break;
    case 's':
      is = std::isspace(c) != 0;
      break;
    case 'u':
      is = std::isupper(c) != 0;
      break;
    case 'w':
      is = std::isalnum(c) != 0;
      break;
    case 'x':
      is = std::isxdigit(c) != 0;
      break;
    case 'z':
      is = c == 0;
      break;
    default:
      return letter == static_cast<char>(c);
  }
  return std::islower(static_cast<unsigned char>(letter)) != 0 ? is : !is;
}

// One try at one place of the text.  A place is an index; nothing: no match.
class Matcher {
 public:
  using Place = std::optional<std::size_t>;

  Matcher(std::string_view text, std::string_view pattern, std::int64_t most)
      : text_(text), pattern_(pattern), most_(most) {}

  Place match_at(std::size_t place, std::size_t part) {
    captures_ = 0;
    return match(place, part);
  }
  bool is_over() const { return wrong_ || steps_ > most_; }
  std::int64_t steps() const { return steps_; }

 private:
  struct Capture {
    std::size_t begin = 0;
    std::optional<std::size_t> size{};
    bool open = true;
  };

  Place mistake() {
    wrong_ = true;
    return std::nullopt;
  }
  char part(std::size_t p) const { return p < pattern_.size() ? pattern_[p] : '\0'; }

  // Place behind the single character, class or set that begins at p.
  Place end_of_single(std::size_t p) {
    const char first = pattern_[p++];
    if (first == kEscape) return p < pattern_.size() ? Place(p + 1) : mistake();
    if (first != '[') return p;
    if (part(p) == '^') ++p;
    do {
      if (p >= pattern_.size()) return mistake();
      if (pattern_[p++] == kEscape && p < pattern_.size()) ++p;
      ++steps_;
    } while (part(p) != ']' || p >= pattern_.size());
    return p + 1;
  }

  // `last` is the place of the closing bracket.
  bool is_in_set(unsigned char c, std::size_t p, std::size_t last) {
    bool inside = true;
    if (part(p + 1) == '^') {
      inside = false;
      ++p;
    }
    while (++p < last) {
      ++steps_;
      if (pattern_[p] == kEscape) {
        if (is_in_class(c, part(++p))) return inside;
      } else if (part(p + 1) == '-' && p + 2 < last) {
        p += 2;
        if (static_cast<unsigned char>(pattern_[p - 2]) <= c && c <= static_cast<unsigned char>(pattern_[p])) {
          return inside;
        }
      } else if (static_cast<unsigned char>(pattern_[p]) == c) {
        return inside;
      }
    }
    return !inside;
  }

  bool is_single(std::size_t s, std::size_t p, std::size_t end) {
    ++steps_;
    if (s >= text_.size()) return false;
    const auto c = static_cast<unsigned char>(text_[s]);
    switch (pattern_[p]) {
      case '.':
        return true;
      case kEscape:
        return is_in_class(c, pattern_[p + 1]);
      case '[':
        return is_in_set(c, p, end - 1);
      default:
        return static_cast<unsigned char>(pattern_[p]) == c;
    }
  }

  // --- parts of a pattern

  Place open_capture(std::size_t s, std::size_t p, bool is_place) {
    if (captures_ >= kMostCaptures) return mistake();
    all_[captures_++] = {.begin = s, .size = {}, .open = !is_place};
    const Place found = match(s, p);
    if (!found) --captures_;
    return found;
  }

  Place close_capture(std::size_t s, std::size_t p) {
    std::size_t level = captures_;
    while (level > 0 && !all_[level - 1].open) --level;
    if (level == 0) return mistake();
    Capture& capture = all_[level - 1];
    capture.open = false;
    capture.size = s - capture.begin;
    const Place found = match(s, p);
    if (!found) capture = {.begin = capture.begin, .size = {}, .open = true};
    return found;
  }

  Place captured_again(std::size_t s, char digit) {
    const auto number = static_cast<std::size_t>(digit - '1');
    if (digit == '0' || number >= captures_ || all_[number].open) return mistake();
    const Capture& capture = all_[number];
    if (!capture.size || text_.size() - s < *capture.size) return std::nullopt;
    steps_ += 1 + static_cast<std::int64_t>(*capture.size) / 16;
    if (text_.substr(capture.begin, *capture.size) != text_.substr(s, *capture.size)) return std::nullopt;
    return s + *capture.size;
  }

  Place balanced(std::size_t s, std::size_t p) {
    if (p + 1 >= pattern_.size()) return mistake();
    if (s >= text_.size() || text_[s] != pattern_[p]) return std::nullopt;
    int depth = 1;
    while (++s < text_.size()) {
      ++steps_;
      if (text_[s] == pattern_[p + 1]) {
        if (--depth == 0) return s + 1;
      } else if (text_[s] == pattern_[p]) {
        ++depth;
      }
    }
    return std::nullopt;
  }

  Place most_first(std::size_t s, std::size_t p, std::size_t end) {
    std::size_t count = 0;
    while (is_single(s + count, p, end) && !is_over()) ++count;
    for (;; --count) {
      const Place found = match(s + count, end + 1);
      if (found || count == 0 || is_over()) return found;
    }
  }

  Place least_first(std::size_t s, std::size_t p, std::size_t end) {
    while (!is_over()) {
      const Place found = match(s, end + 1);
      if (found) return found;
      if (!is_single(s, p, end)) return std::nullopt;
      ++s;
    }
    return std::nullopt;
  }

  // Between what comes before s and after it, the set begins.
  Place frontier(std::size_t s, std::size_t p) {
    if (part(p) != '[') return mistake();
    const Place end = end_of_single(p);
    if (!end) return std::nullopt;
    const auto at = [&](std::size_t place) {
      return static_cast<unsigned char>(place < text_.size() ? text_[place] : 0);
    };
    const bool before = is_in_set(s == 0 ? 0 : at(s - 1), p, *end - 1);
    if (before || !is_in_set(at(s), p, *end - 1)) return std::nullopt;
    return end;
  }

  Place match(std::size_t s, std::size_t p) {
    while (true) {
      ++steps_;
      if (is_over()) return std::nullopt;
      if (p >= pattern_.size()) return s;
      const char first = pattern_[p], second = part(p + 1);
      if (first == '(') return second == ')' ? open_capture(s, p + 2, true) : open_capture(s, p + 1, false);
      if (first == ')') return close_capture(s, p + 1);
      if (first == '$' && p + 1 == pattern_.size()) return s == text_.size() ? Place(s) : std::nullopt;
      if (first == kEscape && (second == 'b' || std::isdigit(static_cast<unsigned char>(second)) != 0)) {
        const Place behind = second == 'b' ? balanced(s, p + 2) : captured_again(s, second);
        if (!behind) return std::nullopt;
        s = *behind;
        p += second == 'b' ? 4 : 2;
        continue;
      }
      if (first == kEscape && second == 'f') {
        const Place behind = frontier(s, p + 2);
        if (!behind) return std::nullopt;
        p = *behind;
        continue;
      }
      const Place end = end_of_single(p);
      if (!end) return std::nullopt;
      const char how = part(*end);
      if (how == '*') return most_first(s, p, *end);
      if (how == '-') return least_first(s, p, *end);
      const bool fits = is_single(s, p, *end);
      if (how == '+') return fits ? most_first(s + 1, p, *end) : std::nullopt;
      if (how == '?') {
        const Place found = fits ? match(s + 1, *end + 1) : std::nullopt;
        if (found) return found;
        p = *end + 1;
        continue;
      }
      if (!fits) return std::nullopt;
      ++s;
      p = *end;
    }
  }

  std::string_view text_, pattern_;
  std::int64_t most_, steps_ = 0;
  bool wrong_ = false;
  std::size_t captures_ = 0;
  std::array<Capture, kMostCaptures> all_{};
};

}  // namespace

PatternSteps count_pattern_steps(const PatternSearch& search, std::int64_t most) {
  const std::string_view pattern = as_read(search.pattern);
  const bool anchor = search.anchored && pattern.starts_with('^');
  Matcher matcher(search.text, pattern, most);
  PatternSteps result;
  for (std::size_t s = search.from; s <= search.text.size() && !matcher.is_over();) {
    const auto found = matcher.match_at(s, anchor ? 1 : 0);
    if (matcher.is_over()) break;
    if (found && !result.found) {
      result.found = true;
      result.begin = s;
      result.end = *found;
    }
    if (anchor || (found && !search.every)) break;
    s = found && *found > s ? *found : s + 1;
  }
  result.steps = matcher.steps();
  return result;
}

PatternSteps count_plain_steps(std::string_view text, std::string_view wanted, std::size_t from, std::int64_t most) {
  PatternSteps result;
  if (wanted.empty()) return {.steps = 1, .found = true, .begin = from, .end = from};
  for (std::size_t s = from; s + wanted.size() <= text.size() && result.steps <= most; ++s) {
    const std::size_t next = text.find(wanted[0], s);
    if (next == text.npos || next + wanted.size() > text.size()) break;
    const auto same = std::mismatch(wanted.begin(), wanted.end(), text.begin() + static_cast<std::ptrdiff_t>(next));
    const auto length = same.first - wanted.begin();
    result.steps += 1 + (static_cast<std::int64_t>(next - s) + length) / 16;
    if (same.first == wanted.end()) {
      result.found = true;
      result.begin = next;
      result.end = next + wanted.size();
      return result;
    }
    s = next;
  }
  result.steps += static_cast<std::int64_t>(text.size() - std::min(from, text.size())) / 16;
  return result;
}

bool is_pattern(std::string_view text) { return as_read(text).find_first_of("^$*+?.([%-") != text.npos; }

}  // namespace picklock
