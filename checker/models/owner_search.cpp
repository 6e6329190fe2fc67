#include "checker/models/owner_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "checker/models/bounds.hpp"
#include "checker/models/witness.hpp"
#include "checker/models/words.hpp"

namespace picklock {

std::size_t OwnerSearch::bytes_of(const Configuration& c) {
  constexpr std::size_t kNode = 64;  // of a set, with the blocks of the vectors
  return sizeof c + kNode + c.holders.capacity() * sizeof(Holder) + c.placed.capacity() * sizeof(Placed) +
         c.grants.capacity() * sizeof(std::int64_t) + c.spent.capacity() * sizeof(Spent);
}

OwnerSearch::OwnerSearch(const ModelContext& context, const LockRules& rules) : context_(context), rules_(rules) {}

void OwnerSearch::open(OwnerKey owner, LockAction action, const OperationEvent& invoke) {
  open_.push_back({owner, action, invoke});
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

// What a configuration permits.

std::int64_t OwnerSearch::room(const Configuration& c) const {
  std::int64_t room = rules_.permits;
  for (const Holder& h : c.holders) {
    room -= weight_of(rules_, h.shared) * (rules_.nested > 0 ? 1 : h.count);
  }
  return room;
}

bool OwnerSearch::acquirable(const Configuration& c, OwnerKey owner, bool shared) const {
  if (rules_.nested > 0) {
    for (const Holder& h : c.holders) {
      if (h.owner == owner) return h.count < rules_.nested;
    }
  }
  return room(c) >= weight_of(rules_, shared);
}

bool OwnerSearch::placed(const Configuration& c, std::int32_t process) {
  return std::any_of(c.placed.begin(), c.placed.end(), [&](const Placed& p) { return p.process == process; });
}

std::vector<OwnerSearch::Choice> OwnerSearch::choices(const Configuration& c, OwnerKey owner, std::int32_t except,
                                                      const std::function<bool(LockAction)>& wanted) const {
  std::vector<Choice> out;
  for (const Open& open : open_) {
    if (open.owner != owner || open.invoke.process == except || !wanted(open.action)) continue;
    if (!placed(c, open.invoke.process)) out.push_back({open.action, false, open.invoke.process, 0});
  }
  for (auto at = class_ids_.lower_bound({owner, LockAction::acquire});
       at != class_ids_.end() && at->first.first == owner; ++at) {
    if (!wanted(at->first.second)) continue;
    std::uint32_t spent = 0;
    for (const Spent& s : c.spent) spent += s.id == at->second ? s.times : 0;
    if (spent < classes_[at->second].total) out.push_back({at->first.second, true, 0, at->second});
  }
  return out;
}

// How a configuration changes.

// The token of a hold becomes known: it must fit between those of the holds around it.
bool OwnerSearch::fix(Configuration& c, std::uint32_t grant, std::int64_t token) {
  if (!rules_.fenced || token == kNoToken) return true;
  if (c.grants[grant] != kNoToken) {
    token_conflict_ = token_conflict_ || c.grants[grant] != token;
    return c.grants[grant] == token;
  }
  for (std::uint32_t i = 0; i < c.grants.size(); ++i) {
    if (c.grants[i] == kNoToken || (i < grant ? c.grants[i] < token : c.grants[i] > token)) continue;
    token_conflict_ = true;
    return false;
  }
  c.grants[grant] = token;
  return true;
}

bool OwnerSearch::apply(Configuration& c, OwnerKey owner, const Choice& choice, std::int64_t token) {
  if (takes(choice.action)) {
    const bool shared = choice.action == LockAction::acquire_shared;
    if (!acquirable(c, owner, shared)) return false;
    auto at = std::find_if(c.holders.begin(), c.holders.end(),
                           [&](const Holder& h) { return h.owner == owner && h.shared == shared; });
    if (at != c.holders.end()) {
      ++at->count;
      return fix(c, at->grant, token);
    }
    Holder holder{owner, shared, 1, 0};
    if (rules_.fenced) {
      c.grants.push_back(kNoToken);
      holder.grant = static_cast<std::uint32_t>(c.grants.size() - 1);
    }
    c.holders.insert(std::lower_bound(c.holders.begin(), c.holders.end(), holder), holder);
    keep_eagerly(c, owner);
    return fix(c, holder.grant, token);
  }
  const auto at = std::find_if(c.holders.begin(), c.holders.end(), [&](const Holder& h) {
    return h.owner == owner && (choice.action == LockAction::keep || ends(choice.action, h.shared));
  });
  if (at == c.holders.end()) return false;
  if (choice.action != LockAction::keep && --at->count == 0) c.holders.erase(at);
  return true;
}

// Applies an operation that has not returned.
bool OwnerSearch::place(Configuration& c, OwnerKey owner, const Choice& choice) {
  if (!apply(c, owner, choice, kNoToken)) return false;
  if (choice.crashed) {
    const auto at = std::lower_bound(c.spent.begin(), c.spent.end(), Spent{choice.id, 0});
    if (at != c.spent.end() && at->id == choice.id) {
      ++at->times;
    } else {
      c.spent.insert(at, {choice.id, 1});
    }
    return true;
  }
  Placed entry{choice.process, 0};
  if (rules_.fenced && takes(choice.action)) {
    for (const Holder& h : c.holders) {
      if (h.owner == owner) entry.grant = h.grant;
    }
  }
  c.placed.insert(std::lower_bound(c.placed.begin(), c.placed.end(), entry), entry);
  return true;
}

void OwnerSearch::keep_eagerly(Configuration& c, OwnerKey owner) const {
  for (const Open& open : open_) {
    if (open.owner != owner || open.action != LockAction::keep) continue;
    if (placed(c, open.invoke.process)) continue;
    const Placed entry{open.invoke.process, 0};
    c.placed.insert(std::lower_bound(c.placed.begin(), c.placed.end(), entry), entry);
  }
}

// Forgets the tokens that no later one can be compared with, and numbers the rest afresh.
void OwnerSearch::tidy(Configuration& c) const {
  if (!rules_.fenced) return;
  std::vector<bool> needed(c.grants.size());
  for (const Holder& h : c.holders) needed[h.grant] = true;
  for (const Placed& p : c.placed) needed[p.grant] = true;
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < c.grants.size(); ++i) {
    if (c.grants[i] != kNoToken || needed[i]) left.push_back(i);
  }
  std::vector<std::uint32_t> place_of(c.grants.size());
  std::vector<std::int64_t> grants;
  const auto unknown = [&](std::size_t i) { return i < left.size() && c.grants[left[i]] == kNoToken; };
  for (std::size_t i = 0; i < left.size(); ++i) {
    const bool edge = i + 1 == left.size() || unknown(i + 1) || (i > 0 && unknown(i - 1));
    if (!needed[left[i]] && !edge) continue;
    place_of[left[i]] = static_cast<std::uint32_t>(grants.size());
    grants.push_back(c.grants[left[i]]);
  }
  c.grants = std::move(grants);
  for (Holder& h : c.holders) h.grant = place_of[h.grant];
  for (Placed& p : c.placed) p.grant = place_of[p.grant];
}

// The search for one returning operation.

OwnerSearch::Configurations OwnerSearch::with_room(const Configuration& c, OwnerKey owner, bool shared,
                                                   std::int32_t except) {
  const std::size_t before = table_bytes_;
  Configurations found, seen = {c};
  std::deque<Configuration> queue = {c};
  while (!queue.empty() && step()) {
    const Configuration now = std::move(queue.front());
    queue.pop_front();
    if (acquirable(now, owner, shared)) {
      found.insert(now);
      continue;
    }
    for (const Holder& h : now.holders) {
      const auto releases =
          choices(now, h.owner, except, [&](LockAction a) { return gives_back(a) && ends(a, h.shared); });
      for (const Choice& release : releases) {
        Configuration next = now;
        if (place(next, h.owner, release) && add(seen, next)) queue.push_back(std::move(next));
      }
    }
  }
  table_bytes_ = before;
  return found;
}

// Places x now, with no more before it than it needs.
void OwnerSearch::direct(const Configuration& c, const Open& x, std::int64_t token, Configurations& out) {
  const std::int32_t self = x.invoke.process;
  const Choice returning{x.action, false, self, 0};
  if (takes(x.action)) {
    for (Configuration next : with_room(c, x.owner, x.action == LockAction::acquire_shared, self)) {
      if (!apply(next, x.owner, returning, token)) continue;
      tidy(next);
      add(out, std::move(next));
    }
    return;
  }
  const auto finish = [&](Configuration& next) {
    std::erase_if(next.placed, [&](const Placed& p) { return p.process == self; });
    tidy(next);
    add(out, std::move(next));
  };
  if (Configuration next = c; apply(next, x.owner, returning, token)) {
    finish(next);
    // Releases of all modes are alike, so which of two ends which of two holds does not matter.
    // Where there are modes, this one may be needed for the second.
    if (rules_.weight == 1) return;
  }
  for (const Choice& acquire : choices(c, x.owner, self, takes)) {
    const bool shared = acquire.action == LockAction::acquire_shared;
    for (Configuration next : with_room(c, x.owner, shared, self)) {
      if (place(next, x.owner, acquire) && apply(next, x.owner, returning, token)) finish(next);
    }
  }
}

// Where tokens tell whether an acquire was nested, a hold may have to be kept alive by one more
// acquire of its owner, or ended by one more release, before the next.
void OwnerSearch::nests(const Configuration& c, const Open& x, Configurations& out) {
  if (!rules_.fenced || rules_.nested == 0) return;
  const auto all = [](LockAction) { return true; };
  std::set<OwnerKey> owners = {x.owner};
  for (const Open& open : open_) {
    if (!placed(c, open.invoke.process)) owners.insert(open.owner);
  }
  for (const OwnerKey owner : owners) {
    if (!in_bounds()) return;
    for (const Choice& choice : choices(c, owner, x.invoke.process, all)) {
      const Configurations ready =
          takes(choice.action) ? with_room(c, owner, false, x.invoke.process) : Configurations{c};
      for (Configuration next : ready) {
        if (!choice.crashed && placed(next, choice.process)) continue;
        if (!place(next, owner, choice)) continue;
        tidy(next);
        add(out, std::move(next));
      }
    }
  }
}

// Adds what comes of one acquire with its release, one of them open, or with a keep between them.
void OwnerSearch::pairs(const Configuration& c, std::int32_t except, Configurations& out) {
  for (const Open& open : open_) {
    if (!in_bounds()) return;
    if (open.invoke.process == except || placed(c, open.invoke.process)) continue;
    std::vector<Choice> acquires, releases;
    if (takes(open.action)) {
      acquires = {{open.action, false, open.invoke.process, 0}};
    } else {
      acquires = choices(c, open.owner, except, takes);
      std::erase_if(acquires, [](const Choice& a) { return !a.crashed; });
      if (acquires.empty()) continue;
    }
    if (gives_back(open.action)) {
      releases = {{open.action, false, open.invoke.process, 0}};
    } else {
      releases = choices(c, open.owner, except, gives_back);
    }
    for (const Choice& acquire : acquires) {
      const bool shared = acquire.action == LockAction::acquire_shared;
      const bool useful =
          std::any_of(releases.begin(), releases.end(), [&](const Choice& r) { return ends(r.action, shared); });
      if (!useful) continue;
      for (const Configuration& roomy : with_room(c, open.owner, shared, except)) {
        if (placed(roomy, open.invoke.process)) continue;
        for (const Choice& release : releases) {
          if (!ends(release.action, shared)) continue;
          if (!release.crashed && placed(roomy, release.process)) continue;
          if (release.crashed) {
            const auto left = choices(roomy, open.owner, except, gives_back);
            const bool there =
                std::any_of(left.begin(), left.end(), [&](const Choice& l) { return l.crashed && l.id == release.id; });
            if (!there) continue;
          }
          Configuration next = roomy;
          if (!place(next, open.owner, acquire) || !place(next, open.owner, release)) continue;
          tidy(next);
          add(out, std::move(next));
        }
      }
    }
  }
}

void OwnerSearch::reach(const Configuration& from, const Open& x, std::int64_t token, Configurations& out) {
  const std::size_t before = table_bytes_;
  std::size_t found = 0;
  Configurations seen = {from};
  std::deque<Configuration> queue = {from};
  while (!queue.empty() && step()) {
    const Configuration now = std::move(queue.front());
    queue.pop_front();
    const std::size_t without = table_bytes_;
    direct(now, x, token, out);
    const std::size_t with = table_bytes_;
    found += with - without;
    Configurations next;
    pairs(now, x.invoke.process, next);
    nests(now, x, next);
    table_bytes_ = with;
    for (const Configuration& c : next) {
      if (add(seen, c)) queue.push_back(c);
    }
  }
  table_bytes_ = before + found;
}

// Events.

void OwnerSearch::invoked(OwnerKey owner, LockAction action, const OperationEvent& invoke) {
  if (done()) return follow(result_, invoke, gives_back(action));
  open_.push_back({owner, action, invoke});
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
  const auto at =
      std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.invoke.process == invoke.process; });
  if (at == open_.end()) return;
  const Open x = *at;
  if (done()) {
    open_.erase(at);
    return follow(result_, end, gives_back(x.action));
  }
  steps_ = 0;
  table_bytes_ = 0;
  token_conflict_ = false;
  const bool ok = end.type == OperationType::ok;
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
  open_.erase(
      std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.invoke.process == invoke.process; }));
  if (next.empty() && in_bounds()) return impossible(x, end);
  if (ok && takes(x.action)) held_by(x.owner, {invoke, end, {}, {}});
  settle(std::move(next));
}

