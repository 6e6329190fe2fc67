#include "checker/models/witness.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/models/owner.hpp"
#include "checker/models/words.hpp"

namespace picklock {
namespace {

bool held_on(const WitnessHold& hold) {
  return hold.release && hold.release_ended && hold.release_ended->type == OperationType::fail;
}

std::string held_on_words(const ModelContext& context, const WitnessHold& hold) {
  return fmt::format("its release, invoked at {}, failed at {}, so it held on", context.when(*hold.release),
                     context.when(*hold.release_ended));
}

// "process 1 (index 3), process 2 (index 5) and process 3 (index 7)"
std::string list(const ModelContext& context, std::span<const WitnessHold> holds) {
  std::string text;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (i > 0) text += i + 1 == holds.size() ? " and " : ", ";
    text += fmt::format("{}, at {}", context.who(holds[i].acquired), context.when(holds[i].acquired));
  }
  return text;
}

}  // namespace

void sort_by_index(std::vector<OperationEvent>& events) {
  std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
}

std::string who_with_token(const ModelContext& context, const OperationEvent& acquired) {
  return fmt::format("{} (token {})", context.who(acquired), acquired.token);
}

std::string subject_with_token(const ModelContext& context, const OperationEvent& acquired) {
  return fmt::format("{} (token {})", context.subject(acquired), acquired.token);
}

ModelResult violation(std::vector<WitnessHold> holds, std::vector<OperationEvent> events, std::string explanation) {
  ModelResult result;
  result.verdict = Verdict::violated;
  result.holds = std::move(holds);
  result.events = std::move(events);
  sort_by_index(result.events);
  result.explanation = std::move(explanation);
  return result;
}

ModelResult overlap_witness(const ModelContext& context, std::vector<WitnessHold> holds, std::int64_t permits) {
  std::vector<OperationEvent> events;
  for (const WitnessHold& hold : holds) {
    events.push_back(hold.acquired);
    if (held_on(hold)) {
      events.push_back(*hold.release);
      events.push_back(*hold.release_ended);
    }
  }
  const std::string lock = lock_name(context.tables, context.lock);
  const WitnessHold& first = holds.front();
  const WitnessHold& last = holds.back();
  std::string text;
  if (holds.size() > 2) {
    text = fmt::format("{} has {} permits, and {} held one each at once: {}.", capitalised(lock), permits, holds.size(),
                       list(context, holds));
    if (held_on(first)) {
      text += fmt::format(" {} gave nothing back: {}.", context.subject(first.acquired), held_on_words(context, first));
    }
  } else if (holds.size() == 1) {
    text = fmt::format("{} acquired {} at {}, though no permit was free at first and nobody had given one back.",
                       context.subject(first.acquired), lock, context.when(first.acquired));
  } else if (held_on(first)) {
    text = fmt::format("{} acquired {} at {}; {}. Meanwhile {} acquired it at {}.", context.subject(first.acquired),
                       lock, context.when(first.acquired), held_on_words(context, first), context.who(last.acquired),
                       context.when(last.acquired));
  } else {
    const bool same = owner_of(first.acquired) == owner_of(last.acquired);
    text = fmt::format("{} acquired {} at {} and had not released it when {} acquired it at {}.",
                       context.subject(first.acquired), lock, context.when(first.acquired),
                       !same                            ? context.who(last.acquired)
                       : first.acquired.hold == kNoHold ? "the same process"
                                                        : "the same owner",
                       context.when(last.acquired));
  }
  return violation(std::move(holds), std::move(events), std::move(text));
}

ModelResult unowned_witness(const ModelContext& context, std::string_view verb, const OperationEvent& invoke,
                            const OperationEvent& end, const WitnessHold* holder) {
  OperationEvent process = invoke;
  process.hold = kNoHold;
  const std::string named = invoke.hold == kNoHold ? std::string() : " of " + context.hold_name(invoke.hold);
  std::string text =
      fmt::format("{} did not hold {}, yet its {}{}, invoked at {}, succeeded at {}", context.subject(process),
                  lock_name(context.tables, context.lock), verb, named, context.when(invoke), context.when(end));
  std::vector<OperationEvent> events = {invoke, end};
  std::vector<WitnessHold> holds;
  if (holder != nullptr) {
    holds = {*holder};
    events.push_back(holder->acquired);
    text += fmt::format("; the holder then was {}, since {}", context.who(holder->acquired),
                        context.when(holder->acquired));
  }
  return violation(std::move(holds), std::move(events), text + ".");
}

ModelResult token_witness(const ModelContext& context, const WitnessHold& earlier, const WitnessHold& later) {
  return violation({earlier, later}, {earlier.acquired, later.acquire, later.acquired},
                   fmt::format("{} acquired {} at {}, after {} had acquired it at {}, and got a token that is "
                               "not greater.",
                               subject_with_token(context, later.acquired), lock_name(context.tables, context.lock),
                               context.when(later.acquired), who_with_token(context, earlier.acquired),
                               context.when(earlier.acquired)));
}

ModelResult invalid_token_witness(const ModelContext& context, const WitnessHold& hold) {
  return violation({hold}, {hold.acquire, hold.acquired},
                   fmt::format("{} acquired {} at {} with a token that is not valid: tokens are "
                               "greater than 0.",
                               subject_with_token(context, hold.acquired), lock_name(context.tables, context.lock),
                               context.when(hold.acquired)));
}

void follow(ModelResult& result, const OperationEvent& event, bool release) {
  if (!release) return;
  for (WitnessHold& hold : result.holds) {
    const bool owns = event.hold != kNoHold && hold.acquired.hold != kNoHold ? event.hold == hold.acquired.hold
                                                                             : event.process == hold.acquired.process;
    if (!owns || event.index < hold.acquired.index) continue;
    if (event.type == OperationType::invoke) {
      if (!hold.release) hold.release = event;
    } else if (hold.release && !hold.release_ended && hold.release->process == event.process) {
      hold.release_ended = event;
    }
  }
}

}  // namespace picklock
