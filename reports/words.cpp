#include "reports/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "base/text.hpp"
#include "scenarios/file/lease.hpp"

namespace picklock {
namespace {

std::string at(std::int64_t time) { return fmt::format("{:.1f} ms", static_cast<double>(time) / 1e6); }

class Teller {
 public:
  Teller(const History& h, const StoryContext& context) : h_(h), context_(context) {}

  std::string client(HoldId hold) const {
    return hold < h_.holds.size() && hold != kNoHold ? std::string(h_.names.view(h_.holds[hold].client)) : "somebody";
  }

  // Of a hold that others may share.
  std::string_view shared(HoldId hold) const {
    return hold < h_.holds.size() && h_.holds[hold].mode == HoldMode::read ? " (shared)" : "";
  }

  std::string operation(const OperationEvent& e) const {
    const std::string_view f = h_.names.view(h_.functions[e.f]);
    const std::string who = client(e.hold);
    const std::string what(h_.names.view(e.object));
    const std::string token = e.token == kNoToken ? "" : fmt::format(" (token {})", e.token);
    if (f == "acquire" || f == "acquire-read") {
      switch (e.type) {
        case OperationType::invoke:
          return fmt::format("{} asks for {}{}", who, what, shared(e.hold));
        case OperationType::ok:
          return fmt::format("{} is told that it holds {}{}{}", who, what, shared(e.hold), token);
        case OperationType::fail:
          return fmt::format("{} is refused {}", who, what);
        case OperationType::info:
          return fmt::format("{} does not learn whether it got {}", who, what);
      }
    }
    if (f == "release" || f == "release-read") {
      switch (e.type) {
        case OperationType::invoke:
          return fmt::format("{} releases {}", who, what);
        case OperationType::ok:
          return fmt::format("{} is told that {} is released", who, what);
        case OperationType::fail:
          return fmt::format("{} is told that {} was not its own any more", who, what);
        case OperationType::info:
          return fmt::format("{} does not learn whether {} is released", who, what);
      }
    }
    if (f == "final-read") return e.type == OperationType::ok && !e.value.is_nil() ? final_read(e) : "";
    // Requests to the resource show as effects; only what did not work is told here.
    if (e.type == OperationType::fail) return fmt::format("{} is refused its {}{}", who, f, token);
    if (e.type == OperationType::info) return fmt::format("{} does not learn what became of its {}", who, f);
    return "";
  }

  // The resource is the one that the probe read last.  A counter is compared with what clients were told.
  std::string final_read(const OperationEvent& read) const {
    const auto is_read = [&](const EffectEvent& e) { return e.kind == EffectKind::read && e.hold == read.hold; };
    const auto before = std::partition_point(h_.effects.begin(), h_.effects.end(),
                                             [&](const EffectEvent& e) { return e.index < read.index; });
    const auto effect = std::find_if(std::make_reverse_iterator(before), h_.effects.rend(), is_read);
    if (effect == h_.effects.rend()) return fmt::format("afterwards the value is {}", h_.values.edn(read.value));
    const std::string_view resource = h_.names.view(effect->resource);
    const std::string text = fmt::format("afterwards {} is {}", resource, h_.values.edn(read.value));
    if (!resource.ends_with("counter") || !read.value.is_integer()) return text;
    const auto acknowledged = std::count_if(h_.effects.begin(), before, [&](const EffectEvent& e) {
      return e.acknowledged && e.resource == effect->resource;
    });
    const std::int64_t lost = acknowledged - read.value.number();
    if (lost <= 0) return text;
    return fmt::format("{}, though {} increments were acknowledged: {} lost", text, acknowledged,
                       lost == 1 ? "one is" : fmt::format("{} are", lost));
  }

  std::string belief(const BeliefEvent& e) const {
    switch (e.end) {
      case BeliefEnd::lost:
        return fmt::format("{} learns that it has lost the lock", client(e.hold));
      case BeliefEnd::deadline:
        return fmt::format("{}'s own deadline passes: it stops believing", client(e.hold));
      default:
        return "";
    }
  }

