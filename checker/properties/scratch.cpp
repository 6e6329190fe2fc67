#include "checker/properties/scratch.hpp"

#include <algorithm>
#include <string_view>

#include "checker/properties/sometimes.hpp"

namespace picklock {
namespace {

bool known(const History& history, NameId name) { return slot(name) < slots(history.names); }

// A history without holds knows kNoHold all the same.
bool known_hold(const History& history, HoldId hold) { return hold == kNoHold || hold < history.holds.size(); }

// Do the records ascend, and does `sound` hold for each?
template <class Records, class Sound>
bool ascending(const Records& records, bool by_time, Sound sound) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!sound(records[i])) return false;
    if (i == 0) continue;
    if (records[i].index <= records[i - 1].index) return false;
    if (by_time && records[i].time < records[i - 1].time) return false;
  }
  return true;
}

// The times of a foreign history were taken by many clocks or by none; only the order counts.
bool all_in_order(const History& h) {
  const auto hold_is_known = [&](const auto& record) { return known_hold(h, record.hold); };
  return std::all_of(h.holds.begin(), h.holds.end(),
                     [&](const HoldInfo& hold) { return known(h, hold.lock) && known(h, hold.client); }) &&
         ascending(h.operations, h.omniscient,
                   [&](const OperationEvent& e) { return known_hold(h, e.hold) && known(h, e.object); }) &&
         ascending(h.beliefs, true, hold_is_known) && ascending(h.grants, true, hold_is_known) &&
         ascending(h.effects, true,
                   [&](const EffectEvent& e) { return known_hold(h, e.hold) && known(h, e.resource); }) &&
         ascending(h.processes, true, [&](const ProcessEvent& e) { return known(h, e.client); }) &&
         ascending(h.phases, true, [](const PhaseEvent&) { return true; });
}

template <class Records>
std::int64_t last_time(const Records& records) {
  return records.empty() ? 0 : records.back().time;
}

std::int64_t last_time_of_all(const History& h) {
  return std::max({last_time(h.operations), last_time(h.beliefs), last_time(h.grants), last_time(h.effects),
                   last_time(h.processes), last_time(h.phases)});
}

// Finds the two ends of operations.  Process numbers are small in most histories; a sorted list
// serves those in which they are not.
class OpenOperations {
 public:
  OpenOperations(const std::vector<OperationEvent>& operations, Workspace& workspace) {
    std::int32_t largest = -1;
    for (const OperationEvent& e : operations) largest = std::max(largest, e.process);
    const auto span = static_cast<std::size_t>(static_cast<std::int64_t>(largest) + 1);
    if (span > 64 + 4 * operations.size()) {
      sorted_ = workspace.table<std::int32_t>(operations.size());
      std::transform(operations.begin(), operations.end(), sorted_.begin(),
                     [](const OperationEvent& e) { return e.process; });
      std::sort(sorted_.begin(), sorted_.end());
    }
    open_ = workspace.table<std::uint32_t>(sorted_.empty() ? span : sorted_.size(), kNowhere);
  }

  // The position of the invocation that `process` has not ended.
  std::uint32_t& of(std::int32_t process) {
    if (sorted_.empty()) return open_[static_cast<std::size_t>(process)];
    const auto place = std::lower_bound(sorted_.begin(), sorted_.end(), process);
    return open_[static_cast<std::size_t>(place - sorted_.begin())];
  }

 private:
  std::span<std::int32_t> sorted_;
  std::span<std::uint32_t> open_;
};

void gather_roles(const History& history, Scratch& scratch) {
  if (!history.roles.empty()) {
    std::copy(history.roles.begin(), history.roles.end(), scratch.roles.begin());
    return;
  }
  scratch.roles.fill(Role::other);
  for (std::size_t f = 0; f < history.functions.size() && f < scratch.roles.size(); ++f) {
    scratch.roles[f] = role_of(history.names.view(history.functions[f]));
  }
}

