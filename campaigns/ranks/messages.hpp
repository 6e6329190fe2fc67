// Messages of a sweep that ranks share. Each is one line of a letter and numbers, and a text behind it.
//
//   worker → leader   ready N                   N chunks are wanted
//                     result CELL INDEX FIRST LAST BEHAVIOUR, and its text; one more chunk is wanted
//                     failed, and a reason
//                     bye                       nothing more will come
//   leader → worker   work CELL INDEX FIRST LAST
//                     wait                      the leader is there
//                     stop
#pragma once

#include <cstdint>
#include <string>

#include "campaigns/in_order.hpp"

namespace picklock {

// A chunk of a cell: what is handed out.
struct WorkItem {
  std::uint64_t cell = 0;
  Chunk chunk;
  friend bool operator<(const WorkItem& a, const WorkItem& b) {
    return std::pair(a.cell, a.chunk.index) < std::pair(b.cell, b.chunk.index);
  }
};

struct PlayedItem {
  WorkItem item;
  std::uint64_t behaviour = 0;  // behaviour hash of the cell in the build that played it
  std::string text;
};

struct RankMessage {
  enum class Kind : char { ready = 'r', result = 'd', failed = 'f', bye = 'b', work = 'w', wait = 'p', stop = 's' };
  Kind kind = Kind::wait;
  std::uint64_t wanted = 0;  // number of items that a ready rank wants
  PlayedItem played;         // work: its item; result: the result; failed: its text
};

std::string packed(const RankMessage& message);
// Throws std::runtime_error if it is of another form, as from another version.
RankMessage unpacked(const std::string& text);

}  // namespace picklock
