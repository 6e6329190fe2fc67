// Numbers and words, read and written as strictly as a Redis server does.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/small_bytes.hpp"

namespace picklock {

using RedisText = SmallBytes<40>;  // a key or value; lock values (a UUID and a thread id) fit

// A decimal 64-bit integer in its shortest form: no blanks, no plus, no leading zeros, no "-0".
bool parse_redis_digits(std::string_view text, std::int64_t& value);
inline bool parse_redis_integer(std::string_view text, std::int64_t& value) {
  if (text.size() != 1 || text[0] < '0' || text[0] > '9') return parse_redis_digits(text, value);
  value = text[0] - '0';
  return true;
}

// A score: decimal or exponent notation, "inf", "-inf", "infinity"; never NaN.
bool parse_redis_score(std::string_view text, double& value);

// Text of "%.17g", which is how replies carry scores; "inf", "-inf".
RedisText format_redis_score(double value);

// True if a text matches a pattern of KEYS or PSUBSCRIBE: `*`, `?`, `[a-c]`, `[^a]`, and `\\` before a letter that
// stands for itself.
bool matches_redis_pattern(std::string_view text, std::string_view pattern);

// Equal, and of 4 to 16 letters, as most keys are: then it costs no call.
[[gnu::always_inline]] inline bool is_same_short_text(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || a.size() < 4 || a.size() > 16) return false;
  const auto twice = [&]<class Word>(Word) {  // first and last word; they may overlap
    const auto differ = [](const char* x, const char* y) {
      Word left, right;
      std::memcpy(&left, x, sizeof left);
      std::memcpy(&right, y, sizeof right);
      return left ^ right;
    };
    const std::size_t last = a.size() - sizeof(Word);
    return (differ(a.data(), b.data()) | differ(a.data() + last, b.data() + last)) == 0;
  };
  return a.size() < 8 ? twice(std::uint32_t{}) : twice(std::uint64_t{});
}

// Equal but for the case of ASCII letters. `word` must be in upper case.  Clearing one bit raises a letter and makes no
// letter of anything else.
inline bool is_redis_word(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool is_letter = word[i] >= 'A' && word[i] <= 'Z';
    if ((is_letter ? text[i] & ~0x20 : text[i]) != word[i]) return false;
  }
  return true;
}

std::string in_lower_case(std::string_view text);  // changes ASCII letters only

// A short word that is looked for again and again: as a constant it is compared in one step.
class RedisWord {
 public:
  constexpr explicit RedisWord(std::string_view word) : size_(word.size()) {  // upper case, 8 letters or fewer
    for (std::size_t i = 0; i < size_; ++i) {
      const bool is_letter = word[i] >= 'A' && word[i] <= 'Z';
      bits_ |= static_cast<std::uint64_t>(static_cast<unsigned char>(word[i])) << (8 * i);
      kept_ |= static_cast<std::uint64_t>(is_letter ? 0xdf : 0xff) << (8 * i);
    }
  }
  [[gnu::always_inline]] bool is(std::string_view text) const {
    if (text.size() != size_) return false;
    std::uint64_t letters = 0;
    std::memcpy(&letters, text.data(), size_);
    return (letters & kept_) == bits_;
  }

 private:
  std::size_t size_;
  std::uint64_t bits_ = 0, kept_ = 0;
};

}  // namespace picklock
