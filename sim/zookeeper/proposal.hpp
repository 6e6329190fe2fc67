// Proposals, as they stand in the log, and as the servers of an ensemble have read them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/zookeeper/tree.hpp"
#include "sim/zookeeper/zab/types.hpp"

namespace picklock {

// A server's own number of a request that waits for the ensemble; 0: no client waits.
using ZooTicket = std::uint64_t;

// The request that waits for it, and the transaction.
struct ZooProposal {
  ZabSid origin = 0;  // the server whose client asks
  ZooTicket ticket = 0;
  std::int64_t session = 0;
  std::int32_t xid = 0;
  ZooTxn txn;
};
void encode(const ZooProposal& proposal, std::string& to);  // appends

// Reads a proposal once for all servers of an ensemble, which apply the same bytes soon after each other.
//
// A proposal that its leader has made is not read at all: what is read from bytes is a pure function of them.
class ZooProposalReader {
 public:
  struct Read {
    ZabEntry entry;
    std::uint64_t hash = 0;  // hash of the entry's bytes
    ZooProposal proposal;
  };
  const Read& read(const ZabEntry& entry);                                    // good until many others have been read
  void note(ZabZxid zxid, const SharedBytes& bytes, ZooProposal&& proposal);  // the bytes are this proposal's

 private:
  Read& place_of(ZabZxid zxid) { return places_[static_cast<std::uint64_t>(zxid) % kPlaces]; }

  static constexpr std::size_t kPlaces = 64;
  std::array<Read, kPlaces> places_;  // the entries read last
};

}  // namespace picklock
