#include "instruments/hunt/aim.hpp"

#include "checker/properties/properties.hpp"

namespace picklock {

std::vector<std::string> kinds_that_break(AssumptionKind kind) {
  switch (kind) {
    case AssumptionKind::pauses_shorter_than:
      return {"pause", "freeze"};
    case AssumptionKind::beliefs_shorter_than:
      return {"pause", "freeze", "delay", "hold", "loss", "partition", "slow-disk"};
    case AssumptionKind::interruptions_shorter_than:
      return {"pause", "freeze", "delay", "hold", "loss", "partition", "slow-disk", "kill", "power-loss"};
    case AssumptionKind::delays_shorter_than:
      return {"delay", "hold", "loss", "partition", "slow-disk"};
    case AssumptionKind::clock_rates_within:
      return {"clock-drift"};
    case AssumptionKind::clock_steps_below:
      return {"clock-step", "clock-offset"};
    case AssumptionKind::clock_offsets_below:
      return {"clock-offset"};
    case AssumptionKind::fsync_honoured:
    case AssumptionKind::no_power_losses:
      return {"power-loss"};
    case AssumptionKind::no_data_loss:
    case AssumptionKind::no_restarts:
    case AssumptionKind::enough_servers:
      return {"kill", "power-loss"};
    case AssumptionKind::no_kills:
      return {"kill"};
    case AssumptionKind::no_partitions:
      return {"partition"};
    case AssumptionKind::no_failovers:
      return {"kill", "power-loss", "partition", "pause", "freeze", "hold"};
    case AssumptionKind::disconnections_shorter_than:
    case AssumptionKind::no_unanswered_requests:
      return {"partition", "loss", "hold", "kill", "power-loss", "pause", "freeze", "delay"};
    case AssumptionKind::holds_shorter_than:
    case AssumptionKind::no_forced_releases:
    case AssumptionKind::no_abandoned_acquires:
    case AssumptionKind::no_interrupts:
    case AssumptionKind::no_uncaught_exceptions:
    case AssumptionKind::no_forgotten_releases:
    case AssumptionKind::no_fail_open:
      break;
  }
  return {};
}

void demand(Scenario& drawn, const Aim& aim) {
  for (const Property p : aim.properties) drawn.expect[std::string(info(p).name)] = {Verdict::holds, Seeds::every};
}

Scenario twin_of(const Scenario& drawn, const Scenario& base, const Scenario& twin) {
  Scenario s = drawn;
  if (!(twin.lock == base.lock)) s.lock = twin.lock;
  if (!(twin.services == base.services)) s.services = twin.services;
  if (!(twin.storage == base.storage)) s.storage = twin.storage;
  if (!(twin.workload == base.workload)) s.workload = twin.workload;
  return s;
}

std::string no_twin(const Scenario& base, const Scenario& twin) {
  if (!(twin.clients == base.clients)) return "it has other clients, and a hunt plays the same clients against both";
  const Scenario same = twin_of(base, base, twin);
  if (same.lock == base.lock && same.services == base.services && same.storage == base.storage &&
      same.workload == base.workload) {
    return "it differs neither in its lock nor in its servers, its storage or its workload";
  }
  return {};
}

}  // namespace picklock
