#include "checker/properties/finding.hpp"

namespace picklock {

std::string_view words(Reason reason) {
  switch (reason) {
    case Reason::none:
      return "";
    case Reason::needs_beliefs:
      return "the history records no beliefs";
    case Reason::needs_grants:
      return "the history records no grants";
    case Reason::needs_effects:
      return "the history records no effects on the resource";
    case Reason::needs_tokens:
      return "no hold has a fencing token";
    case Reason::needs_final_read:
      return "no final read answers with a collection";
    case Reason::needs_phases:
      return "the history records no phases";
    case Reason::owner_never_named:
      return "the service never named an owner of a lock that a client believed to hold";
    case Reason::several_permits:
      return "several holders are legal, so their writes may interleave";
    case Reason::patience_limited:
      return "every acquire had a limit of patience";
    case Reason::other_workload:
      return "the workload sells nothing";
    case Reason::records_out_of_order:
      return "the records are not in order, or name unknown holds";
    case Reason::budget_exhausted:
      return "the run ended because its budget was exhausted";
    case Reason::vacuous:
      return "nothing was put to the test";
    case Reason::no_probe:
      return "no client probed the lock at the end";
    case Reason::no_healing:
      return "the run never healed";
    case Reason::no_bound:
      return "no bound was given";
    case Reason::probe_unanswered:
      return "the run ended before the probe was answered";
    case Reason::probe_answer_unknown:
      return "the probe does not know whether it got the lock";
    case Reason::held_during_probe:
      return "a live holder or a pending release kept the probe out";
    case Reason::pending_at_end:
      return "the run ended while somebody still waited, within the bound";
    case Reason::too_few_servers:
      return "fewer servers run than the service needs, and a connection that they refuse is no refusal of the lock";
    case Reason::too_close_in_real_time:
      return "cannot tell: it lasted less than three times the machine's lateness, and the run was in real time";
  }
  return "";
}

}  // namespace picklock
