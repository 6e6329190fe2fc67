// Operations on a configuration: does it permit them, and how does it change?
#include <algorithm>

#include "checker/models/owner_search.hpp"

namespace picklock {

std::size_t OwnerSearch::bytes_of(const Configuration& c) {
  constexpr std::size_t kNode = 64;  // bytes of a set's node, with the blocks of the vectors
  return sizeof c + kNode + c.holders.capacity() * sizeof(Holder) + c.placed.capacity() * sizeof(Placed) +
         c.grants.capacity() * sizeof(std::int64_t) + c.spent.capacity() * sizeof(Spent);
}

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
    if (open.owner != owner || open.process == except || !wanted(open.action)) continue;
    if (!placed(c, open.process)) out.push_back({open.action, false, open.process, 0});
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
    if (placed(c, open.process)) continue;
    const Placed entry{open.process, 0};
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

}  // namespace picklock
