#include "sim/etcd/decoded_requests.hpp"

#include <optional>
#include <utility>

#include "base/packing.hpp"

namespace picklock {

RaftData EtcdDecodedRequests::encode(EtcdEntry&& entry, std::string_view request) {
  scratch_.clear();
  PackedHead<3> head;
  head.number(entry.origin);
  head.number(entry.id);
  head.number(entry.hold);
  scratch_.append(head.view()).append(request);
  if (request.empty()) picklock::encode(entry.request, scratch_);
  RaftData bytes = pool_.add(scratch_);
  remember(bytes, std::move(entry));
  return bytes;
}

std::shared_ptr<const EtcdEntry> EtcdDecodedRequests::decode(const RaftData& bytes) {
  for (std::size_t back = 1; back <= known_.size(); ++back) {
    const Remembered& one = known_[(next_ - back) % known_.size()];
    if (one.entry != nullptr && one.bytes.is(bytes)) return one.entry;
  }
  EtcdEntry entry;
  Unpacker from(bytes);
  entry.origin = static_cast<std::uint32_t>(from.number());
  entry.id = from.number();
  entry.hold = static_cast<std::uint32_t>(from.number());
  std::optional<EtcdRequest> request = decode_etcd_request(from.rest());
  if (!request) return nullptr;
  entry.request = std::move(*request);
  return remember(bytes, std::move(entry));
}

const std::shared_ptr<const EtcdEntry>& EtcdDecodedRequests::remember(const RaftData& bytes, EtcdEntry&& entry) {
  Remembered& place = known_[next_++ % known_.size()];
  place.bytes = bytes;
  place.entry = std::make_shared<const EtcdEntry>(std::move(entry));
  return place.entry;
}

}  // namespace picklock
