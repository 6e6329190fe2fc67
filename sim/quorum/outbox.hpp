// Messages on their way out of a state machine, of which some must wait for the disk.
//
// A vote, or the acknowledgement of a log entry, promises something that must survive a crash: it may be
// sent only once what it promises is on the platter.  The machine numbers the records which it hands out to
// be written; a message names the record that it depends on, and stays here until `persisted` reaches it.
// Messages that wait keep their order; those that need not wait pass them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.hpp"

namespace picklock {

template <class T>
class DurableOutbox {
 public:
  using Position = std::uint64_t;  // position of a record; 0: before the first

  template <class Message = T>
  void send(Message&& message) {
    ready_.push_back(std::forward<Message>(message));
  }

  // `needs` never falls from one call to the next.
  template <class Message = T>
  void send_after(Position needs, Message&& message) {
    add_after(needs) = std::forward<Message>(message);
  }
  template <class... Parts>
  T& add_after(Position needs, const Parts&... parts) {  // makes the message of `parts`; fill it at once
    PICKLOCK_CHECK(waiting_.empty() || waiting_.back().needs <= needs);
    if (needs <= persisted_) return ready_.emplace_back(parts...);
    return waiting_.emplace_back(needs, parts...).message;
  }

  // All records up to this one are on the platter.
  void persisted(Position upto) {
    if (upto <= persisted_) return;
    persisted_ = upto;
    std::size_t freed = 0;
    while (freed < waiting_.size() && waiting_[freed].needs <= upto) send(std::move(waiting_[freed++].message));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(freed));
  }
  Position persisted() const { return persisted_; }

  // Messages that may leave now, in order; the process that sends them clears this.
  std::vector<T>& ready() { return ready_; }
  const std::vector<T>& ready() const { return ready_; }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Held {
    template <class... Parts>
    explicit Held(Position position, const Parts&... parts) : needs(position), message(parts...) {}

    Position needs;
    T message;
  };
  std::vector<T> ready_;
  std::vector<Held> waiting_;
  Position persisted_ = 0;
};

}  // namespace picklock
