#include "scenarios/file/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "checker/properties/properties.hpp"
#include "checker/properties/sometimes.hpp"
#include "faults/fault_kinds.hpp"
#include "scenarios/file/lease.hpp"
#include "scenarios/file/values.hpp"
#include "scenarios/services/service.hpp"

namespace picklock {
namespace {

template <class Table>
std::vector<std::string_view> names_of(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& entry : table) names.push_back(entry.name);
  return names;
}

template <class Find>
AnyOptions default_options(const Find& find, std::string_view kind) {
  const auto* const found = find(kind);
  return found == nullptr ? AnyOptions() : AnyOptions(found->default_options());
}
AnyOptions lock_options(std::string_view kind) { return default_options(find_lock_kind, kind); }
// A lock of which nothing was said but its name, its release, and its lease.
LockSpec lock_beside(const LockSpec& lock) {
  LockSpec beside{.name = lock.name, .options = defaults_beside(lock_options(lock.name), lock.options)};
  if (lock.lease && takes_lease(lock)) ask_for_lease(beside, *lock.lease);
  return beside;
}
AnyOptions workload_options(std::string_view kind) { return default_options(find_workload_kind, kind); }
AnyOptions fault_options(std::string_view kind) { return default_options(find_fault_kind, kind); }

// A field which says what kind of thing this is, and so which options it has.  If it is changed,
// options that both kinds have are kept.
void kind_field(FieldVisitor& v, const FieldInfo& info, std::span<const std::string_view> names,
                AnyOptions (*defaults)(std::string_view), std::string& kind, AnyOptions& options) {
  auto index = static_cast<std::size_t>(std::find(names.begin(), names.end(), kind) - names.begin());
  const std::size_t before = index;
  v.choice(info, names, index);
  if (index >= names.size() || (index == before && options)) return;
  AnyOptions fresh = defaults(names[index]);
  carry_over(std::move(options), defaults(kind), fresh);
  options = std::move(fresh);
  kind = names[index];
}

struct TopFields {
  Scenario& s;
  void fields(FieldVisitor& v) {
    v.field({.name = "event-budget",
             .help = "number of events after which a run is cut off and undecided",
             .least = 1,
             .most = 1'000'000'000'000},
            s.event_budget);
  }
};

struct LockFields {
  LockSpec& s;
  void fields(FieldVisitor& v) {
    const std::string before = s.name;
    kind_field(v, {.name = "name", .help = "lock algorithm"}, lock_names(), lock_options, s.name, s.options);
    if (s.lease && s.name != before) ask_for_lease(s, *s.lease);
    v.field({.name = "key", .help = "name of the lock at the service"}, s.key);
    visit_lease(v);
    v.field({.name = "on-loss",
             .help = "action of all clients when they lose the lock; by-client: each client's own on-loss"},
            s.on_loss);
    s.options.fields(v);
  }