void gather_processes(const History& history, Scratch& scratch) {
  scratch.somebody_died = false;
  for (const ProcessEvent& e : history.processes) {
    if (e.change != ProcessChange::stopped && e.change != ProcessChange::died) continue;
    const bool died = e.change == ProcessChange::died;
    scratch.somebody_died = scratch.somebody_died || died;
    scratch.note(died ? Sometimes::process_died : Sometimes::process_stopped, e.index);
    scratch.note(Sometimes::fault_struck, e.index);
  }
}

// Conditions that an operation shows, beside its token: by its role and its type.
constexpr auto kShown = [] {
  std::array<std::array<SometimesMask, 4>, 6> shown{};
  for (auto& by_type : shown) by_type[static_cast<std::size_t>(OperationType::info)] = bit(Sometimes::answer_unknown);
  shown[static_cast<std::size_t>(Role::release)][static_cast<std::size_t>(OperationType::invoke)] =
      bit(Sometimes::release_asked);
  shown[static_cast<std::size_t>(Role::extend)][static_cast<std::size_t>(OperationType::ok)] =
      bit(Sometimes::renewal_happened);
  return shown;
}();

// A process that invokes again has abandoned what it had invoked before: that ends there.
void gather_operations(const History& history, const JudgeOptions& options, Scratch& scratch) {
  const auto& operations = history.operations;
  scratch.partner.assign(operations.size(), kNowhere);
  scratch.requests.clear();
  OpenOperations open(operations, scratch.workspace);
  std::uint32_t* const partner = scratch.partner.data();
  SometimesMask happened = 0;
  std::uint32_t i = 0;  // index of the current operation
  for (const OperationEvent& e : operations) {
    const std::uint32_t position = i++;
    const Role role = scratch.role(e);
    if (e.token != kNoToken) {
      scratch.signs.token = true;
      const bool issued = e.process >= 0 && e.type == OperationType::ok && role == Role::acquire;
      if (issued) scratch.note(Sometimes::token_issued, e.index);
    }
    if (e.process < 0) {
      scratch.note(Sometimes::fault_struck, e.index);
      continue;
    }
    if (e.index <= scratch.probe_index)
      happened |= kShown[static_cast<std::size_t>(role)][static_cast<std::size_t>(e.type)];
    std::uint32_t& invoked = open.of(e.process);
    if (e.type != OperationType::invoke) {
      if (invoked == kNowhere) continue;
      partner[position] = invoked;
      partner[invoked] = position;
      invoked = kNowhere;
      continue;
    }
    if (invoked != kNowhere) partner[invoked] = position;
    invoked = position;
    if (role == Role::acquire || role == Role::release) {
      scratch.requests.push_back({position, role == Role::acquire, is_of_probe(e, options, scratch)});
    }
  }
  scratch.happened |= happened;
}

void gather_beliefs(const History& history, const JudgeOptions& options, Scratch& scratch) {
  // Element 0 stands for "no hold" and is there even if the history knows none.
  scratch.holds.assign(std::max<std::size_t>(history.holds.size(), 1), HoldFacts{});
  std::uint32_t live = 0;
  for (const BeliefEvent& e : history.beliefs) {
    HoldFacts& hold = scratch.holds[e.hold];
    if (e.end == BeliefEnd::none) {
      if (hold.believed()) continue;  // a nested acquire
      hold.believed_from = e.time;
      hold.belief_began = e.index;
      if (++live > 1) scratch.signs.believed_together = true;
      continue;
    }
    if (e.end == BeliefEnd::lost) scratch.note(Sometimes::loss_noticed, e.index);
    if (hold.believed() && hold.believed_until == kEndless) {
      if (e.end == BeliefEnd::deadline && !options.honours_deadlines) continue;
      hold.believed_until = e.time;
      hold.belief_ended = e.index;
      scratch.note(Sometimes::hold_ended, e.index);
      --live;
    }
  }
}

