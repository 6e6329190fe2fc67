// Puts the operations of a file in the order of their times, as logs of several machines need it that were written one
// after the other into one file.
#pragma once

#include <cstddef>
#include <vector>

#include "checker/io/event_sink.hpp"
#include "checker/io/read_error.hpp"

namespace picklock {

// Memory: about 100 bytes for each event, which are held until the last is handed out.
class EventSorter final : public EventSink {
 public:
  struct Event {
    OperationEvent operation;
    NameId client = kNoName;
    std::size_t extras = 0, extras_end = 0;  // places in the list of extras
    Position position;
  };

  // Holds that the file names are handed on at once.  Throws std::bad_alloc past so many bytes; 0: no limit.
  EventSorter(EventSink& sink, std::size_t limit) : sink_(sink), limit_(limit) {}

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

  // Of the operations that came since the last call.
  void place(Position position);

  void sort();

  // The next one in order, numbered anew; null after the last.  Valid until the next call.
  Event* next();
  OperationExtras extras_of(const Event& event);

 private:
  EventSink& sink_;
  std::size_t limit_;
  bool run_ = false, untimed_ = false;
  std::vector<Event> events_;
  std::vector<ExtraField> extras_;
  std::size_t placed_ = 0, next_ = 0;
};

}  // namespace picklock
