#include "checker/models/owner_search.hpp"

#include <algorithm>

#include "checker/models/bounds.hpp"
#include "checker/models/witness.hpp"

namespace picklock {

OwnerSearch::OwnerSearch(const ModelContext& context, const LockRules& rules) : context_(context), rules_(rules) {}

void OwnerSearch::open(OwnerKey owner, LockAction action, std::int32_t process) {
  open_.push_back({owner, action, process});
}

void OwnerSearch::crashed(OwnerKey owner, LockAction action) {
  if (action != LockAction::keep) ++classes_[class_of(owner, action)].total;
}

void OwnerSearch::held_by(OwnerKey owner, const WitnessHold& hold) {
  held_[owner] = hold;
  if (hold.acquired.index >= last_.acquired.index) last_ = hold;
  if (hold.acquired.token != kNoToken) newest_token_ = hold;
}

void OwnerSearch::begin(const Start& start) {
  if (done()) return;
  if (!step() || configurations_.size() > kConfigurations) return give_up();
  Configuration c;
  if (rules_.fenced) c.grants = {start.newest_token};
  for (const Holding& h : start.holdings) {
    if (rules_.fenced && h.token != start.newest_token) c.grants.push_back(h.token);
    const std::uint32_t grant = c.grants.empty() ? 0 : static_cast<std::uint32_t>(c.grants.size() - 1);
    c.holders.push_back({h.owner, h.shared, h.count, grant});
  }
  std::sort(c.holders.begin(), c.holders.end());
  for (const std::int32_t process : start.placed) c.placed.push_back({process, 0});
  std::sort(c.placed.begin(), c.placed.end());
  std::map<ClassId, std::uint32_t> spent;
  for (const auto& [owner, action] : start.spent) ++spent[class_of(owner, action)];
  for (const auto& [id, times] : spent) c.spent.push_back({id, times});
  for (const Holder& h : std::vector<Holder>(c.holders)) keep_eagerly(c, h.owner);
  tidy(c);
  add(configurations_, std::move(c));
}

OwnerSearch::ClassId OwnerSearch::class_of(OwnerKey owner, LockAction action) {
  const auto [at, fresh] = class_ids_.try_emplace({owner, action}, static_cast<ClassId>(classes_.size()));
  if (fresh) classes_.push_back({owner, action, 0});
  return at->second;
}

void OwnerSearch::number_classes() {
  for (std::size_t id = 0; id < classes_.size(); ++id) {
    class_ids_[{classes_[id].owner, classes_[id].action}] = static_cast<ClassId>(id);
  }
}

// May the search go on?
bool OwnerSearch::in_bounds() {
  if (stopped_ || steps_ > kSteps) return false;
  stopped_ = context_.bounds != nullptr && context_.bounds->exceeded(table_bytes_);
  return !stopped_;
}

bool OwnerSearch::step() {
  ++steps_;
  return in_bounds();
}

bool OwnerSearch::add(Configurations& to, Configuration c) {
  const std::size_t bytes = bytes_of(c);
  const bool fresh = to.insert(std::move(c)).second;
  if (fresh) table_bytes_ += bytes;
  return fresh;
}

// Events.

void OwnerSearch::invoked(OwnerKey owner, LockAction action, const OperationEvent& invoke) {
  if (done()) return follow(result_, invoke, gives_back(action));
  open_.push_back({owner, action, invoke.process});
  if (action != LockAction::keep) return;
  Configurations next;
  for (Configuration c : configurations_) {
    const bool holds =
        std::any_of(c.holders.begin(), c.holders.end(), [&](const Holder& h) { return h.owner == owner; });
    if (holds) keep_eagerly(c, owner);
    next.insert(std::move(c));
  }
  configurations_ = std::move(next);
}

void OwnerSearch::returned(const OperationEvent& invoke, const OperationEvent& end) {
  const auto at = std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.process == invoke.process; });
  if (at == open_.end()) return;
  const bool ok = end.type == OperationType::ok;
  Open x = *at;
  const OwnerKey asked = x.owner;
  if (ok && takes(x.action) && named_by_answer(invoke, end)) x.owner = owner_of(end);
  if (done()) {
    open_.erase(at);
    return follow(result_, end, gives_back(x.action));
  }
  steps_ = 0;
  table_bytes_ = 0;
  token_conflict_ = false;
  Configurations next;
  for (const Configuration& c : configurations_) {
    const auto entry =
        std::find_if(c.placed.begin(), c.placed.end(), [&](const Placed& p) { return p.process == invoke.process; });
    if (entry == c.placed.end()) {
      if (ok) {
        reach(c, x, takes(x.action) ? end.token : kNoToken, next);
      } else {
        add(next, c);
      }
      continue;
    }
    Configuration without = c;
    without.placed.erase(without.placed.begin() + (entry - c.placed.begin()));
    if (x.action == LockAction::keep) {
      add(next, std::move(without));
    } else if (ok) {
      if (takes(x.action) && !fix(without, entry->grant, end.token)) continue;
      if (x.owner != asked) rename(without, asked, x.owner);
      tidy(without);
      add(next, std::move(without));
    } else if (end.type == OperationType::info) {
      const ClassId id = class_of(x.owner, x.action);
      const auto spent = std::lower_bound(without.spent.begin(), without.spent.end(), Spent{id, 0});
      if (spent != without.spent.end() && spent->id == id) {
        ++spent->times;
      } else {
        without.spent.insert(spent, {id, 1});
      }
      tidy(without);
      add(next, std::move(without));
    }
  }
  if (end.type == OperationType::info) crashed(x.owner, x.action);
  open_.erase(std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.process == invoke.process; }));
  if (next.empty() && in_bounds()) return impossible(x, invoke, end);
  if (ok && takes(x.action)) held_by(x.owner, {invoke, end, {}, {}});
  settle(std::move(next));
  const auto holds_it = [&](const Configuration& c) {
    return std::any_of(c.holders.begin(), c.holders.end(), [&](const Holder& h) { return h.owner == x.owner; });
  };
  if (ok && gives_back(x.action) && std::none_of(configurations_.begin(), configurations_.end(), holds_it))
    held_.erase(x.owner);
  if (held_.size() > 2 * held_kept_ + 2) forget_holds();
}

