// Takes the events of a history one at a time, in the order of the file.
#pragma once

#include <span>

#include "checker/history.hpp"

namespace picklock {

// Fields of an operation's record beyond OperationEvent.
struct OperationExtras {
  NameId client = kNoName;             // client named in the record, if the name is known already
  std::span<const ExtraField> fields;  // valid during the call
};

class EventSink {
 public:
  virtual ~EventSink() = default;

  virtual void operation(const OperationEvent& event, const OperationExtras& extras) = 0;

  // Fields that only a simulated run has.
  virtual void omniscient() {}
  virtual void hold(HoldId, const HoldInfo&) {}  // holds 1, 2, …, before any event that names one
  virtual void belief(const BeliefEvent&) {}
  virtual void grant(const GrantEvent&) {}
  virtual void effect(const EffectEvent&) {}
  virtual void process(const ProcessEvent&) {}
  virtual void phase(const PhaseEvent&) {}
};

}  // namespace picklock