 private:
  // Comes before the options: the option which it stands for may be said beside it, and then counts.
  void visit_lease(FieldVisitor& v) {
    if (!takes_lease(s)) return;
    const std::optional<Duration> before = s.lease;
    v.field(
        {.name = "lease",
         .help = "lease of the lock, whatever its kind calls it (TTL, session timeout), rounded as its library does; "
                 "none: the default of that option",
         .least = milliseconds(1).ns},
        s.lease);
    if (s.lease && s.lease != before) ask_for_lease(s, *s.lease);
  }
};

struct WorkloadFields {
  WorkloadSpec& s;
  void fields(FieldVisitor& v) {
    kind_field(v, {.name = "name", .help = "work in a critical section"}, workload_names(), workload_options, s.kind,
               s.options);
    s.options.fields(v);
  }
};

struct FaultFields {
  Fault& s;
  void fields(FieldVisitor& v) {
    kind_field(v, {.name = "kind", .help = "kind of fault"}, fault_names(), fault_options, s.kind, s.options);
    s.fields(v);
  }
};

struct NetworkFields {
  Scenario& s;
  void fields(FieldVisitor& v) {
    v.field({.name = "latency", .help = "one-way latency of every link", .least = 0}, s.latency);
    v.field({.name = "request-timeout", .help = "time that a client waits for an answer", .least = 1},
            s.request_timeout);
  }
};

struct DrawFields {
  DrawOverride& s;
  void fields(FieldVisitor& v) {
    v.field({.name = "name", .help = "name of the draw as a run prints it: \"a>redis/latency@a#1.1\""}, s.name);
    v.field({.name = "value", .help = "value of the draw; in nanoseconds if it is a duration"}, s.value);
  }
};

struct ReseedFields {
  Reseed& s;
  void fields(FieldVisitor& v) {
    v.field({.name = "at", .help = "instant until which the run keeps its own seed", .least = 0}, s.at);
    v.field({.name = "seed", .help = "seed from that instant on"}, s.seed);
  }
};

// "any" may be said for the verdict as well: that nothing is expected.
struct ExpectFields {
  Expectation& s;
  void fields(FieldVisitor& v) {
    static const auto kVerdictNames = [] {
      std::array<std::string_view, kVerdictCount + 1> names;
      for (std::size_t i = 0; i < kVerdictCount; ++i) names[i] = name(static_cast<Verdict>(i));
      names[kVerdictCount] = "any";
      return names;
    }();
    static const std::array<std::string_view, 4> kSeedNames = {name(Seeds::every), name(Seeds::some), name(Seeds::none),
                                                               name(Seeds::any)};
    std::size_t verdict = static_cast<std::size_t>(s.verdict);
    if (s == kAny) verdict = kVerdictCount;
    const std::size_t before = verdict;
    v.choice({.name = "verdict", .help = "expected verdict of a run"}, kVerdictNames, verdict);
    if (verdict != before) {
      s = verdict == kVerdictCount ? kAny : Expectation{static_cast<Verdict>(verdict), Seeds::every};
    }
    std::size_t seeds = static_cast<std::size_t>(s.seeds);
    v.choice({.name = "seeds", .help = "seeds for which the verdict is expected"}, kSeedNames, seeds);
    s.seeds = static_cast<Seeds>(seeds);
  }
  static constexpr Expectation kAny{Verdict{}, Seeds::any};
};

constexpr std::string_view kName[] = {"name"};
constexpr std::string_view kKind[] = {"kind"};
constexpr std::string_view kNode[] = {"node"};
constexpr std::string_view kLinkKeys[] = {"from", "to", "latency"};
constexpr std::string_view kDrawKeys[] = {"name", "value"};
constexpr std::string_view kReseedKeys[] = {"at", "seed"};
constexpr std::string_view kVerdict[] = {"verdict"};
constexpr std::string_view kClient[] = {"client"};
constexpr std::string_view kFaults[] = {"faults"};
constexpr std::string_view kClocks[] = {"clocks"};
constexpr std::string_view kDraws[] = {"draws"};
constexpr std::string_view kLinks[] = {"links"};

constexpr PartInfo kParts[] = {
    {.path = "", .what = "a scenario", .help = "At the top of the file."},
    {.path = "lock",
     .what = "the lock",
     .required = kName,
     .shorthand = "name",
     .kind = "name",
     .help = "`lock = \"setnx\"`, or a table with its options as well."},
    {.path = "workload",
     .what = "the workload",
     .required = kName,
     .shorthand = "name",
     .kind = "name",
     .help = "`workload = \"counter\"`, or a table with its options as well."},
    {.path = "reseed",
     .what = "a reseed",
     .array = true,
     .required = kReseedKeys,
     .help = "Another seed from an instant on: `reseed = { at = \"3s\", seed = 7 }`. Several make a recipe: "
             "`reseed = [ { … }, { … } ]`."},
    {.path = "clients",
     .what = "a client",
     .array = true,
     .required = kName,
     .spellings = kClient,
     .help = "`clients = [ { name = \"a\" }, … ]`, or a `[[clients]]` table each. With `count = 5` and "
             "`name = \"c\"` one entry stands for c1 to c5."},
    {.path = "storage", .what = "storage", .help = "The resource that the lock protects."},
    {.path = "network", .what = "the network", .help = "Between all machines."},
    {.path = "network.link",
     .what = "a link",
     .array = true,
     .required = kLinkKeys,
     .spellings = kLinks,
     .help = "One direction of one link: `[[network.link]]`."},
    {.path = "clock",
     .what = "a clock",
     .array = true,
     .required = kNode,
     .spellings = kClocks,
     .help = "The clocks of one machine, from the start on: `[[clock]]`."},
    {.path = "fault",
     .what = "a fault",
     .array = true,
     .required = kKind,
     .kind = "kind",
     .spellings = kFaults,
     .help = "A fault and its trigger: `[[fault]]`. Besides these keys it has those of its kind."},
    {.path = "phases", .what = "the phases", .help = "Lengths of a run's phases: load, settle, probe."},
    {.path = "draw",
     .what = "a draw",
     .array = true,
     .required = kDrawKeys,
     .spellings = kDraws,
     .help = "One random draw that is the same for every seed: `[[draw]]`."},
};
constexpr PartInfo kExpectPart = {.path = "expect",
                                  .what = "an expectation",
                                  .required = kVerdict,
                                  .shorthand = "verdict",
                                  .help =
                                      "By property: `mutual-exclusion = \"violated\"` (in every run), or "
                                      "`{ verdict = \"violated\", seeds = \"some\" }`, or `\"any\"`."};

// Calls `visit` for one part, with what it would be by default.
template <class Wrap, class T>
void visit_part(const std::function<void(const ScenarioPart&)>& visit, std::string_view info, std::string path,
                T& value, T fallback, std::string_view name = {}) {
  Wrap fields{value};
  Wrap defaults{fallback};
  visit({part_info(info), std::move(path), AnyFields(fields), AnyFields(defaults), name});
}

struct Plain {  // an object whose parts are fields alone
  template <class T>
  struct Of {
    T& s;
    void fields(FieldVisitor& v) { s.fields(v); }
  };
};

template <class T>
void visit_plain(const std::function<void(const ScenarioPart&)>& visit, std::string_view info, std::string path,
                 T& value, std::string_view name = {}) {
  visit_part<Plain::Of<T>>(visit, info, std::move(path), value, T{}, name);
}

}  // namespace