void OwnerSearch::settle(Configurations next) {
  if (!in_bounds()) return give_up();
  drop_dominated(next);
  if (stopped_) return give_up();
  configurations_ = std::move(next);
  if (configurations_.size() > kConfigurations) return give_up();
  fold();
}

// The order of configurations puts those that differ in what was spent only side by side.
void OwnerSearch::drop_dominated(Configurations& all) {
  const auto alike = [](const Configuration& a, const Configuration& b) {
    return a.holders == b.holders && a.placed == b.placed && a.grants == b.grants;
  };
  const auto dominates = [](const Configuration& a, const Configuration& b) {
    auto other = b.spent.begin();
    for (const Spent& s : a.spent) {
      while (other != b.spent.end() && other->id < s.id) ++other;
      if (other == b.spent.end() || other->id != s.id || other->times < s.times) return false;
    }
    return true;
  };
  for (auto at = all.begin(); at != all.end();) {
    auto end = std::next(at);
    while (end != all.end() && alike(*at, *end)) ++end;
    for (auto one = at; one != end && in_bounds();) {
      bool worse = false;
      for (auto other = at; other != end && !worse; ++other) {
        worse = other != one && dominates(*other, *one);
      }
      const auto next = std::next(one);
      if (worse) {
        if (one == at) at = next;
        all.erase(one);
      }
      one = next;
    }
    at = end;
  }
}

