// SentinelBallot keeps the epochs that a sentinel knows of, and its vote: at most one in an epoch.
#pragma once

#include <string>
#include <string_view>

#include "sim/redis/sentinel/instance.hpp"

namespace picklock {

SentinelEpoch sentinel_epoch(std::string_view text);  // 0: it is no number

class SentinelBallot {
 public:
  SentinelEpoch epoch() const { return epoch_; }
  SentinelEpoch config_epoch() const { return config_epoch_; }
  SentinelEpoch leads_in() const { return leads_in_; }         // the last epoch it was elected in; 0: none
  const std::string& voted_for() const { return voted_for_; }  // empty: it has never voted
  SentinelEpoch voted_in() const { return voted_in_; }

  void raise_epoch(SentinelEpoch epoch) { epoch_ = epoch; }
  void raise_config_epoch(SentinelEpoch epoch) { config_epoch_ = epoch; }
  void lead_in(SentinelEpoch epoch) { leads_in_ = epoch; }
  // True if the vote of an epoch, which is not newer than its own, is still to be given.
  bool can_vote_in(SentinelEpoch epoch) const { return voted_in_ < epoch && epoch_ <= epoch; }
  // Votes for a candidate in its own epoch.
  void vote_for(std::string_view candidate) {
    voted_for_ = candidate;
    voted_in_ = epoch_;
  }

  // Lines of the sentinel's file.
  std::string epoch_lines() const {
    return "current-epoch " + std::to_string(epoch_) + "\nconfig-epoch " + std::to_string(config_epoch_) + '\n';
  }
  std::string vote_lines() const {
    if (voted_for_.empty()) return {};
    return "leader-epoch " + std::to_string(voted_in_) + "\nleader " + voted_for_ + '\n';
  }
  void read(std::string_view key, const std::string& value);  // has no effect if the line belongs to other parts

 private:
  SentinelEpoch epoch_ = 0, config_epoch_ = 0, voted_in_ = 0, leads_in_ = 0;
  std::string voted_for_;
};

}  // namespace picklock
