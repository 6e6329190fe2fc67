#include "scenarios/file/guard.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/io/utf8.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {
namespace {

constexpr int kMostNested = 16;  // brackets and braces within each other
constexpr int kMostNested = 16;  // a.b.c

// Follows the text as far as strings, comments, brackets and dots go.  Of text that is not TOML it
// may think anything: the parser stops there.
class NestingScan {
 public:
  explicit NestingScan(std::string_view text) : text_(text) {}

  // What is wrong, if anything is, at at().
  std::optional<Complaint> run() {
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
          if (begins_header()) {
            if (auto complaint = header()) return complaint;
          }
          [[fallthrough]];
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
      if (nested_ > kMostNested) return deep("values within values within values");
      if (dots_ >= kMostNested) return deep("a key of so many parts");
      ++at_;
    }
    return std::nullopt;
  }
  std::size_t at() const { return at_; }

 private:
  static Complaint deep(std::string_view what) {
    return {std::string(what), fmt::format("no more than {} of them", kMostNested), {}};
  }

  // Nothing but blanks stands before it on its line, and it is within nothing.
  bool begins_header() const {
    if (nested_ > 0) return false;
    const std::size_t before = text_.substr(0, at_).find_last_not_of(" \t");
    return at_ == 0 || before == std::string_view::npos || text_[before] == '\n' ||
           text_[before] == '\xbf';
  }

  // The parser (toml++ 3.3) takes it for granted that a header's name begins like a name.
  std::optional<Complaint> header() {
    std::size_t name = text_.find_first_not_of(" \t", at_ + 1);
    if (name < text_.size() && text_[name] == '[') name = text_.find_first_not_of(" \t", name + 1);
    if (name == std::string_view::npos) return std::nullopt;  // it notices the end
    const char c = text_[name];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || std::string_view("-_'\"]").find(c) != std::string_view::npos) return std::nullopt;
    at_ = name;
    if (c == '\n' || c == '\r') return Complaint{"the end of the line", "the name of a table", {}};
    std::size_t length = 1;  // of the character
    while (name + length < text_.size() && (text_[name + length] & 0xc0) == 0x80) ++length;
    return Complaint{quoted(text_.substr(name, length)), "the name of a table", {}};
  }

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
  if (auto complaint = scan.run()) {
    ScenarioError error = error_at(text, file_name, scan.at());
    error.found = std::move(complaint->found);
    error.expected = std::move(complaint->expected);
    return error;
  }
  return std::nullopt;
}

}  // namespace picklock
