#include "instruments/explain/cures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "campaigns/in_parallel.hpp"
#include "checker/properties/properties.hpp"
#include "instruments/explain/elements.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/parts.hpp"

namespace picklock {
namespace {

// Text of a value of the scenario; empty if it has no such path.
std::optional<std::string> value_at(const Scenario& scenario, std::string_view part_path, std::string_view name) {
  Scenario s = scenario;
  std::optional<std::string> found;
  for_each_part(s, [&](const ScenarioPart& part) {
    if (part.path != part_path) return;
    FieldLister lister;
    part.fields.fields(lister);
    for (const FieldText& f : lister.fields) {
      if (f.name == name) found = f.text;
    }
  });
  return found;
}

std::vector<std::string> name_words(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (c == '-') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  std::sort(words.begin(), words.end());
  return words;
}

// The lock that is this one but for fencing tokens: its name has the word "fenced" more.
const LockKind* with_tokens(const LockKind& lock) {
  std::vector<std::string> wanted = name_words(lock.name);
  wanted.emplace_back("fenced");
  std::sort(wanted.begin(), wanted.end());
  for (const LockKind& k : lock_kinds()) {
    if (k.service == lock.service && k.claims.token && name_words(k.name) == wanted) return &k;
  }
  return nullptr;
}

class CureMaker {
 public:
  CureMaker(Experiments& experiments, const Trial& base)
      : experiments_(experiments),
        base_(base),
        scenario_(filled(experiments.file_of(base).scenario)),
        lock_(*find_lock_kind(scenario_.lock.name)) {}

  std::vector<Cure> make(Property first) {
    tokens("tokens-on-writes", "writes");
    tokens("tokens-on-reads-and-writes", "reads-and-writes");
    honour_deadlines();
    stop_on_loss();
    longer_lease(first);
    wait_for_replicas();
    service_setting("fsync", "servers sync each write to disk before they answer", "redis.appendonly", "always");
    min_replicas();
    variants();
    return std::move(cures_);
  }

 private:
  static Scenario filled(Scenario s) {
    fill_in_options(s);
    return s;
  }
  std::string option(std::string_view name) const { return value_at(scenario_, "lock", name).value_or(""); }

  Cure& add(std::string name, std::string words) {
    Cure& cure = cures_.emplace_back();
    cure.name = std::move(name);
    cure.words = std::move(words);
    cure.trial = base_;
    return cure;
  }
  static void refuse(Cure& cure, CureState state, std::string why) {
    cure.state = state;
    cure.why = std::move(why);
  }

  void tokens(const char* name, std::string_view mode) {
    const std::string in_words = mode == "writes" ? "writes" : "reads and writes";
    Cure& cure = add(name, "the resource checks tokens on " + in_words);
    const WorkloadKind* const workload = find_workload_kind(scenario_.workload.kind);
    if (workload != nullptr && workload->kept_in) {
      return refuse(cure, CureState::does_not_apply,
                    "the lock service itself keeps the resource, and checks no tokens");
    }
    if (value_at(scenario_, "storage", "fence") == mode) {
      return refuse(cure, CureState::already, "the resource does so in this scenario");
    }
    if (!lock_.claims.token) {
      const LockKind* const fenced = with_tokens(lock_);
      if (fenced == nullptr) {
        return refuse(
            cure, CureState::does_not_apply,
            fmt::format("{} issues no tokens, and no lock that is the same with tokens is known", lock_.name));
      }
      cure.words = fmt::format("the resource checks the tokens of {} on {}", fenced->name, in_words);
      cure.trial = with_set(cure.trial, "lock.name", fenced->name);
    }
    cure.trial = with_set(cure.trial, "storage.fence", mode);
  }

