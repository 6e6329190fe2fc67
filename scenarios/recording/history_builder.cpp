#include "scenarios/recording/history_builder.hpp"

#include <algorithm>
#include <numeric>

#include "sim/core/first_heard.hpp"
#include "sim/storage/server.hpp"

namespace picklock {
namespace {

// A belief that ended at a deadline while its process was paused: it ended then, although it was
// written down only when the process went on.
bool is_late(const TraceRecord& r) { return r.kind == trace::belief_ends && static_cast<std::int64_t>(r.c) < r.time; }

// The ends of an operation stand in the order of the types of its records.
OperationType type_of(OperationEnd end) {
  static_assert(static_cast<int>(OperationEnd::invoked) == static_cast<int>(OperationType::invoke) &&
                static_cast<int>(OperationEnd::unknown) == static_cast<int>(OperationType::info));
  return static_cast<OperationType>(end);
}

// Changes of grants that a server has made by itself.
bool is_of_server_alone(GrantEnd cause) {
  return cause == GrantEnd::expired || cause == GrantEnd::lost || cause == GrantEnd::stopped ||
         cause == GrantEnd::demoted || cause == GrantEnd::not_replicated;
}

std::int64_t number_or_none(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

}  // namespace

HistoryBuilder::HistoryBuilder(Roster roster,
                               const std::function<std::unique_ptr<GrantJudge>(const std::string&)>& judge_of,
                               std::unique_ptr<ChangeReader> changes)
    : roster_(std::move(roster)), kept_{std::move(changes)} {
  for (const std::string& name : roster_.locks.names) grants_.push_back(judge_of(name));
  name();
}

const History& HistoryBuilder::build(std::span<const TraceRecord> journal) {
  begin();
  for (std::uint32_t place = 0; place < journal.size(); ++place) see(journal[place], place);
  if (late_) see_late(journal);
  return made_->history;
}

inline void HistoryBuilder::see(const TraceRecord& r, std::uint32_t place) {
  see(r);
  if (notes_sources_) made_->sources.resize(index_, place);
}

void HistoryBuilder::begin() {
  if (made_.use_count() > 1) made_ = std::make_shared<Recording>(*made_);
  made_->sources.clear();
  made_->first_heard.clear();
  made_->history.clear_records();
  made_->history.names.back_to(named_);
  made_->history.omniscient = made_->history.sound = true;
  incidents_.clear();
  index_ = 0;
  late_ = false;
  for (const auto& judge : grants_) judge->reset();
  for (const auto& view : views_) {
    if (view != nullptr) view->reset();
  }
  if (kept_.changes) kept_.changes->reset();
  clocks_ = roster_.clocks;
  believed_.resize(roster_.clients_of_node.size());
  for (auto& holds : believed_) holds.clear();
  requests_.assign(1, {});
  kept_.computed_from.clear();
  kept_.changed_to = 0;
  made_->history.holds.resize(1);
}

void HistoryBuilder::name() {
  Names& names = made_->history.names;
  for (const std::string_view f : kFunctionNames) {
    made_->history.functions.push_back(names.intern(f));
    made_->history.roles.push_back(role_of(f));
  }
  for (const std::string& c : roster_.clients) names_.clients.push_back(names.intern(c));
  for (const std::string& l : roster_.locks.names) names_.locks.push_back(names.intern(l));
  for (const std::string& l : roster_.locks.multis) names_.locks.push_back(names.intern(l));
  for (const std::string& r : roster_.resources) names_.resources.push_back(names.intern(r));
  named_ = names.here();
}

inline void HistoryBuilder::see(const TraceRecord& r) {
  History& h = made_->history;
  using namespace trace;
  switch (r.kind) {
    case trace::operation:
      return operation(r);
    case operation_value: {
      OperationEvent& e = h.operations.back();
      if (number_or_none(r.b) != kNoValue) e.value = h.values.integer(number_or_none(r.b));
      if (number_or_none(r.c) != kNoValue) e.token = number_or_none(r.c);
      if (r.a != 0 && r.a <= names_.resources.size()) e.object = names_.resources[r.a - 1];
      const auto f = static_cast<Function>(e.f);
      const bool acquires = f == Function::acquire || f == Function::acquire_read;
      const bool grants_token = acquires && e.type == OperationType::ok;
      for (HoldId hold = e.hold; grants_token && hold < h.holds.size(); ++hold) {
        if (hold != e.hold && requests_[hold].kind != HoldKind::part) break;
        h.holds[hold].token = e.token;
      }
      return;
    }
    case hold_requested:
      return hold(r);
    case belief_begins:
      h.beliefs.push_back({r.time, next(), r.a, BeliefEnd::none});
      believed_[r.node].push_back(r.a);
      return;
    case trace::belief_ends:
      return belief_ends(r);
    case write_acknowledged: {
      const NameId resource = names_.resources[r.c];
      for (auto e = h.effects.rbegin(); e != h.effects.rend(); ++e) {
        if (e->hold == r.a && e->version == r.b && e->resource == resource && e->kind == EffectKind::write) {
          e->acknowledged = true;
          return;
        }
      }
      return;
    }
    case refusal_swallowed:
      return swallowed(r);
    case phase_begins:
      h.phases.push_back({r.time, next(), static_cast<Phase>(r.a)});
      return;
    case write_requested:
      kept_.computed_from.resize(std::max<std::size_t>(kept_.computed_from.size(), r.a + std::size_t{1}));
      kept_.computed_from[r.a] = r.b;
      return;
    case kept_read_answered:
    case kept_write_refused:
      return kept_resource_answered(r);
    case storage_request:
      request_ = r;
      return;
    case storage_effect:
      return effect(r);
    case deadline_announced:
      return;
    case process_paused:
    case host_frozen:
      process(r, ProcessChange::stopped);
      return follow_clock(r, clocks_[r.node]);
    case process_continued:
    case host_thawed:
      process(r, ProcessChange::continued);
      return follow_clock(r, clocks_[r.node]);
    case process_killed:
    case process_panicked:
    case power_lost:
      follow_clock(r, clocks_[r.node]);
      process(r, ProcessChange::died);
      (void)grants(r);
      return;
    case process_started:
      return process(r, ProcessChange::started);
    case clock_rate:
    case clock_step:
      incidents_.push_back(r);
      return follow_clock(r, clocks_[r.node]);
    default:
      break;
  }
  if (const auto change = kept_.changes ? kept_.changes->see(r) : std::nullopt) kept_resource_changed(*change, r.time);
  if (!grants(r)) incidents_.push_back(r);
}

// A belief ended before that was written down: all records are seen again, in the order of what happened.
void HistoryBuilder::see_late(std::span<const TraceRecord> journal) {
  std::vector<TraceRecord> corrected(journal.begin(), journal.end());
  for (TraceRecord& r : corrected) {
    if (is_late(r)) r.time = static_cast<std::int64_t>(r.c);
  }
  std::vector<std::uint32_t> order(corrected.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return corrected[a].time < corrected[b].time; });
  begin();
  for (const std::uint32_t place : order) see(corrected[place], place);
}

// A resource kept at that place gets an effect, when the first of the servers records the change.
void HistoryBuilder::kept_resource_changed(const KeptChange& change, std::int64_t time) {
  const auto at = std::find(roster_.kept_at.begin(), roster_.kept_at.end(), change.place);
  if (at == roster_.kept_at.end() || change.hold >= kept_.computed_from.size() || change.version <= kept_.changed_to)
    return;
  kept_.changed_to = change.version;
  EffectEvent e;
  e.time = time;
  if (change.hold < made_->history.holds.size()) e.token = made_->history.holds[change.hold].token;
  e.version = kept_.changed_to;
  e.read_version = kept_.computed_from[change.hold];
  e.index = next();
  e.hold = change.hold;
  e.resource = names_.resources[static_cast<std::size_t>(at - roster_.kept_at.begin())];
  e.kind = EffectKind::write;
  e.depends_on_read = true;
  made_->history.effects.push_back(e);
}

void HistoryBuilder::swallowed(const TraceRecord& r) {
  const auto refused =
      std::find_if(made_->history.effects.rbegin(), made_->history.effects.rend(), [&](const EffectEvent& e) {
        return e.kind == EffectKind::refused_write && e.hold == r.a && e.resource == names_.resources[r.c];
      });
  if (refused != made_->history.effects.rend()) refused->acknowledged = true;
}

// Servers record only changes of a kept resource: what else happened to it is known from the client's answer.
void HistoryBuilder::kept_resource_answered(const TraceRecord& r) {
  if (r.c >= names_.resources.size()) return;
  const bool read = r.kind == trace::kept_read_answered;
  EffectEvent e;
  e.time = r.time;
  e.token = made_->history.holds[r.a].token;
  e.version = r.b;
  e.index = next();
  e.hold = r.a;
  e.resource = names_.resources[r.c];
  e.kind = read ? EffectKind::read : EffectKind::refused_write;
  e.depends_on_read = !read;
  made_->history.effects.push_back(e);
}

void HistoryBuilder::hold(const TraceRecord& r) {
  const std::uint32_t lock = requested_lock(r.c);
  while (requests_.size() <= r.a) {
    requests_.emplace_back();
    made_->history.holds.emplace_back();
  }
  requests_[r.a] = {r.node, requested_kind(r.c), lock >= roster_.locks.names.size(), lock};
  HoldInfo& info = made_->history.holds[r.a];
  info.lock = names_.locks[lock];
  info.process = static_cast<std::int32_t>(r.b);
  info.client = names_.clients[static_cast<std::size_t>(r.b) % names_.clients.size()];
  info.mode = requested_shared(r.c) ? HoldMode::read : HoldMode::write;
}

HoldId HistoryBuilder::part_of(HoldId hold, std::uint32_t lock) const {
  for (HoldId part = hold + 1; part < requests_.size() && requests_[part].kind == HoldKind::part; ++part) {
    if (requests_[part].lock == lock) return part;
  }
  return hold;
}

const std::vector<std::int64_t>& HistoryBuilder::first_heard(
    const std::function<void(std::vector<std::int64_t>&)>& ask_servers) {
  static_assert(FirstHeard::kNever == kNoTime);
  std::vector<std::int64_t>& by_hold = made_->first_heard;
  by_hold.assign(requests_.size(), FirstHeard::kNever);
  ask_servers(by_hold);
  for (const auto& judge : grants_) judge->first_heard(by_hold);
  // Commands are sent on behalf of a whole multi-lock: what is known of it holds of its parts.
  for (std::size_t hold = 1; hold < std::min(by_hold.size(), requests_.size()); ++hold) {
    if (requests_[hold].kind == HoldKind::part) by_hold[hold] = by_hold[hold - 1];
  }
  return by_hold;
}

NameId HistoryBuilder::machine(NodeId node) {
  return node < roster_.machines.size() ? made_->history.names.intern(roster_.machines[node]) : kNoName;
}

// The provenance of a server's record, as a judge or view of this lock sees it.
inline Provenance HistoryBuilder::provenance(const TraceRecord& r, HoldId hold, std::uint32_t lock) const {
  Provenance by;
  by.here = clocks_[r.node].wall({r.time});
  if (hold == kNoHold || hold >= requests_.size()) return by;
  const Request& request = requests_[hold];
  const HoldInfo& info = made_->history.holds[hold];
  by.hold = request.several ? part_of(hold, lock) : hold;
  by.client = info.client;
  by.force = request.kind == HoldKind::force;
  by.wall = clocks_[request.node].wall({r.time});
  by.shared = info.mode == HoldMode::read;
  return by;
}

bool HistoryBuilder::grants(const TraceRecord& r) {
  bool wanted = false;
  for (std::uint32_t lock = 0; lock < grants_.size(); ++lock) {
    GrantJudge& judge = *grants_[lock];
    if (!judge.wants(r.kind)) continue;
    wanted = true;
    const Provenance by = provenance(r, judge.hold_of(r), lock);
    std::uint32_t unnamed = index_;
    judge.see(r, by, made_->history.grants, index_);
    for (auto e = made_->history.grants.rbegin(); unnamed != index_; ++unnamed, ++e) {
      if (is_of_server_alone(e->cause)) e->server = machine(r.node);
    }
  }
  if (!views_.empty()) show(r);
  return wanted;
}

void HistoryBuilder::show(const TraceRecord& r) {
  for (std::uint32_t lock = 0; lock < views_.size(); ++lock) {
    ServerViews* const view = views_[lock].get();
    if (view != nullptr && view->wants(r.kind))
      view->see(r, provenance(r, view->hold_of(r), lock), made_->history.grants, index_);
  }
}

inline void HistoryBuilder::operation(const TraceRecord& r) {
  OperationEvent& e = made_->history.operations.emplace_back();
  e.time = r.time;
  e.local_time = number_or_none(r.c);
  e.index = next();
  e.process = static_cast<std::int32_t>(r.b >> 32);
  e.hold = r.a;
  e.type = type_of(static_cast<OperationEnd>(r.b >> 8 & 0xff));
  auto f = static_cast<Function>(r.b & 0xff);
  if (f == Function::acquire || f == Function::release || f == Function::force) {
    const HoldInfo& hold = made_->history.holds[e.hold];
    e.object = hold.lock;
    const bool reads = hold.mode == HoldMode::read;
    if (reads && f == Function::acquire) f = Function::acquire_read;
    if (reads && f == Function::release) f = Function::release_read;
  }
  e.f = static_cast<std::uint8_t>(f);
}

void HistoryBuilder::belief_ends(const TraceRecord& r) {
  std::vector<HoldId>& holds = believed_[r.node];
  late_ = late_ || is_late(r);
  const auto found = std::find(holds.begin(), holds.end(), r.a);
  if (found == holds.end()) return;
  holds.erase(found);
  made_->history.beliefs.push_back({r.time, next(), r.a, static_cast<BeliefEnd>(r.b)});
}

void HistoryBuilder::effect(const TraceRecord& r) {
  if (request_.a >= names_.resources.size()) return;
  const std::uint64_t flags = request_.c;
  const bool write = flags & trace::kStorageWrite, refused = flags & trace::kStorageRefused;
  EffectEvent& e = made_->history.effects.emplace_back();
  e.time = r.time;
  e.token = flags & trace::kStorageHasToken ? number_or_none(request_.b) : kNoToken;
  e.version = r.b;
  e.read_version = r.c;
  e.index = next();
  e.hold = r.a;
  e.resource = names_.resources[request_.a];
  e.kind = write ? (refused ? EffectKind::refused_write : EffectKind::write)
                 : (refused ? EffectKind::refused_read : EffectKind::read);
  e.depends_on_read = flags & trace::kStorageDependsOnRead;
}

void HistoryBuilder::process(const TraceRecord& r, ProcessChange change) {
  incidents_.push_back(r);
  for (const std::uint32_t client : roster_.clients_of_node[r.node]) {
    made_->history.processes.push_back({r.time, next(), names_.clients[client], change});
  }
  if (change != ProcessChange::died) return;
  for (const HoldId hold : believed_[r.node]) {
    made_->history.beliefs.push_back({r.time, next(), hold, BeliefEnd::died});
  }
  believed_[r.node].clear();
}

void follow_clock(const TraceRecord& r, Clock& c) {
  const TrueTime now{r.time};
  switch (r.kind) {
    case trace::clock_rate:
      return c.set_rate(now, static_cast<std::int32_t>(r.b));
    case trace::clock_step:
      return c.step({number_or_none(r.b)});
    case trace::host_frozen:
      return c.freeze(now);
    case trace::host_thawed:
      c.thaw(now);
      if (r.c != 0) c.step({number_or_none(r.b)});
      return;
    case trace::process_killed:
    case trace::process_panicked:
    case trace::power_lost:
      if (c.frozen()) c.thaw(now);
      return;
    default:
      return;
  }
}

}  // namespace picklock
