// A lease that a lock keeps in data: what the text of a field, a score or a value says of its owner and its time.
//
//   read_lease({.unit = milliseconds(1)}, "1700000000123")                               // the time
//   read_lease({"holder", "until", seconds(1)}, R"({"holder": "a", "until": 17.5})")     // both, in a JSON object
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace picklock {

struct LeaseText {
  std::string owner{};  // member of a JSON object that names the owner; empty: the text does not
  std::string time{};   // member of a JSON object that has the time; empty: the text is the time
  Duration unit{1'000'000};
  bool iso =
      false;  // the time is a time of day as ISO 8601 writes it: "2024-05-01T12:00:00.5Z"; then `unit` does not matter
};

// A lease that a lock keeps in its data, and not in a time to live.
struct DataLease {
  LeaseText text = {};     // content of a field, a score or a value
  bool begins = false;     // the time is that of its begin, and it lasts the lock's lease; else of its end
  bool by_server = false;  // it is read by the server's clock; else by that of the client which wrote it
};

struct LeaseSaid {
  std::uint64_t owner = 0;  // hash of its name; 0: not named
  std::int64_t time_ns = 0;
};

// Nothing if the text names no time, as an empty one does.
std::optional<LeaseSaid> read_lease(const LeaseText& form, std::string_view text);

// The value of a member of a JSON object, without the quotes of a text; nothing: it is missing.  Values that are
// nested are passed over.
std::optional<std::string_view> json_member(std::string_view object, std::string_view name);

// "12.5" of seconds in ns, exactly; nothing: no decimal number, or one that is too large.
std::optional<std::int64_t> decimal_ns(std::string_view text, Duration unit);

}  // namespace picklock
