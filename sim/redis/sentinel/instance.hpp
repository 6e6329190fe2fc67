// The knowledge of a sentinel about one other process: the master, a replica, or another sentinel.
//
// Instants are readings of the sentinel's wall clock in milliseconds; 0 stands for never.
#pragma once

#include <cstdint>
#include <string>

namespace picklock {

using SentinelLink = std::uint32_t;  // a connection that a sentinel opened; never used again; 0: none
using SentinelEpoch = std::uint64_t;

struct SentinelInstance {
  enum class Kind : std::uint8_t { master, replica, sentinel };
  enum class Repointing : std::uint8_t { none, sent, in_progress, done };

  struct Traffic {  // traffic on its two connections
    SentinelLink commands = 0, pubsub = 0;
    bool connected = false;  // both links have been asked for and neither is known to be lost
    std::uint32_t pending = 0;
    std::int64_t ping_pending_since = 0;  // time of the oldest ping without an acceptable answer
    std::int64_t last_ping = 0, last_pong = 0, last_available = 0;
    std::int64_t last_reconnect = 0, commands_since = 0, pubsub_since = 0, pubsub_active = 0;
    std::int64_t last_published = 0;
  };
  struct Info {  // content of its last answer to INFO
    std::int64_t at = 0;
    bool reports_master = false;
    std::int64_t role_since = 0;
    std::string follows;  // the master that it names
    std::int64_t follows_since = 0;
    bool link_up = false;
    std::int64_t link_down = 0;  // time since the link went down
    std::int64_t priority = 100;
    std::int64_t offset = 0;
  };
  struct Failover {  // failover to a replica
    bool promoted = false;
    Repointing repointing = Repointing::none;
    std::int64_t repointed_at = 0;
  };
  struct Opinion {  // opinion of another sentinel about the master
    bool finds_master_down = false;
    std::string vote;
    SentinelEpoch vote_epoch = 0;
    std::int64_t at = 0;
  };

  SentinelInstance() = default;
  // An instance just found: if it cannot be reached at all, its silence counts from here.
  SentinelInstance(Kind k, std::string n, std::int64_t now) : kind(k), name(std::move(n)) {
    traffic.ping_pending_since = traffic.last_available = traffic.last_pong = traffic.last_published = now;
    info.reports_master = k == Kind::master;
    info.role_since = info.follows_since = opinion.at = now;
  }

  Kind kind = Kind::master;
  std::string name;    // name of its machine
  std::string run_id;  // run id of its process, once INFO has told
  bool down = false;   // subjectively
  std::int64_t down_since = 0;
  std::int64_t next_look = 0;  // nothing is due before, while all is well
  Traffic traffic;
  Info info;
  Failover failover;
  Opinion opinion;
};

}  // namespace picklock
