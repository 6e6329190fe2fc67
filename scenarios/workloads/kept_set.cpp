#include "scenarios/workloads/kept_set.hpp"

#include <charconv>

namespace picklock {
std::string KeptSet::text_of(const std::vector<std::int64_t>& items) {
  std::string text;
  for (const std::int64_t item : items) text += std::to_string(item) + " ";
  return text;
}

std::vector<std::int64_t> KeptSet::items_of(const std::string& text) {
  std::vector<std::int64_t> items;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    std::int64_t item = 0;
    const auto [next, error] = std::from_chars(at, end, item);
    if (error != std::errc{}) break;
    items.push_back(item);
    at = next + 1;  // the blank
  }
  return items;
}

void KeptSet::record_refused_write(const Section& s, std::uint64_t version) {
  s.world.record(trace::kept_write_refused, s.host.node(), s.hold_id, version, s.first_resource + kSet);
}

Task<void> KeptSet::body(Host host, const KeptSet* self, Section* s) {
  record_operation(*s, Function::read, OperationEnd::invoked, kSet, kNoValue);
  auto before = co_await self->look(host, s->stores, s->first_resource + kSet, s->fence());
  if (before.yes()) {
    const std::uint64_t version = before.value().version;
    s->world.record(trace::kept_read_answered, host.node(), s->hold_id, version, s->first_resource + kSet);
  }
  record_end(*s, Function::read, kSet, before, before.yes() ? before.value().number() : kNoValue);
  co_await host.work(Purpose::hold, s->work);
  if (!before.yes()) co_return;
  Stored next = std::move(before.value());
  next.items.push_back(unique_item(*s, 0));
  const std::int64_t item = next.items.back();
  record_operation(*s, Function::write, OperationEnd::invoked, kSet, item);
  s->world.record(trace::write_requested, host.node(), s->hold_id, next.version, s->first_resource + kSet);
  const auto written = co_await self->write(*s, std::move(next));
  record_end(*s, Function::write, kSet, written, item);
}

}  // namespace picklock