void ClockSpec::fields(FieldVisitor& v) {
  v.field({.name = "node", .help = "machine that has these clocks"}, node);
  v.field({.name = "offset", .help = "offset of the wall clock"}, offset);
  v.field({.name = "drift-ppm",
           .help = "drift of both clocks in parts per million; negative: slow",
           .least = Clock::kLeastPpm,
           .most = Clock::kMostPpm},
          drift_ppm);
}

void LinkSpec::fields(FieldVisitor& v) {
  v.field({.name = "from", .help = "sending machine"}, from);
  v.field({.name = "to", .help = "receiving machine"}, to);
  v.field({.name = "latency", .help = "one-way latency", .least = 0}, latency);
}

void PhaseSpec::fields(FieldVisitor& v) {
  v.field(
      {.name = "load",
       .help =
           "time for the clients' work, which ends early when all have done their rounds; none: 5s, and 5s more after "
           "each fault that this would cut off",
       .least = 0},
      load);
  v.field({.name = "settle", .help = "time between healing and the probe", .least = 0}, settle);
  v.field({.name = "probe-patience",
           .help = "time that the probe tries; none: the longest lease and the longest hold, and a margin",
           .least = 0},
          probe_patience);
}

std::span<const PartInfo> part_infos() {
  static const auto kAll = [] {
    std::vector<PartInfo> all;
    for (const PartInfo& info : kParts) {
      all.push_back(info);
      if (info.path != "clients") continue;
      for_each_service_table([&](const ServiceTable& table) {
        all.push_back({.path = table.name, .what = table.name, .help = table.help});
      });
    }
    all.push_back(kExpectPart);
    return all;
  }();
  return kAll;
}

const PartInfo& part_info(std::string_view path) {
  for (const PartInfo& info : part_infos()) {
    if (info.path == path) return info;
  }
  PICKLOCK_CHECK(path.empty());
  return part_infos()[0];
}

