#include "reports/run/record_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "checker/properties/given_back.hpp"
#include "checker/properties/named_owner.hpp"

namespace picklock {

std::string in_tenths(std::int64_t time) { return fmt::format("{:.1f} ms", static_cast<double>(time) / 1e6); }

std::string RecordWords::client(HoldId hold) const {
  return hold < h_.holds.size() && hold != kNoHold ? std::string(h_.names.view(h_.holds[hold].client)) : "somebody";
}

std::string_view RecordWords::shared(HoldId hold) const {
  return hold < h_.holds.size() && h_.holds[hold].mode == HoldMode::read ? " (shared)" : "";
}

std::string RecordWords::operation(const OperationEvent& e) const {
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
        if (is_named_owner(h_, e.hold, e.index))
          return fmt::format("{} fails to release {}, which stays its own", who, what);
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

std::string RecordWords::final_read(const OperationEvent& read) const {
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

std::string RecordWords::belief(const BeliefEvent& e) const {
  switch (e.end) {
    case BeliefEnd::lost:
      return fmt::format("{} learns that it has lost the lock", client(e.hold));
    case BeliefEnd::deadline:
      return fmt::format("{}'s own deadline passes: it stops believing", client(e.hold));
    default:
      return "";
  }
}

std::string RecordWords::caused(const GrantEvent& e, std::int64_t lease_until) const {
  const std::string lock(h_.names.view(h_.holds[e.hold].lock)), owner = client(e.hold);
  const std::string_view server = e.server == kNoName ? "the server" : h_.names.view(e.server);
  const bool forever = lease_until == std::numeric_limits<std::int64_t>::max();
  const bool early = !forever && e.time < lease_until;
  const std::string lease =
      forever ? fmt::format("{}'s hold", owner) : fmt::format("{}'s lease (until {})", owner, in_tenths(lease_until));
  switch (e.cause) {
    case GrantEnd::expired:
      return fmt::format("{}: {} {}, by the clock of {}", lock, lease, early ? "expires early" : "has run out", server);
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
      return e.by == kNoHold || e.by == e.hold ? ""
                                               : fmt::format("{}: {}'s request deletes {}", lock, client(e.by), lease);
    case GrantEnd::overwritten:
      return fmt::format("{}: {} overwrites {}", lock, overwriter(e), lease);
    case GrantEnd::displaced:
      return fmt::format("{}: another stands before {} now", lock, owner);
    default:
      return "";
  }
}

std::string RecordWords::overwriter(const GrantEvent& e) const {
  if (e.by != kNoHold && e.by != e.hold) return client(e.by) + "'s request";
  const auto next = std::find_if(h_.grants.begin(), h_.grants.end(), [&](const GrantEvent& g) {
    return g.change == GrantChange::begin && g.time == e.time && g.index > e.index &&
           h_.holds[g.hold].lock == h_.holds[e.hold].lock;
  });
  return next == h_.grants.end() ? "a later write" : client(next->hold) + "'s write";
}

std::string RecordWords::in_spite_of(const GrantEvent& e, HoldId before, std::int64_t lease_until) const {
  if (before == kNoHold || e.server == kNoName) return "";
  const std::string lease = lease_until == std::numeric_limits<std::int64_t>::max()
                                ? "hold"
                                : fmt::format("lease (until {})", in_tenths(lease_until));
  const std::string_view server = h_.names.view(e.server);
  if (e.cause == GrantEnd::lost) return fmt::format("; {} has lost {}'s {}", server, client(before), lease);
  if (e.cause != GrantEnd::not_replicated) return "";
  return fmt::format("; {} never heard of {}'s {}: it was not replicated", server, client(before), lease);
}

std::string RecordWords::outvoted(const GrantEvent& e, std::int64_t lease_until) const {
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
  for (const auto& [time, words] : reasons)
    all += fmt::format("{}{} ({})", all.empty() ? "" : ", ", words, in_tenths(time));
  const std::string_view how = e.time < lease_until ? "is lost early" : "has run out";
  return fmt::format("{}: {}'s lease (until {}) {}: {} of {} servers name {}; {}", h_.names.view(h_.holds[e.hold].lock),
                     client(e.hold), in_tenths(lease_until), how, naming, context_.servers.servers.size(),
                     client(e.hold), all);
}

std::string RecordWords::reason(const std::string& server, const OwnersSeen& seen, HoldId hold) const {
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

std::string RecordWords::ended(const GrantEvent& e, std::int64_t lease_until) const {
  if (context_.servers.vote && lease_until != std::numeric_limits<std::int64_t>::max()) return outvoted(e, lease_until);
  if (std::string told = caused(e, lease_until); !told.empty()) return told;
  const std::string lock(h_.names.view(h_.holds[e.hold].lock)), owner = client(e.hold);
  const std::string noticed =
      e.by == kNoHold || e.by == e.hold ? "" : fmt::format("; {}'s request ends it", client(e.by));
  if (lease_until == std::numeric_limits<std::int64_t>::max())
    return fmt::format("{}: the service names {} as owner no more{}", lock, owner, noticed);
  if (e.time < lease_until)
    return fmt::format("{}: {} loses its lease (until {}) early{}", lock, owner, in_tenths(lease_until), noticed);
  return fmt::format("{}: {}'s lease (until {}) has run out{}", lock, owner, in_tenths(lease_until), noticed);
}

std::string RecordWords::grant(const GrantEvent& e, std::int64_t lease_until) const {
  const std::string lock(h_.names.view(h_.holds[e.hold].lock));
  const std::string until =
      e.until == std::numeric_limits<std::int64_t>::max() ? "without end" : "until " + in_tenths(e.until);
  switch (e.change) {
    case GrantChange::begin:
      return fmt::format("{}: granted to {}{}, {}", lock, client(e.hold), shared(e.hold), until);
    case GrantChange::extend:
      return fmt::format("{}: {}'s lease prolonged, {}", lock, client(e.hold), until);
    case GrantChange::end:
      return ended(e, lease_until);
    case GrantChange::released:
      if (ended_unasked(h_, e))
        return fmt::format("{}: a command of {} ends its own hold, which it has not given back", lock, client(e.hold));
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

std::string RecordWords::effect(const EffectEvent& e) const {
  const std::string resource(h_.names.view(e.resource));
  const std::string token = e.token == kNoToken ? "" : fmt::format(", token {}", e.token);
  switch (e.kind) {
    case EffectKind::read:
      return fmt::format("{}: {} reads version {}{}", resource, client(e.hold), e.version, token);
    case EffectKind::write:
      return e.depends_on_read ? fmt::format("{}: {} writes version {}, computed from version {}{}", resource,
                                             client(e.hold), e.version, e.read_version, token)
                               : fmt::format("{}: {} writes version {}{}", resource, client(e.hold), e.version, token);
    case EffectKind::refused_read:
      return fmt::format("{}: refuses to let {} read{}", resource, client(e.hold), token);
    case EffectKind::refused_write:
      return fmt::format("{}: refuses the write of {}{}{}", resource, client(e.hold), token,
                         e.acknowledged ? "; the error is swallowed, and the caller takes it for written" : "");
  }
  return "";
}

std::string RecordWords::process(const ProcessEvent& e) const {
  constexpr std::string_view kWords[] = {"is stopped", "goes on", "dies", "starts again"};
  return fmt::format("{} {}", h_.names.view(e.client), kWords[static_cast<int>(e.change)]);
}

std::string RecordWords::phase(const PhaseEvent& e) const {
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

}  // namespace picklock
