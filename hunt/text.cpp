#include "hunt/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/command_name.hpp"
#include "base/shell.hpp"
#include "checker/properties/properties.hpp"
#include "checker/properties/statistics.hpp"
#include "faults/text.hpp"
#include "hunt/calm.hpp"
#include "hunt/kept.hpp"
#include "reports/errors.hpp"
#include "reports/unseen.hpp"
#include "scenarios/file/write.hpp"

namespace picklock {
namespace {

std::string aim_words(const Aim& aim) {
  std::string text;
  for (const Property p : aim.properties) text += (text.empty() ? "" : " or ") + std::string(info(p).name);
  text += " violated";
  if (aim.within_assumptions) text += ", all assumptions of the lock met";
  if (aim.beyond) text += fmt::format(", {} broken and no other assumption", info(*aim.beyond).name);
  if (aim.twin) text += fmt::format(", and held by {} with the same plan and seed", aim.twin->name);
  return text;
}

std::string certificate(const Shrunk& s) {
  if (s.scenario.faults.empty()) return "no fault is needed";
  if (s.certified && s.scenario.faults.size() == 1) return "without it, nothing fails";
  if (!s.certified) return "the bound of runs ended the search for a smaller set of faults";
  return fmt::format("no smaller set of the {} drawn faults{} does the same ({} tried)", s.drawn_faults,
                     s.scenario.faults.size() > 4 ? ", of up to three of them," : "", s.subsets);
}

// What else than faults was varied, as in a file.
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

std::string finding_text(const HuntFinding& f, std::size_t number, bool varied) {
  const Shrunk& s = f.shrunk;
  std::string text = fmt::format("{}. {} violated by {}\n", number, info(f.cause.failure.property).name,
                                 words_of_faults(s.scenario.faults));
  for (const Fault& fault : s.scenario.faults) text += fmt::format("     {}\n", to_text(fault));
  if (varied) text += settings_text(s.scenario);
  text +=
      fmt::format("   parties: {}; broken assumptions: {}\n", f.cause.failure.parties, print_broken(f.cause.failure));
  if (!f.right_end.told.empty()) text += fmt::format("   end of the right: {}\n", f.right_end.told);
  text += fmt::format("   {} of the drawn plans failed so, first plan {}; shrunk in {} runs{}\n", f.count, f.plan,
                      s.tries, s.exhausted ? ", which is the bound" : "");
  const std::vector<std::string> drawn = drawn_parts(s.scenario);
  text += drawn.empty() ? "   latencies and waits are constant\n"
                        : fmt::format("   it hangs on what is drawn for: {}\n", fmt::join(drawn, ", "));
  text += fmt::format("   {}\n", certificate(s));
  text += fmt::format("   {} of {} other seeds fail so{}\n", f.others, HuntFinding::kOtherSeeds,
                      f.fragile() ? ": fragile, it hangs on the seed as well" : "");
  if (!f.file.empty()) text += fmt::format("   kept: {} run {}\n", program_name(), shell_word(f.file));
  return text;
}

std::string worth(const HuntResult& r, Strategy strategy) {
  const std::uint64_t tested = r.plans - std::min(r.plans, r.unplayable);
  if (strategy == Strategy::exhaustive) {
    return r.complete ? "no violation within these bounds: the whole grid was played"
                      : fmt::format("no violation in the first {} plans of the grid", r.plans);
  }
  return fmt::format("no violation: plans drawn like these fail with a chance below {:.3g} % (95 %, 1 - 0.05^(1/N))",
                     100 * upper_bound_after_none(tested));
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
  text += fmt::format("strategy {}: {}\n\n", name(o.strategy), guarantee(o.strategy));
  const Variety& vary = space.vary;
  const bool varies = vary.clients || vary.options || vary.servers || vary.network;
  for (std::size_t i = 0; i < r.findings.size(); ++i) text += finding_text(r.findings[i], i + 1, varies) + "\n";
  text += fmt::format("{} plans, {} failed, {} distinct findings; {} runs in all\n", r.plans, r.failed,
                      r.findings.size(), r.runs);
  const auto line = [&](std::uint64_t n, std::string_view what) {
    if (n > 0) text += fmt::format("  {:>6} plans {}\n", n, what);
  };
  if (r.grid > 0) {
    text += fmt::format("grid: {} single faults, {} of them change nothing; pairs of {}\n", r.grid, r.idle_in_grid,
                        r.in_pairs);
    line(r.pairs_left_out, "were left out: when the later fault comes, the world is that of another plan");
  }
  line(r.idle, "struck nothing");
  line(r.alone, "tested nothing: no two clients wanted the lock at a time");
  line(r.unplayable, "could not be played, or ran into the bound of events");
  line(r.no_twin, "failed and could not be played against the other side");
  text += errors_told_once(r.errors, "plan");
  text += unseen_warning(space.base, r.unseen, r.plans);
  if (r.findings.empty() && r.errors.empty() && r.plans > 0) text += worth(r, o.strategy) + "\n";
  if (!r.tested_much()) text += "This hunt tested little: most of its plans disturbed nothing, or nobody contended.\n";
  if (r.full) text += fmt::format("It ended at {} findings; --findings asks for more.\n", r.findings.size());
  if (r.interrupted) text += "It was interrupted: what is above is what had been found by then.\n";
  return text;
}

}  // namespace picklock