// What every configuration has spent is gone.
void OwnerSearch::fold() {
  if (configurations_.empty()) return;
  std::vector<Spent> common = configurations_.begin()->spent;
  for (const Configuration& c : configurations_) {
    for (Spent& s : common) {
      const auto at = std::lower_bound(c.spent.begin(), c.spent.end(), Spent{s.id, 0});
      s.times = at != c.spent.end() && at->id == s.id ? std::min(s.times, at->times) : 0;
    }
  }
  std::erase_if(common, [](const Spent& s) { return s.times == 0; });
  if (common.empty()) return;
  Configurations next;
  for (Configuration c : configurations_) {
    for (const Spent& s : common) {
      std::lower_bound(c.spent.begin(), c.spent.end(), Spent{s.id, 0})->times -= s.times;
    }
    std::erase_if(c.spent, [](const Spent& s) { return s.times == 0; });
    next.insert(std::move(c));
  }
  for (const Spent& s : common) classes_[s.id].total -= s.times;
  configurations_ = std::move(next);
}

void OwnerSearch::impossible(const Open& x, const OperationEvent& end) {
  const Configuration& c = *configurations_.begin();
  const auto witness_of = [&](OwnerKey owner) {
    const auto at = held_.find(owner);
    return at == held_.end() ? nullptr : &at->second;
  };
  if (end.type == OperationType::fail) {
    WitnessHold first = last_;
    if (const WitnessHold* const hold = witness_of(x.owner)) first = *hold;
    first.release = x.invoke;
    first.release_ended = end;
    result_ = overlap_witness(context_, {first, last_}, rules_.permits);
  } else if (token_conflict_ && newest_token_.acquired.token != kNoToken) {
    result_ = token_witness(context_, newest_token_, {x.invoke, end, {}, {}});
  } else if (takes(x.action)) {
    std::vector<WitnessHold> holds;
    std::int64_t needed = weight_of(rules_, x.action == LockAction::acquire_shared) - rules_.permits;
    for (const Holder& h : c.holders) {
      const WitnessHold* const hold = witness_of(h.owner);
      if (hold == nullptr || needed + rules_.permits <= 0 || holds.size() > 64) break;
      holds.push_back(*hold);
      needed += weight_of(rules_, h.shared) * (rules_.nested > 0 ? 1 : h.count);
      if (needed > 0) break;
    }
    holds.push_back({x.invoke, end, {}, {}});
    if (holds.size() > 1) {
      result_ = overlap_witness(context_, std::move(holds), rules_.permits);
    } else {
      result_ = violation(holds, {x.invoke, end},
                          fmt::format("{} acquired {} at {} although it was not free.", context_.subject(end),
                                      lock_name(context_.tables, context_.lock), context_.when(end)));
    }
  } else {
    const WitnessHold* holder = nullptr;
    if (!c.holders.empty()) holder = witness_of(c.holders.front().owner);
    result_ = unowned_witness(context_, x.action == LockAction::keep ? "refresh" : "release", x.invoke, end, holder);
  }
  result_.explanation += " No choice among the operations of unknown outcome makes it possible.";
  configurations_.clear();
}

void OwnerSearch::give_up() {
  result_.verdict = Verdict::undecided;
  configurations_.clear();
  if (stopped_) {
    result_.explanation = context_.bounds->reason() + ".";
    return;
  }
  result_.explanation = fmt::format(
      "Owners of {} live on after operations of unknown outcome, or do several things at once, and "
      "there are more ways to place those than the search tries ({} configurations, {} steps for "
      "an event). Releases that name their hold would help.",
      lock_name(context_.tables, context_.lock), kConfigurations, kSteps);
}

std::size_t OwnerSearch::memory() const {
  constexpr std::size_t kNode = 64;
  std::size_t bytes = open_.capacity() * sizeof(Open) + classes_.size() * (sizeof(Class) + kNode) +
                      held_.size() * (sizeof(WitnessHold) + kNode);
  for (const Configuration& c : configurations_) bytes += bytes_of(c);
  return bytes;
}

}  // namespace picklock
