// One connection with a program on the loopback: bytes that wait to be written, bytes that were read.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bridge/child.hpp"

namespace picklock {

struct ProgramSocket {
  Descriptor connection;
  std::string to_write, read;
  bool ended = false;

  // As much as there is room for.
  void write_out();
  // All that has come. False: it was more than a program may write in one turn.
  bool read_in();
  // Takes the whole lines out of `read`, each an object of JSON. `wrong`: the first that is none.
  std::vector<nlohmann::json> take_lines(std::string& wrong);

  static constexpr std::size_t kMostUnread = std::size_t{64} << 20;
};

}  // namespace picklock