  void honour_deadlines() {
    Cure& cure = add("honour-deadline", "each holder stops at its deadline");
    if (!lock_.lease(*scenario_.lock.options)) {
      return refuse(cure, CureState::does_not_apply, fmt::format("a grant of {} has no deadline", lock_.name));
    }
    for_each_client(cure, "honours-deadline", "true", [](const ClientSpec& c) { return c.honours_deadline; });
  }

  void stop_on_loss() {
    Cure& cure = add("stop-on-loss", "each holder stops when its lock reports a loss");
    if (!lock_.claims.loss_notification) {
      return refuse(cure, CureState::does_not_apply, fmt::format("{} reports no loss", lock_.name));
    }
    for_each_client(cure, "on-loss", "stop", [](const ClientSpec& c) { return c.on_loss == OnLoss::stop; });
  }

  template <class Does>
  void for_each_client(Cure& cure, std::string_view field, std::string_view value, Does does) {
    if (std::all_of(scenario_.clients.begin(), scenario_.clients.end(), does))
      return refuse(cure, CureState::already, "all clients do so in this scenario");
    cure.trial = with_set(cure.trial, fmt::format("clients.*.{}", field), value);
  }

  // The option that decides the lease: the one whose change changes it.
  std::string lease_option() const {
    FieldLister lister;
    AnyOptions options = scenario_.lock.options;
    options.fields(lister);
    const auto now = lock_.lease(*scenario_.lock.options);
    for (const FieldText& f : lister.fields) {
      const auto value = f.type == ValueType::duration ? parse_duration(f.text) : std::nullopt;
      if (!value || value->ns == 0 || !now) continue;
      AnyOptions changed = scenario_.lock.options;
      FieldAssigner assigner(f.name, to_text(Duration{value->ns * 2}));
      changed.fields(assigner);
      if (!assigner.complaint && lock_.lease(*changed) != now) return f.name;
    }
    return {};
  }

  // The smallest doubling that ends the first violation, or else the largest that was tried.
  void longer_lease(Property first) {
    Cure& cure = add("longer-lease", "the lease is longer");
    const std::string name = lease_option();
    if (name.empty())
      return refuse(cure, CureState::does_not_apply, fmt::format("{} has no lease that an option decides", lock_.name));
    const Duration now = *parse_duration(option(name));
    constexpr int kMost = 64;
    for (int factor = 2; factor <= kMost; factor *= 2) {
      const std::string longer = to_text(Duration{now.ns * factor});
      const Trial trial = with_set(base_, "lock." + name, longer);
      const Observed& seen = experiments_.see(trial);
      if (!seen.playable) break;
      cure.trial = trial;
      cure.words = fmt::format("the lease is {} instead of {}", longer, to_text(now));
      if (!seen.violated(first)) break;
    }
    if (cure.trial == base_) refuse(cure, CureState::does_not_apply, "the lease cannot be longer");
  }

  void wait_for_replicas() {
    Cure& cure = add("wait", "a grant waits for a replica to acknowledge it");
    if (value_at(scenario_, "redis", "replicas").value_or("0") == "0" || lock_.service != "redis")
      return refuse(cure, CureState::does_not_apply, "the servers have no replicas");
    if (!option("wait-replicas").empty())
      return set_unless(cure, "lock.wait-replicas", option("wait-replicas"), "0", "1");
    if (!option("slaves-sync").empty())
      return set_unless(cure, "lock.slaves-sync", option("slaves-sync"), "off", "all");
    refuse(cure, CureState::does_not_apply, fmt::format("{} cannot wait for replicas", lock_.name));
  }

  void min_replicas() {
    if (value_at(scenario_, "redis", "replicas").value_or("0") == "0" || lock_.service != "redis") {
      return refuse(add("min-replicas", "a master without a replica in reach refuses writes"),
                    CureState::does_not_apply, "the servers have no replicas");
    }
    service_setting("min-replicas", "a master without a replica in reach refuses writes", "redis.min-replicas-to-write",
                    "1");
    if (cures_.back().state == CureState::tried)
      cures_.back().trial = with_set(cures_.back().trial, "redis.min-replicas-max-lag", "1s");
  }

