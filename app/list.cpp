#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include "app/command.hpp"
#include "app/list_table.hpp"
#include "app/shared_options.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "checker/models/models.hpp"
#include "checker/properties/assumptions.hpp"
#include "checker/properties/sometimes.hpp"
#include "faults/fault_kinds.hpp"
#include "reports/json.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/library_files.hpp"
#include "services/service.hpp"

namespace picklock {
namespace {

struct ListCommand {
  std::string what = "all";
  std::vector<std::string> words;  // that an entry has to have in its name, summary, source or tags
  std::vector<std::string> tags;   // that a scenario has to have, all of them
  std::string format = "text";     // text, json, names
};

// Options as "ttl = 30s (lease that the server grants)".
class OptionLines final : public FieldVisitor {
 public:
  void field(const FieldInfo& f, bool& v) override { add(f, v ? "true" : "false"); }
  void field(const FieldInfo& f, std::int64_t& v) override { add(f, fmt::format("{}", v)); }
  void field(const FieldInfo& f, Duration& v) override { add(f, to_text(v)); }
  void field(const FieldInfo& f, std::optional<Duration>& v) override { add(f, v ? to_text(*v) : "none"); }
  void field(const FieldInfo& f, Law& v) override { add(f, to_text(v)); }
  void field(const FieldInfo& f, std::string& v) override { add(f, v.empty() ? "\"\"" : v); }
  void choice(const FieldInfo& f, std::span<const std::string_view> names, std::size_t& i) override {
    std::string all;
    for (const std::string_view n : names) all += fmt::format("{}{}", all.empty() ? "" : "|", n);
    add(f, fmt::format("{}  [{}]", names[i], all));
  }
  std::vector<std::pair<std::string, std::string>> lines;

