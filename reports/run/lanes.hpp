// The states of each client, of the lock and of each resource, as stretches of time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/history.hpp"

namespace picklock {

// States in the order in which one hides another in a drawing.
enum class ClientState : std::uint8_t {
  idle,
  waiting,
  believing,
  believing_waiting,  // the client holds one lock, and waits for another, or for the same again
  stopped,
  stopped_believing,
  dead
};
char glyph(ClientState state);

struct Stretch {
  std::int64_t from = 0, until = 0;
  ClientState state{};
};

struct ClientLane {
  NameId client = kNoName;
  std::vector<Stretch> stretches;  // ascending, without gaps
};

enum class Ownership : std::uint8_t {
  owns,     // the service names the hold, and its lease runs
  overdue,  // the service names the hold, though its lease has run out
  promised  // the lease runs, though the service names the hold no more
};
struct OwnerStretch {  // a stretch of time with one owner in the lock service's own opinion
  std::int64_t from = 0, until = 0;
  HoldId hold = kNoHold;
  Ownership what = Ownership::owns;
};

struct Overlap {  // conflicting holds of one lock believed at once
  std::int64_t from = 0, until = 0;
};

struct Lanes {
  std::int64_t end = 0;       // end of the whole run
  std::int64_t load_end = 0;  // last moment that belongs to the story: before healing, if known
  std::vector<ClientLane> clients;
  std::vector<OwnerStretch> owners;
  std::vector<Overlap> overlaps;
};

// `permits`: how many holds of one lock may coexist.
Lanes lanes_of(const History& history, std::uint32_t permits = 1);

// The state of a client at an instant; at a change: the new one.
ClientState state_at(const ClientLane& lane, std::int64_t time);

}  // namespace picklock
