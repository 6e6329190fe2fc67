#include "reports/run/story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>

#include "checker/properties/named_owner.hpp"
#include "reports/run/record_words.hpp"
#include "sim/task/mark.hpp"

namespace picklock {

StoryContext context_of(const RunRecord& record) {
  const ExecutedFaults& e = record.result.executed;
  return {record.result.judged_with.fault_struck, e.kills + e.power_losses > 0 && e.restarts > 0,
          record.around().servers, record.machines(), record.around().unanswered};
}

namespace {

// The line comes after all lines of its instant, or ahead of them.
void insert_line(std::vector<StoryLine>& lines, std::int64_t time, std::string text, bool ahead = false) {
  const auto after = std::partition_point(
      lines.begin(), lines.end(), [&](const StoryLine& l) { return l.time < time || (!ahead && l.time == time); });
  lines.insert(after, {time, after == lines.begin() ? 0 : std::prev(after)->index, std::move(text)});
}

// Requests of a client that believed in a hold which the service never named: what it took for a grant.
void add_unanswered(const History& h, const StoryContext& context, std::vector<StoryLine>& lines) {
  for (const Unanswered& u : context.unanswered) {
    if (u.hold == kNoHold || u.hold >= h.holds.size() || never_named(h, u.hold).empty()) continue;
    const bool believed =
        std::any_of(h.beliefs.begin(), h.beliefs.end(), [&](const BeliefEvent& e) { return e.hold == u.hold; });
    if (!believed) continue;
    const std::string who(h.names.view(h.holds[u.hold].client)), &server = context.machines[u.to];
    insert_line(lines, (u.at - TrueTime{}).ns,
                u.sent
                    ? fmt::format("{} stops waiting for an answer of {} to its {}", who, server, name_of(u.verb))
                    : fmt::format("{} stops waiting for a connection to {} for its {}", who, server, name_of(u.verb)),
                true);
  }
}

// Tells new leaders; the first leader of a run is no news.
void add_leaders(const StoryContext& context, std::vector<StoryLine>& lines) {
  const auto insert = [&](std::int64_t time, std::string text) { insert_line(lines, time, std::move(text)); };
  NodeId leads = 0;
  std::vector<NodeId> leaders;
  for (const ServerRole& role : context.servers.roles) {
    const auto known = std::find(leaders.begin(), leaders.end(), role.node);
    if (role.leads) {
      if (leads != 0 && leads != role.node)
        insert(role.time, fmt::format("{} becomes the {}", context.machines[role.node], role.name));
      leads = role.node;
      if (known == leaders.end()) leaders.push_back(role.node);
    } else if (known != leaders.end()) {
      leaders.erase(known);
      insert(role.time, fmt::format("{} does not lead any more", context.machines[role.node]));
    }
  }
}

RoundStep step_of(const History& h, const OperationEvent& e) {
  const std::string_view f = h.names.view(h.functions[e.f]);
  const bool invoke = e.type == OperationType::invoke, ok = e.type == OperationType::ok;
  if (f.starts_with("acquire")) return invoke ? RoundStep::before : ok ? RoundStep::begins : RoundStep::unusual;
  return f.starts_with("release") && (invoke || ok) ? RoundStep::ends : RoundStep::unusual;
}
RoundStep step_of(const History&, const BeliefEvent&) { return RoundStep::unusual; }
RoundStep step_of(const History&, const GrantEvent& e) {
  if (e.change == GrantChange::begin || e.change == GrantChange::extend) return RoundStep::before;
  return e.change == GrantChange::released ? RoundStep::ends : RoundStep::unusual;
}
RoundStep step_of(const History&, const EffectEvent& e) {
  const bool done = e.kind == EffectKind::read || e.kind == EffectKind::write;
  return done ? RoundStep::works : RoundStep::unusual;
}

}  // namespace

std::vector<StoryLine> story_of(const History& h, const StoryContext& context) {
  const RecordWords words(h, context);
  std::vector<StoryLine> lines;
  const auto add = [&](const auto& events, auto tell) {
    for (const auto& e : events) {
      std::string text = (words.*tell)(e);
      if (text.empty()) continue;
      StoryLine& line = lines.emplace_back();
      line = {e.time, e.index, std::move(text)};
      line.hold = e.hold;
      line.step = step_of(h, e);
    }
  };
  add(h.operations, &RecordWords::operation);
  add(h.beliefs, &RecordWords::belief);
  std::vector<std::int64_t> lease_until(std::max<std::size_t>(h.holds.size(), 1), kNoTime);
  std::vector<std::int64_t> told_until = lease_until;  // index: hold; the end told by its last line that is not small
  std::map<HoldId, std::int64_t> granted_at;
  std::map<NameId, HoldId> silenced;  // key: lock; the last owner whose server died or was demoted
  for (std::size_t i = 0; i < h.grants.size(); ++i) {
    const GrantEvent& e = h.grants[i];
    const std::int64_t before_it = lease_until[e.hold];
    if (e.until != kNoTime && e.hold < lease_until.size()) lease_until[e.hold] = e.until;
    // The line of a wrong command tells its effect, too.
    const bool told =
        i > 0 && e.by != e.hold && h.grants[i - 1].hold == e.hold && h.grants[i - 1].time == e.time &&
        (h.grants[i - 1].change == GrantChange::wrong_release || h.grants[i - 1].change == GrantChange::wrong_renewal);
    // The command that grants may set the lease in a second step of the same instant.
    if (e.change == GrantChange::extend && granted_at[e.hold] == e.time) continue;
    if (e.change == GrantChange::begin) {
      granted_at[e.hold] = e.time;
      for (std::size_t next = i + 1; next < h.grants.size() && h.grants[next].time == e.time; ++next) {
        if (h.grants[next].hold == e.hold && h.grants[next].change == GrantChange::extend)
          lease_until[e.hold] = h.grants[next].until;
      }
    }
    GrantEvent grant = e;
    if (e.change == GrantChange::begin) grant.until = told_until[e.hold] = lease_until[e.hold];
    StoryLine line{e.time, e.index, words.grant(grant, lease_until[e.hold])};
    line.hold = e.hold;
    line.step = step_of(h, e);
    if (e.change == GrantChange::extend) {
      const std::int64_t small = std::max<std::int64_t>((e.until - e.time) / 100, 1'000'000);
      line.renewal_of = line.renewed_by = e.hold;
      line.small = told_until[e.hold] != kNoTime && std::abs(e.until - told_until[e.hold]) < small;
      if (!line.small) told_until[e.hold] = e.until;
      if (before_it != kNoTime && e.until < before_it)
        line.text = fmt::format("{}: {}'s lease now lasts until {}", h.names.view(h.holds[e.hold].lock),
                                words.client(e.hold), in_tenths(e.until));
    }
    if (e.change == GrantChange::wrong_renewal) {
      line.renewal_of = e.hold;
      line.renewed_by = e.by;
    }
    if (e.change == GrantChange::begin) {
      HoldId& before = silenced[h.holds[e.hold].lock];
      line.text += words.in_spite_of(e, before, lease_until[before]);
      before = kNoHold;
    } else if (e.cause == GrantEnd::stopped || e.cause == GrantEnd::demoted) {
      silenced[h.holds[e.hold].lock] = e.hold;
    }
    if (!told) lines.push_back(std::move(line));
  }
  add(h.effects, &RecordWords::effect);
  for (const ProcessEvent& e : h.processes) lines.push_back({e.time, e.index, words.process(e)});
  for (const PhaseEvent& e : h.phases) {
    std::string text = words.phase(e);
    if (!text.empty()) lines.push_back({e.time, e.index, std::move(text)});
  }
  std::sort(lines.begin(), lines.end(), [](const StoryLine& a, const StoryLine& b) { return a.index < b.index; });
  add_leaders(context, lines);
  add_unanswered(h, context, lines);
  return lines;
}

}  // namespace picklock
