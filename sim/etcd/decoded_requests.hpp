// Entries of a cluster's log and what they ask for, found out once for all its members.
//
// Every member has the same bytes, one shortly after the other, and what they mean is a pure function of them.  So
// members share the last few; which of them asks first changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sim/etcd/raft/data.hpp"
#include "sim/etcd/versions.hpp"
#include "sim/etcd/wire.hpp"

namespace picklock {

struct EtcdEntry {
  std::uint32_t origin = 0;  // the member that proposed it
  std::uint64_t id = 0;      // number there of the call that waits for it
  std::uint32_t hold = 0;    // on whose behalf it is
  EtcdRequest request;
  bool operator==(const EtcdEntry&) const = default;
};

class EtcdDecodedRequests {
 public:
  // `request`: its request as bytes, if they are known; empty: they are made here.
  RaftData encode(EtcdEntry&& entry, std::string_view request = {});
  // Null: the bytes are no entry.
  std::shared_ptr<const EtcdEntry> decode(const RaftData& bytes);
  RaftDataPool& pool() { return pool_; }          // of the bytes that members send each other
  EtcdVersions& versions() { return versions_; }  // that they make of the entries

 private:
  struct Remembered {
    RaftData bytes;
    std::shared_ptr<const EtcdEntry> entry;
  };
  const std::shared_ptr<const EtcdEntry>& remember(const RaftData& bytes, EtcdEntry&& entry);

  std::array<Remembered, 8> known_;  // a member that is further behind decodes for itself
  std::size_t next_ = 0;
  RaftDataPool pool_;
  EtcdVersions versions_;
  std::string scratch_;
};

}  // namespace picklock
