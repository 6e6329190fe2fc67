#include "sim/etcd/member_proposals.hpp"

#include "sim/etcd/entry.hpp"

namespace picklock {

void EtcdProposals::propose(std::uint64_t id, std::uint32_t hold, EtcdRequest&& request) {
  RaftData entry = RaftData::of(EtcdEntry{me_.self, id, hold, std::move(request)});
  if (leader_.known() && raft_.propose(entry)) return;
  waiting_.emplace_back(id, std::move(entry));
  raft_.ask_before_sending();
}

void EtcdProposals::retry_all() {
  for (; leader_.known() && !waiting_.empty(); waiting_.pop_front()) {
    const auto& [id, entry] = waiting_.front();
    if (calls_.waits(id) && !raft_.propose(entry)) return;
  }
}

}  // namespace picklock
