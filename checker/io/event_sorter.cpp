#include "checker/io/event_sorter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <new>
#include <numeric>
#include <string>
#include <utility>

namespace picklock {

void EventSorter::operation(const OperationEvent& event, const OperationExtras& extras) {
  const std::size_t begin = extras_.size();
  extras_.insert(extras_.end(), extras.fields.begin(), extras.fields.end());
  untimed_ = untimed_ || event.time == kNoTime;
  events_.push_back({event, extras.client, begin, extras_.size(), {}});
  if (lanes_ && event.process >= 0) {
    if (event.type == OperationType::invoke) {
      open_[event.process] = events_.size() - 1;
    } else if (const std::size_t* const invoke = open_.find(event.process)) {
      events_.back().invoke = *invoke;
      events_[*invoke].answered = true;
      open_.erase(event.process);
    }
  }
  const std::size_t bytes = events_.size() * sizeof(Event) + extras_.size() * sizeof(ExtraField);
  if (limit_ != 0 && bytes > limit_) throw std::bad_alloc();
}

void EventSorter::place(Position position) {
  for (; placed_ < events_.size(); ++placed_) events_[placed_].position = position;
}

void EventSorter::sort() {
  // Invokes first where times are equal after they were widened: then the operations are concurrent.
  const auto ends = [&](const Event& e) { return skew_ > 0 && e.operation.type != OperationType::invoke; };
  std::vector<std::size_t> order(events_.size()), place(events_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::int64_t of_a = widened(events_[a].operation), of_b = widened(events_[b].operation);
    return of_a != of_b ? of_a < of_b : ends(events_[a]) < ends(events_[b]);
  });
  std::vector<Event> sorted;
  sorted.reserve(events_.size());
  for (const std::size_t i : order) {
    place[i] = sorted.size();
    sorted.push_back(events_[i]);
  }
  for (Event& event : sorted) {
    if (event.invoke != kNone) event.invoke = place[event.invoke];
  }
  events_ = std::move(sorted);
}

std::int64_t EventSorter::widened(const OperationEvent& event) const {
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max(), kBegin = kNoTime + 1;
  if (skew_ == 0 || event.process < 0) return event.time;
  if (event.type == OperationType::invoke) return event.time < kBegin + skew_ ? kBegin : event.time - skew_;
  return event.time > kEnd - skew_ ? kEnd : event.time + skew_;
}

// The client's first lane without an open operation.  An operation without an answer blocks none: its client
// goes on, as in any history.
bool EventSorter::assign_lanes() {
  std::map<std::int32_t, std::vector<bool>> busy;
  bool any = false;
  for (Event& event : events_) {
    if (event.operation.process < 0) continue;
    std::vector<bool>& lanes = busy[event.operation.process];
    if (event.operation.type != OperationType::invoke) {
      if (event.invoke == kNone) continue;
      event.lane = events_[event.invoke].lane;
      lanes[static_cast<std::size_t>(event.lane)] = false;
      continue;
    }
    const auto free = std::find(lanes.begin(), lanes.end(), false);
    event.lane = static_cast<std::int32_t>(free - lanes.begin());
    if (free == lanes.end()) lanes.push_back(false);
    lanes[static_cast<std::size_t>(event.lane)] = event.answered;
    any = any || event.lane > 0;
  }
  return any;
}

void EventSorter::separate(Naming& naming, History& tables) {
  if (!lanes_ || !assign_lanes()) return;
  const bool owned =
      std::any_of(events_.begin(), events_.end(), [](const Event& event) { return event.operation.hold != kNoHold; });
  const InternTable clients = std::exchange(naming.processes, {});  // numbered anew, with their lanes
  for (Event& event : events_) {
    OperationEvent& operation = event.operation;
    if (operation.process < 0) continue;
    const auto number = static_cast<std::uint32_t>(operation.process);
    const std::string client =
        number < clients.size() ? std::string(clients.view(number)) : fmt::format("process {}", number);
    const std::string lane = event.lane == 0 ? client : fmt::format("{} beside itself ({})", client, event.lane);
    operation.process = static_cast<std::int32_t>(naming.processes.intern(lane));
    if (owned) continue;
    const std::size_t known = naming.owners.size();
    operation.hold = naming.owners.intern(client) + 1;
    if (naming.owners.size() == known) continue;
    HoldInfo info;
    info.client = tables.names.intern(client);
    sink_.hold(operation.hold, info);
  }
}

EventSorter::Event* EventSorter::next() {
  if (next_ == events_.size()) return nullptr;
  Event& event = events_[next_];
  event.operation.index = static_cast<std::uint32_t>(next_++);
  return &event;
}

OperationExtras EventSorter::extras_of(const Event& event) {
  const std::span<ExtraField> fields(extras_.data() + event.extras, event.extras_end - event.extras);
  for (ExtraField& field : fields) field.index = event.operation.index;
  return {event.client, fields};
}

}  // namespace picklock
