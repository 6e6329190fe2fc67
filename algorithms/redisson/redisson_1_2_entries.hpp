// ENTRIES of RedissonLock 1.2.0: for each lock name of a process how many threads wait, and the latch on which they do.
//
//   join    no entry: put one, and subscribe; else read it, make a copy that counts one more, and replace the entry by the
//           copy if it is still equal to what was read; if not, from the beginning
//   leave   the same with one less; an entry with count 0 is removed, and its channel unsubscribed
//   wait    on the latch of the entry as it is by then
//
// Two entries are equal if they count as many: whether they have one latch is not compared.  Between read and replace the
// entry may have gone and come again, and counts as many: then the copy of the old one takes the new one's place, with
// a latch that no message reaches.  Of all calls only join lets others in between.
//
// From:  Redisson 1.2.0, RedissonLock.aquire, subscribe, unsubscribe; RedissonLockEntry.equals.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "algorithms/redisson/redisson_channels.hpp"
#include "base/enum_names.hpp"

namespace picklock {

class Redisson12Entries {
 public:
  enum class Equal : std::uint8_t {
    by_count,
    by_object  // the repair
  };

  // State shared by the copies of an entry.
  struct Entry {
    std::shared_ptr<RedissonChannel> channel;
    bool promised = false;  // the subscription has stood once
  };

  Redisson12Entries(RedissonChannels& channels, Equal equal) : channels_(channels), equal_(equal) {}

  Task<std::shared_ptr<Entry>> join(Host host, std::string name);
  void leave(const std::string& name);
  const std::shared_ptr<RedissonChannel>& channel_of(const std::string& name) const {
    return counted_.at(name).entry->channel;
  }

  // Leaves when it ends, if the process is still there.
  class Share {
   public:
    Share(const std::shared_ptr<Redisson12Entries>& entries, std::string name)
        : entries_(entries), name_(std::move(name)) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() {
      if (const auto entries = entries_.lock()) entries->leave(name_);
    }
    void forget() { entries_.reset(); }

   private:
    std::weak_ptr<Redisson12Entries> entries_;
    std::string name_;
  };

 private:
  struct Counted {
    std::int64_t threads;
    std::shared_ptr<Entry> entry;
  };
  bool equal(const Counted& a, const Counted& b) const {
    return a.threads == b.threads && (equal_ == Equal::by_count || a.entry == b.entry);
  }

  RedissonChannels& channels_;
  Equal equal_;
  std::map<std::string, Counted> counted_;
  std::map<std::string, std::unique_ptr<RedissonSubscription>> subscriptions_;
};
constexpr auto enum_names(Redisson12Entries::Equal) { return name_list("equal-by-count", "equal-by-object"); }

}  // namespace picklock
