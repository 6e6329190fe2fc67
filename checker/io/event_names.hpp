// The words with which our own events are written, shared by the decoder and the writer.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "checker/history.hpp"

namespace picklock {

// The :process of a record that is no operation.  A foreign process must not have such a name.
enum class OwnProcess : std::uint8_t { picklock, hold, belief, grant, effect, process, phase };

inline constexpr std::array<std::string_view, 7> kOwnProcesses = {"picklock", "hold",    "belief", "grant",
                                                                  "effect",   "process", "phase"};

inline constexpr std::array<std::string_view, 4> kOperationTypes = {"invoke", "ok", "fail", "info"};
inline constexpr std::array<std::string_view, 5> kBeliefWords = {"begin", "released", "lost", "deadline", "died"};
inline constexpr std::array<std::string_view, 7> kGrantWords = {"begin",  "extend",        "end",          "released",
                                                                "forced", "wrong-release", "wrong-renewal"};
inline constexpr std::array<std::string_view, 11> kGrantEndWords = {
    "unknown", "expired",        "deleted",      "overwritten", "lost",     "stopped",
    "demoted", "not-replicated", "session-over", "lease-over",  "displaced"};
inline constexpr std::array<std::string_view, 4> kEffectWords = {"read", "write", "refused-read", "refused-write"};
inline constexpr std::array<std::string_view, 4> kProcessWords = {"stopped", "continued", "died", "started"};
inline constexpr std::array<std::string_view, 5> kPhaseWords = {"load", "heal", "settle", "probe", "end"};
inline constexpr std::array<std::string_view, 2> kModeWords = {"write", "read"};

// The words are in the order of their enumerations.
template <typename Enum, std::size_t n>
constexpr std::string_view word(const std::array<std::string_view, n>& words, Enum value) {
  return words[static_cast<std::size_t>(value)];
}

template <typename Enum, std::size_t n>
constexpr std::optional<Enum> from_word(const std::array<std::string_view, n>& words, std::string_view text) {
  for (std::size_t i = 0; i < n; ++i) {
    if (words[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace picklock
