#include "instruments/hunt/hunt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>

#include "app/command.hpp"
#include "app/progress.hpp"
#include "app/shared_options.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "campaigns/store/store.hpp"
#include "checker/properties/properties.hpp"
#include "instruments/hunt/kept.hpp"
#include "instruments/hunt/text.hpp"
#include "instruments/hunt/usual.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/file/write.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

struct HuntCommand {
  std::string scenario;
  ScenarioEdits edits;
  std::vector<std::string> properties;  // names; empty: all that the lock claims
  bool within_assumptions = false;
  std::string beyond;                    // an assumption; empty: none
  std::string against;                   // a scenario or variant; empty: none
  std::vector<std::string> against_set;  // settings of the other side
  std::string strategy = "many";
  std::vector<std::string> kinds;   // kinds of faults to draw; empty: all
  std::vector<std::string> events;  // events and verbs that faults wait for; empty: all; "none"
  std::string instants;             // FROM..UNTIL; empty: any
  std::vector<std::string> vary;    // clients, options, servers, network
  std::int64_t most_faults = 12;
  std::uint64_t plans = 0;  // 0: not said
  double seconds = 0;       // 0: no bound
  std::size_t findings = 20;
  std::uint32_t shrink_runs = 400;
  std::uint64_t hunt_seed = 1;
  unsigned jobs = 0;
  std::string out;    // folder; empty: none
  std::string store;  // file for findings; empty: none
  bool json = false;
};

constexpr std::uint64_t kUsualPlans = 2'000;
constexpr const char* kUsualScenario = "healthy_control";

std::string origin_of(const HuntCommand& c) {
  std::string origin = c.scenario + command_words(c.edits);
  return origin;
}

// The scenario of the other side, or what is wrong with it.
struct OtherSide {
  std::optional<Aim::Twin> twin;
  std::vector<ScenarioError> errors;
  std::string refusal;
};

OtherSide other_side(const HuntCommand& command, const Scenario& base) {
  OtherSide other;
  if (command.against.empty() && command.against_set.empty()) return other;
  Aim::Twin twin;
  if (!command.against.empty()) {
    // A variant may be called by its own name alone.
    const std::string whole = command.scenario.substr(0, command.scenario.find('/')) + "/" + command.against;
    ScenarioFile file = load_scenario(command.against.find('/') == std::string::npos ? whole : command.against);
    if (!file.ok()) file = load_scenario(command.against);
    if (file.ok()) file.errors = edit_scenario(file.scenario, command.edits).errors;
    other.errors = std::move(file.errors);
    twin = {file.scenario.name, std::move(file.scenario)};
  } else {
    twin = {fmt::format("{}", fmt::join(command.against_set, " ")), base};
    for (const std::string& setting : command.against_set) {
      if (auto error = set_in_scenario(twin.scenario, setting)) other.errors.push_back(std::move(*error));
    }
  }
  if (other.errors.empty()) other.refusal = no_twin(base, twin.scenario);
  other.twin = std::move(twin);
  return other;
}

// A finding is announced here and nowhere else before the hunt ends. What keeps findings does so before: who kills the hunt loses
// none that was announced.
void announce(const HuntFinding& f, int number) {
  fmt::print(stderr, "finding {}: {} violated by {}; kept: {}\n", number, info(f.cause.failure.property).name,
             words_of_faults(f.shrunk.scenario.faults), f.file);
  std::fflush(stderr);
}