  // The same with the clock, the restart or the death that decided; nothing where no more is known.
  std::string caused(const GrantEvent& e, std::int64_t lease_until) const {
    const std::string lock(h_.names.view(h_.holds[e.hold].lock)), owner = client(e.hold);
    const std::string_view server = e.server == kNoName ? "the server" : h_.names.view(e.server);
    const bool forever = lease_until == std::numeric_limits<std::int64_t>::max();
    const bool early = !forever && e.time < lease_until;
    const std::string lease =
        forever ? fmt::format("{}'s hold", owner) : fmt::format("{}'s lease (until {})", owner, at(lease_until));
    switch (e.cause) {
      case GrantEnd::expired:
        return fmt::format("{}: {} {}, by the clock of {}", lock, lease, early ? "expires early" : "has run out",
                           server);
      case GrantEnd::session_over:
        return fmt::format("{}: {} is over{}: the service has ended its session", lock, lease, early ? " early" : "");
      case GrantEnd::lease_over:
        return fmt::format("{}: {} {}: the service has ended it", lock, lease, early ? "is over early" : "has run out");
      case GrantEnd::lost:
        return fmt::format("{}: {} has lost {} in the crash: what it loads has it not", lock, server, lease);
      case GrantEnd::stopped:
        return fmt::format("{}: {}, which knows of {}, is down", lock, server, lease);
      case GrantEnd::demoted:
        return fmt::format("{}: {}, which knows of {}, is not in charge any more", lock, server, lease);
      case GrantEnd::deleted:
        return e.by == kNoHold || e.by == e.hold
                   ? ""
                   : fmt::format("{}: {}'s request deletes {}", lock, client(e.by), lease);
      case GrantEnd::overwritten:
        return fmt::format("{}: {} overwrites {}", lock, overwriter(e), lease);
      case GrantEnd::displaced:
        return fmt::format("{}: another stands before {} now", lock, owner);
      default:
        return "";
    }
  }

  // Its command; or that of the next owner at the same instant.
  std::string overwriter(const GrantEvent& e) const {
    if (e.by != kNoHold && e.by != e.hold) return client(e.by) + "'s request";
    const auto next = std::find_if(h_.grants.begin(), h_.grants.end(), [&](const GrantEvent& g) {
      return g.change == GrantChange::begin && g.time == e.time && g.index > e.index &&
             h_.holds[g.hold].lock == h_.holds[e.hold].lock;
    });
    return next == h_.grants.end() ? "a later write" : client(next->hold) + "'s write";
  }

  // Why the hold before this one, which is still promised, does not hinder it.
  std::string in_spite_of(const GrantEvent& e, HoldId before, std::int64_t lease_until) const {
    if (before == kNoHold || e.server == kNoName) return "";
    const std::string lease = lease_until == std::numeric_limits<std::int64_t>::max()
                                  ? "hold"
                                  : fmt::format("lease (until {})", at(lease_until));
    const std::string_view server = h_.names.view(e.server);
    if (e.cause == GrantEnd::lost) return fmt::format("; {} has lost {}'s {}", server, client(before), lease);
    if (e.cause != GrantEnd::not_replicated) return "";
    return fmt::format("; {} never heard of {}'s {}: it was not replicated", server, client(before), lease);
  }

  // The majority that named a hold is gone: each server that ended it, when, and why.
  std::string outvoted(const GrantEvent& e, std::int64_t lease_until) const {
    std::vector<std::pair<std::int64_t, std::string>> reasons;
    std::size_t naming = 0;
    for (const NodeId server : context_.servers.servers) {
      const OwnersSeen* ended = nullptr;
      bool names = false;
      for (const OwnersSeen& o : context_.servers.owners) {
        if (o.node != server || o.time > e.time) continue;
        const bool now = std::find(o.owners.begin(), o.owners.end(), e.hold) != o.owners.end();
        if (names && !now) ended = &o;
        names = now;
      }
      naming += names;
      if (names || ended == nullptr) continue;
      reasons.emplace_back(ended->time, reason(context_.machines[server], *ended, e.hold));
    }
    std::sort(reasons.begin(), reasons.end());
    std::string all;
    for (const auto& [time, words] : reasons) all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", words, at(time));
    const std::string_view how = e.time < lease_until ? "is lost early" : "has run out";
    return fmt::format("{}: {}'s lease (until {}) {}: {} of {} servers name {}; {}",
                       h_.names.view(h_.holds[e.hold].lock), client(e.hold), at(lease_until), how, naming,
                       context_.servers.servers.size(), client(e.hold), all);
  }

