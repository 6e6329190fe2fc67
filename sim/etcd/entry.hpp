// An entry of a cluster's log: a request, and the member and call that wait for it to be applied.
//
//   const RaftData data = RaftData::of(EtcdEntry{self, id, hold, std::move(request)});   // proposed, sent, logged
//   data.get<EtcdEntry>()->request                                                       // applied by every member
//
// The members of a cluster share one value.  A member decodes once the entries that its disk has at a boot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/etcd/wire.hpp"

namespace picklock {

struct EtcdEntry {
  std::uint32_t origin = 0;  // the member that proposed it
  std::uint64_t id = 0;      // number there of the call that waits for it
  std::uint32_t hold = 0;    // hold that the entry belongs to
  EtcdRequest request;
  bool operator==(const EtcdEntry&) const = default;
};

void encode(const EtcdEntry& entry, std::string& to);  // appends
std::optional<EtcdEntry> decode_etcd_entry(std::string_view bytes);

}  // namespace picklock
