#include "scenarios/recording/server_views.hpp"

#include <algorithm>

namespace picklock {

void ServerViews::reset() {
  last_.assign(servers_.size(), {});
  changes_.clear();
  forget();
}

void ServerViews::see(const TraceRecord& r, const Provenance& by, std::vector<GrantEvent>&, std::uint32_t&) {
  const auto server = std::find(servers_.begin(), servers_.end(), r.node);
  if (server == servers_.end()) return;
  if (dies(r.kind)) {
    dead(r.node);
  } else {
    look(r, by);
  }
  now_.clear();
  add_owners(r.node, now_);
  std::sort(now_.begin(), now_.end());
  now_.erase(std::unique(now_.begin(), now_.end()), now_.end());
  std::vector<HoldId>& last = last_[static_cast<std::size_t>(server - servers_.begin())];
  if (now_ == last) return;
  OwnersSeen seen{r.time, r.node, lock_, now_, {}};
  if (dies(r.kind)) {
    for (const HoldId hold : last) seen.ended.push_back({hold, kNoHold, GrantEnd::stopped});
  } else {
    add_ends(seen.ended);
  }
  last = now_;
  changes_.push_back(std::move(seen));
}

void ReplicatedViews::forget() {
  judge_->reset();
  versions_.clear();
  reached_.clear();
  newest_ = 0;
  owners_.clear();
  index_ = 0;
}

std::int64_t& ReplicatedViews::reached(NodeId node) {
  if (node >= reached_.size()) reached_.resize(node + std::size_t{1});
  return reached_[node];
}

void ReplicatedViews::look(const TraceRecord& r, const Provenance& by) {
  if (const auto number = number_in(r)) {
    reached(r.node) = *number;
    newest_ = std::max(newest_, *number);
  }
  grants_.clear();
  judge_->see(r, by, grants_, index_);
  for (const GrantEvent& g : grants_) {
    const bool ends =
        g.change == GrantChange::end || g.change == GrantChange::released || g.change == GrantChange::forced;
    if (ends || g.change == GrantChange::begin) std::erase(owners_, g.hold);
    if (g.change == GrantChange::begin) owners_.push_back(g.hold);
  }
  if (grants_.empty()) return;
  if (versions_.empty() || versions_.back().number != newest_) versions_.push_back({newest_, {}});
  versions_.back().owners = owners_;
}

void ReplicatedViews::add_owners(NodeId node, std::vector<HoldId>& owners) const {
  const std::int64_t number = node < reached_.size() ? reached_[node] : 0;
  const auto after = std::upper_bound(versions_.begin(), versions_.end(), number,
                                      [](std::int64_t n, const Version& v) { return n < v.number; });
  if (after != versions_.begin()) owners = std::prev(after)->owners;
}

}  // namespace picklock
