// The fast checks against the definitions, on thousands of generated histories.
//
// Half of what is generated looks like the life of a hold, half is arbitrary: the checks must agree
// on whatever a recorder could write down in order, not only on what makes sense.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "checker/properties/history_lab.hpp"
#include "checker/properties/properties.hpp"
#include "checker/properties/reference_lab.hpp"
#include "checker/properties/sometimes.hpp"

namespace picklock {
namespace {

constexpr int kTimes = 24;
constexpr int kHistoriesACase = 200;  // histories for each of a hundred cases

struct Life {  // the course of one hold
  int client, lock, reader, token;
  int asked, answered, lasts, ends, ttl, extended, owned, effects;
};

struct Noise {  // an arbitrary record
  int kind, time, hold, a, b;
};

struct Plan {
  std::vector<Life> lives;
  std::vector<Noise> noise;
  std::vector<int> knobs;  // values of the options
  bool foreign;
};

// Over the whole range at any size: only the lengths of containers grow.
rc::Gen<int> below(int end) { return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, end)); }

rc::Gen<Life> a_life() {
  return rc::gen::build<Life>(rc::gen::set(&Life::client, below(3)), rc::gen::set(&Life::lock, below(5)),
                              rc::gen::set(&Life::reader, below(4)), rc::gen::set(&Life::token, below(9)),
                              rc::gen::set(&Life::asked, below(12)), rc::gen::set(&Life::answered, below(5)),
                              rc::gen::set(&Life::lasts, below(8)), rc::gen::set(&Life::ends, below(7)),
                              rc::gen::set(&Life::ttl, below(8)), rc::gen::set(&Life::extended, below(8)),
                              rc::gen::set(&Life::owned, below(8)), rc::gen::set(&Life::effects, below(16)));
}

rc::Gen<Noise> a_noise() {
  return rc::gen::build<Noise>(rc::gen::set(&Noise::kind, below(26)), rc::gen::set(&Noise::time, below(kTimes)),
                               rc::gen::set(&Noise::hold, below(6)), rc::gen::set(&Noise::a, below(6)),
                               rc::gen::set(&Noise::b, below(6)));
}

rc::Gen<Plan> a_plan() {
  return rc::gen::build<Plan>(
      rc::gen::set(&Plan::lives, rc::gen::resize(5, rc::gen::container<std::vector<Life>>(a_life()))),
      rc::gen::set(&Plan::noise, rc::gen::resize(14, rc::gen::container<std::vector<Noise>>(a_noise()))),
      rc::gen::set(&Plan::knobs, rc::gen::container<std::vector<int>>(15, below(12))),
      rc::gen::set(&Plan::foreign, rc::gen::map(below(10), [](int i) { return i == 0; })));
}

const char* lock_name(int i) { return i == 0 ? "M" : i == 4 ? "L+M" : "L"; }
const char* client_name(int i) { return i == 0 ? "a" : i == 1 ? "b" : "c"; }

void live(ScriptedHistory& h, HoldId hold, const Life& life) {
  const int got = life.asked + life.answered;
  const int end = got + life.lasts;
  h.acquires(hold, life.asked, got);
  if (life.ends < 5) {
    h.believes(hold, got, end, static_cast<BeliefEnd>(1 + life.ends % 4));
  } else if (life.ends == 5) {
    h.believes(hold, got);
  }
  if (life.ends == 0) h.releases(hold, end, end + life.ttl % 3);
  h.granted(hold, got, life.ttl == 7 ? kWithoutEnd : got + life.ttl);
  if (life.extended < 4) {
    h.grant(hold, got + life.extended, GrantChange::extend, got + life.extended + life.ttl);
  }
  if (life.owned < 6) {
    h.grant(hold, got + life.owned, life.owned % 2 == 0 ? GrantChange::released : GrantChange::end);
  }
  const auto version = static_cast<std::uint64_t>(got);
  if (life.effects & 1) h.reads(hold, got, "r", version);
  if (life.effects & 2) h.updates(hold, got + 1, "r", version + 2, version, life.effects & 4);
  if (life.effects & 8) h.writes(hold, end, "r", version + 3);
}

void operation(ScriptedHistory& h, const Noise& n, HoldId hold, OperationType type, const char* function) {
  h.operation(n.time, n.a, type, function,
              n.b == 0   ? "L"
              : n.b == 1 ? "M"
                         : "",
              n.b < 4 ? hold : kNoHold, n.b == 2 && type == OperationType::ok ? n.a : kNoToken);
}

