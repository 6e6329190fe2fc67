#include "algorithms/redis/polling_lock.hpp"

namespace picklock {

void PollingOptions::fields(FieldVisitor& v) {
  v.field({.name = "retry", .help = "pause between two attempts", .least = 0}, retry);
  v.field({.name = "on-unknown", .help = "reaction to an attempt that gets no answer"}, on_unknown);
}

Task<Acquired> PollingLock::acquire(Patience patience) {
  while (!patience.over()) {
    const Hold proposed = propose();
    const Acquired taken = co_await take(proposed);
    if (taken.yes()) co_return grant(taken.value());
    if (taken.unknown()) {
      if (polling_.on_unknown == OnUnknown::assume_held) co_return grant(proposed);
      bool undone = false;
      if (polling_.on_unknown == OnUnknown::undo) {
        const Outcome<> released = co_await release(proposed);
        // Only a yes settles it: finding nothing to release, the request may still be on its way.
        undone = released.yes();
      }
      if (!undone) patience.note_unknown();
    }
    const Duration delay = host_.draw_duration(Purpose::retry_delay, polling_.retry);
    co_await patience.pause(delay);
  }
  co_return patience.exhausted();
}

Acquired PollingLock::grant(Hold hold) {
  current_ = hold;
  if (hold.deadline) host_.announce_deadline(DeadlineKind::lease, *hold.deadline);
  granted(hold);
  return Acquired::of(std::move(hold));
}

std::optional<MonoTime> PollingLock::deadline(const Hold& hold) const {
  return hold.value == current_.value ? current_.deadline : hold.deadline;
}

void PollingLock::prolong(const Hold& hold, MonoTime due) {
  host_.announce_deadline(DeadlineKind::lease, due);
  if (hold.value == current_.value) current_.deadline = due;
}

}  // namespace picklock
