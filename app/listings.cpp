#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "algorithms/families.hpp"
#include "app/listing.hpp"
#include "checker/models/models.hpp"
#include "checker/properties/assumptions.hpp"
#include "checker/properties/sometimes.hpp"
#include "faults/fault_kinds.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/parts.hpp"
#include "scenarios/file/topics.hpp"
#include "scenarios/services/service.hpp"

namespace picklock {
namespace {

// --- locks

// The text names the assumptions that a claim of this group needs.
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

std::string claims_told(const LockKind& kind) {
  const Claims& c = kind.claims;
  std::string claims;
  const auto add = [&](bool on, std::string_view word) {
    if (on) claims += fmt::format("{}{}", claims.empty() ? "" : ", ", word);
  };
  add(c.mutual_exclusion, "mutual exclusion");
  add(c.frees_after_crash, "free again after a crash");
  add(serves_waiters(kind, *kind.default_options()), "serves its waiters");
  add(c.releases_only_own, "releases only its own");
  add(c.token, "fencing token");
  add(c.renewing, "renewing");
  add(c.loss_notification, "tells of loss");
  add(c.reentrant, "reentrant");
  add(c.fair, "fair");
  add(c.shared, "shared");
  return claims;
}

constexpr std::string_view kOwnFamily = "added";

Listed lock_entry(const LockKind& k) {
  Listed e{std::string(k.name), std::string(k.summary), {{"source", std::string(k.source)}}};
  const auto fact = [&](std::string key, std::string value) { e.facts.emplace_back(std::move(key), std::move(value)); };
  const LockFamily* const family = family_of(k.name);
  e.groups = {std::string(family == nullptr ? kOwnFamily : family->name)};
  if (k.service != e.groups[0]) e.groups.emplace_back(k.service);
  fact("service", std::string(k.service));
  fact("claims", claims_told(k));
  if (const OwnershipRule* const rule = ownership_rule_of(k)) fact("owner", std::string(rule->owner));
  const std::uint32_t servers = k.servers != nullptr ? k.servers(*k.default_options()) : k.independent_servers;
  if (servers > 1) fact("servers", fmt::format("{} independent servers; more than half must name the owner", servers));
  if (k.several_names) fact("names", "one or several at once (\"x+y\")");
  const std::string assumptions = assumptions_told(k, ClaimGroup::exclusion);
  fact("safe if", assumptions.empty() ? "never: the lock claims no safety" : assumptions);
  const auto tell = [&](bool claimed, std::string_view what, std::string_view promise, ClaimGroup group) {
    const std::string needs = assumptions_told(k, group);
    if (claimed)
      fact(std::string(what), fmt::format("{}{}", promise, needs.empty() ? ", whatever happens" : ", if " + needs));
  };
  tell(k.claims.releases_only_own, "releases", "end no other's hold", ClaimGroup::releases);
  tell(k.claims.releases_only_own, "returns", "end the hold once they are acknowledged", ClaimGroup::returns);
  tell(k.claims.renewing && k.claims.renews_only_own, "renewals", "prolong no other's hold", ClaimGroup::renewals);
  tell(k.claims.token, "tokens", "grow", ClaimGroup::tokens);
  const LeaseTerms& terms = k.terms;
  fact("lease of",
       terms.what.empty() ? "nothing: no time ends a hold" : fmt::format("{} ({})", terms.what, terms.option));
  if (!terms.usually.empty()) fact("on a loss", fmt::format("users {}", terms.usually));
  e.options = fields_of(AnyOptions(k.default_options()));
  return e;
}

std::vector<Listed> locks() {
  std::vector<Listed> all;
  for (const LockKind& k : lock_kinds()) all.push_back(lock_entry(k));
  return all;
}

std::vector<ListGroup> families() {
  std::vector<ListGroup> all;
  for (const LockFamily& f : lock_families()) all.push_back({std::string(f.name), std::string(f.summary)});
  all.push_back({std::string(kOwnFamily), "locks that this program adds"});
  return all;
}

// --- scenarios

std::vector<Listed> scenarios() {
  std::vector<Listed> all;
  for (const LibraryEntry& s : library_scenarios())
    all.push_back({s.name, s.summary, {{"tags", fmt::format("{}", fmt::join(s.tags, ", "))}}, {}, s.tags});
  return all;
}

std::map<std::string, int> counts_of_tags() {
  std::map<std::string, int> counts;
  for (const LibraryEntry& s : library_scenarios()) {
    for (const std::string& tag : s.tags) ++counts[tag];
  }
  return counts;
}

// Tags without a meaning come last: a user's own library may have such.
std::vector<ListGroup> topics_of_library() {
  std::vector<ListGroup> all;
  std::map<std::string, int> counts = counts_of_tags();
  for (const Topic& topic : topics()) {
    if (counts.erase(std::string(topic.tag)) != 0) all.push_back({std::string(topic.tag), std::string(topic.meaning)});
  }
  for (const auto& [tag, count] : counts) {
    if (!is_issue(tag)) all.push_back({tag, ""});
  }
  return all;
}

std::vector<Listed> tags() {
  std::vector<Listed> all;
  for (const auto& [tag, count] : counts_of_tags())
    all.push_back({tag, fmt::format("{} scenario{}", count, count == 1 ? "" : "s")});
  const std::span<const Topic> known = topics();
  for (Listed& e : all) {
    const auto topic = std::find_if(known.begin(), known.end(), [&](const Topic& t) { return t.tag == e.name; });
    if (topic != known.end()) e.summary += fmt::format(": {}", topic->meaning);
  }
  return all;
}

// --- keys of scenario files

constexpr std::string_view kTop = "top-level";

std::string group_of(const KeysOfPart& part) { return std::string(part.path.empty() ? kTop : part.path); }

std::vector<Listed> keys() {
  std::vector<Listed> all;
  for (const KeysOfPart& part : scenario_keys()) {
    for (const FieldText& f : part.keys) {
      const std::string fallback = part.requires_key(f.name) ? "to be given" : f.text.empty() ? "empty" : f.text;
      all.push_back({part.path.empty() ? f.name : fmt::format("{}.{}", part.path, f.name),
                     f.help,
                     {{"default", fallback}, {"value", values_allowed(f)}},
                     {},
                     {group_of(part)}});
    }
  }
  return all;
}

std::vector<ListGroup> parts_of_files() {
  std::vector<ListGroup> all;
  for (const KeysOfPart& part : scenario_keys()) all.push_back({group_of(part), std::string(part.help)});
  return all;
}

// --- kinds with options, and plain words

template <class Kinds>
std::vector<Listed> kinds_listed(const Kinds& kinds) {
  std::vector<Listed> all;
  for (const auto& k : kinds)
    all.push_back({std::string(k.name), std::string(k.summary), {}, fields_of(AnyOptions(k.default_options()))});
  return all;
}

std::vector<Listed> faults() { return kinds_listed(fault_kinds()); }
std::vector<Listed> workloads() { return kinds_listed(workload_kinds()); }

template <class Infos>
std::vector<Listed> described(const Infos& infos) {
  std::vector<Listed> all;
  for (const auto& info : infos) all.push_back({std::string(info.name), std::string(info.description)});
  return all;
}

std::vector<Listed> all_models() {
  std::vector<Listed> all = described(models());
  for (std::size_t i = 0; i < all.size(); ++i) all[i].name += models()[i].parameter.empty() ? "" : ":N";
  return all;
}
std::vector<Listed> all_properties() { return described(properties()); }
std::vector<Listed> conditions() { return described(sometimes_conditions()); }
std::vector<Listed> all_assumptions() { return described(assumptions()); }

std::vector<Listed> marks() {
  std::vector<Listed> all;
  for (const std::string_view m : mark_names()) all.push_back({std::string(m), ""});
  return all;
}

std::vector<Listed> all_listings();

constexpr Listing kListings[] = {
    {.name = "locks",
     .one = "lock",
     .summary = "lock algorithms by family: source, claims, assumptions, options",
     .entries = locks,
     .groups = families,
     .one_group = "family",
     .more = "'picklock list locks LOCK' shows source, claims, assumptions and options.",
     .introduction = "A lock keeps its *claims* while the conditions behind *safe if* hold."},
    {.name = "faults",
     .one = "fault",
     .summary = "kinds of faults and their options",
     .entries = faults,
     .more = "'picklock list faults FAULT' shows the options.",
     .introduction =
         "Besides these options each fault has the keys of `fault` in [keys](keys.md), its trigger among them."},
    {.name = "workloads",
     .one = "workload",
     .summary = "work that clients do under the lock, and its options",
     .entries = workloads,
     .more = "'picklock list workloads WORKLOAD' shows the options.",
     .introduction = "A scenario names its workload: `workload = \"counter\"`."},
    {.name = "scenarios",
     .one = "scenario",
     .summary = "the library by topic; variants stand below their scenario",
     .entries = scenarios,
     .groups = topics_of_library,
     .one_group = "topic",
     .more = "'picklock tell SCENARIO' tells its story.",
     .introduction =
         "`picklock run NAME` plays a scenario, and `picklock tell NAME` tells its story. A name with a `/` is a "
         "variant: the same scenario but for a few settings."},
    {.name = "tags",
     .one = "tag",
     .summary = "words for 'picklock list scenarios --tag', and how many scenarios have them",
     .entries = tags,
     .introduction =
         "`picklock list scenarios TAG` lists the scenarios of a tag. A tag with a number is an issue of a tracker."},
    {.name = "keys",
     .one = "key",
     .summary = "keys of a scenario file by table, with their defaults",
     .entries = keys,
     .groups = parts_of_files,
     .one_group = "table",
     .more = "'picklock list keys KEY' shows default and values.",
     .introduction =
         "A key that a scenario file leaves out has its default. A file may also have `tags`, `sometimes`, `seed` and "
         "`[variant.NAME]`, which [scenarios/file/README.md](../../scenarios/file/README.md) explains. The tables "
         "`lock`, `workload` and `fault` also have "
         "the options of their kind: [locks](locks.md), [workloads](workloads.md), [faults](faults.md). "
         "[scenarios/file/README.md](../../scenarios/file/README.md) explains the file."},
    {.name = "models",
     .one = "model",
     .summary = "models of a lock for 'picklock check --model'",
     .entries = all_models,
     .introduction = "[checker.md](../checker.md) says what each model means, and why its verdict is exact."},
    {.name = "properties",
     .one = "property",
     .summary = "properties that a run is judged by",
     .entries = all_properties,
     .introduction = "[definitions.md](../definitions.md) says exactly what each property means."},
    {.name = "conditions",
     .one = "condition",
     .summary = "conditions that a scenario may demand: sometimes = [\"contention\"]",
     .entries = conditions,
     .introduction = "If a run does not meet a demanded condition, *holds* becomes *undecided*."},
    {.name = "assumptions",
     .one = "assumption",
     .summary = "conditions under which a lock may claim to be safe",
     .entries = all_assumptions,
     .introduction = "[definitions.md](../definitions.md) says how a run is held against each assumption."},
    {.name = "marks",
     .one = "mark",
     .summary = "instants at which a fault may be injected: on = \"a enters\", \"before a writes\"",
     .entries = marks,
     .introduction =
         "A fault may wait for such an instant of a client: `on = \"a enters\"`, `on = \"before a writes\"`."},
};

constexpr Listing kAll = {.name = "all",
                          .one = "listing",
                          .summary = "all listings",
                          .entries = all_listings,
                          .introduction = "`picklock list LISTING` prints each."};

std::vector<Listed> all_listings() {
  std::vector<Listed> all;
  for (const Listing& l : kListings) all.push_back({std::string(l.name), std::string(l.summary)});
  return all;
}

}  // namespace

const Listing* find_listing(std::string_view name) {
  if (name == kAll.name) return &kAll;
  const auto* const found =
      std::find_if(std::begin(kListings), std::end(kListings), [&](const Listing& l) { return l.name == name; });
  return found == std::end(kListings) ? nullptr : found;
}

}  // namespace picklock
