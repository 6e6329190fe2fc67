#include "checker/io/event_sorter.hpp"

#include <algorithm>
#include <new>

namespace picklock {

void EventSorter::operation(const OperationEvent& event, const OperationExtras& extras) {
  const std::size_t begin = extras_.size();
  extras_.insert(extras_.end(), extras.fields.begin(), extras.fields.end());
  untimed_ = untimed_ || event.time == kNoTime;
  events_.push_back({event, extras.client, begin, extras_.size(), {}});
  const std::size_t bytes = events_.size() * sizeof(Event) + extras_.size() * sizeof(ExtraField);
  if (limit_ != 0 && bytes > limit_) throw std::bad_alloc();
}

void EventSorter::place(Position position) {
  for (; placed_ < events_.size(); ++placed_) events_[placed_].position = position;
}

void EventSorter::sort() {
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Event& a, const Event& b) { return a.operation.time < b.operation.time; });
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
