#include <fmt/format.h>

#include "sim/redis/sentinel/sentinel_lab.hpp"
#include "tests/live/live.hpp"

namespace picklock::live {
namespace {

constexpr std::uint64_t kSeeds = 30;
constexpr Duration kSearched = seconds(12);

SentinelLabOptions with(Duration down_after, Duration failover_timeout) {
  return {.sentinel = {.down_after = down_after, .failover_timeout = failover_timeout}};
}

// The instant differs from seed to seed, lest the timers always stand alike.
Duration instant(std::uint64_t seed) { return seconds(15) + ms(static_cast<std::int64_t>(seed) * 37); }

// When, after `since`, sentinel 2 first names another master; to the millisecond.
std::optional<Duration> named(SentinelLab& lab, Duration since) {
  for (Duration t = since; t < since + kSearched; t += ms(1)) {
    lab.run_until(t);
    if (lab.sentinel(1).current_master() != "redis") return t - since;
  }
  return std::nullopt;
}

// After a kill of the master; those that are not named in time are missing in `runs`.
Range after_a_kill(Duration down_after, Duration failover_timeout, std::uint64_t seeds) {
  Range range;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SentinelLab lab(with(down_after, failover_timeout), seed);
    const Duration killed = instant(seed);
    lab.at(killed, [&](World& w) { w.faults.kill(lab.redis_node(0)); });
    if (const auto d = named(lab, killed)) range.add(*d);
  }
  return range;
}

std::vector<Row> split() {
  Range told, demoted;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SentinelLab lab(with(ms(1000), ms(3000)), seed);
    const Duration cut = instant(seed), healed = cut + seconds(8);
    std::vector<std::uint32_t> rules;
    lab.at(cut, [&](World&) { rules = lab.cut({lab.redis_node(0), lab.client, lab.sentinel_node(0)}, Fate::hold); });
    lab.at(healed, [&](World&) { lab.heal(rules); });
    if (const auto d = named(lab, cut)) told.add(*d);
    lab.run_until(healed + seconds(14));
    for (const TraceRecord& r : lab.world.trace.journal()) {
      const bool replica = r.kind == trace::redis_role && r.a == 2 && r.node == lab.redis_node(0);
      if (replica && r.time > healed.ns) demoted.add(Duration{r.time} - healed);
    }
  }
  const std::string settings = "down-after 1000, failover-timeout 3000";
  // The measured runs were three; their bounds are widened by a period of the timers that they fell between.
  return {
      {"Sentinel, the master isolated: until a sentinel names another", settings, "2.2 to 3.1 s", told.seconds_text(),
       told.within(ms(2100), ms(3400)) && told.runs == kSeeds, Measured{ms(2352), ms(3282), 10}.text()},
      {"… healed: until the old master is demoted", settings, "10.2 to 10.4 s", demoted.seconds_text(),
       demoted.within(ms(9900), ms(10'500)) && demoted.runs >= static_cast<int>(kSeeds),
       Measured{ms(10'112), ms(10'147), 10}.text()}};
}

Row livelock() {
  const Range slow = after_a_kill(ms(500), ms(100), 12);
  return {"… with a failover-timeout below a second", "down-after 500, failover-timeout 100", "livelocks",
          fmt::format("no master is named within 12 s in {} of 12 runs", 12 - slow.runs),
          slow.runs < 12 && (slow.runs == 0 || slow.most_ns > seconds(2).ns)};
}

}  // namespace

std::vector<Row> sentinel_rows() {
  std::vector<Row> rows;
  const Range quick = after_a_kill(ms(500), ms(3000), kSeeds);
  rows.push_back({"Sentinel: from the master's kill until a sentinel names another",
                  "down-after 500, failover-timeout 3000", "1.69 to 1.94 s", quick.seconds_text(),
                  quick.within(ms(1600), ms(1950)) && quick.runs == kSeeds});
  const Range slow = after_a_kill(seconds(5), seconds(60), kSeeds);
  rows.push_back({"…", "down-after 5000, failover-timeout 60000", "5.6 to 6.3 s", slow.seconds_text(),
                  slow.within(ms(5200), ms(6600)) && slow.runs == kSeeds});
  for (Row& row : split()) rows.push_back(std::move(row));
  rows.push_back(livelock());
  return rows;
}

}  // namespace picklock::live
