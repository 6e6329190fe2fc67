#include "sim/zookeeper/client_servers.hpp"

#include <utility>

namespace picklock {

void ZooClientServers::shuffle(const Host& host) {
  for (std::size_t i = servers_.size() - 1; i > 0; --i) {
    const std::int64_t j = host.draw(Purpose::choice, Law::uniform(std::int64_t{0}, static_cast<std::int64_t>(i)));
    std::swap(servers_[i], servers_[static_cast<std::size_t>(j)]);
  }
  current_ = servers_.size() - 1;  // the one before the first
}

std::int64_t ZooClientServers::next(const Host& host, const ZooClientOptions& options) {
  std::int64_t pause_ms = 0;
  current_ = (current_ + 1) % servers_.size();
  if (last_good_ == current_) {
    pause_ms += options.round_delay.ms();
  } else if (!last_good_) {
    last_good_ = 0;
  }
  if (ever_reached_) pause_ms += host.draw_duration(Purpose::retry_delay, options.reconnect_delay).ms();
  return pause_ms;
}

}  // namespace picklock
