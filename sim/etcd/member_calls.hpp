// The calls of one member that wait for something: their numbers, their owners, and until when they wait.
//
//   const std::uint64_t id = calls.begin(part, left);   // `part` hears what becomes of it
//   calls.end(id);                                       // it has its answer, or is not wanted any more
//
// A number is unique among all members and all their processes, for it goes through the log.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/wait.hpp"
#include "sim/etcd/member_context.hpp"
#include "sim/etcd/wire.hpp"

namespace picklock {

// A part of a member that has calls.  Each of these functions but confirmed() must end the call.
class EtcdCallOwner {
 public:
  virtual void applied(std::uint64_t id, EtcdReply&& reply) = 0;  // the entry proposed for it is applied
  virtual void confirmed(std::uint64_t id) = 0;                   // its round of confirmation is over
  virtual void failed(std::uint64_t id, EtcdError why) = 0;
  virtual void timed_out(std::uint64_t id, MonoTime asked) = 0;

 protected:
  ~EtcdCallOwner() = default;
};

class EtcdCalls {
 public:
  explicit EtcdCalls(const EtcdMemberContext& me);

  // Takes a number for something that is no call.
  std::uint64_t take_number() { return ++last_; }
  std::uint64_t next_number() const { return last_ + 1; }
  // `left` of its caller's deadline; a member's own limit may be shorter.
  std::uint64_t begin(EtcdCallOwner& owner, Duration left = kForever);
  void end(std::uint64_t id);
  bool waits(std::uint64_t id) const { return find(id) != calls_.end(); }

  // No effect on one that has ended.
  void apply(std::uint64_t id, EtcdReply&& reply);
  void confirm(std::uint64_t id);
  void fail(std::uint64_t id, EtcdError why);

  // The task that ends calls at their deadlines.
  Task<void> expire(Service service);

 private:
  struct Call {
    std::uint64_t id;
    EtcdCallOwner* owner;
    MonoTime asked, deadline;
  };
  std::vector<Call>::const_iterator find(std::uint64_t id) const;
  EtcdCallOwner* owner(std::uint64_t id) const;

  const EtcdMemberContext& me_;
  std::uint64_t last_;
  std::vector<Call> calls_;           // sorted by number: a new one has the greatest
  std::optional<MonoTime> earliest_;  // earliest deadline, when the task that ends calls looked last
  Bell sooner_;                       // a deadline has come before that
};

}  // namespace picklock
