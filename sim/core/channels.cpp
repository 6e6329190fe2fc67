#include "sim/core/channels.hpp"

#include "sim/core/rpc_channel.hpp"
#include "sim/core/world.hpp"

namespace picklock {

Channels::Channels(World& world) : world_(world) {}
Channels::~Channels() = default;

RpcChannel& Channels::open(NodeId from, NodeId to, const ChannelOptions& options) {
  const std::size_t index = used_++;
  if (channels_.size() < used_) channels_.push_back(std::make_unique<RpcChannel>(world_, index));
  channels_[index]->reset(from, to, options);
  return *channels_[index];
}

void Channels::close_all() {
  for (std::size_t i = 0; i < used_; ++i) channels_[i]->process_died();
}

void Channels::reset() {
  used_ = 0;
  calls_ = 0;
  unanswered_.clear();
}

void Channels::process_died(NodeId node) {
  for (std::size_t i = 0; i < used_; ++i) {
    if (channels_[i]->host().node() == node) channels_[i]->process_died();
  }
}

void Channels::fired(std::uint32_t channel, Exchange& exchange) { channels_[channel]->fired(exchange); }

std::uint64_t Channels::fingerprint(std::uint64_t so_far) const {
  for (std::size_t i = 0; i < used_; ++i) so_far = mix(so_far, channels_[i]->fingerprint());
  return so_far;
}

}  // namespace picklock