void for_each_part(Scenario& s, const std::function<void(const ScenarioPart&)>& visit) {
  const auto at = [](std::string_view path, std::size_t i) { return fmt::format("{}[{}]", path, i); };
  {
    Scenario fallback;
    TopFields fields{s}, defaults{fallback};
    visit({part_info(""), "", AnyFields(fields), AnyFields(defaults), {}});
  }
  visit_part<LockFields>(visit, "lock", "lock", s.lock, lock_beside(s.lock));
  visit_part<WorkloadFields>(visit, "workload", "workload", s.workload,
                             WorkloadSpec{.kind = s.workload.kind, .options = workload_options(s.workload.kind)});
  for (std::size_t i = 0; i < s.reseeds.size(); ++i) {
    visit_part<ReseedFields>(visit, "reseed", at("reseed", i), s.reseeds[i], Reseed{});
  }
  for (std::size_t i = 0; i < s.clients.size(); ++i) {
    visit_plain(visit, "clients", at("clients", i), s.clients[i], s.clients[i].name);
  }
  for_each_service_table([&](const ServiceTable& table) {
    AnyOptions& said = s.services.table(table);
    AnyOptions defaults = defaults_beside(AnyOptions(table.default_options()), said);
    visit({part_info(table.name), std::string(table.name), AnyFields(said), AnyFields(defaults), {}});
  });
  visit_plain(visit, "storage", "storage", s.storage);
  {
    Scenario fallback;
    NetworkFields fields{s}, defaults{fallback};
    visit({part_info("network"), "network", AnyFields(fields), AnyFields(defaults), {}});
  }
  for (std::size_t i = 0; i < s.links.size(); ++i)
    visit_plain(visit, "network.link", at("network.link", i), s.links[i]);
  for (std::size_t i = 0; i < s.clocks.size(); ++i) {
    visit_plain(visit, "clock", at("clock", i), s.clocks[i], s.clocks[i].node);
  }
  for (std::size_t i = 0; i < s.faults.size(); ++i) {
    Fault fallback;
    fallback.kind = s.faults[i].kind;
    fallback.options = fault_options(fallback.kind);
    visit_part<FaultFields>(visit, "fault", at("fault", i), s.faults[i], std::move(fallback));
  }
  visit_plain(visit, "phases", "phases", s.phases);
  for (std::size_t i = 0; i < s.overrides.size(); ++i) {
    visit_part<DrawFields>(visit, "draw", at("draw", i), s.overrides[i], DrawOverride{});
  }
  for (auto& [property, expectation] : s.expect) {
    visit_part<ExpectFields>(visit, "expect", fmt::format("expect.{}", property), expectation, Expectation{});
  }
}

void fill_in_options(Scenario& s) {
  if (!s.lock.options) s.lock.options = lock_options(s.lock.name);
  if (!s.workload.options) s.workload.options = workload_options(s.workload.kind);
  for (Fault& f : s.faults) {
    if (!f.options) f.options = fault_options(f.kind);
  }
}

void carry_over(AnyOptions from, AnyOptions from_defaults, AnyOptions& to) {
  FieldLister said, usual, possible;
  from.fields(said);
  from_defaults.fields(usual);
  to.fields(possible);
  for (const FieldText& f : said.fields) {
    if (std::find(usual.fields.begin(), usual.fields.end(), f) != usual.fields.end()) continue;
    const auto same = std::find_if(possible.fields.begin(), possible.fields.end(), [&](const FieldText& other) {
      return other.name == f.name && other.type == f.type;
    });
    if (same == possible.fields.end()) continue;
    FieldAssigner assigner(f.name, f.text);
    to.fields(assigner);  // a value that it may not have is left out
  }
}

std::span<const std::string_view> lock_names() { return lock_kind_names(); }
std::span<const std::string_view> workload_names() {
  static const auto kNames = names_of(workload_kinds());
  return kNames;
}
std::span<const std::string_view> fault_names() {
  static const auto kNames = names_of(fault_kinds());
  return kNames;
}
std::span<const std::string_view> property_names() {
  static const auto kNames = names_of(properties());
  return kNames;
}
std::span<const std::string_view> sometimes_names() {
  static const auto kNames = names_of(sometimes_conditions());
  return kNames;
}

}  // namespace picklock