void gather_grants(const History& history, Scratch& scratch) {
  HoldId promised = kNoHold;  // the hold that was granted or extended last, when, and until when it is promised
  std::int64_t since = kNoTime, until = kNoTime;
  const auto promise = [&](const GrantEvent& e) {
    if (e.hold != promised) {
      if (since == e.time || until > e.time) scratch.signs.promised_together = true;
      promised = e.hold;
      until = kNoTime;
    }
    since = e.time;
    if (e.until != kNoTime) until = e.until;
  };
  std::uint32_t i = 0;  // index of the current grant
  for (const GrantEvent& e : history.grants) {
    const std::uint32_t rank = i++;
    HoldFacts& hold = scratch.holds[e.hold];
    switch (e.change) {
      case GrantChange::begin: {
        promise(e);
        hold.still_named = true;
        // An attempt of the same acquire may have been granted before, to a client that never knew.
        const bool heard_of_later = hold.believed() && e.index < hold.belief_began;
        if (hold.granted() && !heard_of_later) break;
        hold.rank = rank;
        hold.grant_ended = kEndless;
        break;
      }
      case GrantChange::extend:
        scratch.note(Sometimes::renewal_happened, e.index);
        promise(e);
        break;
      case GrantChange::released:
      case GrantChange::forced:
        if (e.hold == promised) until = kNoTime;
        hold.still_named = false;
        [[fallthrough]];
      case GrantChange::end:
        if (hold.grant_ended == kEndless) hold.grant_ended = e.time;
        break;
      case GrantChange::wrong_release:
      case GrantChange::wrong_renewal:
        scratch.signs.wrong_command = true;
        break;
    }
  }
}

// A lock that clients believed to hold, and whose owner was never seen: mostly its rule looks at another key.
void gather_unseen(const History& history, Scratch& scratch) {
  const auto unseen_hold = [](const HoldFacts& hold) { return hold.believed() && !hold.granted(); };
  if (!history.omniscient || std::none_of(scratch.holds.begin(), scratch.holds.end(), unseen_hold)) return;
  const auto seen = scratch.workspace.zeros<bool>(slots(history.names));
  for (HoldId id = 1; id < history.holds.size(); ++id) {
    if (scratch.holds[id].granted()) seen[slot(history.holds[id].lock)] = true;
  }
  const auto unseen = scratch.workspace.zeros<bool>(slots(history.names));
  for (HoldId id = 1; id < history.holds.size(); ++id) {
    const std::size_t lock = slot(history.holds[id].lock);
    if (!unseen_hold(scratch.holds[id]) || seen[lock]) continue;
    unseen[lock] = scratch.signs.owner_unseen = true;
  }
  if (scratch.signs.owner_unseen) scratch.unseen = unseen;
}

// History of a resource so far.
struct Touched {
  std::uint64_t version;  // version that the newest write has made
  bool written;
  // Refusals count here:
  HoldId first;  // the first hold that reached for it; kNoHold: none has
  bool several;  // others did as well
  bool wanted;   // true: some hold reached for it to write
};

// A hold that reaches for a resource counts, whatever comes of its request.
void note_visit(const EffectEvent& e, Touched& resource, Scratch& scratch) {
  if (e.hold == kNoHold) return;
  if (resource.first == kNoHold) resource.first = e.hold;
  if (resource.first != e.hold) resource.several = true;
  if (e.kind == EffectKind::write || e.kind == EffectKind::refused_write) resource.wanted = true;
  if (resource.several && resource.wanted) scratch.note(Sometimes::resource_shared, e.index);
}

void gather_effects(const History& history, Scratch& scratch) {
  const auto resources = scratch.workspace.zeros<Touched>(slots(history.names));
  Signs& signs = scratch.signs;
  std::uint32_t newest = 0;  // rank of the holds that have touched any resource
  for (const EffectEvent& e : history.effects) {
    Touched& resource = resources[slot(e.resource)];
    note_visit(e, resource, scratch);
    if (e.kind != EffectKind::read && e.kind != EffectKind::write) {
      scratch.note(Sometimes::request_refused, e.index);
      if (e.kind == EffectKind::refused_write && e.acknowledged) signs.write_unseen = true;
      continue;
    }
    const HoldFacts& hold = scratch.holds[e.hold];
    if (e.kind == EffectKind::write) {
      scratch.note(Sometimes::resource_written, e.index);
      const bool follows = e.version > resource.version && (!e.depends_on_read || e.read_version >= resource.version);
      if (resource.written && !follows) signs.write_unseen = true;
      resource.version = e.version;
      resource.written = true;
      if (hold.granted() && hold.rank < newest) signs.write_behind_newer = true;
      if (e.time >= hold.grant_ended) signs.write_after_grant = true;
    }
    if (hold.granted()) newest = std::max(newest, hold.rank);
  }
}