  std::string reason(const std::string& server, const OwnersSeen& seen, HoldId hold) const {
    const auto end = std::find_if(seen.ended.begin(), seen.ended.end(), [&](const auto& n) { return n.hold == hold; });
    if (end == seen.ended.end()) return server + " names it no more";
    switch (end->cause) {
      case GrantEnd::expired:
        return fmt::format("the clock of {} ended it", server);
      case GrantEnd::deleted:
        return fmt::format("{} deleted it for {}", server, client(end->by));
      case GrantEnd::overwritten:
        return fmt::format("{} overwrote it for {}", server, client(end->by));
      case GrantEnd::lost:
        return fmt::format("{} lost it in the crash", server);
      case GrantEnd::stopped:
        return fmt::format("{} went down", server);
      default:
        return server + " names it no more";
    }
  }

  // `until` is the end of the lease that ends.
  std::string ended(const GrantEvent& e, std::int64_t lease_until) const {
    if (context_.servers.vote && lease_until != std::numeric_limits<std::int64_t>::max())
      return outvoted(e, lease_until);
    if (std::string told = caused(e, lease_until); !told.empty()) return told;
    const std::string lock(h_.names.view(h_.holds[e.hold].lock)), owner = client(e.hold);
    const std::string noticed =
        e.by == kNoHold || e.by == e.hold ? "" : fmt::format("; {}'s request ends it", client(e.by));
    if (lease_until == std::numeric_limits<std::int64_t>::max())
      return fmt::format("{}: the service names {} as owner no more{}", lock, owner, noticed);
    if (e.time < lease_until)
      return fmt::format("{}: {} loses its lease (until {}) early{}", lock, owner, at(lease_until), noticed);
    return fmt::format("{}: {}'s lease (until {}) has run out{}", lock, owner, at(lease_until), noticed);
  }

  std::string grant(const GrantEvent& e, std::int64_t lease_until) const {
    const std::string lock(h_.names.view(h_.holds[e.hold].lock));
    const std::string until =
        e.until == std::numeric_limits<std::int64_t>::max() ? "without end" : "until " + at(e.until);
    switch (e.change) {
      case GrantChange::begin:
        return fmt::format("{}: granted to {}{}, {}", lock, client(e.hold), shared(e.hold), until);
      case GrantChange::extend:
        return fmt::format("{}: {}'s lease prolonged, {}", lock, client(e.hold), until);
      case GrantChange::end:
        return ended(e, lease_until);
      case GrantChange::released:
        return fmt::format("{}: given back by {}", lock, client(e.hold));
      case GrantChange::forced:
        return fmt::format("{}: taken from {} by force", lock, client(e.hold));
      case GrantChange::wrong_release:
        return fmt::format("{}: {} ends the hold of {}", lock, e.by == kNoHold ? "somebody" : client(e.by),
                           client(e.hold));
      case GrantChange::wrong_renewal:
        return fmt::format("{}: {} prolongs the hold of {}, {}", lock, client(e.by), client(e.hold), until);
    }
    return "";
  }

  std::string effect(const EffectEvent& e) const {
    const std::string resource(h_.names.view(e.resource));
    const std::string token = e.token == kNoToken ? "" : fmt::format(", token {}", e.token);
    switch (e.kind) {
      case EffectKind::read:
        return fmt::format("{}: {} reads version {}{}", resource, client(e.hold), e.version, token);
      case EffectKind::write:
        return e.depends_on_read
                   ? fmt::format("{}: {} writes version {}, computed from version {}{}", resource, client(e.hold),
                                 e.version, e.read_version, token)
                   : fmt::format("{}: {} writes version {}{}", resource, client(e.hold), e.version, token);
      case EffectKind::refused_read:
        return fmt::format("{}: refuses to let {} read{}", resource, client(e.hold), token);
      case EffectKind::refused_write:
        return fmt::format("{}: refuses the write of {}{}{}", resource, client(e.hold), token,
                           e.acknowledged ? "; the error is swallowed, and the caller takes it for written" : "");
    }
    return "";
  }

