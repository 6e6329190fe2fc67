// Messages under way between clients and members, and between members, kept as values beside their bytes.
//
//   EtcdSentValues<EtcdReply> sent;
//   Bytes body = Bytes::knowing(arena, sent.keep(std::move(reply)), bytes);   // the sender
//   if (EtcdReply* const kept = sent.take(body)) …                            // its receiver; else it decodes the bytes
//
// What bytes mean is a pure function of them, so a receiver need not find out what their sender knew.  The last few are
// kept, each for one receiver; whether one is found changes nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sim/etcd/raft/types.hpp"
#include "sim/etcd/wire.hpp"
#include "sim/task/bytes.hpp"

namespace picklock {

template <class T>
class EtcdSentValues {
 public:
  EtcdSentPlace keep(T&& value) {
    Kept& kept = kept_[++last_ % kept_.size()];
    kept.number = last_;
    kept.value = std::move(value);
    return {last_};
  }
  // To be used up at once; null: it is not kept, or not any more.
  T* take(const Bytes& body) {
    const auto* const place = body.known<EtcdSentPlace>();
    if (place == nullptr || place->number == 0) return nullptr;
    Kept& kept = kept_[place->number % kept_.size()];
    if (kept.number != place->number) return nullptr;
    kept.number = 0;
    return &kept.value;
  }

 private:
  struct Kept {
    std::uint64_t number = 0;  // 0: taken
    T value;
  };
  std::array<Kept, 16> kept_;
  std::uint64_t last_ = 0;
};

// Of one cluster and its clients.
struct EtcdSent {
  EtcdSentValues<EtcdRequest> requests;
  EtcdSentValues<EtcdReply> replies;
  EtcdSentValues<RaftMessage> raft;
};

}  // namespace picklock