// Forgets holds that no message can name any more: their owners hold nothing until some open acquire returns.
void OwnerSearch::forget_holds() {
  std::set<OwnerKey> asked;
  for (const Configuration& c : configurations_) {
    for (const Holder& h : c.holders) asked.insert(h.owner);
  }
  for (const Open& o : open_) asked.insert(o.owner);
  for (const Class& k : classes_) {
    if (k.total > 0 && takes(k.action)) asked.insert(k.owner);
  }
  std::erase_if(held_, [&](const auto& held) { return !asked.contains(held.first); });
  held_kept_ = held_.size();
}

void OwnerSearch::rename(Configuration& c, OwnerKey from, OwnerKey to) {
  for (Holder& h : c.holders) {
    if (h.owner == from) h.owner = to;
  }
  std::sort(c.holders.begin(), c.holders.end());
  for (std::size_t i = 1; i < c.holders.size();) {  // adds the renamed holds to those of the same owner
    Holder& before = c.holders[i - 1];
    if (before.owner != c.holders[i].owner || before.shared != c.holders[i].shared) {
      ++i;
      continue;
    }
    before.count += c.holders[i].count;
    c.holders.erase(c.holders.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void OwnerSearch::settle(Configurations next) {
  if (!in_bounds()) return give_up();
  drop_dominated(next);
  if (stopped_) return give_up();
  configurations_ = std::move(next);
  if (configurations_.size() > kConfigurations) return give_up();
  fold();
}

std::optional<std::vector<SeenCall>> OwnerSearch::settled(const Pending& pending) const {
  if (done() || !open_.empty() || configurations_.size() != 1) return std::nullopt;
  const Configuration& c = *configurations_.begin();
  const bool no_others = std::all_of(classes_.begin(), classes_.end(), [&](const Class& k) {
    const auto known = pending.find({k.owner, k.action});
    return k.total == (known == pending.end() ? 0 : known->second);
  });
  if (!no_others || !c.placed.empty() || !c.spent.empty()) return std::nullopt;
  std::vector<SeenCall> acquires;
  for (const Holder& h : c.holders) {
    const LockAction action = h.shared ? LockAction::acquire_shared : LockAction::acquire;
    const bool by_a_crashed_one = class_ids_.count({h.owner, action}) > 0;  // perhaps: who knows which acquire it was?
    const bool in_both_modes = &h != c.holders.data() && (&h - 1)->owner == h.owner;
    const auto held = held_.find(h.owner);
    // The newest acquire of a nested hold is not the outermost.
    if (rules_.nested > 0 || h.count > 1 || by_a_crashed_one || in_both_modes || held == held_.end())
      return std::nullopt;
    const auto role = std::find(rules_.actions.begin(), rules_.actions.end(), action) - rules_.actions.begin();
    acquires.emplace_back(held->second.acquire, held->second.acquired, static_cast<std::size_t>(role));
  }
  if (rules_.fenced) {  // the newest token must be that of the hold
    const bool known = acquires.size() == 1 && c.grants.size() == 1 && acquires[0].token() == c.grants[0];
    if (!known || c.grants[0] == kNoToken) return std::nullopt;
  }
  return acquires;
}

std::size_t OwnerSearch::memory() const {
  constexpr std::size_t kNode = 64;
  std::size_t bytes = open_.capacity() * sizeof(Open) + classes_.size() * (sizeof(Class) + kNode) +
                      held_.size() * (sizeof(WitnessHold) + kNode);
  for (const Configuration& c : configurations_) bytes += bytes_of(c);
  return bytes;
}

}  // namespace picklock
