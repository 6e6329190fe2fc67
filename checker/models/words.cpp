#include "checker/models/words.hpp"

#include <fmt/format.h>

namespace picklock {
namespace {

// To the third digit of the unit that keeps it short.
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

std::string who(const OperationEvent& event) {
  if (event.hold != kNoHold) return fmt::format("hold {} of process {}", event.hold, event.process);
  return fmt::format("process {}", event.process);
}

std::string when(const OperationEvent& event) {
  if (event.time == kNoTime) return fmt::format("index {}", event.index);
  return fmt::format("index {} ({})", event.index, duration(event.time));
}

std::string lock_name(const History& tables, NameId lock) {
  if (lock == kNoName) return "the lock";
  return fmt::format("lock '{}'", tables.names.view(lock));
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

}  // namespace picklock
