#include "scenarios/run/run_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "faults/executed.hpp"

namespace picklock {
namespace {

// Names for what the world knows by number: it is another world when the record is read.
std::vector<RecordedDraw> draws_of(const World& world) {
  std::vector<RecordedDraw> all;
  for (const DrawRecord& d : world.draws.logged())
    all.push_back({d.time, world.tasks.draw_name(d), d.value, d.purpose, d.law, d.again != TrueTime{}});
  return all;
}

std::vector<std::string> drawing_tasks_of(const World& world) {
  constexpr std::uint32_t kLink = 0x80000000u;  // set in entities that are links between two nodes
  std::uint32_t last = 0;                       // number of a task's name
  for (const DrawRecord& d : world.draws.logged()) {
    if ((d.entity & kLink) == 0) last = std::max(last, d.entity & 0xffff);
  }
  std::vector<std::string> names = {"main"};
  const std::size_t node = world.tasks.entity_name(0).size() + 1;  // length of the node's name and its dot
  for (std::uint32_t task = 1; task <= last; ++task) names.push_back(world.tasks.entity_name(task).substr(node));
  return names;
}

// A violation that is no longer than the machine's own delays may be their work.
void leave_open_what_is_too_close(RunResult& result) {
  for (Finding& f : result.findings) {
    const bool lasts = info(f.property).unit == Unit::nanoseconds;
    if (f.verdict != Verdict::violated || !lasts || f.measure >= 3 * result.lateness->ns) continue;
    f.verdict = Verdict::undecided;
    f.reason = Reason::too_close_in_real_time;
  }
}

}  // namespace

RunJudge::RunJudge(CompiledScenario& compiled)
    : compiled_(compiled),
      builder_(
          compiled.roster(),
          [&](const std::string& name) {
            return compiled.deployment->judge_of(service_key(*compiled.lock.kind, name));
          },
          compiled.workload.kind->kept_in ? compiled.deployment->change_reader() : nullptr) {}

void RunJudge::judge(Stage& stage, const Played& played, const RecordOptions& options, RunRecord& record) {
  record.cast = compiled_.cast;
  record.clocks = stage.initial_clocks();
  record.checked = played.checked;
  record.out_of_room = stage.world().exhausted() != nullptr;
  build_history(stage, options, record);
  note_end(stage, played, record.result);
  judge_history(stage, record.history(), record.result);

  const World& world = stage.world();
  record.surroundings.reset();
  if (options.story) keep_surroundings(world, record);
  record.bodies = options.bodies ? world.network.bodies() : std::vector<std::string>();
  record.draws = options.draws ? draws_of(world) : std::vector<RecordedDraw>();
  record.tasks = options.draws ? drawing_tasks_of(world) : std::vector<std::string>();
  record.last_words.clear();
  for (const TraceRecord& r : builder_.incidents()) {
    if (r.kind == trace::process_panicked) record.last_words[r.b] = world.faults.last_words(r.b);
  }
  std::swap(record.trace, stage.world().trace);
  record.trace.read_leases(nullptr);
}

// The one time that the journal is read as a history.
void RunJudge::build_history(Stage& stage, const RecordOptions& options, RunRecord& record) {
  record.recording.reset();
  record.result.history.reset();
  std::vector<std::unique_ptr<ServerViews>> views;
  for (std::uint32_t lock = 0; options.story && lock < compiled_.lock.table.names.size(); ++lock) {
    const std::string& name = compiled_.lock.table.names[lock];
    views.push_back(compiled_.deployment->views_of(lock, service_key(*compiled_.lock.kind, name)));
  }
  builder_.show_to(std::move(views));
  builder_.note_sources(options.full_trace);
  builder_.begin_with(stage.initial_clocks());
  builder_.build(stage.world().trace.journal());
  record.keep(builder_.recording());
}

void RunJudge::note_end(Stage& stage, const Played& played, RunResult& result) const {
  const World& world = stage.world();
  result.cut_off = played.cut_off;
  result.lateness = played.lateness;
  result.error = played.error;
  if (result.error.empty() && !stage.state().lock_failure.empty()) {
    result.error = fmt::format("lock {} failed: {}", compiled_.scenario.lock.name, stage.state().lock_failure);
  }
  const std::string broken = result.error.empty() ? compiled_.deployment->broken_invariant() : "";
  if (!broken.empty()) result.error = "error of the simulation: " + broken;
  result.defect_shown = compiled_.deployment->shown_defect();
  result.length = world.now() - TrueTime{};
  result.events = world.events();
  result.digest = world.trace.digest();
  result.faults.load_ran_out = played.load_ran_out;
  result.faults.healed = played.healed;
  result.faults.courses.clear();
  for (std::size_t i = 0; i < compiled_.plan.size(); ++i) result.faults.courses.push_back(compiled_.plan.course(i));
}

// Time when the servers elected their first leader; 0: they need none, or never did.
std::int64_t RunJudge::first_election(const World& world) const {
  if (compiled_.deployment->failover_bound() == Duration{}) return 0;
  const std::vector<ServerRole> roles = compiled_.deployment->roles_in(world.trace.journal());
  const auto first = std::find_if(roles.begin(), roles.end(), [](const ServerRole& r) { return r.leads; });
  return first == roles.end() ? 0 : first->time;
}

void RunJudge::judge_history(Stage& stage, const History& history, RunResult& result) {
  measure(stage.world(), builder_.incidents(), executed_);
  result.faults.last_shared = last_shared(history);
  assess_run(stage.world(), history, *compiled_.deployment, executed_, stage.state().deeds, scratch_, result.executed);
  result.judged_with = compiled_.judged_with;
  result.judged_with.budget_exhausted = result.cut_off;
  result.judged_with.too_few_servers = result.executed.servers_missing > 0;
  result.judged_with.fault_struck =
      std::any_of(executed_.injected.begin(), executed_.injected.end(), [](std::int64_t n) { return n > 0; });
  result.judged_with.received =
      builder_.first_heard([this](std::vector<std::int64_t>& by_hold) { compiled_.deployment->first_heard(by_hold); });
  // The service answers no client before it has a leader; in a run with faults the bound allows for elections already.
  if (compiled_.scenario.faults.empty()) result.judged_with.unserved_bound += first_election(stage.world());
  result.findings = picklock::judge(history, result.judged_with, scratch_);
  if (result.lateness) leave_open_what_is_too_close(result);
  result.happened = scratch_.happened;
  result.unseen = {};
  for (std::size_t i = 1; i < scratch_.unseen.size(); ++i) {
    if (scratch_.unseen[i]) result.unseen.locks.emplace_back(history.names.view(static_cast<NameId>(i - 1)));
  }
  if (!result.unseen.locks.empty()) {
    result.unseen.runs = 1;
    result.unseen.seed = result.seed;
  }
  count_unseen(history, scratch_, result.executed);
  const bool bounded = all_beliefs_are_bounded(history, executed_, stage.state().all_heed_deadlines);
  result.assumptions.resize(compiled_.assumptions.size());
  std::transform(compiled_.assumptions.begin(), compiled_.assumptions.end(), result.assumptions.begin(),
                 [&](const Assumption& a) { return assess(a, result.executed, bounded); });
}

void RunJudge::keep_surroundings(const World& world, RunRecord& record) const {
  Surroundings& around = record.surroundings.emplace();
  ServersSeen& seen = around.servers;
  seen.roles = compiled_.deployment->roles_in(world.trace.journal());
  seen.vote = compiled_.deployment->independent_machines() > 1;
  for (const auto& view : builder_.views()) {
    if (view == nullptr) continue;
    seen.owners.insert(seen.owners.end(), view->changes().begin(), view->changes().end());
    for (const NodeId server : view->servers()) {
      if (std::find(seen.servers.begin(), seen.servers.end(), server) == seen.servers.end())
        seen.servers.push_back(server);
    }
  }
  std::stable_sort(seen.owners.begin(), seen.owners.end(),
                   [](const OwnersSeen& a, const OwnersSeen& b) { return a.time < b.time; });
  around.unanswered = world.channels.unanswered();
  around.waiting = world.tasks.waiting();
}

}  // namespace picklock
