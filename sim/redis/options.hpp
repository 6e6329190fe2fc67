// How a simulated Redis server is set up.  Defaults are those of a real one.
#pragma once

#include <array>

#include "sim/task/fields.hpp"

namespace picklock {

enum class AppendOnly : std::uint8_t {
  no,        // nothing on disk: a restart comes back empty
  everysec,  // write() before the replies, fsync in the background once a second
  always     // write() and fsync before the replies
};
inline constexpr std::array<std::string_view, 3> kAppendOnlyNames = {"no", "everysec", "always"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<AppendOnly> = kAppendOnlyNames;

struct RedisOptions {
  AppendOnly appendonly = AppendOnly::no;
  std::int64_t hz = 10;
  bool auto_aof_load = true;
  bool expire_at_deadline = false;

  void fields(FieldVisitor& v) {
    v.field({.name = "appendonly", .help = "append-only file, and when it is synced to disk"}, appendonly);
    v.field({.name = "hz", .help = "runs a second of the background cycle", .least = 1, .most = 500}, hz);
    v.field({.name = "auto-aof-load", .help = "a restart loads the append-only file, if there is one"},
            auto_aof_load);
    v.field({.name = "expire-at-deadline",
             .help = "the active cycle deletes keys at their deadline (7.4), not a millisecond later (7.0)"},
            expire_at_deadline);
  }
  bool operator==(const RedisOptions&) const = default;
};

}  // namespace picklock