void gather_phases(const History& history, Scratch& scratch) {
  scratch.heal_time = kNoTime;
  scratch.probe_index = kNowhere;
  for (const PhaseEvent& e : history.phases) {
    if (e.phase == Phase::heal && scratch.heal_time == kNoTime) scratch.heal_time = e.time;
    if (e.phase == Phase::probe && scratch.probe_index == kNowhere) scratch.probe_index = e.index;
  }
}

}  // namespace

void Scratch::prepare(const History& history, const JudgeOptions& options) {
  workspace.reset();
  deaths = {};
  unseen = {};
  in_order = history.sound || (all_in_order(history) &&
                               (history.holds.size() > 0 || (history.beliefs.empty() && history.grants.empty())));
  if (!in_order) return;
  gather_roles(history, *this);
  horizon = last_time_of_all(history);
  signs = {};
  happened = 0;
  gather_phases(history, *this);
  gather_processes(history, *this);
  gather_beliefs(history, options, *this);
  gather_grants(history, *this);
  gather_unseen(history, *this);
  gather_effects(history, *this);
  gather_operations(history, options, *this);
  for (const HoldInfo& hold : history.holds) {
    if (hold.token != kNoToken) signs.token = true;
  }
  happened |= observe(history, options, *this);
}

NameId lock_of(const History& history, const Scratch& scratch, std::size_t position) {
  const auto named = [&](const OperationEvent& e) {
    if (e.object != kNoName || e.hold == kNoHold) return e.object;
    return history.holds[e.hold].lock;
  };
  const OperationEvent& operation = history.operations[position];
  const NameId here = named(operation);
  const std::uint32_t other = scratch.partner[position];
  if (here != kNoName || other == kNowhere) return here;
  // An abandoned invocation has the next invocation for a partner, which is about something else.
  if (history.operations[other].type == operation.type) return here;
  return named(history.operations[other]);
}

bool is_of_probe(const OperationEvent& e, const JudgeOptions& options, const Scratch& scratch) {
  if (options.probe_process >= 0) return e.process == options.probe_process;
  return scratch.probe_index != kNowhere && e.index > scratch.probe_index;
}

std::int64_t end_of_settling(const History& history, const Scratch& scratch) {
  for (const PhaseEvent& e : history.phases) {
    if (e.index == scratch.probe_index) return e.time;
  }
  return scratch.horizon;
}

std::int64_t death_while_pending(const History& history, Scratch& scratch, std::uint32_t position) {
  if (!scratch.somebody_died) return kEndless;
  if (!scratch.deaths.empty()) return scratch.deaths[position];
  const auto deaths = scratch.workspace.table<std::int64_t>(history.operations.size(), kEndless);
  scratch.deaths = deaths;
  const auto next_death = scratch.workspace.table<std::int64_t>(slots(history.names), kEndless);
  std::size_t later = history.processes.size();
  for (std::size_t i = history.operations.size(); i-- > 0;) {
    const OperationEvent& e = history.operations[i];
    while (later > 0 && history.processes[later - 1].time >= e.time) {
      const ProcessEvent& change = history.processes[--later];
      if (change.change == ProcessChange::died) next_death[slot(change.client)] = change.time;
    }
    if (e.process >= 0 && e.type == OperationType::invoke && scratch.partner[i] == kNowhere && e.hold != kNoHold) {
      deaths[i] = next_death[slot(history.holds[e.hold].client)];
    }
  }
  return deaths[position];
}

}  // namespace picklock
