#include "checker/models/words.hpp"

#include <fmt/format.h>

#include "base/iso_time.hpp"
#include "base/printable.hpp"

namespace picklock {
namespace {

// Rounds to the third digit of the unit that keeps it short.
std::string duration(std::int64_t nanoseconds) {
  const std::int64_t magnitude = nanoseconds < 0 ? -nanoseconds : nanoseconds;
  const auto in = [&](std::int64_t unit, const char* name) {
    return fmt::format("{}{}.{:03} {}", nanoseconds < 0 ? "-" : "", magnitude / unit, magnitude % unit / (unit / 1000),
                       name);
  };
  if (magnitude >= 1'000'000'000) return in(1'000'000'000, "s");
  if (magnitude >= 1'000'000) return in(1'000'000, "ms");
  if (magnitude >= 1'000) return in(1'000, "µs");
  return fmt::format("{} ns", nanoseconds);
}

}  // namespace

std::string process_name(const Naming& naming, std::int32_t process) {
  const auto place = static_cast<std::uint32_t>(process);
  if (process >= 0 && place < naming.processes.size()) return printable(naming.processes.view(place));
  return fmt::format("process {}", process);
}

std::string hold_name(const Naming& naming, HoldId hold) {
  if (hold > naming.owners.size()) return fmt::format("hold {}", hold);
  return "owner " + printable(naming.owners.view(hold - 1));
}

std::string who(const Naming& naming, const OperationEvent& event) {
  const std::string process = process_name(naming, event.process);
  if (event.hold == kNoHold) return process;
  const bool same = event.hold <= naming.owners.size() && printable(naming.owners.view(event.hold - 1)) == process;
  return same ? process : fmt::format("{} of {}", hold_name(naming, event.hold), process);
}

std::string subject(const Naming& naming, const OperationEvent& event) {
  const bool named = event.hold == kNoHold ? static_cast<std::uint32_t>(event.process) < naming.processes.size()
                                           : who(naming, event) == process_name(naming, event.process);
  return named ? who(naming, event) : capitalised(who(naming, event));
}

std::string when(const Naming& naming, const OperationEvent& event) {
  std::string more;
  const auto say = [&](const std::string& text) { more += (more.empty() ? "" : ", ") + text; };
  if (const auto line = naming.lines.line_of(event.index)) say(fmt::format("line {}", *line));
  if (event.time != kNoTime) say(duration(naming.since_origin(event.time)));
  if (event.time != kNoTime && naming.of_a_clock()) say(iso_text(event.time));
  return fmt::format("index {}{}", event.index, more.empty() ? "" : " (" + more + ")");
}

std::string beginning_of_times(const Naming& naming) {
  if (naming.origin == 0) return {};
  return fmt::format("Times count from the first event, {}.",
                     naming.of_a_clock() ? iso_text(naming.origin) : "at " + duration(naming.origin));
}

std::string lock_name(const History& tables, NameId lock) {
  if (lock == kNoName) return "the lock";
  return fmt::format("lock '{}'", printable(tables.names.view(lock)));
}

std::string in_words(const PartCounts& parts) {
  std::string text;
  const auto say = [&](std::uint64_t count, const char* what, const NamedParts* named) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "Parts: " : ", ", count, what);
    if (named == nullptr) return;
    const std::uint64_t more = named->count - named->names.size();
    text += fmt::format(" ({}{})", fmt::join(named->names, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
  };
  say(parts.valid, "valid", nullptr);
  say(parts.violated.count, "INVALID", &parts.violated);
  say(parts.undecided.count, "undecided", &parts.undecided);
  say(parts.untested.count, "not tested", &parts.untested);
  return text.empty() ? text : text + ".";
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

}  // namespace picklock
