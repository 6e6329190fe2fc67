// Words for why no order will do, and why the search for one ended.
#include <fmt/format.h>

#include <algorithm>

#include "checker/models/bounds.hpp"
#include "checker/models/owner_search.hpp"
#include "checker/models/witness.hpp"
#include "checker/models/words.hpp"

namespace picklock {

namespace {
// Left out for a search in which no outcome is unknown.
constexpr std::string_view kNoChoice = " No choice among the operations of unknown outcome makes it possible.";
}  // namespace

void OwnerSearch::impossible(const Open& x, const OperationEvent& invoke, const OperationEvent& end) {
  Configuration c = *configurations_.begin();
  const auto witness_of = [&](OwnerKey owner) {
    const auto at = held_.find(owner);
    return at == held_.end() ? nullptr : &at->second;
  };
  const auto acquired_at = [&](const Holder& h) {  // index of the acquire, also used by sweeps
    const WitnessHold* const hold = witness_of(h.owner);
    return hold == nullptr ? 0 : hold->acquired.index;
  };
  std::sort(c.holders.begin(), c.holders.end(),
            [&](const Holder& a, const Holder& b) { return acquired_at(a) < acquired_at(b); });
  if (end.type == OperationType::fail) {
    const WitnessHold* const hold = witness_of(x.owner);
    const bool came_meanwhile = last_.acquired.index > invoke.index;
    if (gives_back(x.action) && hold != nullptr && came_meanwhile && hold->acquired.index != last_.acquired.index) {
      WitnessHold first = *hold;
      first.release = invoke;
      first.release_ended = end;
      result_ = overlap_witness(context_, {first, last_}, rules_.permits);
    } else {
      result_ =
          violation({}, {invoke, end},
                    fmt::format("The {} of {} by {}, invoked at {}, failed at {}; without it what succeeded "
                                "meanwhile is not possible.",
                                takes(x.action) ? "acquire" : "release", lock_name(context_.tables, context_.lock),
                                context_.who(invoke), context_.when(invoke), context_.when(end)));
    }
  } else if (token_conflict_ && newest_token_.acquired.token != kNoToken) {
    result_ = token_witness(context_, newest_token_, {invoke, end, {}, {}});
  } else if (takes(x.action)) {
    std::vector<WitnessHold> holds;
    std::int64_t needed = weight_of(rules_, x.action == LockAction::acquire_shared) - rules_.permits;
    for (const Holder& h : c.holders) {
      const WitnessHold* const hold = witness_of(h.owner);
      if (hold == nullptr || needed + rules_.permits <= 0 || holds.size() > 64) break;
      holds.push_back(*hold);
      needed += weight_of(rules_, h.shared) * (rules_.nested > 0 ? 1 : h.count);
      if (needed > 0) break;
    }
    holds.push_back({invoke, end, {}, {}});
    if (holds.size() > 1) {
      result_ = overlap_witness(context_, std::move(holds), rules_.permits);
    } else {
      result_ = violation(holds, {invoke, end},
                          fmt::format("{} acquired {} at {} although it was not free.", context_.subject(end),
                                      lock_name(context_.tables, context_.lock), context_.when(end)));
    }
  } else {
    const auto may_have_released = [&](const Holder& h) {
      const auto releases = [&](const auto& o) { return o.owner == h.owner && gives_back(o.action); };
      return std::any_of(open_.begin(), open_.end(), releases) ||
             std::any_of(classes_.begin(), classes_.end(), [&](const Class& k) { return k.total > 0 && releases(k); });
    };
    std::erase_if(c.holders, may_have_released);
    const WitnessHold* const holder = c.holders.empty() ? nullptr : witness_of(c.holders.back().owner);
    result_ = unowned_witness(context_, x.action == LockAction::keep ? "refresh" : "release", invoke, end, holder);
  }
  if (std::any_of(classes_.begin(), classes_.end(), [](const Class& k) { return k.total > 0; }))
    result_.explanation += kNoChoice;
  configurations_.clear();
}

void OwnerSearch::give_up() {
  result_.verdict = Verdict::undecided;
  configurations_.clear();
  if (stopped_) {
    result_.explanation = context_.bounds->reason() + ".";
    return;
  }
  result_.explanation = fmt::format(
      "Owners of {} live on after operations of unknown outcome, or do several things at once, and "
      "there are more ways to place those than the search tries ({} configurations, {} steps for "
      "an event). Releases that name their hold would help.",
      lock_name(context_.tables, context_.lock), kConfigurations, kSteps);
}

}  // namespace picklock
