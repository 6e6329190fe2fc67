#include "reports/run/freed.hpp"

#include <fmt/format.h>

#include "checker/io/event_names.hpp"
#include "scenarios/recording/journal.hpp"

namespace picklock {
namespace {

bool is_timeout(const GrantEvent& e) {
  const bool timed =
      e.cause == GrantEnd::expired || e.cause == GrantEnd::session_over || e.cause == GrantEnd::lease_over;
  return e.change == GrantChange::end && timed && e.hold != kNoHold;
}

bool asks_to_release(const OperationEvent& e) {
  const auto f = static_cast<Function>(e.f);
  return e.type == OperationType::invoke && (f == Function::release || f == Function::release_read);
}

}  // namespace

std::vector<FreedLock> freed_by_timeout(const History& history) {
  std::vector<FreedLock> all;
  for (const GrantEvent& e : history.grants) {
    if (!is_timeout(e)) continue;
    FreedLock& lock = all.emplace_back();
    lock.time = e.time;
    lock.hold = e.hold;
    lock.cause = e.cause;
    lock.server = e.server;
    for (const BeliefEvent& b : history.beliefs) {
      if (b.hold != e.hold || b.index > e.index) continue;
      lock.granted = true;
      lock.belief = b.end;
    }
    for (const OperationEvent& o : history.operations) {
      if (o.hold == e.hold && o.index < e.index && asks_to_release(o)) lock.release_asked = o.time;
    }
  }
  return all;
}

std::string_view holder_words(const FreedLock& lock) {
  if (!lock.granted) return "never heard of the grant";
  switch (lock.belief) {
    case BeliefEnd::none:
      return "works on";
    case BeliefEnd::released:
      return "has asked to release it";
    case BeliefEnd::lost:
    case BeliefEnd::deadline:
      return "has stopped";
    case BeliefEnd::died:
      return "has died";
  }
  return "";
}

std::string freed_table(const History& history) {
  std::string out = "time_ns\tlock\tclient\thold\tended_by\tdecided_by\tholder\trelease_asked_ns\n";
  for (const FreedLock& lock : freed_by_timeout(history)) {
    const HoldInfo& hold = history.holds[lock.hold];
    const auto view = [&](NameId name) { return name == kNoName ? std::string_view("") : history.names.view(name); };
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", lock.time, view(hold.lock), view(hold.client), lock.hold,
                       word(kGrantEndWords, lock.cause), view(lock.server), holder_words(lock),
                       lock.release_asked == kNoTime ? "" : fmt::to_string(lock.release_asked));
  }
  return out;
}

}  // namespace picklock
