#include "reports/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "reports/unseen.hpp"
#include "scenarios/file/lease.hpp"
#include "scenarios/run/deciding.hpp"

namespace picklock {
namespace {

std::string_view status(const PropertySummary& s) {
  if (!s.expectation) return "";
  return s.fulfilment == Fulfilment::as_expected ? "as expected" : "NOT as expected";
}

}  // namespace

std::map<std::string, char> signs_of(const std::vector<std::string>& names) {
  std::map<std::string, char> signs;
  std::set<char> taken;
  constexpr std::string_view kOfPictures = "rWxzZ";  // the letters of timeline.cpp's signs
  const auto give = [&](const std::string& name, const std::string& choices) {
    const auto is_free = [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 && kOfPictures.find(c) == kOfPictures.npos &&
             !taken.contains(c);
    };
    const auto found = std::find_if(choices.begin(), choices.end(), is_free);
    if (found == choices.end()) return false;
    taken.insert(*found);
    signs[name] = *found;
    return true;
  };
  const auto initials = [&](char c) {
    return std::count_if(names.begin(), names.end(), [c](const std::string& n) { return !n.empty() && n[0] == c; });
  };
  for (const std::string& name : names) {
    if (!name.empty() && initials(name[0]) == 1) give(name, name.substr(0, 1));
  }
  for (const std::string& name : names) {
    if (signs.contains(name)) continue;
    const std::string others =
        std::string(name.rbegin(), name.rend()) + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz";
    if (!give(name, others)) signs[name] = '?';
  }
  return signs;
}

std::string unmet_expectation(const Scenario& scenario, const PropertySummary& s) {
  const std::string_view property = info(s.property).name;
  const bool stated = scenario.expect.count(std::string(property)) > 0;
  std::string found;
  const auto add = [&](std::uint64_t n, std::string_view words) {
    if (n > 0) found += fmt::format("{}{} in {}", found.empty() ? "" : ", ", words, n);
  };
  add(s.figures().count(Verdict::holds), "held");
  add(s.held_untested(), "was not tested");
  add(s.tally.count(Verdict::violated), "was violated");
  add(s.tally.count(Verdict::undecided), "was undecided");
  add(s.tally.count(Verdict::not_applicable), "did not apply");
  return fmt::format("{}: NOT as expected: {} \"{}\"; it {} of {}\n", property,
                     stated ? "the scenario expects" : scenario.lock.name + " claims", print(*s.expectation), found,
                     s.tally.runs());
}

namespace {

// A claim about this property that needs none of the assumptions that were broken.
std::string unneeded_told(Property property, const std::vector<Assessment>& assumptions) {
  const bool broken = std::any_of(assumptions.begin(), assumptions.end(), [](const Assessment& a) { return !a.met; });
  if (!broken || !all_met(assumptions, property)) return "";
  return fmt::format("  {} needs none of the broken assumptions\n", info(property).name);
}

}  // namespace

std::string verdicts_in_words(const Scenario& scenario, const RunResult& result, bool raw) {
  std::string violated, undecided, unseen, held, unmet;
  for (const Finding& v : result.findings) {
    const PropertyInfo& p = info(v.property);
    const PropertySummary s = summarize(v, result.seed, scenario, raw);
    if (!raw && s.expectation && s.fulfilment == Fulfilment::not_as_expected) unmet += unmet_expectation(scenario, s);
    switch (v.verdict) {
      case Verdict::violated: {
        const std::string_view as = status(s);
        violated += fmt::format("  {}{}\n      {}.\n", p.name, as.empty() ? "" : fmt::format("  ({})", as),
                                explain(v, *result.history, result.judged_with));
        break;
      }
      case Verdict::undecided: {
        const std::string setting = deciding_setting(v, result, scenario);
        undecided += fmt::format("  {}: {}{}\n", p.name, explain(v, *result.history, result.judged_with),
                                 setting.empty() ? "" : fmt::format(": --set {} decides it", setting));
        break;
      }
      case Verdict::holds:
        held += fmt::format("{}{}", held.empty() ? "" : ", ", p.name);
        break;
      case Verdict::not_applicable:
        if (v.reason == Reason::owner_never_named) unseen += fmt::format("{}{}", unseen.empty() ? "" : ", ", p.name);
        break;
    }
  }
  std::string out = violated.empty() ? "violated: nothing\n" : "violated:\n" + violated;
  if (!held.empty()) out += "held: " + held + "\n";
  if (!undecided.empty()) out += "undecided:\n" + undecided;
  if (!unseen.empty()) out += fmt::format("not applicable: {}\n  {}\n", unseen, words(Reason::owner_never_named));
  out += unseen_warning(scenario, result.unseen);
  out += unmet;
  out += fmt::format("lease: {}\n", lease_told(scenario).text);
  if (!result.assumptions.empty()) {
    out += fmt::format("{} is safe if:\n", scenario.lock.name);
    for (const Assessment& a : result.assumptions) out += fmt::format("  {}\n", print(a));
    for (const Finding& v : result.findings) {
      if (v.verdict == Verdict::violated) out += unneeded_told(v.property, result.assumptions);
    }
  }
  if (result.cut_off && result.error.empty()) out += "the run was cut off: its budget of events is exhausted\n";
  if (!result.defect_shown.empty()) out += "the defect of the servers: " + result.defect_shown + "\n";
  if (!result.error.empty()) out += result.error + "\n";
  return out;
}

}  // namespace picklock
