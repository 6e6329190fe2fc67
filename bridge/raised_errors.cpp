#include "bridge/raised_errors.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>

namespace picklock {
namespace {

constexpr std::size_t kMostTexts = 20, kLongestText = 200;

struct Raised {
  std::mutex mutex;
  std::map<std::string, std::uint64_t> times;
  std::uint64_t others = 0;  // beyond kMostTexts
};
Raised& raised() {
  static Raised all;
  return all;
}

std::string text_in(const ProgramHost::Json& answer, const char* key) {
  const auto found = answer.find(key);
  std::string text = found != answer.end() && found->is_string() ? found->get<std::string>() : "";
  text = text.substr(0, text.find('\n'));
  if (text.size() > kLongestText) text = text.substr(0, kLongestText) + " …";
  return text;
}

}  // namespace

void note_raised_error(const std::string& command, const ProgramHost::Json& answer) {
  Raised& all = raised();
  const std::string text = fmt::format("{} raised {}: {}", command, text_in(answer, "raise"), text_in(answer, "text"));
  const std::lock_guard<std::mutex> guard(all.mutex);
  if (all.times.contains(text) || all.times.size() < kMostTexts) {
    ++all.times[text];
  } else {
    ++all.others;
  }
}

std::string take_raised_errors() {
  Raised& all = raised();
  const std::lock_guard<std::mutex> guard(all.mutex);
  std::string lines;
  for (const auto& [text, times] : all.times) {
    lines += times == 1 ? text + "\n" : fmt::format("{} ({} times)\n", text, times);
  }
  if (all.others > 0) lines += fmt::format("and {} errors of other texts\n", all.others);
  if (!lines.empty())
    lines += "Such an answer leaves the outcome unknown; if it means no, name its class in `refused`.\n";
  all.times.clear();
  all.others = 0;
  return lines;
}

}  // namespace picklock