// 0: nothing was found, and much was tested; 1: findings; 3: nothing was found, and little was tested.
int hunt(const HuntCommand& given) {
  HuntCommand command = given;
  if (command.scenario.empty() && command.edits.lock.empty()) {
    fmt::print(stderr, "picklock: found nothing to hunt, expected a scenario, or --lock NAME\n");
    return kUsage;
  }
  const bool lock_alone = command.scenario.empty();
  if (lock_alone) command.scenario = kUsualScenario;
  ScenarioFile file = load_scenario(command.scenario);
  if (file.ok()) file.errors = edit_scenario(file.scenario, command.edits).errors;
  if (!file.ok()) return report(file.errors, command.json);
  HuntSpace space{.base = file.scenario, .faults = fault_space_of(file.scenario), .vary = {}, .kinds = command.kinds};
  if (auto compiled = Runner::compile(space.base); std::holds_alternative<std::vector<ScenarioProblem>>(compiled)) {
    return report(located(file, {}, std::get<1>(compiled)), command.json);
  }
  // The user's settings of clients, and of the settle phase, stay as they are.
  const auto says = [&](std::string_view path) {
    return std::any_of(command.edits.set.begin(), command.edits.set.end(),
                       [&](const std::string& assignment) { return assignment.starts_with(path); });
  };
  const bool usual_clients = lock_alone && !says("clients") && command.edits.without.empty();
  if (usual_clients) lengthen_sections(space);
  // Drawn clients break a lock beyond its assumptions without a fault, and a grid has one set of clients.
  const bool clients_matter = command.within_assumptions && find_strategy(command.strategy) != Strategy::exhaustive;
  if (usual_clients && clients_matter && command.vary.empty()) command.vary.emplace_back("clients");
  const auto varies = [&](const char* what) {
    return std::find(command.vary.begin(), command.vary.end(), what) != command.vary.end();
  };
  space.vary = {varies("clients"), varies("options"), varies("servers"), varies("network")};
  space.most_faults = command.most_faults;
  if (!command.instants.empty()) space.instants = parse_duration_law(command.instants);
  if (!command.events.empty()) {
    const std::vector<std::string>& wanted = command.events;
    std::erase_if(space.faults.marks,
                  [&](const std::string& m) { return std::find(wanted.begin(), wanted.end(), m) == wanted.end(); });
  }

  HuntOptions options;
  options.aim.plays_on = space.base.phases.settle == PhaseSpec().settle && !says("phases.settle");
  options.aim.promised_alone = command.properties.empty();
  options.aim.properties.clear();
  for (const std::string& p : command.properties) options.aim.properties.push_back(*find_property(p));
  if (options.aim.promised_alone) options.aim.properties = claims_to_judge(space.base);
  if (options.aim.properties.empty()) {
    fmt::print(stderr, "picklock: {} claims nothing that a hunt could judge; --property names what shall count\n",
               space.base.lock.name);
    return kUndecided;
  }
  options.aim.within_assumptions = command.within_assumptions;
  if (!command.beyond.empty()) options.aim.beyond = find_assumption(command.beyond);
  OtherSide other = other_side(command, file.scenario);
  if (!other.errors.empty()) return report(other.errors, command.json);
  if (!other.refusal.empty()) {
    fmt::print(stderr, "picklock: {} cannot be the other side of {}: {}\n", other.twin->name, file.scenario.name,
               other.refusal);
    return kUsage;
  }
  options.aim.twin = std::move(other.twin);
  options.strategy = find_strategy(command.strategy).value_or(Strategy::many);
  options.hunt_seed = command.hunt_seed;
  options.most_findings = command.findings;
  options.shrink.most_tries = command.shrink_runs;
  options.shrink.everything = !command.vary.empty();
  options.shrink.keep_triggers = !command.instants.empty() || !command.events.empty();
  options.jobs = threads_of(command.jobs);
  constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();
  const bool to_the_end = command.seconds > 0 || options.strategy == Strategy::exhaustive;
  options.most_plans = command.plans > 0 ? command.plans : to_the_end ? kNoBound : kUsualPlans;

  using Watch = std::chrono::steady_clock;
  const Watch::time_point begin = Watch::now();
  if (command.seconds > 0) {
    options.out_of_time = [&] {
      return std::chrono::duration<double>(Watch::now() - begin).count() >= command.seconds;
    };
  }
  const std::string origin = origin_of(command);
  std::unique_ptr<Store> store;
  if (!command.store.empty()) store = std::make_unique<Store>(command.store, Store::Open::or_create);
  if (!command.out.empty()) make_folder(command.out);
  options.keep = [&, number = 0](HuntFinding& f) mutable {
    if (store != nullptr) {
      store->keep({origin, std::string(info(f.cause.failure.property).name),
                   fmt::format("{}", fmt::join(f.cause.faults, ", ")), f.shrunk.seed,
                   write_scenario(f.shrunk.scenario)});
      store->commit();
    }
    if (command.out.empty()) return;
    KeepOptions keep = kept_as(f, origin);
    keep.folder = command.out;
    f.file = keep_run(f.shrunk.scenario, f.shrunk.seed, keep).path;
    announce(f, ++number);
  };
  ProgressBar bar;
  const Interruptible interruptible;
  options.stop = &interruptible.stop();
  options.progress = [&](const HuntResult& r) {
    const std::string what = "plans, " + hunt_progress(r);
    bar.show(r.plans, options.most_plans == kNoBound ? 0 : options.most_plans, what.c_str());
  };
  const HuntResult result = hunt(space, options);
  fmt::print("{}",
             command.json ? hunt_json(result, space, options, origin) : hunt_text(result, space, options, origin));
  if (!result.findings.empty() || !result.errors.empty()) return kNotAsExpected;
  const bool tested = result.tested_much() && result.tested_all() && !result.interrupted;
  return tested ? kAsExpected : kUndecided;
}

constexpr const char* kHuntExamples = R"(
Examples:
  picklock hunt paused_holder                       distinct failures of two holders, each shrunk and rated
  picklock hunt --lock redlock --plans 5000
  picklock hunt --lock redisson-lock --within-assumptions --vary clients,options
  picklock hunt paused_holder --beyond beliefs-shorter-than
  picklock hunt redisson_resend_twice --against-set lock.release=4.7 --out found
  picklock hunt paused_holder --strategy exhaustive --faults pause,partition

