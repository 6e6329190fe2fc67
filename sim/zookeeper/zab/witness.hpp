// A judge over one ensemble. Under any faults these rules must hold:
//
//   one leader an epoch; every server applies a beginning of one sequence of transactions; zxids rise in it.
//
// Servers tell it what they do and never ask it anything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/zookeeper/zab/message.hpp"

namespace picklock {

class ZabWitness {
 public:
  struct Applied {
    ZabZxid zxid = 0;
    std::uint64_t hash = 0;
    bool operator==(const Applied&) const = default;
  };

  void reset() { *this = ZabWitness(); }

  void leads(ZabSid sid, ZabEpoch epoch) {
    const auto [it, first] = leaders_.emplace(epoch, sid);
    if (!first && it->second != sid) {
      complain("epoch " + std::to_string(epoch) + " has two leaders, " + std::to_string(it->second) + " and " +
               std::to_string(sid));
    }
  }
  // The server's state is that after `zxid`, 0: none; what it applies next follows on that.
  void restored(ZabSid sid, ZabZxid zxid) {
    const auto it = std::upper_bound(sequence_.begin(), sequence_.end(), zxid,
                                     [](ZabZxid z, const Applied& a) { return z < a.zxid; });
    next_of(sid) = static_cast<std::size_t>(it - sequence_.begin());
    if (zxid != 0 && zab_counter(zxid) != 0 && (it == sequence_.begin() || std::prev(it)->zxid != zxid)) {
      complain("server " + std::to_string(sid) + " holds a state of " + zab_text(zxid) + ", which no server applied");
    }
  }
  void applied(ZabSid sid, ZabZxid zxid, std::uint64_t hash) {
    std::size_t& next = next_of(sid);
    if (next < sequence_.size()) {
      if (!(sequence_[next] == Applied{zxid, hash})) {
        complain("server " + std::to_string(sid) + " applies " + zab_text(zxid) + " where another applied " +
                 zab_text(sequence_[next].zxid));
      }
    } else {
      if (!sequence_.empty() && zxid <= sequence_.back().zxid) {
        complain("server " + std::to_string(sid) + " applies " + zab_text(zxid) + " after " +
                 zab_text(sequence_.back().zxid));
      }
      sequence_.push_back({zxid, hash});
    }
    ++next;
  }
  void complain(std::string what) { complaints_.push_back(std::move(what)); }

  bool content() const { return complaints_.empty(); }
  const std::vector<std::string>& complaints() const { return complaints_; }
  const std::vector<Applied>& sequence() const { return sequence_; }
  std::size_t epochs() const { return leaders_.size(); }

 private:
  std::size_t& next_of(ZabSid sid) {
    if (sid >= next_.size()) next_.resize(sid + std::size_t{1});
    return next_[sid];
  }

  std::map<ZabEpoch, ZabSid> leaders_;
  std::vector<Applied> sequence_;
  std::vector<std::size_t> next_;  // index sid: place of the entry that this server applies next
  std::vector<std::string> complaints_;
};

}  // namespace picklock
