// The search for one returning operation.
#include <algorithm>
#include <deque>

#include "checker/models/owner_search.hpp"

namespace picklock {

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
  const std::int32_t self = x.process;
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
    // With modes, this one may be needed for the second.
    if (rules_.weight == 1) return;
  }
  for (const Choice& acquire : choices(c, x.owner, self, takes)) {
    const bool shared = acquire.action == LockAction::acquire_shared;
    for (Configuration next : with_room(c, x.owner, shared, self)) {
      if (place(next, x.owner, acquire) && apply(next, x.owner, returning, token)) finish(next);
    }
  }
}

// If tokens tell whether an acquire was nested, a hold may have to be kept alive by one more
// acquire of its owner, or ended by one more release, before the next.
void OwnerSearch::nests(const Configuration& c, const Open& x, Configurations& out) {
  if (!rules_.fenced || rules_.nested == 0) return;
  const auto all = [](LockAction) { return true; };
  std::set<OwnerKey> owners = {x.owner};
  for (const Open& open : open_) {
    if (!placed(c, open.process)) owners.insert(open.owner);
  }
  for (const OwnerKey owner : owners) {
    if (!in_bounds()) return;
    for (const Choice& choice : choices(c, owner, x.process, all)) {
      const Configurations ready = takes(choice.action) ? with_room(c, owner, false, x.process) : Configurations{c};
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
    if (open.process == except || placed(c, open.process)) continue;
    std::vector<Choice> acquires, releases;
    if (takes(open.action)) {
      acquires = {{open.action, false, open.process, 0}};
    } else {
      acquires = choices(c, open.owner, except, takes);
      std::erase_if(acquires, [](const Choice& a) { return !a.crashed; });
      if (acquires.empty()) continue;
    }
    if (gives_back(open.action)) {
      releases = {{open.action, false, open.process, 0}};
    } else {
      releases = choices(c, open.owner, except, gives_back);
    }
    for (const Choice& acquire : acquires) {
      const bool shared = acquire.action == LockAction::acquire_shared;
      const bool useful =
          std::any_of(releases.begin(), releases.end(), [&](const Choice& r) { return ends(r.action, shared); });
      if (!useful) continue;
      for (const Configuration& roomy : with_room(c, open.owner, shared, except)) {
        if (placed(roomy, open.process)) continue;
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
    pairs(now, x.process, next);
    nests(now, x, next);
    table_bytes_ = with;
    for (const Configuration& c : next) {
      if (add(seen, c)) queue.push_back(c);
    }
  }
  table_bytes_ = before + found;
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

// Drops the operations that every configuration has spent.
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

}  // namespace picklock
