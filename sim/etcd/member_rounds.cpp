#include "sim/etcd/member_rounds.hpp"

#include <utility>

namespace picklock {

void EtcdRounds::join(std::uint64_t id) {
  next_.push_back(id);
  if (current_.empty()) begin();
}

void EtcdRounds::begin() {
  current_.clear();
  current_.swap(next_);
  index_.reset();
  number_ = calls_.take_number();
  sent_ = me_.now();
  raft_.read(number_);
}

void EtcdRounds::answered(const RaftRead& read) {
  if (read.context == number_ && !current_.empty()) index_ = read.index;
}

void EtcdRounds::applied(RaftIndex index) {
  if (!index_ || index < *index_) return;
  confirmed_.swap(current_);
  index_.reset();
  if (!next_.empty()) begin();
  for (const std::uint64_t id : confirmed_) calls_.confirm(id);
  confirmed_.clear();
}

void EtcdRounds::leader_changed() {
  if (index_) return;
  for (const std::uint64_t id : std::exchange(current_, {})) calls_.fail(id, EtcdError::leader_changed);
  if (!next_.empty()) begin();
}

void EtcdRounds::ticked(MonoTime now) {
  if (current_.empty() || index_ || now - sent_ < milliseconds(500)) return;
  sent_ = now;
  raft_.read(number_);
}

}  // namespace picklock
