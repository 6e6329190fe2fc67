#include "instruments/hunt/right.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "checker/io/event_names.hpp"
#include "checker/properties/given_back.hpp"
#include "checker/properties/instant.hpp"
#include "checker/properties/named_owner.hpp"
#include "reports/run/story.hpp"

namespace picklock {
namespace {

bool is_about_rights(Property property) {
  return !is_of_waiters(property) && property != Property::overtaking && property != Property::deadlock;
}

struct Known {
  const GrantEvent* event = nullptr;  // grant that says it; null: nothing does
  std::string how;
};

std::string how_it_ended(const History& h, const GrantEvent& e) {
  if (e.change == GrantChange::released) return ended_unasked(h, e) ? "ended by its own command" : "given back";
  if (e.change == GrantChange::forced) return "forced";
  return std::string(word(kGrantEndWords, e.cause));
}

// The last change of this hold's right up to the instant; null: there was none.
const GrantEvent* last_change(const History& h, HoldId hold, std::int64_t instant) {
  const GrantEvent* last = nullptr;
  for (const GrantEvent& e : h.grants) {
    const bool changes = ends_ownership(e.change) || e.change == GrantChange::begin;
    if (e.hold == hold && e.time <= instant && changes) last = &e;
  }
  return last;
}

// The right that ended first among those that had ended; else why an older one does not stand against a newer; else the
// hold that was never granted.
Known end_of_right(const Finding& finding, const History& h) {
  if (!is_about_rights(finding.property)) return {};
  const std::int64_t instant = instant_of(finding, h).value_or(std::numeric_limits<std::int64_t>::max());
  const GrantEvent* ended = nullptr;
  const GrantEvent* in_spite = nullptr;
  bool never = false;
  for (const HoldId hold : finding.witness.all_holds()) {
    const GrantEvent* const last = last_change(h, hold, instant);
    if (last == nullptr) {
      never = true;
    } else if (ends_ownership(last->change)) {
      if (ended == nullptr || last->index < ended->index) ended = last;
    } else if (last->cause != GrantEnd::unknown) {
      in_spite = last;
    }
  }
  const bool silenced = ended != nullptr && (ended->cause == GrantEnd::stopped || ended->cause == GrantEnd::demoted);
  if (ended != nullptr && !(silenced && in_spite != nullptr)) return {ended, how_it_ended(h, *ended)};
  if (in_spite != nullptr) return {in_spite, std::string(word(kGrantEndWords, in_spite->cause))};
  return {nullptr, never ? "never granted" : "stands"};
}

}  // namespace

std::string how_right_ended(const Finding& finding, const History& history) {
  return end_of_right(finding, history).how;
}

RightEnd right_end(const Finding& finding, const History& history) {
  const Known known = end_of_right(finding, history);
  RightEnd end{known.how, {}};
  if (known.event != nullptr) {
    // The story tells the effect of a wrong command with the command, which stands before it.
    for (const StoryLine& line : story_of(history)) {
      if (line.index <= known.event->index && line.time == known.event->time) end.told = line.text;
    }
  } else if (known.how == "stands") {
    end.told = finding.witness.hold_count > 1 ? "none: the service names all of them as owners" : "none";
  } else if (known.how == "never granted") {
    end.told = "none: the service never named one of them as owner";
  }
  return end;
}

}  // namespace picklock