Exit status: 0 nothing was found, some plan could have broken each property that is judged, and most plans disturbed clients that
contended; 1 findings, or an error of the simulation; 2 usage, bad input, or output that cannot be written; 3 nothing was found, and
no plan could have broken one of these properties, or the hunt tested little, or was interrupted.)";

// Adds the options that say what is hunted, and which failures count.
void add_aim_options(CLI::App& app, HuntCommand& hunt) {
  app.add_option("scenario", hunt.scenario,
                 "scenario whose clients, lock and servers are hunted; its own faults are left out (default, with "
                 "--lock: healthy_control)");
  allow_typed_programs(add_path(app, "--lock", hunt.edits.lock, "lock to hunt instead of the scenario's own"));
  add_allow_program(app);
  add_edit_options(app, hunt.edits);
  comma_separated(app.add_option("--property", hunt.properties,
                                 "properties whose violation counts, such as mutual-exclusion,lost-update (default: "
                                 "all that the lock claims, where it promises it)")
                      ->check(not_a_property));
  CLI::Option* const within = app.add_flag("--within-assumptions", hunt.within_assumptions,
                                           "counts only failures that break no assumption of the lock");
  app.add_option("--beyond", hunt.beyond,
                 "assumption that may be broken, such as pauses-shorter-than: counts only failures that break it alone")
      ->check(not_an_assumption)
      ->excludes(within);
  CLI::Option* const against =
      add_path(app, "--against", hunt.against,
               "scenario or variant in which the same plan must do no harm: counts only what tells the two apart");
  repeatable(app.add_option("--against-set", hunt.against_set,
                            "setting, path=value, of a twin in which the same plan must do no harm: lock.release=4.7"))
      ->excludes(against);
}

// Adds the options that say how plans are drawn, and how many.
void add_plan_options(CLI::App& app, HuntCommand& hunt) {
  app.add_option(
         "--strategy", hunt.strategy,
         "many (7 to 12 faults a plan, the default), some (up to 6), few (1 or 2), portfolio (many, some and "
         "few in turn), near (around plans that came close), order (priorities over deliveries), recipes (close "
         "plans with other draws from some instant on), exhaustive (every single fault of a grid, then pairs)")
      ->check(CLI::IsMember({"portfolio", "many", "some", "few", "near", "order", "recipes", "exhaustive"}));
  comma_separated(
      app.add_option("--faults", hunt.kinds, "kinds of faults to draw, such as pause,partition (default: all)")
          ->check(not_a_fault));
  comma_separated(app.add_option("--events", hunt.events,
                                 "events and verbs that faults wait for, such as enters,writes; none: instants alone "
                                 "(default: all that clients pass)")
                      ->check(not_an_event));
  app.add_option(
         "--instants", hunt.instants,
         "range of true time in which faults come that wait for no event, FROM..UNTIL, as in 1s..2s (default: any)")
      ->check(not_instants);
  app.add_option("--most-faults", hunt.most_faults, "largest number of faults in a plan, from 1 to 40 (default 12)")
      ->check(CLI::Range(1, 40));
  comma_separated(app.add_option("--vary", hunt.vary,
                                 "draws these anew for each plan, beside faults: clients, options, servers, network "
                                 "(default: clients with --lock, --within-assumptions and no scenario, otherwise none)")
                      ->check(CLI::IsMember({"clients", "options", "servers", "network"})));
  app.add_option("--plans", hunt.plans, "plans to play (default 2000; with --seconds: no bound)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
  app.add_option("--seconds", hunt.seconds, "time after which no further round of plans is begun (default: no bound)")
      ->check(CLI::Range(0.001, 1e7));
  app.add_option("--findings", hunt.findings, "distinct findings after which the hunt ends (default 20)")
      ->check(CLI::Range(1, 10'000));
  app.add_option("--shrink-runs", hunt.shrink_runs, "most runs for shrinking one failure (default 400)")
      ->check(CLI::Range(0, 1'000'000));
  add_draws_seed(app, "--hunt-seed", hunt.hunt_seed, "seed of the plans (default 1)");
}

}  // namespace

CommandBody state_hunt(CLI::App& app) {
  const auto asked = std::make_shared<HuntCommand>();
  app.footer(kHuntExamples);
  add_aim_options(app, *asked);
  add_plan_options(app, *asked);
  add_jobs(app, asked->jobs);
  add_path(app, "--store", asked->store, "store, as of picklock sweep, that keeps each finding as soon as it is found");
  add_path(app, "--out", asked->out, "folder in which each finding is kept as a scenario file, as soon as it is found");
  add_format(app, asked->json);
  return [asked] { return hunt(*asked); };
}

}  // namespace picklock
