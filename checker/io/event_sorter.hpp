// Puts the operations of a file in the order of their times, as logs of several machines need it that were written one
// after the other into one file.
//
// If times are only good to some skew, an operation may have begun so much sooner and ended so much later than its
// records say; in the order of these times operations that lie closer together are concurrent.  Two of one client may then
// overlap, as two of one client's threads may anyway: the second is given to a process of its own (a lane), and both
// keep the client as their owner.
#pragma once

#include <cstddef>
#include <vector>

#include "checker/io/event_sink.hpp"
#include "checker/io/read_error.hpp"
#include "checker/naming.hpp"
#include "checker/sparse_map.hpp"

namespace picklock {

// Memory: about 100 bytes for each event, which are held until the last is handed out.
class EventSorter final : public EventSink {
 public:
  struct Event {
    OperationEvent operation;
    NameId client = kNoName;
    std::size_t extras = 0, extras_end = 0;  // places in the list of extras
    Position position;
    std::size_t invoke = kNone;  // place of a completion's invoke
    bool answered = false;       // true for an invoke with a completion
    std::int32_t lane = 0;
  };

  // Holds that the file names are handed on at once.  Throws std::bad_alloc past `limit` bytes; 0: no limit.
  EventSorter(EventSink& sink, std::size_t limit, std::int64_t skew, bool lanes)
      : sink_(sink), limit_(limit), skew_(skew), lanes_(lanes || skew > 0) {}

  void operation(const OperationEvent& event, const OperationExtras& extras) override;
  void omniscient() override { run_ = true; }
  void hold(HoldId id, const HoldInfo& info) override { sink_.hold(id, info); }
  void belief(const BeliefEvent&) override { run_ = true; }
  void grant(const GrantEvent&) override { run_ = true; }
  void effect(const EffectEvent&) override { run_ = true; }
  void process(const ProcessEvent&) override { run_ = true; }
  void phase(const PhaseEvent&) override { run_ = true; }

  // Has the file been a run's own history?
  [[nodiscard]] bool run() const { return run_; }

  // Has there been an operation without a time?
  [[nodiscard]] bool untimed() const { return untimed_; }

  // Places the operations that came since the last call.
  void place(Position position);

  void sort();

  // Runs after it: gives operations that overlap others of their client to processes of their own, and makes the client
  // the owner of them all.  Names them in `naming`, and their owners in `tables`.
  void separate(Naming& naming, History& tables);

  // The next one in order, numbered anew; null after the last.  Valid until the next call.
  Event* next();
  OperationExtras extras_of(const Event& event);

 private:
  EventSink& sink_;
  std::size_t limit_;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  [[nodiscard]] std::int64_t widened(const OperationEvent& event) const;
  bool assign_lanes();

  std::int64_t skew_;
  bool lanes_;
  SparseMap<std::int32_t, std::size_t> open_;  // place of the last invoke in the order of the file; key: process
  bool run_ = false, untimed_ = false;
  std::vector<Event> events_;
  std::vector<ExtraField> extras_;
  std::size_t placed_ = 0, next_ = 0;
};

}  // namespace picklock