  void service_setting(const char* name, const char* words, const char* path, const char* value) {
    Cure& cure = add(name, words);
    if (lock_.service != "redis")
      return refuse(cure, CureState::does_not_apply, fmt::format("{} has no such setting", lock_.service));
    const std::string_view whole = path;
    const std::size_t dot = whole.find('.');
    const std::string now = value_at(scenario_, whole.substr(0, dot), whole.substr(dot + 1)).value_or("");
    if (now == value) return refuse(cure, CureState::already, "the servers do so in this scenario");
    cure.trial = with_set(cure.trial, path, value);
  }

  void set_unless(Cure& cure, const std::string& path, const std::string& now, std::string_view off,
                  std::string_view value) {
    if (now != off) return refuse(cure, CureState::already, fmt::format("{} is {}", path, now));
    cure.trial = with_set(cure.trial, path, value);
  }

  // The other scenarios of the file, with the edits of this one.
  void variants() {
    const ScenarioFile file = load_scenario(base_.scenario);
    std::string family = base_.scenario, own;
    for (const ScenarioVariant& v : file.variants) {
      if (v.scenario.name != file.scenario.name) continue;
      own = v.name;
      family = base_.scenario.substr(0, base_.scenario.size() - own.size() - 1);
    }
    const auto other = [&](std::string name, std::string scenario) {
      Cure& cure = add("variant " + name, "the scenario is " + scenario);
      cure.trial.scenario = std::move(scenario);
    };
    if (!own.empty()) other("none", family);
    for (const ScenarioVariant& v : file.variants) {
      if (v.name != own) other(v.name, family + "/" + v.name);
    }
  }

  Experiments& experiments_;
  const Trial base_;
  const Scenario scenario_;
  const LockKind& lock_;
  std::vector<Cure> cures_;
};

Trial without_faults(Experiments& experiments, Trial trial) {
  if (!experiments.file_of(trial).scenario.faults.empty()) trial.edits.without.emplace_back("fault");
  return trial;
}

void judge_cure(Experiments& experiments, const Trial& base, const std::vector<Property>& violated, Cure& cure) {
  const Observed& seen = experiments.see(cure.trial);
  if (!seen.playable) {
    cure.state = CureState::does_not_apply;
    if (seen.errors.empty() && seen.problems.empty()) {
      cure.why = fmt::format("its run has more than {} events", experiments.most_events());
      return;
    }
    const bool of_edits = !seen.errors.empty();
    cure.why = of_edits ? print(seen.errors.front())
                        : fmt::format("{}: found {}, expected {}", seen.problems.front().where,
                                      seen.problems.front().found, seen.problems.front().expected);
    return;
  }
  for (const PropertyInfo& p : properties()) {
    const bool before = std::find(violated.begin(), violated.end(), p.property) != violated.end();
    const bool after = seen.violated(p.property);
    if (before) (after ? cure.remaining : cure.ended).push_back(p.property);
    if (!before && after) cure.added.push_back(p.property);
  }
  cure.refused = seen.refused;
  cure.less = less_service(experiments.see(base).service, seen.service);
  cure.calm_before = without_faults(experiments, base);
  cure.calm_after = without_faults(experiments, cure.trial);
  cure.before = experiments.costs(cure.calm_before);
  cure.after = experiments.costs(cure.calm_after);
}

}  // namespace

std::vector<Cure> cures_of(Experiments& experiments, const Trial& base, const std::vector<Property>& violated) {
  std::vector<Cure> cures = CureMaker(experiments, base).make(violated.front());
  in_parallel(cures.size(), experiments.jobs(), [&](std::size_t i) {
    if (cures[i].state == CureState::tried) judge_cure(experiments, base, violated, cures[i]);
  });
  return cures;
}

}  // namespace picklock
