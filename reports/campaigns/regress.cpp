#include "reports/campaigns/regress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/command_name.hpp"
#include "base/printable.hpp"
#include "base/shell.hpp"
#include "reports/html.hpp"

namespace picklock {
namespace {

std::size_t count(const std::vector<Regression>& all, Regressed verdict) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const Regression& r) { return r.verdict == verdict; }));
}

std::string replay(const Regression& r) {
  if (!r.seed) return "";
  const std::string lock = r.other_lock.empty() ? "" : fmt::format(" --lock {}", shell_word(r.other_lock));
  return fmt::format("{} run {}{} --seed {}", program_name(), shell_word(r.scenario), lock, *r.seed);
}

// XML 1.0 allows all that HTML allows in a text, and HTML has dropped the other control characters.
std::string xml(std::string_view text) { return html_text(text); }

}  // namespace

std::string regress_text(const std::vector<Regression>& all) {
  std::string text;
  for (const Regression& r : all) {
    text += fmt::format("{:<21} {}\n    {}\n", enum_name(r.verdict), printable(r.scenario), printable(r.why));
    if (const std::string again = replay(r); !again.empty()) text += fmt::format("    again:  {}\n", printable(again));
  }
  return text + fmt::format("{} still fail, {} fixed, {} cannot be told any more\n", count(all, Regressed::still_fails),
                            count(all, Regressed::fixed), count(all, Regressed::cannot_tell));
}

std::string regress_junit(const std::string& folder, const std::vector<Regression>& all) {
  const std::string numbers = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", all.size(),
                                          count(all, Regressed::still_fails), count(all, Regressed::cannot_tell));
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text +=
      fmt::format("<testsuites name=\"picklock regress\" {0}>\n  <testsuite name=\"{1}\" {0}>\n", numbers, xml(folder));
  for (const Regression& r : all) {
    text += fmt::format("    <testcase name=\"{}\" classname=\"{}\"", xml(r.scenario),
                        xml(r.lock.empty() ? "picklock" : "picklock." + r.lock));
    if (r.verdict == Regressed::fixed) {
      text += "/>\n";
      continue;
    }
    const bool fails = r.verdict == Regressed::still_fails;
    const std::string_view element = fails ? "failure" : "error";
    text += fmt::format(">\n      <{0} type=\"{1}\" message=\"{1}: {2}\">{3}</{0}>\n    </testcase>\n", element,
                        enum_name(r.verdict), xml(r.why), xml(replay(r)));
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace picklock
