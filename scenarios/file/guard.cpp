#include "scenarios/file/guard.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/values.hpp"

namespace picklock {
namespace {

// Brackets and braces within each other, and the parts of a key a.b.c.
constexpr std::size_t kMostNested = 16;

// Follows the text as far as strings, comments, brackets and dots go.  Of text that is not TOML it
// may think anything: the parser stops there.
class StructureScan {
 public:
  explicit StructureScan(std::string_view text) : text_(text) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  }

  // The problem, if there is any, is at at().
  std::optional<Complaint> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      switch (c) {
        case '"':
        case '\'':
          if (!string_may_begin()) return Complaint{quoted({&c, 1}), "quotes only around all of a string", {}};
          skip_string(c);
          continue;
        case '#':
          at_ = std::min(text_.find('\n', at_), text_.size());
          continue;
        case '\n':
          dots_ = 0;
          in_header_ = false;
          in_value_ = within_array();
          break;
        case '=':
          dots_ = 0;
          in_value_ = true;
          break;
        case ',':
          dots_ = 0;
          in_value_ = within_array();
          break;
        case '.':
          if (++dots_ >= kMostNested) return deep("a key of too many parts");
          break;
        case '[':
        case '{':
          if (auto complaint = open(c)) return complaint;
          break;
        case ']':
        case '}':
          if (auto complaint = close(c)) return complaint;
          break;
        default:
          // The parser (toml++ 3.3) has no defined answer to whether such a character is a blank.
          if ((c & 0x80) != 0) return Complaint{quoted(character(at_)), "it in quotes or in a comment", {}};
          break;
      }
      ++at_;
    }
    return std::nullopt;
  }
  std::size_t at() const { return at_; }

 private:
  bool within_array() const { return !nested_.empty() && nested_.back() == ']'; }

  std::optional<Complaint> open(char c) {
    dots_ = 0;
    const bool of_a_header = c == '[' && begins_header();
    if (of_a_header) {
      if (auto complaint = header()) return complaint;
    }
    if (nested_.size() == kMostNested) return deep("values within values within values");
    nested_ += c == '[' ? ']' : '}';
    in_header_ |= of_a_header;
    in_value_ = c == '[' && !in_header_;
    return std::nullopt;
  }

  std::optional<Complaint> close(char c) {
    if (nested_.empty()) return Complaint{quoted({&c, 1}), "it only at the end of what it ends", {}};
    if (nested_.back() != c) return Complaint{quoted({&c, 1}), quoted({&nested_.back(), 1}), {}};
    nested_.pop_back();
    in_value_ = true;
    return std::nullopt;
  }

  // A string must not begin in a number or a word, where the parser does not see the quotes either.
  bool string_may_begin() const {
    if (at_ == 0) return true;
    const char before = text_[at_ - 1];
    return std::string_view(" \t\n=,[\xbf").find(before) != std::string_view::npos ||
           (!in_value_ && (before == '.' || before == '{'));
  }

  static Complaint deep(std::string_view what) {
    return {std::string(what), fmt::format("no more than {} of them", kMostNested), {}};
  }

  // Only blanks stand before it on its line, and it is at the top level.
  bool begins_header() const {
    if (!nested_.empty()) return false;
    const std::size_t before = text_.substr(0, at_).find_last_not_of(" \t");
    return at_ == 0 || before == std::string_view::npos || text_[before] == '\n' || text_[before] == '\xbf';
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
    return Complaint{quoted(character(name)), "the name of a table", {}};
  }

  std::string_view character(std::size_t at) const {
    std::size_t length = 1;
    while (at + length < text_.size() && (text_[at + length] & 0xc0) == 0x80) ++length;
    return text_.substr(at, length);
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
  std::string nested_;  // closing brackets still expected, outermost first
  std::size_t dots_ = 0;
  bool in_header_ = false;
  bool in_value_ = false;  // false: in a key
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
    while (length <= 4 && !(i + length <= text.size() && valid_utf8(text.substr(i, length)))) ++length;
    if (length > 4) return i;
    i += length;
  }
  return std::string_view::npos;
}

// The first character that TOML allows nowhere as it is; npos: none.
std::size_t first_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool end_of_line = byte == '\n' || (byte == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
    if ((byte < 0x20 && byte != '\t' && !end_of_line) || byte == 0x7f) return i;
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
  if (const std::size_t at = first_control(text); at < text.size()) {
    ScenarioError error = error_at(text, file_name, at);
    error.found = fmt::format("the control character {:#04x}", static_cast<unsigned char>(text[at]));
    error.expected = "text, with an escape for it in strings";
    return error;
  }
  StructureScan scan(text);
  if (auto complaint = scan.run()) {
    ScenarioError error = error_at(text, file_name, scan.at());
    error.found = std::move(complaint->found);
    error.expected = std::move(complaint->expected);
    return error;
  }
  return std::nullopt;
}

}  // namespace picklock
