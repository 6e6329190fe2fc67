#include "sim/redis/sentinel/group.hpp"

#include <tuple>
#include <utility>

#include "sim/redis/sentinel/periods.hpp"

namespace picklock {

namespace period = sentinel_period;

void SentinelGroup::switch_to(std::string master, std::int64_t now) {
  std::vector<std::string> others;
  if (master_.name != master) others.push_back(master_.name);
  for (const SentinelInstance& r : replicas_) {
    if (r.name != master) others.push_back(r.name);
  }
  SentinelInstance next(SentinelInstance::Kind::master, std::move(master), now);
  next.traffic.last_reconnect = master_.traffic.last_reconnect;  // the one record lives on under another address
  next.traffic.last_published = master_.traffic.last_published;
  next.info.at = master_.info.at;
  master_ = std::move(next);
  replicas_.clear();
  for (std::string& name : others) add_replica(std::move(name), now);
}

SentinelInstance* SentinelGroup::of(SentinelLink link) {
  const auto has = [link](const SentinelInstance& i) { return i.traffic.commands == link || i.traffic.pubsub == link; };
  if (link == 0) return nullptr;
  if (has(master_)) return &master_;
  for (std::vector<SentinelInstance>* all : {&replicas_, &sentinels_}) {
    const auto found = std::find_if(all->begin(), all->end(), has);
    if (found != all->end()) return &*found;
  }
  return nullptr;
}

SentinelInstance* SentinelGroup::best_replica(std::int64_t now, std::int64_t down_after_ms) {
  const std::int64_t longest_cut = (master_.down ? now - master_.down_since : 0) + 10 * down_after_ms;
  const std::int64_t info_valid = master_.down ? period::opinion_valid : 3 * period::info;
  SentinelInstance* best = nullptr;
  for (SentinelInstance& r : replicas_) {
    if (r.down || !r.traffic.connected || now - r.traffic.last_available > 5 * period::ping || r.info.priority == 0)
      continue;
    if (now - r.info.at > info_valid || r.info.link_down > longest_cut) continue;
    const auto rank = [](const SentinelInstance& i) {
      return std::make_tuple(i.info.priority, -i.info.offset, i.run_id.empty(), std::string_view(i.run_id));
    };
    if (best == nullptr || rank(r) < rank(*best)) best = &r;
  }
  return best;
}

}  // namespace picklock
