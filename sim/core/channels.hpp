// All clients' channels of a world, and the requests that stayed unanswered.
//
//   RpcChannel& redis = world.channels.open(a, server, {.request_timeout = milliseconds(50)});
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/core/clock.hpp"
#include "sim/task/mark.hpp"
#include "sim/task/runtime.hpp"

namespace picklock {

class World;
class RpcChannel;
struct ChannelOptions;
struct Exchange;

// A request whose sender stopped waiting: for an answer, or for a connection to send it on.
struct Unanswered {
  TrueTime at;
  NodeId from = 0, to = 0;
  Mark verb;
  std::uint32_t hold = 0;  // hold that the exchange belongs to; 0: none
  bool sent = false;       // false: there was no connection
};

class Channels {
 public:
  explicit Channels(World& world);
  ~Channels();

  RpcChannel& open(NodeId from, NodeId to, const ChannelOptions& options);
  const std::vector<Unanswered>& unanswered() const { return unanswered_; }  // sorted by time
  void close_all();                                                          // their processes are gone
  void reset();

  // --- for the world
  void process_died(NodeId node);
  void fired(std::uint32_t channel, Exchange& exchange);  // its slot is due, or goes on after a stop
  std::uint64_t next_call() { return ++calls_; }
  void note_unanswered(const Unanswered& request) { unanswered_.push_back(request); }
  std::uint64_t fingerprint(std::uint64_t so_far) const;

 private:
  World& world_;
  std::vector<std::unique_ptr<RpcChannel>> channels_;
  std::size_t used_ = 0;  // later ones are left from earlier runs
  std::uint64_t calls_ = 0;
  std::vector<Unanswered> unanswered_;
};

}  // namespace picklock
