#include "sim/etcd/member_renewal_streams.hpp"

#include <vector>

#include "sim/etcd/member_renewals.hpp"

namespace picklock {

void EtcdRenewalStreams::open(Message message, bool require_leader) {
  end(message.connection, EtcdError::stopped);  // its client has one at a time
  if (require_leader && !leader_.known()) return replies_.reply(message, EtcdReply::failed(EtcdError::no_leader));
  Stream& stream = streams_[message.connection];
  stream.number = calls_.take_number();
  stream.requires_leader = require_leader;
  stream.opened = std::move(message);
}

void EtcdRenewalStreams::hear(Message message, EtcdLeaseId lease) {
  const ConnectionId connection = message.connection;
  const auto stream = streams_.find(connection);
  if (stream == streams_.end()) {  // it has ended, or was never let in
    return replies_.reply(message, EtcdReply::failed(EtcdError::no_leader));
  }
  stream->second.waiting.emplace_back(std::move(message), lease);
  if (!stream->second.busy) serve(connection);
}

void EtcdRenewalStreams::served(ConnectionId connection, std::uint64_t number, bool failed) {
  const auto stream = streams_.find(connection);
  if (stream == streams_.end() || stream->second.number != number) return;  // an older one's
  if (failed) return end(connection, EtcdError::stopped);
  stream->second.busy = false;
  serve(connection);
}

// Its next message, if it has one; and of the streams which come free while that is done, theirs.
void EtcdRenewalStreams::serve(ConnectionId connection) {
  freed_.push_back(connection);
  if (freed_.size() > 1) return;
  for (; !freed_.empty(); freed_.pop_front()) {
    const auto found = streams_.find(freed_.front());
    if (found == streams_.end() || found->second.waiting.empty()) continue;
    Stream& stream = found->second;
    auto [message, lease] = std::move(stream.waiting.front());
    stream.waiting.pop_front();
    stream.busy = true;
    renewals_.begin(std::move(message), EtcdLeaseRenew{lease, true}, kForever, stream.number);
  }
}

void EtcdRenewalStreams::end(ConnectionId connection, EtcdError error) {
  const auto found = streams_.find(connection);
  if (found == streams_.end()) return;
  const Stream stream = std::move(found->second);
  streams_.erase(found);
  const EtcdReply last = replies_.with_header(EtcdReply::failed(error));
  replies_.send(stream.opened, last);
  for (const auto& [message, lease] : stream.waiting) replies_.send(message, last);
  renewals_.end_stream(stream.number, last);
}

void EtcdRenewalStreams::lose_leader() {
  std::vector<ConnectionId> ended;
  for (const auto& [connection, stream] : streams_) {
    if (stream.requires_leader) ended.push_back(connection);
  }
  for (const ConnectionId connection : ended) end(connection, EtcdError::no_leader);
}

}  // namespace picklock
