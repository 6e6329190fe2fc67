#include "scenarios/run/history.hpp"

#include <algorithm>

#include "scenarios/workloads/journal.hpp"
#include "sim/redis/inspect.hpp"
#include "sim/storage/server.hpp"

namespace picklock {
namespace {

// A belief that ended at a deadline while its process was paused: it ended then, although it was
// written down only when the process went on.
bool is_late(const TraceRecord& r) {
  return r.kind == trace::belief_ends && static_cast<std::int64_t>(r.c) < r.time;
}

std::int64_t number_or_none(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

}  // namespace

void HistoryBuilder::build(const std::vector<TraceRecord>& journal, History& history) {
  history_ = &history;
  history.clear();
  history.omniscient = true;
  index_ = 0;
  grants_.reset();
  clocks_ = cast_.clocks;
  believed_.assign(cast_.client_of_node.size(), kNoHold);
  node_of_hold_.assign(1, 0);
  history.holds.resize(1);
  for (const std::string_view f : kFunctionNames) history.functions.push_back(history.names.intern(f));
  client_names_.clear();
  for (const std::string& c : cast_.client_of_node) {
    client_names_.push_back(c.empty() ? kNoName : history.names.intern(c));
  }
  resource_names_.clear();
  for (const std::string& r : cast_.resources) resource_names_.push_back(history.names.intern(r));

  if (std::none_of(journal.begin(), journal.end(), is_late)) {
    for (const TraceRecord& r : journal) see(r);
    return;
  }
  sorted_ = journal;
  for (TraceRecord& r : sorted_) {
    if (is_late(r)) r.time = static_cast<std::int64_t>(r.c);
  }
  std::stable_sort(sorted_.begin(), sorted_.end(),
                   [](const TraceRecord& a, const TraceRecord& b) { return a.time < b.time; });
  for (const TraceRecord& r : sorted_) see(r);
}

void HistoryBuilder::see(const TraceRecord& r) {
  History& h = *history_;
  using namespace trace;
  switch (r.kind) {
    case trace::operation: return operation(r);
    case operation_value: {
      OperationEvent& e = h.operations.back();
      if (number_or_none(r.b) != kNoValue) e.value = h.values.integer(number_or_none(r.b));
      if (number_or_none(r.c) != kNoValue) e.token = number_or_none(r.c);
      if (r.a != 0 && r.a <= resource_names_.size()) e.object = resource_names_[r.a - 1];
      const bool grants_token = e.f == static_cast<std::uint8_t>(Function::acquire) && e.type == OperationType::ok;
      if (grants_token) h.holds[e.hold].token = e.token;
      return;
    }
    case hold_requested: {
      h.holds.resize(std::max<std::size_t>(h.holds.size(), r.a + std::size_t{1}));
      HoldInfo& info = h.holds[r.a];
      info.lock = h.names.intern(cast_.lock);
      info.client = client_names_[r.node];
      info.process = static_cast<std::int32_t>(r.b);
      node_of_hold_.resize(h.holds.size(), 0);
      node_of_hold_[r.a] = r.node;
      return;
    }
    case belief_begins:
      h.beliefs.push_back({r.time, next(), r.a, BeliefEnd::none});
      believed_[r.node] = r.a;
      return;
    case trace::belief_ends: return belief_ends(r);
    case write_acknowledged: {
      const NameId resource = resource_names_[r.c];
      for (auto e = h.effects.rbegin(); e != h.effects.rend(); ++e) {
        if (e->hold == r.a && e->version == r.b && e->resource == resource && e->kind == EffectKind::write) {
          e->acknowledged = true;
          return;
        }
      }
      return;
    }
    case phase_begins: h.phases.push_back({r.time, next(), static_cast<Phase>(r.a)}); return;
    case storage_request: request_ = r; return;
    case storage_effect: return effect(r);
    case process_paused:
    case host_frozen: process(r, ProcessChange::stopped); return clock(r);
    case process_continued:
    case host_thawed: process(r, ProcessChange::continued); return clock(r);
    case process_killed:
    case power_lost:
      if (clocks_[r.node].frozen()) clocks_[r.node].thaw({r.time});
      return process(r, ProcessChange::died);
    case process_started: return process(r, ProcessChange::started);
    case clock_rate:
    case clock_step: return clock(r);
    case redis_key_changed:
    case redis_key_value:
    case redis_loaded:
    case redis_key_loaded: {
      const NodeId client = r.a < node_of_hold_.size() ? node_of_hold_[r.a] : NodeId{0};
      return grants_.see(r, clocks_[client].wall({r.time}), h.grants, index_);
    }
    default: return;
  }
}

void HistoryBuilder::operation(const TraceRecord& r) {
  constexpr OperationType kTypes[] = {OperationType::invoke, OperationType::ok, OperationType::fail,
                                      OperationType::info};
  OperationEvent e;
  e.time = r.time;
  e.local_time = number_or_none(r.c);
  e.index = next();
  e.process = static_cast<std::int32_t>(r.b >> 32);
  e.hold = r.a;
  e.type = kTypes[r.b >> 8 & 0xff];
  e.f = static_cast<std::uint8_t>(r.b);
  const auto f = static_cast<Function>(e.f);
  if (f == Function::acquire || f == Function::release) e.object = history_->names.intern(cast_.lock);
  history_->operations.push_back(e);
}

void HistoryBuilder::belief_ends(const TraceRecord& r) {
  if (believed_[r.node] != r.a) return;
  believed_[r.node] = kNoHold;
  history_->beliefs.push_back({r.time, next(), r.a, static_cast<BeliefEnd>(r.b)});
}

void HistoryBuilder::effect(const TraceRecord& r) {
  if (request_.a >= resource_names_.size()) return;
  const std::uint64_t flags = request_.c;
  const bool write = flags & trace::kStorageWrite, refused = flags & trace::kStorageRefused;
  EffectEvent e;
  e.time = r.time;
  e.token = flags & trace::kStorageHasToken ? number_or_none(request_.b) : kNoToken;
  e.version = r.b;
  e.read_version = r.c;
  e.index = next();
  e.hold = r.a;
  e.resource = resource_names_[request_.a];
  e.kind = write ? (refused ? EffectKind::refused_write : EffectKind::write)
                 : (refused ? EffectKind::refused_read : EffectKind::read);
  e.depends_on_read = flags & trace::kStorageDependsOnRead;
  history_->effects.push_back(e);
}

void HistoryBuilder::process(const TraceRecord& r, ProcessChange change) {
  const NameId client = client_names_[r.node];
  if (client == kNoName) return;
  history_->processes.push_back({r.time, next(), client, change});
  if (change == ProcessChange::died && believed_[r.node] != kNoHold) {
    history_->beliefs.push_back({r.time, next(), believed_[r.node], BeliefEnd::died});
    believed_[r.node] = kNoHold;
  }
}

void HistoryBuilder::clock(const TraceRecord& r) {
  Clock& c = clocks_[r.node];
  const TrueTime now{r.time};
  switch (r.kind) {
    case trace::clock_rate: return c.set_rate(now, static_cast<std::int32_t>(r.b));
    case trace::clock_step: return c.step({number_or_none(r.b)});
    case trace::host_frozen: return c.freeze(now);
    case trace::host_thawed:
      c.thaw(now);
      if (r.c != 0) c.step({number_or_none(r.b)});
      return;
    default: return;
  }
}

}  // namespace picklock
