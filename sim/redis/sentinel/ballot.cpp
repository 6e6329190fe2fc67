#include "sim/redis/sentinel/ballot.hpp"

#include <charconv>

namespace picklock {

SentinelEpoch sentinel_epoch(std::string_view text) {
  SentinelEpoch epoch = 0;
  std::from_chars(text.data(), text.data() + text.size(), epoch);
  return epoch;
}

void SentinelBallot::read(std::string_view key, const std::string& value) {
  if (key == "current-epoch") epoch_ = sentinel_epoch(value);
  if (key == "config-epoch") config_epoch_ = sentinel_epoch(value);
  if (key == "leader-epoch") voted_in_ = sentinel_epoch(value);
  if (key == "leader") voted_for_ = value;
}

}  // namespace picklock
