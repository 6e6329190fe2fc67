#include "sim/etcd/decoded_requests.hpp"

#include <optional>
#include <utility>

namespace picklock {

std::shared_ptr<const EtcdRequest> EtcdDecodedRequests::decode(std::string_view bytes) {
  for (const Remembered& one : known_) {
    if (one.request != nullptr && one.bytes == bytes) return one.request;
  }
  std::optional<EtcdRequest> request = decode_etcd_request(bytes);
  if (!request) return nullptr;
  Remembered& place = known_[next_++ % known_.size()];
  place.bytes.assign(bytes);
  place.request = std::make_shared<const EtcdRequest>(std::move(*request));
  return place.request;
}

}  // namespace picklock
