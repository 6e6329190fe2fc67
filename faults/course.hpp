// The course of one fault of a plan in one run.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/core/clock.hpp"

namespace picklock {

enum class Strike : std::uint8_t {
  not_injected,  // its trigger never came
  missed,        // there was nothing to disturb whenever it was injected
  injected
};

struct FaultCourse {
  Strike strike = Strike::not_injected;
  TrueTime began{};                 // set if it was injected
  std::optional<TrueTime> ended{};  // end of a lasting fault; nothing: in force at the end of the run, or momentary
  std::optional<Duration> drawn{};  // length that a lasting one was to have; nothing: until healing
  bool healed = false;              // healing ended it, and not its length

  // Healing came before its length was over.
  bool is_cut_short() const { return healed && drawn && ended && *ended - began < *drawn; }
  bool operator==(const FaultCourse&) const = default;
};

}  // namespace picklock
