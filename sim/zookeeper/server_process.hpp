// One life of a ZooKeeper server: ZAB, the tree, and the parts that serve clients, from boot to the process's end.
//
// Two tasks: "main" works off what arrives and what falls due; "disk" writes the log, the epochs and snapshots, and
// tells ZAB what is on the platter. A process that dies loses all of this; the next one begins with what is on the
// disk.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/zookeeper/learner_links.hpp"
#include "sim/zookeeper/server_clients.hpp"
#include "sim/zookeeper/server_context.hpp"
#include "sim/zookeeper/server_disk.hpp"
#include "sim/zookeeper/server_proposals.hpp"
#include "sim/zookeeper/server_requests.hpp"
#include "sim/zookeeper/server_sessions.hpp"
#include "sim/zookeeper/vote_links.hpp"
#include "sim/zookeeper/zab/peer.hpp"

namespace picklock {

// The steps that two tasks have taken in a run: they name the draws of what a server does by itself.
struct ZooServerSteps {
  std::uint32_t main = 0, disk = 0;
};

// Keeps the tree and ZAB's part of one server process, and hands what happens to the part that it concerns.
class ZooServerProcess final : private ZabMachine {
 public:
  // `setup`, `judge`, `reader` and `steps` outlive it.
  ZooServerProcess(World& world, NodeId node, const ZooServerSetup& setup, ZooJudge& judge, ZooProposalReader& reader,
                   ZooServerSteps& steps);
  ZooServerProcess(const ZooServerProcess&) = delete;
  ZooServerProcess& operator=(const ZooServerProcess&) = delete;

  void start();

  const ZooTree& tree() const { return tree_; }
  const ZabPeer& zab() const { return zab_; }
  std::size_t clients() const { return clients_.size(); }
  std::size_t watches() const { return clients_.events().watches(); }

 private:
  Task<void> serve(Service service);
  Task<void> write(Service service);
  void arrived(Message& message, ZabMs now);
  void introduced(Message& message);
  void time_passed(ZabMs now);
  ZabMs due() const;
  bool flush() { return zab_.has_output() && flush_output(); }  // true: it has stepped down, and something else is due
  bool flush_output();
  void perform(const ZabOutput& output);
  void record_role();
  ZabMs draw_ms(const Law& law) { return context_.service.host().draw_duration(Purpose::election, law).ms(); }

  // --- ZabMachine
  void apply(const ZabEntry& entry) override;
  std::string snapshot() override { return tree_.snapshot(); }
  void restore(std::string_view snapshot, ZabZxid zxid) override;
  void keep_truncated(const ZabEntry& entry) override;
  void truncates(ZabZxid last) override;
  void leads(ZabEpoch epoch) override;
  void follows(ZabSid leader) override;
  void steps_back() override;
  void from_learner(ZabSid sid, ZabLink link, std::string_view body) override { requests_.hear(sid, link, body); }
  void from_leader(std::string_view body) override;
  void synced(std::string_view body) override { clients_.synced(ZooServerRequests::synced_in(body)); }
  std::string touched() override { return sessions_.touches(); }
  void heard_touches(ZabSid, std::string_view body) override { sessions_.hear_touches(body); }
  ZabMs takes_to_listen() override { return draw_ms(context_.setup.options.start_leading); }
  ZabMs takes_to_serve() override { return draw_ms(context_.setup.options.start_serving); }

  const ZooServerContext context_;
  ZooServerSteps& steps_;
  ZooTree tree_;
  ZabPeer zab_;
  ZooServerDisk disk_;
  ZooVoteLinks votes_;
  ZooLearnerLinks learners_;
  ZooServerSessions sessions_;
  ZooServerProposals proposals_;
  ZooServerRequests requests_;
  ZooServerClients clients_;
  Bell bell_;                       // the disk's task has begun an election
  std::vector<ZooEffect> effects_;  // reused by every transaction
};

}  // namespace picklock
