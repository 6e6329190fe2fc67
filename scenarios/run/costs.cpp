#include "scenarios/run/costs.hpp"

#include <algorithm>

#include "checker/properties/deadlock.hpp"
#include "scenarios/recording/journal.hpp"
#include "scenarios/services/service.hpp"
#include "sim/task/mark.hpp"

namespace picklock {
namespace {

struct Begun {  // a command of a client's machine
  std::int64_t time;
  NodeId node;
};

// Every command's beginning, in order.
std::vector<Begun> commands_of(const RunRecord& record) {
  std::vector<Begun> all;
  for (const TraceRecord& r : record.full_trace()) {
    const bool verb = r.kind == trace::mark_passed && r.a >= mark::first_command;
    if (verb && r.b == static_cast<std::uint64_t>(MarkSide::before)) all.push_back({r.time, r.node});
  }
  return all;
}

// The last instant in [from, until) at which a hold on what `wanted` asks for ended; kNoTime: none.
std::int64_t freed_between(const History& h, HoldId wanted, std::int64_t from, std::int64_t until) {
  std::int64_t freed = kNoTime;
  for (const GrantEvent& g : h.grants) {
    if (g.time >= until) break;
    const bool ends =
        g.change == GrantChange::end || g.change == GrantChange::released || g.change == GrantChange::forced;
    if (ends && g.time >= from && g.hold != wanted && stands_for(h.names, h.holds[wanted].lock, h.holds[g.hold].lock)) {
      freed = g.time;
    }
  }
  return freed;
}

void append(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void Costs::add(const Costs& other) {
  append(latency_ns, other.latency_ns);
  append(requests, other.requests);
  append(wake_up_ns, other.wake_up_ns);
  asked += other.asked;
  granted += other.granted;
  commands += other.commands;
  watch_events += other.watch_events;
  overtaken += other.overtaken;
}

Costs costs_of(const RunRecord& record) {
  const History& h = record.history();
  Costs costs;
  std::int64_t probe = record.result.length.ns;
  for (const PhaseEvent& p : h.phases) {
    if (p.phase == Phase::probe) probe = p.time;
  }
  std::vector<NodeId> node_of_hold(h.holds.size(), 0);
  for (const TraceRecord& r : record.journal()) {
    if (r.kind == trace::hold_requested) node_of_hold[r.a] = r.node;
  }
  const std::vector<Begun> commands = commands_of(record);
  for (const Begun& c : commands) costs.commands += c.time < probe;
  const TraceKind notification = record.cast->service == nullptr ? TraceKind{0} : record.cast->service->notification;
  for (const TraceRecord& r : record.full_trace()) {
    costs.watch_events += notification != 0 && r.kind == notification && r.time < probe;
  }
  std::vector<const OperationEvent*> open(h.holds.size(), nullptr);  // acquires, by hold
  for (const OperationEvent& e : h.operations) {
    const auto f = static_cast<Function>(e.f);
    if ((f != Function::acquire && f != Function::acquire_read) || e.time >= probe) continue;
    if (e.type == OperationType::invoke) {
      ++costs.asked;
      open[e.hold] = &e;
      continue;
    }
    if (e.type != OperationType::ok || open[e.hold] == nullptr) continue;
    const std::int64_t from = open[e.hold]->time;
    ++costs.granted;
    costs.latency_ns.push_back(e.time - from);
    const auto first = std::lower_bound(commands.begin(), commands.end(), from,
                                        [](const Begun& c, std::int64_t t) { return c.time < t; });
    std::int64_t sent = 0;
    for (auto c = first; c != commands.end() && c->time <= e.time; ++c) {
      sent += c->node == node_of_hold[e.hold] && (c->time < e.time || from == e.time);
    }
    costs.requests.push_back(sent);
    const std::int64_t freed = freed_between(h, e.hold, from, e.time);
    if (freed != kNoTime) costs.wake_up_ns.push_back(e.time - freed);
  }
  costs.overtaken = static_cast<std::uint64_t>(of(record.result.findings, Property::overtaking).beside);
  return costs;
}

Spread spread_of(std::vector<std::int64_t> values) {
  Spread s;
  s.count = values.size();
  if (values.empty()) return s;
  std::sort(values.begin(), values.end());
  const auto n = static_cast<std::int64_t>(values.size());
  // Quotients and remainders apart: the sum of many long times may not fit.
  std::int64_t whole = 0, rest = 0;
  for (const std::int64_t v : values) {
    whole += v / n;
    rest += v % n;
  }
  whole += rest / n;
  rest %= n;
  if (2 * rest >= n) ++whole;
  if (2 * rest <= -n) --whole;
  s.mean = whole;
  const auto at = [&](std::int64_t numerator, std::int64_t denominator) {
    return values[static_cast<std::size_t>((n * numerator + denominator - 1) / denominator - 1)];
  };
  s.median = at(1, 2);
  s.p95 = at(95, 100);
  s.most = values.back();
  return s;
}

}  // namespace picklock
