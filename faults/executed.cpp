#include "faults/executed.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "faults/fault_kinds.hpp"
#include "faults/journal.hpp"

namespace picklock {
namespace {

// A stretch of true time that is open or not.
struct Stretch {
  std::optional<TrueTime> since;
  void begin(TrueTime now) {
    if (!since) since = now;
  }
  void end(TrueTime now, Duration& longest) {
    if (since) longest = std::max(longest, now - *since);
    since.reset();
  }
};

struct NodeState {
  NodeId node = 0;
  Stretch paused, frozen, stopped, dead, task_paused;
  Absence absence{};
  std::uint32_t paused_tasks = 0;
  Duration steps;  // sum of all steps of the wall clock since the start
  bool alive = true;
};

class Measurement {
 public:
  Measurement(const World& world, Executed& out) : world_(world), out_(out) {
    out_ = {
        .injected = std::move(out.injected), .instants = std::move(out.instants), .absences = std::move(out.absences)};
    out_.injected.assign(fault_kinds().size(), 0);
    out_.instants.clear();
    out_.absences.clear();
  }

  void add(const TraceRecord& r);
  void finish();

 private:
  NodeState* find(NodeId node) {
    const auto known = std::find_if(nodes_.begin(), nodes_.end(), [=](const NodeState& n) { return n.node == node; });
    return known != nodes_.end() ? &*known : nullptr;
  }
  NodeState& state_of(NodeId node) {
    if (NodeState* const known = find(node)) return *known;
    NodeState& fresh = nodes_.emplace_back();
    fresh.node = node;
    return fresh;
  }
  void end_process(NodeState& n, TrueTime now) {
    n.alive = false;
    n.dead.begin(now);
    n.paused.end(now, out_.longest_pause);
    n.stopped.end(now, n.absence.stopped);
    n.task_paused.end(now, out_.longest_task_pause);
    n.paused_tasks = 0;
  }
  void went_on(NodeState& n, TrueTime now) {
    if (!n.paused.since && !n.frozen.since) n.stopped.end(now, n.absence.stopped);
  }
  void step(Duration d) {
    out_.largest_clock_step = std::max(out_.largest_clock_step, Duration{std::abs(d.ns)});
    ++out_.clock_steps;
  }

  const World& world_;
  Executed& out_;
  std::vector<NodeState> nodes_;  // nodes that something happened to
};

void Measurement::add(const TraceRecord& r) {
  const TrueTime now{r.time};
  NodeState& n = state_of(r.node);
  const auto signed_b = static_cast<std::int64_t>(r.b);
  switch (r.kind) {
    case trace::process_paused:
      ++out_.pauses;
      n.paused.begin(now);
      n.stopped.begin(now);
      break;
    case trace::process_continued:
      n.paused.end(now, out_.longest_pause);
      went_on(n, now);
      break;
    case trace::host_frozen:
      ++out_.freezes;
      n.frozen.begin(now);
      if (n.alive) n.stopped.begin(now);
      break;
    case trace::host_thawed:
      n.frozen.end(now, out_.longest_freeze);
      went_on(n, now);
      if (r.c != 0) {
        n.steps += Duration{signed_b};  // caught up: wrong at no instant that anyone could see
      } else {
        step(Duration{signed_b});
      }
      break;
    case trace::task_paused:
      ++out_.task_pauses;
      if (n.paused_tasks++ == 0) n.task_paused.begin(now);
      break;
    case trace::task_continued:
      if (--n.paused_tasks == 0) n.task_paused.end(now, out_.longest_task_pause);
      break;
    case trace::process_killed:
      ++out_.kills;
      end_process(n, now);
      break;
    case trace::process_panicked:  // the fault is its own: no assumption about its surroundings was broken
      end_process(n, now);
      break;
    case trace::power_lost:
      ++out_.power_losses;
      end_process(n, now);
      n.frozen.end(now, out_.longest_freeze);
      break;
    case trace::process_started:
      ++out_.restarts;
      n.alive = true;
      n.dead.end(now, n.absence.dead);
      if (n.frozen.since) n.stopped.begin(now);
      break;
    case trace::clock_step:
      step(Duration{signed_b});
      n.steps += Duration{signed_b};
      break;
    case trace::clock_rate:
      out_.largest_rate_error_ppm = std::max(out_.largest_rate_error_ppm, std::abs(signed_b));
      break;
    case trace::fault_began:
    case trace::fault_ended: {
      const bool began = r.kind == trace::fault_began;
      const Injection injection = began ? static_cast<Injection>(r.c) : Injection::missed;
      if (injection != Injection::missed) ++out_.injected[r.b];
      out_.instants.push_back({now, r.node, r.a, static_cast<std::uint32_t>(r.b), began, injection});
      break;
    }
    default:
      break;
  }
}

void Measurement::finish() {
  const TrueTime now = world_.now();
  for (NodeState& n : nodes_) {
    n.paused.end(now, out_.longest_pause);
    n.frozen.end(now, out_.longest_freeze);
    n.stopped.end(now, n.absence.stopped);
    n.dead.end(now, n.absence.dead);
    n.task_paused.end(now, out_.longest_task_pause);
    out_.longest_stop = std::max(out_.longest_stop, n.absence.stopped);
    n.absence.node = n.node;
    if (n.absence != Absence{n.node}) out_.absences.push_back(n.absence);
  }
  for (std::size_t i = 1; i < world_.nodes.count(); ++i) {
    const Clock& clock = world_.nodes.clock(static_cast<NodeId>(i));
    const NodeState* const state = find(static_cast<NodeId>(i));
    const Duration offset = clock.offset() - Clock::kEpoch - (state != nullptr ? state->steps : Duration{});
    out_.largest_clock_offset = std::max(out_.largest_clock_offset, Duration{std::abs(offset.ns)});
    out_.largest_rate_error_ppm =
        std::max<std::int64_t>(out_.largest_rate_error_ppm, std::abs(std::int64_t{clock.ppm()}));
  }
  out_.longest_message_delay = world_.network.longest_delay();
  out_.segments_lost = static_cast<std::int64_t>(world_.network.segments_lost());
}

}  // namespace

void measure(const World& world, std::span<const TraceRecord> records, Executed& executed) {
  Measurement measurement(world, executed);
  for (const TraceRecord& r : records) measurement.add(r);
  measurement.finish();
}

}  // namespace picklock
