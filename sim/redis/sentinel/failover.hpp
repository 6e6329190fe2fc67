// SentinelFailover keeps how far a sentinel has come with replacing its master, and since when.
#pragma once

#include <cstdint>

#include "sim/redis/sentinel/instance.hpp"

namespace picklock {

class SentinelFailover {
 public:
  enum class Stage : std::uint8_t { none, wait_start, select, send_promotion, wait_promotion, repoint, update };

  Stage stage() const { return stage_; }
  bool is_on() const { return stage_ != Stage::none; }
  // The promoted replica has been seen to be master: clients shall use it.
  bool has_promoted() const { return stage_ == Stage::repoint || stage_ == Stage::update; }
  SentinelEpoch epoch() const { return epoch_; }
  std::int64_t in_stage_for(std::int64_t now) const { return now - stage_since_; }
  std::int64_t since_start(std::int64_t now) const { return now - start_; }

  void enter(Stage stage, std::int64_t now) {
    stage_ = stage;
    stage_since_ = now;
  }
  void begin(SentinelEpoch epoch, std::int64_t now, std::int64_t delay) {
    epoch_ = epoch;
    start_ = now + delay;
    enter(Stage::wait_start, now);
  }
  // Another sentinel has this one's vote: an attempt of its own has to wait.
  void postpone(std::int64_t now, std::int64_t delay) { start_ = now + delay; }
  void forget() {  // a new master is watched
    stage_ = Stage::none;
    stage_since_ = start_ = 0;
  }

 private:
  Stage stage_ = Stage::none;
  SentinelEpoch epoch_ = 0;
  std::int64_t start_ = 0, stage_since_ = 0;
};

}  // namespace picklock
