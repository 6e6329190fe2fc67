#include "instruments/hunt/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/command_name.hpp"
#include "base/shell.hpp"
#include "base/text.hpp"
#include "checker/properties/properties.hpp"
#include "checker/properties/statistics.hpp"
#include "faults/text.hpp"
#include "instruments/hunt/calm.hpp"
#include "instruments/hunt/kept.hpp"
#include "reports/errors.hpp"
#include "reports/unseen.hpp"
#include "scenarios/file/write.hpp"
#include "scenarios/run/deciding.hpp"

namespace picklock {
namespace {

std::string names_of(const std::vector<Property>& properties, std::string_view between) {
  std::string text;
  for (const Property p : properties) text += (text.empty() ? "" : std::string(between)) + std::string(info(p).name);
  return text;
}

std::string aim_words(const Aim& aim) {
  std::string text =
      aim.promised_alone ? "a claim of the lock violated" : names_of(aim.properties, " or ") + " violated";
  if (aim.within_assumptions) text += ", all assumptions of the lock met";
  if (aim.beyond) text += fmt::format(", {} broken and no other assumption", info(*aim.beyond).name);
  if (aim.twin) text += fmt::format(", and held by {} with the same plan and seed", aim.twin->name);
  return text;
}

// Tells the tries to make do with fewer faults.  `property` is that of the finding.
std::string certificate(const Shrunk& s, const Aim& aim) {
  const Certificate& c = s.certificate;
  if (s.scenario.faults.empty()) return "no fault is needed";
  std::string_view as_counted = "";
  if (aim.within_assumptions || aim.beyond || aim.twin) as_counted = " as this hunt counts it";
  const std::string so =
      fmt::format("{} is not violated{} with seed {}", info(s.failure.property).name, as_counted, s.seed);
  if (!c.complete()) {
    return fmt::format(
        "not proved minimal: the bound of runs ended the search ({} of {} smaller sets of these faults were tried)",
        c.tried, c.subsets);
  }
  if (s.scenario.faults.size() == 1) return fmt::format("without it {}", so);
  return fmt::format("minimal: with any of the {} smaller sets of these faults {} (all tried)", c.subsets, so);
}

// The varied settings other than faults, as in a file.
std::string settings_text(Scenario found) {
  found.faults.clear();
  found.expect.clear();
  found.sometimes.clear();
  std::string text;
  const std::string file = write_scenario(found);
  for (std::size_t begin = 0; begin < file.size();) {
    const std::size_t end = std::min(file.find('\n', begin), file.size());
    if (end > begin && file[begin] != '#')
      text += fmt::format("     {}\n", std::string_view(file).substr(begin, end - begin));
    begin = end + 1;
  }
  return text;
}

std::string finding_text(const HuntFinding& f, std::size_t number, bool varied, const Aim& aim) {
  const Shrunk& s = f.shrunk;
  std::string text = fmt::format("{}. {} violated by {}\n", number, info(f.cause.failure.property).name,
                                 words_of_faults(s.scenario.faults));
  for (const Fault& fault : s.scenario.faults) text += fmt::format("     {}\n", to_text(fault));
  if (varied) text += settings_text(s.scenario);
  const std::vector<Property>& also = s.certificate.also;
  if (!also.empty()) text += fmt::format("   violated as well: {}\n", names_of(also, ", "));
  text +=
      fmt::format("   parties: {}; broken assumptions: {}\n", f.cause.failure.parties, print_broken(f.cause.failure));
  if (!f.right_end.told.empty()) text += fmt::format("   end of the right: {}\n", f.right_end.told);
  text += fmt::format("   {} of the drawn plans failed so, first plan {}; shrunk in {} runs{}\n", f.count, f.plan,
                      s.tries, s.exhausted ? ", which is the bound" : "");
  const std::vector<std::string> drawn = drawn_parts(s.scenario);
  text += drawn.empty() ? "   latencies and waits are constant\n"
                        : fmt::format("   it hangs on what is drawn for: {}\n", fmt::join(drawn, ", "));
  text += fmt::format("   {}\n", certificate(s, aim));
  const std::string_view rated = f.by_chance(aim)
                                     ? ": the difference is one of draws, and shows nothing of the two sides"
                                 : f.fragile() ? ": fragile, it hangs on the seed as well"
                                               : "";
  text += fmt::format("   {} of {} other seeds fail so{}\n", f.others, HuntFinding::kOtherSeeds, rated);
  if (!f.file.empty()) text += fmt::format("   kept: {} run {}\n", program_name(), shell_word(f.file));
  return text;
}

std::string drawn_beside_faults(const Variety& vary) {
  std::vector<std::string_view> parts;
  if (vary.clients)
    parts.emplace_back("clients, with all that the lock claims to serve (threads, read holds, nested holds)");
  if (vary.options) parts.emplace_back("options");
  if (vary.servers) parts.emplace_back("servers");
  if (vary.network) parts.emplace_back("network");
  return fmt::format("{}", fmt::join(parts, ", "));
}

// ", 12 undecided"
std::string plans_of(const JudgedProperty& p, Bearing bearing, std::string_view words) {
  const std::uint64_t n = p.count(bearing);
  return n == 0 ? "" : fmt::format(", {} {}", n, words);
}

// The worth of a hunt without a failure: only plans count that could have broken the property.
std::string worth(const JudgedProperty& p, const HuntResult& r, Strategy strategy) {
  if (p.count(Bearing::failed) > 0) return fmt::format("violated in {}", p.count(Bearing::failed));
  if (p.decided() == 0) return "NOT TESTED: no plan could have broken it";
  if (strategy == Strategy::exhaustive) {
    if (!r.complete) return fmt::format("no violation in the first {} plans of the grid", r.plans);
    return p.decided() == p.all() ? "no violation within these bounds: the whole grid was played"
                                  : "no violation in the plans of the whole grid that decide it";
  }
  return fmt::format("no violation: plans drawn like these that decide it fail with a chance below {:.3g} %",
                     100 * upper_bound_after_none(p.decided()));
}

std::string judged_text(const JudgedProperty& p, const HuntResult& r, const HuntOptions& o, Duration settle) {
  std::string text = fmt::format(
      "  {}: {}; {} of {} plans decide it{}{}{}{}\n", info(p.property).name, worth(p, r, o.strategy), p.decided(),
      p.all(), plans_of(p, Bearing::undecided, "undecided"), plans_of(p, Bearing::not_applicable, "not applicable"),
      plans_of(p, Bearing::outside, "outside of what counts"),
      plans_of(p, Bearing::not_promised, "in which the lock does not promise it"));
  if (p.settle > settle) {
    text += fmt::format("      {}\n", settles_later(settle, p.settle));
  }
  return text;
}

// Reasons why plans decide nothing of a property: each once, with the properties and their plans.
std::string reasons_text(const HuntResult& r, const Aim& aim) {
  std::map<std::string, std::string> properties_of;
  for (const JudgedProperty& p : r.judged) {
    const auto add = [&](std::string reason, std::uint64_t plans) {
      std::string& list = properties_of[std::move(reason)];
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", info(p.property).name, plans);
    };
    for (const auto& [why, plans] : p.undecided_by) add(why, plans);
    const std::string_view broke = aim.beyond ? "outside, as they broke " : "outside of the assumptions: they broke ";
    for (const auto& [why, plans] : p.outside_by) add(std::string(broke) + why, plans);
  }
  std::string text = properties_of.empty() ? "" : "plans that decide nothing, by reason and property:\n";
  for (const auto& [reason, properties] : properties_of) text += fmt::format("  {}: {}\n", reason, properties);
  return text;
}

std::string not_tested(const HuntResult& r) {
  std::vector<Property> open;
  for (const JudgedProperty& p : r.judged) {
    if (p.decided() == 0) open.push_back(p.property);
  }
  return names_of(open, ", ");
}

}  // namespace

std::string hunt_progress(const HuntResult& r) {
  std::string text = fmt::format("{} findings", r.findings.size());
  const auto best = std::min_element(r.findings.begin(), r.findings.end(), [](const auto& a, const auto& b) {
    return std::pair(a.shrunk.scenario.faults.size(), HuntFinding::kOtherSeeds - a.others) <
           std::pair(b.shrunk.scenario.faults.size(), HuntFinding::kOtherSeeds - b.others);
  });
  if (best == r.findings.end()) return text;
  return text + fmt::format("; the best: {} faults, {} of {} other seeds", best->shrunk.scenario.faults.size(),
                            best->others, HuntFinding::kOtherSeeds);
}

std::string hunt_text(const HuntResult& r, const HuntSpace& space, const HuntOptions& o, const std::string& origin) {
  std::string text = fmt::format("hunt around {}, lock {}: {}\n", origin, space.base.lock.name, aim_words(o.aim));
  text += fmt::format("strategy {}: {}\n", name(o.strategy), guarantee(o.strategy));
  const std::string drawn = drawn_beside_faults(space.vary);
  if (!drawn.empty()) text += fmt::format("drawn anew for each plan: {}\n", drawn);
  if (space.longest_section) {
    text += fmt::format(
        "holds outlive the lease: {} works for {}, and drawn sections within the assumptions last for up to {}\n",
        space.base.clients.front().name, to_text(space.base.clients.front().hold), to_text(*space.longest_section));
  }
  text += "\n";
  for (std::size_t i = 0; i < r.findings.size(); ++i) {
    text += finding_text(r.findings[i], i + 1, !drawn.empty(), o.aim) + "\n";
  }
  text += fmt::format("{} plans, {} failed, {} distinct findings; {} runs in all\n", r.plans, r.failed,
                      r.findings.size(), r.runs);
  const auto line = [&](std::uint64_t n, std::string_view what) {
    if (n > 0) text += fmt::format("  {:>6} plans {}\n", n, what);
  };
  if (r.grid.singles > 0) {
    text += fmt::format("grid: {} single faults, {} of them change nothing; pairs of {}\n", r.grid.singles, r.grid.idle,
                        r.grid.in_pairs);
    line(r.grid.pairs_left_out, "were left out: when the later fault comes, the world is that of another plan");
  }
  line(r.idle, "struck nothing");
  line(r.alone, "tested nothing: no two clients wanted the lock at a time");
  line(r.unplayable, "could not be played, or ran into the bound of events");
  line(r.no_twin, "failed and could not be played against the other side");
  text += errors_told_once(r.errors, "plan");
  text += unseen_warning(space.base, r.unseen, r.plans);
  if (r.plans > 0) {
    text += o.aim.promised_alone ? fmt::format("judged: all that {} claims with these options\n", space.base.lock.name)
                                 : "judged:\n";
    for (const JudgedProperty& p : r.judged) text += judged_text(p, r, o, space.base.phases.settle);
    text += reasons_text(r, o.aim);
    if (o.strategy != Strategy::exhaustive)
      text += "(chances: 95 %, 1 - 0.05^(1/N), N plans that decide the property)\n";
  }
  if (!r.tested_much()) text += "This hunt tested little: most of its plans disturbed nothing, or nobody contended.\n";
  if (r.full) text += fmt::format("It ended at {} findings; --findings asks for more.\n", r.findings.size());
  if (r.interrupted) text += "It was interrupted: what is above is what had been found by then.\n";
  if (!r.tested_all()) text += fmt::format("NOT TESTED: {}. This hunt says nothing of it.\n", not_tested(r));
  return text;
}

}  // namespace picklock
