#include "reports/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/iso_time.hpp"
#include "campaigns/chunk_json.hpp"
#include "campaigns/unseen_json.hpp"
#include "checker/io/event_names.hpp"
#include "reports/campaigns/provenance.hpp"
#include "reports/check/explanation.hpp"
#include "reports/run/freed.hpp"
#include "reports/unseen.hpp"
#include "scenarios/file/lease.hpp"
#include "scenarios/run/deciding.hpp"

namespace picklock {
namespace {

using nlohmann::ordered_json;

ordered_json document(std::string_view kind) { return {{"picklock", std::string(kind)}, {"schema", kJsonSchema}}; }

std::string text(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string hex(std::uint64_t digest) { return fmt::format("{:016x}", digest); }

// Words as a key: without blanks.
std::string key_of(std::string words) {
  std::replace(words.begin(), words.end(), ' ', '_');
  return words;
}

std::string_view unit_suffix(Unit unit) { return unit == Unit::nanoseconds ? "_ns" : ""; }

ordered_json expectation(const PropertySummary& s) {
  if (!s.expectation) return nullptr;
  return {{"verdict", std::string(name(s.expectation->verdict))}, {"seeds", std::string(name(s.expectation->seeds))}};
}

ordered_json holds_of(const Finding& v, const History& h) {
  ordered_json all = ordered_json::array();
  for (const HoldId id : v.witness.all_holds()) {
    const HoldInfo& hold = h.holds[id];
    ordered_json one = {{"hold", id}, {"client", std::string(h.names.view(hold.client))}, {"process", hold.process}};
    if (hold.token != kNoToken) one["token"] = hold.token;
    all.push_back(one);
  }
  return all;
}

ordered_json lease_json(const Scenario& scenario) {
  const LeaseTold told = lease_told(scenario);
  ordered_json one = {{"text", told.text}};
  if (told.asked) one["asked_ns"] = told.asked->ns;
  if (told.lasts) one["lasts_ns"] = told.lasts->ns;
  one["on_loss"] = std::string(enum_name(scenario.lock.on_loss));
  return one;
}

ordered_json freed_json(const History& h) {
  ordered_json all = ordered_json::array();
  for (const FreedLock& lock : freed_by_timeout(h)) {
    const HoldInfo& hold = h.holds[lock.hold];
    ordered_json one = {{"time_ns", lock.time},
                        {"lock", std::string(h.names.view(hold.lock))},
                        {"client", std::string(h.names.view(hold.client))},
                        {"hold", lock.hold},
                        {"ended_by", std::string(word(kGrantEndWords, lock.cause))},
                        {"holder", std::string(holder_words(lock))}};
    if (lock.server != kNoName) one["decided_by"] = std::string(h.names.view(lock.server));
    if (lock.release_asked != kNoTime) one["release_asked_ns"] = lock.release_asked;
    all.push_back(one);
  }
  return all;
}

ordered_json executed(const ExecutedFaults& e) {
  return {{"longest_pause_ns", e.pause_ns},
          {"largest_clock_step_ns", e.clock_step_ns},
          {"largest_clock_offset_ns", e.clock_offset_ns},
          {"largest_clock_rate_error_ppm", e.clock_rate_error_ppm},
          {"longest_message_delay_ns", e.message_delay_ns},
          {"longest_disconnection_ns", e.disconnection_ns},
          {"pauses", e.pauses},
          {"clock_steps", e.clock_steps},
          {"kills", e.kills},
          {"power_losses", e.power_losses},
          {"restarts", e.restarts},
          {"partitions", e.partitions},
          {"messages_lost", e.messages_lost},
          {"failovers", e.failovers},
          {"data_losses", e.data_losses},
          {"servers_missing", e.servers_missing},
          {"unanswered_requests", e.unanswered_requests},
          {"forced_releases", e.forced_releases},
          {"abandoned_acquires", e.abandoned_acquires},
          {"interrupts", e.interrupts},
          {"uncaught_exceptions", e.uncaught_exceptions},
          {"forgotten_releases", e.forgotten_releases},
          {"failed_open", e.failed_open}};
}

ordered_json ns_or_null(const std::optional<Duration>& d) { return d ? ordered_json(d->ns) : ordered_json(nullptr); }

// Course of one fault of a run.
ordered_json course(const FaultCourse& c, const FaultsPlayed& all) {
  const auto lasted = c.ended ? std::optional(*c.ended - c.began) : std::nullopt;
  const bool began = c.strike != Strike::not_injected;
  return {{"began_ns", began ? ordered_json(c.began.ns) : ordered_json(nullptr)},
          {"struck", c.strike == Strike::injected},
          {"lasted_ns", ns_or_null(lasted)},
          {"drawn_ns", ns_or_null(c.drawn)},
          {"cut_off", all.cuts_off(c)}};
}

// The client's own name, where its history has one.
void name_client(ordered_json& one, std::int32_t process, const Naming& naming) {
  const auto place = static_cast<std::uint32_t>(process);
  if (process >= 0 && place < naming.processes.size()) one["client"] = std::string(naming.processes.view(place));
}

ordered_json event(const OperationEvent& e, const CheckResult& r) {
  const History& h = r.tables;
  constexpr std::string_view kTypes[] = {"invoke", "ok", "fail", "info"};
  ordered_json one = {{"index", e.index},
                      {"type", std::string(kTypes[static_cast<int>(e.type)])},
                      {"f", std::string(h.names.view(h.functions[e.f]))},
                      {"process", e.process}};
  name_client(one, e.process, r.naming);
  if (e.hold != kNoHold && e.hold <= r.naming.owners.size())
    one["owner"] = std::string(r.naming.owners.view(e.hold - 1));
  if (e.object != kNoName) one["object"] = std::string(h.names.view(e.object));
  if (e.hold != kNoHold) one["hold"] = e.hold;
  if (e.token != kNoToken) one["token"] = e.token;
  if (!e.value.is_nil()) one["value"] = h.values.edn(e.value);
  if (e.time != kNoTime) one["time_ns"] = e.time;
  if (e.time != kNoTime && r.naming.of_a_clock()) one["time"] = iso_text(e.time);
  if (const auto line = r.naming.lines.line_of(e.index)) one["line"] = *line;
  return one;
}

// The shortest cycle of precedence: each step comes before the next one, and the last before the first.
ordered_json contradiction(const CheckResult& r) {
  const Contradiction c = contradiction_of(r);
  ordered_json steps = ordered_json::array();
  for (const PrecedenceStep& s : c.steps) {
    const auto end = [&](EventId id) {
      const OrderedOperation& o = c.graph.operations[id];
      ordered_json one = {{"operation", o.never      ? "no release"
                                        : o.acquires ? "acquire"
                                                     : "release"},
                          {"process", o.invoke.process}};
      name_client(one, o.invoke.process, r.naming);
      if (o.never) return one;
      one["invoked"] = o.invoke.index;
      if (o.end.index != o.invoke.index) one["returned"] = o.end.index;
      return one;
    };
    steps.push_back({{"from", end(s.from)},
                     {"to", end(s.to)},
                     {"reason", std::string(name(s.reason))},
                     {"words", in_words(c.graph, s, r.naming)}});
  }
  return steps;
}

ordered_json linearization(const PartialLinearization& p, const CheckResult& r) {
  const auto operation = [&](const auto& o) {
    ordered_json one = {{"operation", o.operation}, {"invoked", event(o.invoke, r)}};
    if (o.end) one["completed"] = event(*o.end, r);
    return one;
  };
  ordered_json out = ordered_json::object();
  if (!p.part.empty()) out["part"] = p.part;
  out["initial_state"] = p.initial;
  out["omitted"] = p.omitted;
  out["placed"] = ordered_json::array();
  for (const PlacedOperation& o : p.placed) {
    out["placed"].push_back(operation(o));
    out["placed"].back()["state"] = o.state;
  }
  out["stuck"] = operation(p.stuck);
  out["candidates"] = ordered_json::array();
  for (const FailedCandidate& c : p.candidates) {
    ordered_json one = operation(c);
    one["possible"] = c.possible;
    if (c.possible) one["state"] = c.state;
    one["why_not"] = c.why;
    out["candidates"].push_back(one);
  }
  out["more_candidates"] = p.more_candidates;
  out["configurations"] = p.configurations;
  return out;
}

ordered_json minimal_witness(const MinimalWitness& w, const CheckResult& r) {
  ordered_json out = {{"claim", claim_of(w)}, {"operations", ordered_json::array()}};
  for (const PlacedOperation& o : w.operations) {
    ordered_json one = {{"operation", o.operation}, {"invoked", event(o.invoke, r)}};
    if (o.end) one["completed"] = event(*o.end, r);
    out["operations"].push_back(one);
  }
  out["left_out"] = w.others;
  out["left_out_in_own_time"] = w.own_time;
  out["minimal"] = w.minimal;
  out["reasons"] = w.reasons;
  return out;
}

ordered_json slice_of_run(const SliceStory& s) {
  ordered_json out = {{"property", s.property},         {"records", s.records},
                      {"of_records", s.of_records},     {"messages", s.messages},
                      {"of_messages", s.of_messages},   {"events", ordered_json::array()},
                      {"edges", ordered_json::array()}, {"faults_outside", s.outside}};
  for (const SliceLine& l : s.lines) {
    out["events"].push_back({{"time_ns", l.time}, {"node", l.who}, {"text", l.text}, {"end", l.end}});
  }
  out["missing"] = ordered_json::array();
  for (const MissingEvent& m : s.missing)
    out["missing"].push_back({{"since_ns", m.since}, {"node", m.who}, {"text", m.text}});
  for (const SliceEdge& e : s.edges) out["edges"].push_back({e.from, e.to});  // positions in the events
  return out;
}

}  // namespace

namespace {

// The properties that a claim about them needs it for, in this run.
ordered_json properties_that_need(const Assessment& a) {
  ordered_json names = ordered_json::array();
  for (const PropertyInfo& p : properties()) {
    if (concerns(a, p.property)) names.push_back(std::string(p.name));
  }
  return names;
}

}  // namespace

std::string run_json(const Scenario& scenario, const RunResult& r, bool raw, const std::string& replay,
                     const std::vector<IdleFault>& idle, const SliceStory* slice) {
  ordered_json out = document("run");
  out["scenario"] = scenario.name;
  out["lock"] = scenario.lock.name;
  out["lease"] = lease_json(scenario);
  out["seed"] = r.seed;
  out["digest"] = hex(r.digest);
  out["events"] = r.events;
  out["simulated_ns"] = r.length.ns;
  out["cut_off"] = r.cut_off;
  if (!r.error.empty()) out["error"] = r.error;
  for (const Finding& v : r.findings) {
    const PropertyInfo& p = info(v.property);
    const PropertySummary s = summarize(v, r.seed, scenario, raw);
    ordered_json one = {{"property", std::string(p.name)}, {"verdict", std::string(name(v.verdict))}};
    if (s.expectation) {
      one["expected"] = expectation(s);
      one["as_expected"] = s.fulfilment == Fulfilment::as_expected;
    }
    if (v.verdict == Verdict::violated) {
      if (p.unit != Unit::none) one[key_of(std::string(p.measure)) + std::string(unit_suffix(p.unit))] = v.measure;
      if (p.beside_unit != Unit::none)
        one[key_of(std::string(p.beside)) + std::string(unit_suffix(p.beside_unit))] = v.beside;
      one["holds"] = holds_of(v, *r.history);
      one["events"] = ordered_json::array();
      for (const std::uint32_t index : v.witness.all_events()) one["events"].push_back(index);
    }
    const std::string words = explain(v, *r.history, r.judged_with);
    if (!words.empty()) one["explanation"] = words;
    const std::string setting = deciding_setting(v, r, scenario);
    if (!setting.empty()) one["decided_by"] = setting;
    out["verdicts"].push_back(one);
  }
  out["assumptions"] = ordered_json::array();
  for (const Assessment& a : r.assumptions) {
    out["assumptions"].push_back({{"assumption", print(a.assumption)},
                                  {"met", a.unknown ? ordered_json(nullptr) : ordered_json(a.met)},
                                  {"observed", a.unknown ? ordered_json(nullptr) : ordered_json(a.observed)},
                                  {"needed_by", properties_that_need(a)}});
  }
  if (r.unseen.runs > 0) {
    out["owner_never_named"] = unseen_json<ordered_json>(r.unseen);
    out["warning"] = unseen_warning(scenario, r.unseen);
  }
  out["executed"] = executed(r.executed);
  out["idle_faults"] = ordered_json::array();
  for (const IdleFault& f : idle)
    out["idle_faults"].push_back({{"fault", f.fault}, {"words", f.words}, {"why", f.why}});
  out["faults"] = ordered_json::array();
  for (const FaultCourse& c : r.faults.courses) out["faults"].push_back(course(c, r.faults));
  out["tests_faults"] = !r.faults.cut_off() && !r.faults.came_late();
  out["freed_by_timeout"] = freed_json(*r.history);
  if (slice != nullptr) out["slice"] = slice_of_run(*slice);
  out["replay"] = replay;
  return text(out);
}

std::string campaign_json(const Scenario& scenario, const CampaignResult& r, bool raw, const std::string& replay) {
  ordered_json out = figures("campaign");
  out["scenario"] = scenario.name;
  out["scenario_sha1"] = scenario_sha1(scenario);
  out["lock"] = scenario.lock.name;
  out["lease"] = lease_json(scenario);
  out["seeds"] = {{"first", r.seeds.first}, {"last", r.seeds.last}};
  out["runs"] = r.runs;
  out["interrupted"] = r.interrupted;
  out["digest"] = hex(r.digest);
  out["events"] = r.events;
  out["cut_off"] = r.cut_off;
  out["judged_by"] = raw ? "verdicts" : "expectations";
  for (const PropertySummary& s : r.properties) {
    const Tally& t = s.figures();
    ordered_json one = {{"property", std::string(info(s.property).name)},
                        {"holds", t.count(Verdict::holds)},
                        {"violated", t.count(Verdict::violated)},
                        {"undecided", t.count(Verdict::undecided)},
                        {"not_tested", s.not_tested()},
                        {"not_tested_by_reason", untested_json(s.untested)},
                        {"not_applicable", t.count(Verdict::not_applicable)}};
    // A figure that does not exist is null.
    const auto known = [](bool exists, ordered_json value) { return exists ? value : ordered_json(nullptr); };
    const bool decided = t.decided() > 0, violated = t.count(Verdict::violated) > 0;
    const ShareInterval i = wilson(t.count(Verdict::violated), t.decided());
    one["share_violated"] = known(decided, t.share_violated());
    one["wilson_95"] = known(decided, {i.low, i.high});
    one["upper_bound_95"] = known(decided && !violated, upper_bound_after_none(t.decided()));
    one["lowest_violating_seed"] = known(violated, t.seed_of(Verdict::violated).value_or(0));
    if (s.unit != Unit::none) one["worst" + std::string(unit_suffix(s.unit))] = known(violated, s.largest);
    one["expected"] = expectation(s);
    one["as_expected"] = known(s.expectation.has_value(), s.fulfilment == Fulfilment::as_expected);
    out["properties"].push_back(one);
  }
  out["assumptions"] = ordered_json::array();
  for (const AssumptionSummary& a : r.assumptions) {
    out["assumptions"].push_back({{"assumption", print(a.assumption)},
                                  {"broken_in_runs", a.broken},
                                  {"unknown_in_runs", a.unknown},
                                  {"largest_observed", a.largest}});
  }
  if (r.unseen.runs > 0) {
    out["owner_never_named"] = unseen_json<ordered_json>(r.unseen);
    out["warning"] = unseen_warning(scenario, r.unseen, r.runs);
  }
  out["idle_faults"] =
      ordered_json::array();  // index: fault; runs in which it was not injected, or found nothing to disturb
  for (const FaultSummary& f : r.faults) out["idle_faults"].push_back(f.idle());
  out["faults"] = fault_summaries_json(r.faults);
  out["violated_within_assumptions"] = r.lost_within_assumptions.runs;
  out["errors"] = ordered_json::object();
  for (const auto& [seed, error] : r.errors) out["errors"][std::to_string(seed)] = error;
  out["result"] = std::string(name(r.fulfilment));
  out["replay"] = replay;
  return text(out);
}

namespace {

constexpr std::string_view kCheckVerdicts[] = {"valid", "invalid", "undecided"};

ordered_json parts_of(const PartCounts& parts) {
  return {{"decided", parts.decided()},
          {"invalid", parts.violated.count},
          {"invalid_names", parts.violated.names},
          {"undecided", parts.undecided.count},
          {"undecided_names", parts.undecided.names},
          {"not_tested", parts.untested.count},
          {"not_tested_names", parts.untested.names}};
}

ordered_json verdict_of(const PartVerdict& part) {
  const bool untested = part.verdict == Verdict::holds && !part.tested;
  ordered_json one = {
      {"name", part.name},
      {"verdict", untested ? "not tested" : std::string(kCheckVerdicts[static_cast<int>(part.verdict)])}};
  if (!part.explanation.empty()) one["explanation"] = part.explanation;
  return one;
}

}  // namespace

std::string check_json(const std::string& file, const CheckResult& r) {
  ordered_json out = document("check");
  out["file"] = file;
  out["model"] = r.model;
  out["verdict"] = std::string(kCheckVerdicts[static_cast<int>(r.verdict)]);
  out["operations"] = r.operations;
  out["records"] = r.records;
  out["not_judged"] = ordered_json::object();
  for (const auto& [function, count] : r.skipped) out["not_judged"][function] = count;
  out["events_of_no_client"] = r.of_others;
  out["times_backwards"] = r.backwards;
  if (!r.likely_time_unit.empty()) out["likely_time_unit"] = std::string(r.likely_time_unit);
  out["parts"] = parts_of(r.parts);
  if (!r.keys.empty()) out["keys"] = ordered_json::array();
  for (const PartVerdict& key : r.keys) out["keys"].push_back(verdict_of(key));
  out["overlaps"] = {{"count", r.overlaps.count}, {"first", r.overlaps.names}};
  if (r.likely_independent) out["likely_independent"] = true;
  if (!r.text_number.empty()) out["number_read_as_text"] = r.text_number;
  out["explanation"] = r.explanation;
  if (r.partial && !r.partial->part.empty()) out["part"] = r.partial->part;
  out["holds"] = ordered_json::array();
  for (const WitnessHold& h : r.holds) {
    ordered_json one = {{"acquire", event(h.acquire, r)}, {"acquired", event(h.acquired, r)}};
    if (h.release) one["release"] = event(*h.release, r);
    if (h.release_ended) one["release_ended"] = event(*h.release_ended, r);
    out["holds"].push_back(one);
  }
  out["witness"] = ordered_json::array();
  for (const OperationEvent& e : r.events) out["witness"].push_back(event(e, r));
  if (ordered_json steps = contradiction(r); !steps.empty()) out["contradiction"] = std::move(steps);
  if (r.minimal) out["minimal_witness"] = minimal_witness(*r.minimal, r);
  if (r.partial) out["partial_linearization"] = linearization(*r.partial, r);
  return text(out);
}

std::string list_json(const std::string& what, const std::vector<ListEntry>& entries) {
  ordered_json out = document("list");
  out["what"] = what;
  out["entries"] = ordered_json::array();
  for (const ListEntry& e : entries) {
    ordered_json one = {{"name", e.name}, {"summary", e.summary}};
    for (const auto& [key, value] : e.details) one[key_of(key)] = value;
    out["entries"].push_back(one);
  }
  return text(out);
}

std::string errors_json(const std::vector<ScenarioError>& errors) {
  ordered_json out = document("error");
  out["errors"] = ordered_json::array();
  for (const ScenarioError& e : errors) {
    out["errors"].push_back({{"file", e.file},
                             {"line", e.line},
                             {"column", e.column},
                             {"found", e.found},
                             {"expected", e.expected},
                             {"nearest", e.nearest}});
  }
  return text(out);
}

}  // namespace picklock
