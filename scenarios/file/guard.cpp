#include "scenarios/file/guard.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/io/utf8.hpp"
#include "scenarios/file/read.hpp"

namespace picklock {
namespace {

constexpr int kMostNested = 16;    // brackets and braces within each other
constexpr int kMostKeyParts = 16;  // a.b.c

// Follows the text as far as strings, comments, brackets and dots go.  Of text that is not TOML it
// may think anything: the parser stops there.
class NestingScan {
 public:
  explicit NestingScan(std::string_view text) : text_(text) {}

  // What is too deep, if anything is.
  std::string_view run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      switch (c) {
        case '"':
        case '\'':
          skip_string(c);
          continue;
        case '#':
          at_ = std::min(text_.find('\n', at_), text_.size());
          continue;
        case '\n':
        case '=':
        case ',':
          dots_ = 0;
          break;
        case '.':
          ++dots_;
          break;
        case '[':
        case '{':
          dots_ = 0;
          ++nested_;
          break;
        case ']':
        case '}':
          nested_ = std::max(nested_ - 1, 0);
          break;
        default:
          break;
      }
      if (nested_ > kMostNested) return "values within values within values";
      if (dots_ >= kMostKeyParts) return "a key of so many parts";
      ++at_;
    }
    return {};
  }
  std::size_t at() const { return at_; }

 private:
  bool looking_at(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  void skip_string(char quote) {
    const std::string three(3, quote);
    if (!looking_at(three)) {
      for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
        if (text_[at_] == quote) {
          ++at_;
          return;
        }
        if (text_[at_] == '\\' && quote == '"') ++at_;
      }
      return;
    }
    for (at_ += 3; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;
      } else if (looking_at(three)) {
        at_ += 3;
        // Up to two more quotes belong to the string's end.
        for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int nested_ = 0, dots_ = 0;
};

ScenarioError error_at(std::string_view text, std::string_view file_name, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 if there is none
  ScenarioError error;
  error.file = file_name;
  error.line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
  error.column = 1;
  for (const char c : before.substr(line_begin)) error.column += (c & 0xc0) != 0x80;
  return error;
}

// The first byte that is not part of a character; npos: none.
std::size_t first_bad_byte(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 1;
    while (length <= 4 && !(i + length <= text.size() && valid_utf8(text.substr(i, length))))
      ++length;
    if (length > 4) return i;
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<ScenarioError> unreadable(std::string_view text, std::string_view file_name) {
  if (text.size() > kMostScenarioBytes) {
    ScenarioError error;
    error.file = file_name;
    error.found = fmt::format("{} bytes", text.size());
    error.expected = fmt::format("a scenario of at most {} bytes", kMostScenarioBytes);
    return error;
  }
  if (!valid_utf8(text)) {
    const std::size_t at = first_bad_byte(text);
    ScenarioError error = error_at(text, file_name, at);
    error.found = fmt::format("the byte {:#04x}", static_cast<unsigned char>(text[at]));
    error.expected = "text in UTF-8";
    return error;
  }
  NestingScan scan(text);
  if (const std::string_view what = scan.run(); !what.empty()) {
    ScenarioError error = error_at(text, file_name, scan.at());
    error.found = what;
    error.expected = fmt::format("no more than {} of them", kMostNested);
    return error;
  }
  return std::nullopt;
}

}  // namespace picklock