 private:
  void add(const FieldInfo& f, std::string value) {
    lines.emplace_back(std::string(f.name), fmt::format("{}  ({})", value, f.help));
  }
};

std::vector<std::pair<std::string, std::string>> options_of(std::unique_ptr<Options> options) {
  OptionLines lines;
  options->fields(lines);
  return lines.lines;
}

// Those that a claim of this group needs.
std::string assumptions_told(const LockKind& kind, ClaimGroup group) {
  std::string text;
  for (const AssumptionOf& a : kind.assumptions) {
    const auto kind_of = find_assumption(a.name);
    if (!kind_of || !claims_that_need(*kind_of, a.needed_by).has(group)) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", a.name);
    if (!a.parameter.empty())
      text += fmt::format("({}{})", a.parameter, a.divisor == 1 ? "" : fmt::format(" / {}", a.divisor));
  }
  return text;
}

std::vector<ListEntry> locks() {
  std::vector<ListEntry> all;
  for (const LockKind& k : lock_kinds()) {
    ListEntry e{std::string(k.name), std::string(k.summary), {{"source", std::string(k.source)}}};
    const Claims& c = k.claims;
    std::string claims;
    const auto add = [&](bool on, std::string_view word) {
      if (on) claims += fmt::format("{}{}", claims.empty() ? "" : ", ", word);
    };
    add(c.mutual_exclusion, "mutual exclusion");
    add(c.frees_after_crash, "free again after a crash");
    add(serves_waiters(k, *k.default_options()), "serves its waiters");
    add(c.releases_only_own, "releases only its own");
    add(c.token, "fencing token");
    add(c.renewing, "renewing");
    add(c.loss_notification, "tells of loss");
    add(c.reentrant, "reentrant");
    add(c.fair, "fair");
    add(c.shared, "shared");
    e.details.emplace_back("claims", claims);
    const OwnershipRule* const rule = ownership_rule_of(k);
    if (rule != nullptr) e.details.emplace_back("owner", std::string(rule->owner));
    const std::uint32_t servers = k.servers != nullptr ? k.servers(*k.default_options()) : k.independent_servers;
    if (servers > 1)
      e.details.emplace_back("servers",
                             fmt::format("{} independent servers; more than half must name the owner", servers));
    if (k.several_names) e.details.emplace_back("names", "one or several at once (\"x+y\")");
    const std::string assumptions = assumptions_told(k, ClaimGroup::exclusion);
    e.details.emplace_back("safe if", assumptions.empty() ? "never: the lock claims no safety" : assumptions);
    const auto tell = [&](bool claimed, std::string_view what, std::string_view promise, ClaimGroup group) {
      const std::string needs = assumptions_told(k, group);
      if (claimed)
        e.details.emplace_back(what,
                               fmt::format("{}{}", promise, needs.empty() ? ", whatever happens" : ", if " + needs));
    };
    tell(c.releases_only_own, "releases", "end no other's hold", ClaimGroup::releases);
    tell(c.releases_only_own, "returns", "end the hold once they are acknowledged", ClaimGroup::returns);
    tell(c.renewing && c.renews_only_own, "renewals", "prolong no other's hold", ClaimGroup::renewals);
    tell(c.token, "tokens", "grow", ClaimGroup::tokens);
    const LeaseTerms& terms = k.terms;
    e.details.emplace_back("lease of", terms.what.empty() ? "nothing: no time ends a hold"
                                                          : fmt::format("{} ({})", terms.what, terms.option));
    if (!terms.usually.empty()) e.details.emplace_back("on a loss", fmt::format("users {}", terms.usually));
    for (auto& line : options_of(k.default_options())) e.details.push_back(std::move(line));
    all.push_back(std::move(e));
  }
  return all;
}

std::vector<ListEntry> faults() {
  std::vector<ListEntry> all;
  for (const FaultKind& k : fault_kinds()) {
    all.push_back({std::string(k.name), std::string(k.summary), options_of(k.default_options())});
  }
  return all;
}

std::vector<ListEntry> workloads() {
  std::vector<ListEntry> all;
  for (const WorkloadKind& k : workload_kinds()) {
    all.push_back({std::string(k.name), std::string(k.summary), options_of(k.default_options())});
  }
  return all;
}

std::vector<ListEntry> scenarios() {
  std::vector<ListEntry> all;
  for (const LibraryEntry& s : library_scenarios())
    all.push_back({s.name, s.summary, {{"tags", fmt::format("{}", fmt::join(s.tags, ", "))}}});
  return all;
}

std::vector<ListEntry> tags() {
  std::map<std::string, int> counts;
  for (const LibraryEntry& s : library_scenarios()) {
    for (const std::string& tag : s.tags) ++counts[tag];
  }
  std::vector<ListEntry> all;
  for (const auto& [tag, count] : counts)
    all.push_back({tag, fmt::format("{} scenario{}", count, count == 1 ? "" : "s"), {}});
  return all;
}

std::vector<ListEntry> all_models() {
  std::vector<ListEntry> all;
  for (const ModelInfo& m : models()) {
    all.push_back({std::string(m.name) + (m.parameter.empty() ? "" : ":N"), std::string(m.description), {}});
  }
  return all;
}

std::vector<ListEntry> all_properties() {
  std::vector<ListEntry> all;
  for (const PropertyInfo& p : properties()) all.push_back({std::string(p.name), std::string(p.description), {}});
  return all;
}

std::vector<ListEntry> conditions() {
  std::vector<ListEntry> all;
  for (const SometimesInfo& s : sometimes_conditions())
    all.push_back({std::string(s.name), std::string(s.description), {}});
  return all;
}

std::vector<ListEntry> all_assumptions() {
  std::vector<ListEntry> all;
  for (const AssumptionInfo& a : assumptions()) all.push_back({std::string(a.name), std::string(a.description), {}});
  return all;
}

std::vector<ListEntry> marks() {
  std::vector<ListEntry> all;
  for (const std::string_view m : mark_names()) all.push_back({std::string(m), "", {}});
  return all;
}

struct Listing {
  std::string_view name, summary;
  std::vector<ListEntry> (*entries)();
};
constexpr Listing kListings[] = {
    {"locks", "lock algorithms: source, claims, assumptions, options", locks},
    {"faults", "kinds of faults and their options", faults},
    {"workloads", "work that clients do under the lock, and its options", workloads},
    {"scenarios", "the library; variants stand below their scenario", scenarios},
    {"tags", "words for 'picklock list scenarios --tag', and how many scenarios have them", tags},
    {"models", "models of a lock for 'picklock check --model'", all_models},
    {"properties", "properties that a run is judged by", all_properties},
    {"conditions", "conditions that a scenario may demand: sometimes = [\"contention\"]", conditions},
    {"assumptions", "conditions under which a lock may claim to be safe", all_assumptions},
    {"marks", "instants at which a fault may be injected: on = \"a enters\", \"before a writes\"", marks},
};

int usage(const std::string& problem) {
  fmt::print(stderr, "picklock: list: {}\n", problem);
  return kUsage;
}

std::vector<std::string> names_of(const std::vector<ListEntry>& entries) {
  std::vector<std::string> names;
  for (const ListEntry& e : entries) names.push_back(e.name);
  return names;
}

bool has_tag(const ListEntry& entry, const std::string& tag) {
  for (const auto& [key, value] : entry.details) {
    if (key == "tags") return fmt::format(", {},", value).find(fmt::format(", {},", tag)) != std::string::npos;
  }
  return false;
}

int list(const ListCommand& command) {
  std::vector<ListEntry> all;
  for (const Listing& l : kListings) all.push_back({std::string(l.name), std::string(l.summary), {}});
  const auto listing = std::find_if(std::begin(kListings), std::end(kListings),
                                    [&](const Listing& l) { return l.name == command.what; });
  if (listing == std::end(kListings) && command.what != "all") {
    const std::vector<std::string> names = names_of(all);
    return usage(fmt::format("found '{}', expected one of {}{}", command.what, fmt::join(names, ", "),
                             did_you_mean(command.what, names)));
  }
  if (!command.tags.empty() && command.what != "scenarios") {
    return usage("--tag needs 'picklock list scenarios'");
  }
  if ((command.what == "scenarios" || command.what == "tags") && !library_folder()) {
    return usage(fmt::format("no library of scenarios in {}; PICKLOCK_LIBRARY may name its folder",
                             fmt::join(library_folders(), ", ")));
  }
  if (listing != std::end(kListings)) all = listing->entries();
  if (!command.tags.empty()) {
    const std::vector<std::string> known = names_of(tags());
    for (const std::string& tag : command.tags) {
      if (std::find(known.begin(), known.end(), tag) == known.end())
        return usage(fmt::format("no scenario has the tag '{}'{} (picklock list tags)", tag, did_you_mean(tag, known)));
      std::erase_if(all, [&](const ListEntry& e) { return !has_tag(e, tag); });
    }
  }
  std::erase_if(all, [&](const ListEntry& e) { return !matches(e, command.words); });
  if (command.format == "names") {
    for (const ListEntry& e : all) fmt::print("{}\n", e.name);
  } else if (command.format == "json") {
    fmt::print("{}", list_json(command.what, all));
  } else if (all.empty()) {
    std::string asked = fmt::format("{}", fmt::join(command.words, " "));
    for (const std::string& tag : command.tags) asked += fmt::format("{}--tag {}", asked.empty() ? "" : " ", tag);
    fmt::print("picklock list {}: nothing matches {}\n", command.what, asked);
  } else {
    fmt::print("{}", list_table(all, command.what != "scenarios"));
  }
  return kAsExpected;
}

constexpr const char* kListExamples = R"(
Examples:
  picklock list locks redisson
  picklock list scenarios --tag clock
  picklock list scenarios --tag redis seats --format json)";

}  // namespace

CommandBody state_list(CLI::App& app) {
  const auto asked = std::make_shared<ListCommand>();
  app.footer(with_exit_status(kListExamples));
  app.add_option("listing", asked->what,
                 "locks, faults, workloads, scenarios, tags, models, properties, conditions, assumptions, marks");
  app.add_option("words", asked->words, "only entries with these words in name, summary, source or tags");
  repeatable(app.add_option("--tag", asked->tags, "only scenarios with this tag; several tags: with all of them"));
  add_format(app, asked->format, {"text", "json", "names"}, "text, json, or names: one name a line");
  return [asked] { return list(*asked); };
}

}  // namespace picklock
