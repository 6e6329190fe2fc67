// Calls to which several may refer, each kept as long as one does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "checker/block_vector.hpp"
#include "checker/models/seen_call.hpp"

namespace picklock {

class SharedCalls {
 public:
  using Ref = std::uint32_t;
  static constexpr Ref kNone = 0xffffffff;

  Ref put(const SeenCall& call) {
    if (unused_.empty()) {
      unused_.push_back(static_cast<Ref>(calls_.size()));
      calls_.push_back({});
    }
    const Ref ref = unused_.back();
    unused_.pop_back();
    calls_[ref] = {call, 1};
    return ref;
  }
  Ref share(Ref ref) {
    if (ref != kNone) ++calls_[ref].uses;
    return ref;
  }
  void drop(Ref ref) {
    if (ref != kNone && --calls_[ref].uses == 0) unused_.push_back(ref);
  }
  void forget_unused() {  // clears the table if no call is left
    if (unused_.size() == calls_.size()) *this = {};
  }
  [[nodiscard]] const SeenCall& operator[](Ref ref) const { return calls_[ref].call; }
  template <typename Archive, typename Self>
  static void state(Archive& archive, Self& self) {
    archive(self.calls_, self.unused_);
  }
  [[nodiscard]] std::size_t memory() const { return calls_.memory() + unused_.memory(); }

 private:
  struct Used {
    SeenCall call;
    std::uint32_t uses = 0;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& used) {
      archive(used.uses);
      if (used.uses > 0) archive(used.call);
    }
  };
  BlockVector<Used> calls_;
  BlockVector<Ref> unused_;
};

}  // namespace picklock
