#include "checker/properties/unreleased.hpp"

#include <algorithm>

#include "checker/properties/named_owner.hpp"
#include "checker/properties/words.hpp"

namespace picklock {
namespace {

// Facts about one hold, from what its client was told and from what the service says.
struct Given {
  std::uint32_t acquired = 0, released = 0;  // acknowledged
  bool doubtful = false;                     // some acquisition or release was not acknowledged
  std::uint32_t asked = 0;                   // index of the last invocation of a release
  std::uint32_t last = kNowhere;             // index of the last acknowledgement of one
  std::uint32_t granted = kNowhere;          // index of the grant that stood at that record or came later
  std::int64_t since = kNoTime;              // time of that grant

  [[nodiscard]] bool kept() const { return !doubtful && released > 0 && released == acquired && granted != kNowhere; }
  [[nodiscard]] bool anew() const { return granted > asked; }
};

bool is_acknowledged(const History& history, const Scratch& scratch, const LockRequest& request) {
  const std::uint32_t other = scratch.partner[request.position];
  return other != kNowhere && history.operations[other].type == OperationType::ok &&
         history.operations[other].hold == history.operations[request.position].hold;
}

// Did the service name a hold until it expired, or to the end, whose release was acknowledged?
bool some_may_be_kept(const History& history, const Scratch& scratch) {
  return std::any_of(scratch.requests.begin(), scratch.requests.end(), [&](const LockRequest& request) {
    return !request.acquires && scratch.holds[history.operations[request.position].hold].still_named &&
           is_acknowledged(history, scratch, request);
  });
}

std::span<Given> gather(const History& history, Scratch& scratch) {
  const auto all = scratch.workspace.table<Given>(history.holds.size());
  for (const LockRequest& request : scratch.requests) {
    const HoldId hold = history.operations[request.position].hold;
    if (hold == kNoHold) continue;
    Given& given = all[hold];
    if (!is_acknowledged(history, scratch, request)) {
      given.doubtful = true;
    } else if (request.acquires) {
      ++given.acquired;
    } else {
      ++given.released;
      given.asked = std::max(given.asked, history.operations[request.position].index);
      const std::uint32_t index = history.operations[scratch.partner[request.position]].index;
      given.last = given.last == kNowhere ? index : std::max(given.last, index);
    }
  }
  for (const GrantEvent& e : history.grants) {
    if (e.hold == kNoHold) continue;
    Given& given = all[e.hold];
    const bool later = e.index > given.last;
    if (e.change == GrantChange::begin) {
      // Data that come back after a failover promise nothing: no command of the hold has set them.
      if (later && e.until == kNoTime) continue;
      given.granted = e.index;
      given.since = e.time;
    } else if (ends_ownership(e.change)) {
      // A hold that ends by itself, later, was kept until then.
      const bool kept_until_then = later && e.change == GrantChange::end && e.time > given.since;
      if (!kept_until_then) given.granted = kNowhere;
    }
  }
  return all;
}

}  // namespace

// The run ends with the probe's last release, which may still be under way.
Finding unreleased(const History& history, const JudgeOptions&, Scratch& scratch) {
  if (!history.omniscient) return not_applicable(Reason::needs_grants);
  Finding finding;
  if (!some_may_be_kept(history, scratch)) return finding;
  const auto all = gather(history, scratch);
  for (HoldId hold = 1; hold < all.size(); ++hold) {
    if (!all[hold].kept() || all[hold].last > scratch.probe_index) continue;
    if (finding.measure++ > 0) continue;
    finding.verdict = Verdict::violated;
    finding.witness.add_hold(hold);
    finding.witness.add_event(all[hold].last);
    if (all[hold].anew()) finding.witness.add_event(all[hold].granted);
  }
  return finding;
}

std::string explain_unreleased(const Finding& finding, const History& history, const JudgeOptions&) {
  const OperationEvent& last = *find_record(history.operations, finding.witness.events[0]);
  std::string text = who(history, last.hold) + " was told at " + in_milliseconds(last.time) + " that " +
                     lock_held(history, last.hold) +
                     " was given back, as often as it had been acquired, and the service ";
  const GrantEvent* const anew =
      finding.witness.event_count > 1 ? find_record(history.grants, finding.witness.events[1]) : nullptr;
  if (anew == nullptr) {
    text += "went on naming it";
  } else {
    text += "granted it that hold anew at " + in_milliseconds(anew->time) + ", " +
            (anew->until == kEndless ? "without end" : "until " + in_milliseconds(anew->until)) +
            ": until then it keeps others out, and no client gives it back";
  }
  if (finding.measure > 1) text += "; " + count(finding.measure, "such hold") + " in all";
  return text;
}

}  // namespace picklock
