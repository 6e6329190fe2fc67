// The constants of sentinel.c, in milliseconds.
#pragma once

#include <cstdint>

namespace picklock::sentinel_period {

inline constexpr std::int64_t ping = 1000, info = 10'000, hello = 2000, ask = 1000;
inline constexpr std::int64_t info_in_trouble = 1000;   // period for replicas whose master is down
inline constexpr std::int64_t opinion_valid = 5 * ask;  // life of another sentinel's opinion and of a candidate's data
inline constexpr std::int64_t tilt_trigger = 2000, tilt = 30 * ping;
inline constexpr std::int64_t least_reconnect = 15'000;  // age of a silent link before it is replaced
inline constexpr std::int64_t election = 10'000, desynchronisation = 1000;
inline constexpr std::int64_t repointing = 10'000;
inline constexpr std::int64_t before_demotion = 4 * hello;
inline constexpr std::uint32_t most_pending = 100;

}  // namespace picklock::sentinel_period
