// Requests that stand in the log of a cluster, decoded once for all its members.
//
// Every member decodes the same bytes, one shortly after the other, and what they mean is a pure function of them.  So
// members share the last few; which of them asks first changes nothing.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "sim/etcd/wire.hpp"

namespace picklock {

class EtcdDecodedRequests {
 public:
  // Null: the bytes are no request.
  std::shared_ptr<const EtcdRequest> decode(std::string_view bytes);

 private:
  struct Remembered {
    std::string bytes;
    std::shared_ptr<const EtcdRequest> request;
  };
  std::array<Remembered, 8> known_;  // a member that is further behind decodes for itself
  std::size_t next_ = 0;
};

}  // namespace picklock
