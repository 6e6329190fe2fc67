// Long work: a bar on the terminal, and an end in good order when the user interrupts.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace picklock {

// Shows on a terminal how far a long campaign has come.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  // `all`: the total, 0 if unknown; `what`: the unit that is counted, as in "10 of 40 runs".
  void show(std::uint64_t done, std::uint64_t all, const char* what = "runs");

 private:
  using Clock = std::chrono::steady_clock;
  bool on_terminal_, visible_ = false;
  Clock::time_point start_ = Clock::now(), shown_{};
};

// While it lives, SIGINT, SIGTERM and SIGUSR1 set a flag instead of ending the program, each of them once.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  const std::atomic<bool>& stop() const;
};

}  // namespace picklock
