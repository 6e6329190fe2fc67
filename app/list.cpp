#include <fmt/format.h>

#include <functional>

#include "app/command.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "checker/models/models.hpp"
#include "checker/properties/sometimes.hpp"
#include "faults/fault_kinds.hpp"
#include "reports/json.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {
namespace {

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

std::string_view owner_words(Ownership rule) {
  switch (rule) {
    case Ownership::redis_key:
      return "whoever made the key exist";
    case Ownership::redis_stamp:
      return "whoever made the key exist, or replaced an expired stamp in it";
    case Ownership::redis_fields:
      return "whoever made a field of the hash exist";
    case Ownership::etcd_key:
    case Ownership::znode:
      return "whoever made it exist";
    case Ownership::etcd_first:
      return "of the keys below its name, the one created first";
    case Ownership::etcd_read_write:
      return "of the keys below its name, the one created first; readers share";
    case Ownership::etcd_record:
      return "whoever wrote the record last, for one lease";
    case Ownership::znode_first:
      return "of its children, the one with the lowest number";
    case Ownership::znode_read_write:
      return "of its children, the one with the lowest number; readers share";
    case Ownership::znode_permits:
      return "of its leases, so many as there are permits, the first ones";
    case Ownership::redis_timed_fields:
      return "whoever made a field of the hash exist; readers until their own timers end";
  }
  return "";
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
    add(c.releases_only_own, "releases only its own");
    add(c.token, "fencing token");
    add(c.renewing, "renewing");
    add(c.loss_notification, "tells of loss");
    add(c.reentrant, "reentrant");
    add(c.fair, "fair");
    add(c.shared, "shared");
    e.details.emplace_back("claims", claims);
    e.details.emplace_back("owner", std::string(owner_words(k.ownership)));
    const std::uint32_t servers = k.servers != nullptr ? k.servers(*k.default_options()) : k.redis_servers;
    if (servers > 1)
      e.details.emplace_back("servers",
                             fmt::format("{} independent ones, of which more than half must name the owner", servers));
    if (k.several_names) e.details.emplace_back("names", "one or several at once (\"x+y\")");
    std::string assumptions;
    for (const AssumptionOf& a : k.assumptions) {
      assumptions += fmt::format("{}{}", assumptions.empty() ? "" : ", ", a.name);
      if (!a.parameter.empty())
        assumptions += fmt::format("({}{})", a.parameter, a.divisor == 1 ? "" : fmt::format(" / {}", a.divisor));
    }
    e.details.emplace_back("safe if", assumptions.empty() ? "nothing is claimed to be" : assumptions);
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
  for (const LibraryEntry& s : library_scenarios()) all.push_back({s.name, s.summary, {}});
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
    {"faults", "what can go wrong, and its options", faults},
    {"workloads", "what clients do under the lock", workloads},
    {"scenarios", "the library", scenarios},
    {"models", "what 'picklock check' judges by", all_models},
    {"properties", "what a run is judged by", all_properties},
    {"conditions", "*sometimes* conditions of a scenario", conditions},
    {"assumptions", "under which a lock may claim to be safe", all_assumptions},
    {"marks", "at which a fault may strike: on = \"a enters\", \"before a writes\"", marks},
};

void print_entries(const std::vector<ListEntry>& entries) {
  std::size_t width = 0;
  for (const ListEntry& e : entries) width = std::max(width, e.name.size());
  for (const ListEntry& e : entries) {
    fmt::print("{:<{}}  {}\n", e.name, width, e.summary);
    for (const auto& [key, value] : e.details) fmt::print("{:<{}}    {} = {}\n", "", width, key, value);
  }
}

}  // namespace

int list(const std::string& what, bool json) {
  if (what == "all") {
    std::vector<ListEntry> all;
    for (const Listing& l : kListings) all.push_back({std::string(l.name), std::string(l.summary), {}});
    if (json) {
      fmt::print("{}", list_json(what, all));
    } else {
      print_entries(all);
    }
    return kAsExpected;
  }
  std::vector<std::string_view> names;
  for (const Listing& l : kListings) {
    names.push_back(l.name);
    if (l.name != what) continue;
    const std::vector<ListEntry> entries = l.entries();
    if (json) {
      fmt::print("{}", list_json(what, entries));
    } else {
      print_entries(entries);
    }
    return kAsExpected;
  }
  const auto nearest = nearest_name(what, names);
  fmt::print(stderr, "picklock: list: found '{}', expected one of {}{}\n", what, fmt::join(names, ", "),
             nearest ? fmt::format("; did you mean '{}'?", *nearest) : "");
  return kUsage;
}

}  // namespace picklock
