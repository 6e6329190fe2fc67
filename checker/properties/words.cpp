#include "checker/properties/words.hpp"

namespace picklock {
namespace {

// `value` / 10^digits with that many decimals.
std::string decimal(std::uint64_t value, unsigned digits) {
  std::uint64_t unit = 1;
  for (unsigned i = 0; i < digits; ++i) unit *= 10;
  std::string fraction = std::to_string(value % unit);
  fraction.insert(0, digits - std::min<std::size_t>(digits, fraction.size()), '0');
  return std::to_string(value / unit) + "." + fraction;
}

}  // namespace

std::string in_milliseconds(std::int64_t ns) {
  const std::string sign = ns < 0 ? "-" : "";
  const std::uint64_t size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  if (size == 0) return "0 ms";
  if (size < 1'000) return sign + std::to_string(size) + " ns";
  if (size < 1'000'000) return sign + decimal((size + 500) / 1'000, 3) + " ms";
  return sign + decimal((size + 50'000) / 100'000, 1) + " ms";
}

std::string count(std::int64_t number, const char* noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string name_of(const History& history, NameId id, const char* otherwise) {
  const std::string_view name = id == kNoName ? std::string_view{} : history.names.view(id);
  return name.empty() ? otherwise : std::string(name);
}

std::string client_name(const History& history, HoldId hold) {
  if (hold >= history.holds.size()) return "somebody";
  const HoldInfo& info = history.holds[hold];
  return name_of(history, info.client, ("process " + std::to_string(info.process)).c_str());
}

std::string who(const History& history, HoldId hold) {
  if (hold == kNoHold) return "somebody without a hold";
  return client_name(history, hold) + " (hold " + std::to_string(hold) + ")";
}

std::string lock_held(const History& history, HoldId hold) {
  if (hold >= history.holds.size()) return "the lock";
  return name_of(history, history.holds[hold].lock, "the lock");
}

std::int64_t time_of_record(const History& history, std::uint32_t index) {
  if (const auto* e = find_record(history.operations, index)) return e->time;
  if (const auto* e = find_record(history.grants, index)) return e->time;
  if (const auto* e = find_record(history.beliefs, index)) return e->time;
  const auto* e = find_record(history.processes, index);
  return e == nullptr ? 0 : e->time;
}

std::int64_t stopped_during(const History& history, NameId client, Interval interval) {
  std::int64_t total = 0;
  std::int64_t since = kNoTime;  // kNoTime: it runs
  const auto add = [&](std::int64_t until) {
    const std::int64_t from = std::max(since, interval.from);
    until = std::min(until, interval.until);
    if (until > from) total += until - from;
  };
  for (const ProcessEvent& e : history.processes) {
    if (e.client != client) continue;
    const bool stops = e.change == ProcessChange::stopped || e.change == ProcessChange::died;
    if (stops && since == kNoTime) since = e.time;
    if (stops || since == kNoTime) continue;
    add(e.time);
    since = kNoTime;
  }
  if (since != kNoTime) add(interval.until);
  return total;
}

}  // namespace picklock
