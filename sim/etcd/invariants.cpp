#include "sim/etcd/invariants.hpp"

namespace picklock {

void EtcdInvariants::reset() {
  leaders_.clear();
  logged_.clear();
  replaced_.clear();
  applied_.clear();
  broken_.clear();
}

void EtcdInvariants::leads(RaftId member, RaftTerm term, const RaftLog& log) {
  const auto [known, news] = leaders_.emplace(term, member);
  if (!news && known->second != member) breaks("two leaders of term " + std::to_string(term));
  // The last of them stands for all: log matching.
  RaftIndex last = applied_.size();
  while (last > 0 && applied_[last - 1].by >= term) --last;
  if (last + 1 < log.first_index() || last == 0) return;  // compacted, thus committed there too
  if (log.matches(last, applied_[last - 1].term)) return;
  breaks("the leader of term " + std::to_string(term) + " lacks what was committed at index " + std::to_string(last));
}

void EtcdInvariants::logged(RaftId member, RaftIndex index, RaftTerm term, RaftTerm before, std::uint64_t hash) {
  const Logged entry{term, before, hash};
  if (index > logged_.size()) logged_.resize(index);
  Logged* known = &logged_[index - 1];
  if (known->term == 0) *known = entry;
  if (known->term != term) known = &replaced_.emplace(std::pair{index, term}, entry).first->second;
  if (*known == entry) return;
  breaks("member " + std::to_string(member) + " has another entry of term " + std::to_string(term) + " at index " +
         std::to_string(index));
}

void EtcdInvariants::applied(RaftId member, RaftIndex index, RaftTerm term, std::uint64_t hash, RaftTerm now) {
  if (index > applied_.size() + 1) return breaks("member " + std::to_string(member) + " skipped an entry");
  if (index == applied_.size() + 1) {
    applied_.push_back({term, hash, now});
  } else if (applied_[index - 1].term != term || applied_[index - 1].hash != hash) {
    breaks("two entries applied at index " + std::to_string(index));
  }
}

}  // namespace picklock
