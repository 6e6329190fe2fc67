#include "sim/etcd/entry.hpp"

#include <utility>

#include "base/packing.hpp"

namespace picklock {

void encode(const EtcdEntry& entry, std::string& to) {
  PackedHead<3> head;
  head.number(entry.origin);
  head.number(entry.id);
  head.number(entry.hold);
  to.append(head.view());
  encode(entry.request, to);
}

std::optional<EtcdEntry> decode_etcd_entry(std::string_view bytes) {
  Unpacker from(bytes);
  EtcdEntry entry;
  entry.origin = static_cast<std::uint32_t>(from.number());
  entry.id = from.number();
  entry.hold = static_cast<std::uint32_t>(from.number());
  std::optional<EtcdRequest> request = decode_etcd_request(from.rest());
  if (!request) return std::nullopt;
  entry.request = std::move(*request);
  return entry;
}

}  // namespace picklock
