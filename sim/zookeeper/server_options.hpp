// How the servers of an ensemble are set up.  Defaults are those of zoo_sample.cfg.
#pragma once

#include "sim/task/fields.hpp"
#include "sim/zookeeper/tree.hpp"
#include "sim/zookeeper/zab/types.hpp"

namespace picklock {

enum class ZooVersion : std::uint8_t { v3_4, v3_8, v3_9 };
inline constexpr std::string_view kZooVersionNames[] = {"3.4", "3.8", "3.9"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<ZooVersion> = kZooVersionNames;

// Wrong on purpose, above ZAB: broken twins, which tests must catch.
enum class ZooFlaw : std::uint8_t {
  none,
  watch_after_reply,    // an event leaves after the reply from which its client can know of the change
  follower_expires,     // every server lets sessions expire that it has not heard of itself
  closing_may_create,   // a session that is being closed goes on writing: ephemerals outlive it
  vanish_on_disconnect  // a session ends with its connection
};

struct ZooServerOptions {
  Duration tick = seconds(2);
  std::int64_t init_limit = 10;  // ticks to connect to a leader and take over its history
  std::int64_t sync_limit = 5;   // ticks of silence between a leader and a learner
  ZooVersion version = ZooVersion::v3_8;

  void fields(FieldVisitor& v) {
    v.field({.name = "tick", .help = "unit of the servers' timeouts; sessions last 2 to 20 of it",
             .least = 1'000'000},
            tick);
    v.field({.name = "init-limit", .help = "ticks to connect to a leader and take over its history", .least = 1},
            init_limit);
    v.field({.name = "sync-limit", .help = "ticks of silence between a leader and a learner", .least = 1}, sync_limit);
    v.field({.name = "version", .help = "release whose timings and limits the servers have"}, version);
  }
  bool operator==(const ZooServerOptions&) const = default;

  ZabOptions zab() const {
    ZabOptions o;
    o.tick = tick.ms();
    o.init_limit = init_limit;
    o.sync_limit = sync_limit;
    o.connect_retry = version == ZooVersion::v3_4 ? 1000 : 100;
    return o;
  }
  ZooOverflow overflow() const { return version == ZooVersion::v3_4 ? ZooOverflow::negative : ZooOverflow::sticks; }
};

}  // namespace picklock
