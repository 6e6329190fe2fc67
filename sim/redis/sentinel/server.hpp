// A sentinel as a process of a simulated world: connections, timer, disk, clients.
//
//   SentinelServer sentinel;
//   sentinel.set_up({.options = options, .master = "redis"});   // call it before the sentinel is installed
//   world.install(node, sentinel);
//
// Like the real one it is a single thread: a command, a reply or a tick is worked off before the next,
// the file is written and synced before a message tells of its contents, and a timer that is off by
// more than two seconds makes it distrust its clock (TILT).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/disk.hpp"
#include "sim/core/peer_link.hpp"
#include "sim/core/service.hpp"
#include "sim/redis/control.hpp"
#include "sim/redis/database.hpp"
#include "sim/redis/sentinel/sentinel.hpp"

namespace picklock {

namespace trace {

// The last kinds of the range of sim/redis.
inline constexpr TraceKind sentinel_event = 127;  // a: SentinelEvent, b: epoch, c: hash of the message
std::span<const TraceKindInfo> sentinel_kinds();

}  // namespace trace

struct SentinelSetup {
  SentinelOptions options;
  std::string group = "mymaster";
  std::string master;  // its machine, as long as the sentinel's file does not know better
  // Replicas and sentinels that the first file names, as if the sentinel had run for a while.  A sentinel without them
  // asks its master for replicas, and asks again only ten seconds later if the master had none yet.
  std::vector<std::string> replicas = {}, sentinels = {};
  SentinelFlaw flaw = SentinelFlaw::none;
};

class SentinelServer final : public Program, private SentinelDice, private RedisControl {
 public:
  void set_up(SentinelSetup setup) { setup_ = std::move(setup); }
  void boot(World& world, NodeId node) override;
  std::uint64_t fingerprint(const World& world, NodeId node) const override;

  // Current state, for tests and judges; of a process that has died, its last state.
  const Sentinel& sentinel() const { return *sentinel_; }

 private:
  struct Link {
    SentinelLink id = 0;
    PeerLink link;
    std::vector<std::pair<std::uint64_t, RedisCommand>> waiting;  // calls and commands that wait for an open link
  };
  struct Client {
    ConnectionId connection = kNoConnection;
    RedisSession session;
  };

  Task<void> serve(Service service);
  bool perform_at_once(const Service& service);
  Task<void> perform(Service service);
  void act(const Service& service, const SentinelAction& action);
  void answer(const Service& service, const Message& message);  // answers a message of a link
  RedisReply command(const Service& service, const Message& request);
  RedisSession& session_of(ConnectionId connection);
  void forget(ConnectionId connection);
  RedisReply control(RedisControlCommand, RedisCall&) override;
  std::string_view mode() const override { return "sentinel"; }
  std::string first_file() const;
  std::int64_t below(std::int64_t n) override;

  SentinelSetup setup_;
  std::optional<Sentinel> sentinel_;
  std::optional<Host> host_;
  FileId file_ = 0;
  std::uint64_t calls_ = 0;
  std::uint32_t ticks_ = 0;
  std::size_t performed_ = 0;  // number of actions performed so far
  std::vector<Link> links_;
  RedisDatabase connections_;  // answers what is about connections and subscriptions, and has no keys
  std::vector<Client> clients_;
  std::uint32_t sessions_ = 0;
};

}  // namespace picklock
