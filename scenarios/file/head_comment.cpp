#include "scenarios/file/head_comment.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace picklock {

std::string head_comment(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::string comment;
  bool begun = false;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!begun && line.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (!line.starts_with('#')) break;
    line.remove_prefix(line.starts_with("# ") ? 2 : 1);
    if (begun) comment += '\n';
    comment += line;
    begun = true;
  }
  return comment;
}

std::string to_head_comment(std::string_view description) {
  std::string text;
  if (description.empty()) return text;
  const bool readable = valid_utf8(description);
  for (;;) {
    const std::string_view line = description.substr(0, description.find('\n'));
    text += line.empty() ? "#" : "# ";
    for (const char c : line) {
      const auto byte = static_cast<unsigned char>(c);
      const bool forbidden = (byte < 0x20 && c != '\t') || byte == 0x7f || (byte >= 0x80 && !readable);
      text += forbidden ? '?' : c;
    }
    text += '\n';
    if (line.size() == description.size()) return text + "\n";
    description.remove_prefix(line.size() + 1);
  }
}

}  // namespace picklock