// Kinds of operations, for Noise::kind.
constexpr std::pair<OperationType, const char*> kOperations[] = {
    {OperationType::invoke, "acquire"}, {OperationType::invoke, "acquire"}, {OperationType::ok, "acquire"},
    {OperationType::fail, "acquire"},   {OperationType::info, "acquire"},   {OperationType::invoke, "release"},
    {OperationType::ok, "release"},     {OperationType::ok, "extend"}};

void add(ScriptedHistory& h, const Noise& n, HoldId holds) {
  const HoldId hold = holds == 0 ? kNoHold : 1 + static_cast<HoldId>(n.hold) % holds;
  const HoldId other = holds == 0 ? kNoHold : static_cast<HoldId>(n.a) % (holds + 1);
  const std::int64_t until = n.a == 0 ? kWithoutEnd : n.a == 1 ? kNoTime : n.time + 2 * n.b;
  const auto version = static_cast<std::uint64_t>(n.a * 3);
  const char* resource = n.b < 4 ? "r" : "s";
  if (static_cast<std::size_t>(n.kind) < std::size(kOperations)) {
    return operation(h, n, hold, kOperations[n.kind].first, kOperations[n.kind].second);
  }
  switch (n.kind) {
    case 20:
    case 21:
      return h.process(client_name(n.a % 3), n.time, static_cast<ProcessChange>(n.b % 4));
    case 22:
      return h.phase(n.time, Phase::heal);
    case 23:
    case 24:
      return h.phase(n.time, Phase::probe);
    case 25:
      return h.refused_write(hold, n.time, resource, n.b % 8 == 0);
    default:
      break;
  }
  if (hold == kNoHold) return;
  switch (n.kind) {
    case 8:
      return h.belief(hold, n.time, BeliefEnd::none);
    case 9:
      return h.belief(hold, n.time, static_cast<BeliefEnd>(1 + n.b % 4));
    case 10:
    case 11:
      return h.granted(hold, n.time, until);
    case 12:
      return h.grant(hold, n.time, GrantChange::extend, until, other);
    case 13:
      return h.grant(hold, n.time, GrantChange::end);
    case 14:
      return h.grant(hold, n.time, GrantChange::released);
    case 15:
      return h.grant(hold, n.time, GrantChange::forced);
    case 16:
      return h.grant(hold, n.time, n.b % 2 == 0 ? GrantChange::wrong_release : GrantChange::wrong_renewal, kNoTime,
                     other);
    case 17:
      return h.reads(n.b == 0 ? kNoHold : hold, n.time, resource, version);
    case 18:
      return h.writes(n.b == 0 ? kNoHold : hold, n.time, resource, version, n.a % 2 == 0);
    case 19:
      return h.updates(hold, n.time, resource, version, static_cast<std::uint64_t>(n.b * 2), n.hold % 2 == 0);
    default:
      return;
  }
}

// Half of the histories end with a probe of L.
void probe(ScriptedHistory& h, int kind, int patience) {
  if (kind >= 6) return;
  h.phase(10, Phase::heal);
  h.phase(14, Phase::probe);
  h.operation(15, 9, OperationType::invoke, "acquire", "L");
  if (kind == 5) return;
  const OperationType answer = kind == 0 ? OperationType::ok : kind == 1 ? OperationType::info : OperationType::fail;
  h.operation(15 + patience, 9, answer, "acquire", "L");
}

// An answer has the function of its invocation; readers and recorders see to that.
void answer_what_was_asked(History& history) {
  std::map<std::int32_t, const OperationEvent*> last;
  for (OperationEvent& e : history.operations) {
    const OperationEvent*& before = last[e.process];
    const bool asked = before != nullptr && before->type == OperationType::invoke;
    if (asked && e.type != OperationType::invoke) e.f = before->f;
    before = &e;
  }
}

History history_of(const Plan& plan) {
  ScriptedHistory h;
  for (const char* name : {"a", "b", "c", "L", "M", "r", "s"}) h.intern(name);
  for (const Life& life : plan.lives) {
    const auto mode = life.reader == 0 ? HoldMode::read : HoldMode::write;
    const HoldId hold =
        h.hold(client_name(life.client), lock_name(life.lock), mode, life.token > 5 ? kNoToken : life.token);
    if (life.ends < 6) live(h, hold, life);
  }
  for (const Noise& n : plan.noise) add(h, n, static_cast<HoldId>(plan.lives.size()));
  probe(h, plan.knobs[8], plan.knobs[9]);
  History history = h.build();
  answer_what_was_asked(history);
  if (plan.foreign) {
    history.beliefs.clear();
    history.grants.clear();
    history.effects.clear();
    history.processes.clear();
    history.phases.clear();
    history.omniscient = false;
  }
  return history;
}

