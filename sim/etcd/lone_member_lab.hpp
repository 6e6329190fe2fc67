// For tests: an etcd cluster of one member, without a log; its state outlives its process as if on a perfect disk.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/rpc_channel.hpp"
#include "sim/core/service.hpp"
#include "sim/etcd/client.hpp"
#include "sim/etcd/lock_service.hpp"
#include "sim/etcd/state.hpp"
#include "sim/etcd/watches.hpp"

namespace picklock::testing {

class LoneEtcdMember final : public Program {
 public:
  struct Refusal {  // error for the next request of one kind (its place in EtcdRequest)
    std::size_t kind;
    EtcdError error;
    bool takes_effect;
  };
  void begin();
  void boot(World& world, NodeId node) override;
  // Applies a request of another client, at once.
  EtcdReply run(World& world, NodeId node, const EtcdRequest& request);

  EtcdState state;
  EtcdWatchHub hub;
  std::vector<std::string> log;  // every request that came
  std::deque<Refusal> refusals;
  Channel* loopback = nullptr;  // if not null, the member serves v3lock as well
  EtcdLockServiceOptions lock_options;

 private:
  static Task<void> serve(Service service, LoneEtcdMember* self);
  static Task<void> expire(Service service, LoneEtcdMember* self);
  static Task<void> catch_up(Service service, LoneEtcdMember* self);
  void handle(const Service& service, Message message, EtcdRequest request);
  void answer_renewal(const Service& service, Message message, EtcdLeaseId id);
  EtcdReply apply(const Service& service, const EtcdRequest& request, std::uint32_t hold);
  void send_deliveries(const Service& service);
  void reply(const Service& service, const Message& message, EtcdReply answer);

  std::vector<std::pair<Message, EtcdLeaseId>> waiting_;
  EtcdLeaseId last_lease_ = 1000;
  std::unique_ptr<EtcdLockService> locks_;
};

}  // namespace picklock::testing
