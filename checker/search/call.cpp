#include "checker/search/call.hpp"

namespace picklock {

bool EdnElements::is_sequence(std::string_view text) {
  return !text.empty() && (text[0] == '[' || text[0] == '(' || text.substr(0, 2) == "#{");
}

EdnElements::EdnElements(std::string_view text) {
  if (!is_sequence(text)) return;
  const std::size_t open = text[0] == '#' ? 2 : 1;
  rest_ = text.substr(open, text.size() - open - 1);
}

bool EdnElements::next(std::string_view& element) {
  while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  if (rest_.empty()) return false;
  std::size_t depth = 0, end = 0;
  bool quoted = false;
  while (end < rest_.size() && rest_[end] >= '0' && rest_[end] <= '9') ++end;  // digits are usually the whole element
  for (; end < rest_.size(); ++end) {
    const char c = rest_[end];
    if (c == '\\') {  // an escape in a string, or a character
      ++end;
    } else if (quoted) {
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '(' || c == '{') {
      ++depth;
    } else if (c == ']' || c == ')' || c == '}') {
      --depth;
    } else if (c == ' ' && depth == 0) {
      break;
    }
  }
  end = end < rest_.size() ? end : rest_.size();
  element = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return true;
}

}  // namespace picklock