  std::string process(const ProcessEvent& e) const {
    constexpr std::string_view kWords[] = {"is stopped", "goes on", "dies", "starts again"};
    return fmt::format("{} {}", h_.names.view(e.client), kWords[static_cast<int>(e.change)]);
  }

  std::string phase(const PhaseEvent& e) const {
    switch (e.phase) {
      case Phase::heal:
        return fmt::format("-- the load is over{}{}", context_.faults_healed ? ": all faults are lifted" : "",
                           context_.restarts ? ", the dead restarted" : "");
      case Phase::probe:
        return "-- a probe asks for the lock";
      default:
        return "";
    }
  }

 private:
  const History& h_;
  const StoryContext& context_;
};

std::string_view status(const PropertySummary& s) {
  if (!s.expectation) return "";
  return s.fulfilment == Fulfilment::as_expected ? "as expected" : "NOT as expected";
}

}  // namespace

std::map<std::string, char> signs_of(const std::vector<std::string>& names) {
  std::map<std::string, char> signs;
  std::set<char> taken;
  const auto give = [&](const std::string& name, const std::string& choices) {
    const auto is_free = [&](char c) { return c > ' ' && c < 127 && !taken.contains(c); };
    const auto found = std::find_if(choices.begin(), choices.end(), is_free);
    if (found == choices.end()) return false;
    taken.insert(*found);
    signs[name] = *found;
    return true;
  };
  const auto initials = [&](char c) {
    return std::count_if(names.begin(), names.end(), [c](const std::string& n) { return !n.empty() && n[0] == c; });
  };
  for (const std::string& name : names) {
    if (!name.empty() && initials(name[0]) == 1) give(name, name.substr(0, 1));
  }
  for (const std::string& name : names) {
    if (signs.contains(name)) continue;
    const std::string others = std::string(name.rbegin(), name.rend()) + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    if (!give(name, others)) signs[name] = '?';
  }
  return signs;
}

StoryContext context_of(Runner& runner, const RunResult& result) {
  const ExecutedFaults& e = result.executed;
  return {result.judged_with.fault_struck, e.kills + e.power_losses > 0 && e.restarts > 0, runner.servers_seen(),
          runner.node_names()};
}

namespace {

// Who leads from then on; the first leader of a run is no news.
void add_leaders(const StoryContext& context, std::vector<StoryLine>& lines) {
  const auto insert = [&](std::int64_t time, std::string text) {
    const auto after =
        std::partition_point(lines.begin(), lines.end(), [&](const StoryLine& l) { return l.time <= time; });
    lines.insert(after, {time, after == lines.begin() ? 0 : std::prev(after)->index, std::move(text)});
  };
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

}  // namespace

std::vector<StoryLine> story_of(const History& h, const StoryContext& context) {
  const Teller teller(h, context);
  std::vector<StoryLine> lines;
  const auto add = [&](const auto& events, auto tell) {
    for (const auto& e : events) {
      std::string text = (teller.*tell)(e);
      if (!text.empty()) lines.push_back({e.time, e.index, std::move(text)});
    }
  };
  add(h.operations, &Teller::operation);
  add(h.beliefs, &Teller::belief);
  std::vector<std::int64_t> lease_until(std::max<std::size_t>(h.holds.size(), 1), kNoTime);
  std::vector<std::int64_t> told_until = lease_until;  // by the last line that is not small
  std::map<HoldId, std::int64_t> granted_at;
  std::map<NameId, HoldId> silenced;  // by lock: the last owner whose server died or was demoted
  for (std::size_t i = 0; i < h.grants.size(); ++i) {
    const GrantEvent& e = h.grants[i];
    const std::int64_t before_it = lease_until[e.hold];
    if (e.until != kNoTime && e.hold < lease_until.size()) lease_until[e.hold] = e.until;
    // What a wrong command brings about is told with the command.
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
    StoryLine line{e.time, e.index, teller.grant(grant, lease_until[e.hold])};
    if (e.change == GrantChange::extend) {
      const std::int64_t small = std::max<std::int64_t>((e.until - e.time) / 100, 1'000'000);
      line.renewal_of = line.renewed_by = e.hold;
      line.small = told_until[e.hold] != kNoTime && std::abs(e.until - told_until[e.hold]) < small;
      if (!line.small) told_until[e.hold] = e.until;
      if (before_it != kNoTime && e.until < before_it)
        line.text = fmt::format("{}: {}'s lease now lasts until {}", h.names.view(h.holds[e.hold].lock),
                                teller.client(e.hold), at(e.until));
    }
    if (e.change == GrantChange::wrong_renewal) {
      line.renewal_of = e.hold;
      line.renewed_by = e.by;
    }
    if (e.change == GrantChange::begin) {
      HoldId& before = silenced[h.holds[e.hold].lock];
      line.text += teller.in_spite_of(e, before, lease_until[before]);
      before = kNoHold;
    } else if (e.cause == GrantEnd::stopped || e.cause == GrantEnd::demoted) {
      silenced[h.holds[e.hold].lock] = e.hold;
    }
    if (!told) lines.push_back(std::move(line));
  }
  add(h.effects, &Teller::effect);
  add(h.processes, &Teller::process);
  for (const PhaseEvent& e : h.phases) {
    std::string text = teller.phase(e);
    if (!text.empty()) lines.push_back({e.time, e.index, std::move(text)});
  }
  std::sort(lines.begin(), lines.end(), [](const StoryLine& a, const StoryLine& b) { return a.index < b.index; });
  add_leaders(context, lines);
  return lines;
}

std::string unmet_expectation(const Scenario& scenario, const PropertySummary& s) {
  const std::string_view property = info(s.property).name;
  const bool stated = scenario.expect.count(std::string(property)) > 0;
  std::string found;
  const auto add = [&](Verdict verdict, std::string_view words) {
    if (const auto n = s.tally.count(verdict); n > 0)
      found += fmt::format("{}{} in {}", found.empty() ? "" : ", ", words, n);
  };
  add(Verdict::holds, "held");
  add(Verdict::violated, "was violated");
  add(Verdict::undecided, "was undecided");
  add(Verdict::not_applicable, "did not apply");
  return fmt::format("{}: NOT as expected: {} \"{}\"; it {} of {}\n", property,
                     stated ? "the scenario expects" : scenario.lock.name + " claims", print(*s.expectation), found,
                     s.tally.runs());
}

std::string verdicts_in_words(const Scenario& scenario, const RunResult& result, bool raw) {
  std::string violated, undecided, held, unmet;
  for (const Finding& v : result.findings) {
    const PropertyInfo& p = info(v.property);
    const PropertySummary s = summarize(v, result.seed, scenario, raw);
    if (!raw && s.expectation && s.fulfilment == Fulfilment::not_as_expected) unmet += unmet_expectation(scenario, s);
    switch (v.verdict) {
      case Verdict::violated: {
        const std::string_view as = status(s);
        violated += fmt::format("  {}{}\n      {}.\n", p.name, as.empty() ? "" : fmt::format("  ({})", as),
                                explain(v, *result.history, result.judged_with));
        break;
      }
      case Verdict::undecided:
        undecided += fmt::format("  {}: {}\n", p.name, explain(v, *result.history, result.judged_with));
        break;
      case Verdict::holds:
        held += fmt::format("{}{}", held.empty() ? "" : ", ", p.name);
        break;
      case Verdict::not_applicable:
        break;
    }
  }
  std::string out = violated.empty() ? "violated: nothing\n" : "violated:\n" + violated;
  if (!held.empty()) out += "held: " + held + "\n";
  if (!undecided.empty()) out += "undecided:\n" + undecided;
  out += unmet;
  out += fmt::format("lease: {}\n", lease_told(scenario).text);
  if (!result.assumptions.empty()) {
    out += fmt::format("{} is safe if:\n", scenario.lock.name);
    for (const Assessment& a : result.assumptions) out += fmt::format("  {}\n", print(a));
  }
  if (result.cut_off) out += "the run was cut off: its budget of events is exhausted\n";
  if (!result.defect_shown.empty()) out += "the defect of the servers: " + result.defect_shown + "\n";
  if (!result.error.empty()) out += result.error + "\n";
  return out;
}

}  // namespace picklock