[[maybe_unused]] void showValue(const Plan& plan, std::ostream& out) { out << dump(history_of(plan)); }

JudgeOptions options_of(const Plan& plan, std::vector<std::int64_t>& received) {
  const auto& knobs = plan.knobs;
  JudgeOptions options;
  options.permits = knobs[0] < 8 ? 1u : knobs[0] < 11 ? 2u : 3u;
  options.honours_deadlines = knobs[1] < 6;
  options.seats = knobs[2] < 9;
  options.budget_exhausted = knobs[3] == 0;
  options.patience_limited = knobs[3] == 1;
  options.probe_process = knobs[4] < 9 ? -1 : 2;
  options.starvation_bound = knobs[5] - 1;
  options.wake_up_bound = knobs[5] - 1;
  options.orphan_bound = knobs[10] - 1;
  options.unserved_bound = knobs[11] - 1;
  options.counts_from_healing = knobs[12] % 2 == 0;
  options.splits_votes = knobs[12] % 3 == 0;
  options.too_few_servers = knobs[12] == 5;
  // The second gives up at once, the third after 9 ns: a tenth less, and a millisecond.
  static constexpr std::int64_t kPatience[] = {kNoTime, 0, 1'111'121};
  if (knobs[13] < 4) options.patience = kPatience;
  options.ends_untold = knobs[14] < 4;
  options.reentrant = knobs[6] % 2 == 0;
  options.overtaking_limit = knobs[6] < 6 ? 0 : knobs[6] < 9 ? 1 : -1;
  if (knobs[7] < 4) {
    for (const Life& life : plan.lives) received.push_back(life.ttl == 0 ? kNoTime : life.lasts);
    options.received = received;
  }
  return options;
}

std::string describe(const Finding& v) {
  std::string text(name(v.verdict));
  text += " (" + std::string(words(v.reason)) + "), measure " + std::to_string(v.measure) + ", beside " +
          std::to_string(v.beside);
  if (v.reason == Reason::vacuous) text += ", missing " + std::string(info(v.missing).missing);
  return text;
}

using Counts = std::array<std::array<int, kVerdictCount>, kPropertyCount>;

// True if a foreign history can be judged by the property at all.
bool judged_in_foreign(Property property) { return property == Property::fencing_monotonicity; }

void compare(const Plan& plan, Scratch& scratch, Counts& counts) {
  const History history = history_of(plan);
  std::vector<std::int64_t> received;
  const JudgeOptions options = options_of(plan, received);
  const Findings findings = judge(history, options, scratch);
  for (const PropertyInfo& property : properties()) {
    const Finding& fast = of(findings, property.property);
    ++counts[static_cast<std::size_t>(property.property)][static_cast<std::size_t>(fast.verdict)];
    if (plan.foreign && !judged_in_foreign(property.property)) {
      RC_ASSERT(fast.verdict == Verdict::not_applicable);
      continue;
    }
    Finding slow = reference::judge(property.property, history, options);
    slow.witness = fast.witness;
    if (fast != slow) {
      RC_FAIL(std::string(property.name) + "\nfast: " + describe(fast) + "\nslow: " + describe(slow) + "\n" +
              dump(history));
    }
    if (fast.verdict == Verdict::violated && !reference::proves(fast, history, options)) {
      RC_FAIL(std::string(property.name) + ": the witness proves nothing: " + explain(fast, history, options) + "\n" +
              dump(history));
    }
    if (fast.verdict != Verdict::holds) RC_ASSERT(!explain(fast, history, options).empty());
  }
}

TEST(FastAgainstSlow, AllPropertiesAgreeWithTheDefinitions) {
  Scratch scratch;  // one for all: what a history leaves behind must not show in the next
  Counts counts{};
  const bool agreed = rc::check([&] {
    const auto plans = *rc::gen::container<std::vector<Plan>>(kHistoriesACase, a_plan());
    for (const Plan& plan : plans) compare(plan, scratch, counts);
  });
  EXPECT_TRUE(agreed);
  for (const PropertyInfo& property : properties()) {
    const auto& count = counts[static_cast<std::size_t>(property.property)];
    EXPECT_GT(count[static_cast<std::size_t>(Verdict::violated)], 50) << property.name;
    EXPECT_GT(count[static_cast<std::size_t>(Verdict::holds)], 50) << property.name;
    EXPECT_GT(count[static_cast<std::size_t>(Verdict::undecided)], 50) << property.name;
  }
}

}  // namespace
}  // namespace picklock
