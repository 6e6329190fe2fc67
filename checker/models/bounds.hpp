// Bounds on the time and memory of a check, kept also inside one step of a model.
//
// A model whose work is bounded by its input need not ask; one that searches asks at every step,
// and again before a table of its doubles.  The first answer of yes is final, as it is the reason why
// the check ends undecided; but when one part of the work has filled the memory and gives it back, the
// next part may go on after `forget_memory`.  A task whose result should not depend on the machine is bounded by its
// steps.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace picklock {

class Bounds {
 public:
  using Clock = std::chrono::steady_clock;

  // 0: without bound.  The time runs from here on.
  explicit Bounds(std::chrono::nanoseconds timeout = {}, std::size_t memory_bytes = 0)
      : timeout_(timeout), memory_(memory_bytes), begin_(Clock::now()) {}

  // Bounds for a task within this one: the time and memory that are left, and `steps` steps.
  [[nodiscard]] Bounds within(std::uint64_t steps) const {
    using std::chrono::nanoseconds;
    const bool timed = timeout_.count() > 0;
    Bounds task(timed ? std::max(timeout_ - elapsed(), nanoseconds(1)) : nanoseconds(0),
                memory_ == 0 ? 0 : std::max<std::size_t>(memory_ - std::min(memory_, others_), 1));
    task.most_steps_ = steps;
    return task;
  }

  // Memory held by others than the caller of `exceeded`.
  void add_others(std::size_t bytes) { others_ += bytes; }
  void remove_others(std::size_t bytes) { others_ -= bytes; }

  // Must the caller, who holds `bytes` or is about to, stop?  A step.  Memory is compared each time, the
  // clock is looked at now and then.
  bool exceeded(std::size_t bytes) { return ++steps_ >= next_look_ ? exceeded_now(bytes) : full(bytes); }

  // Also looks at the clock.
  bool exceeded_now(std::size_t bytes) {
    if (reason_.empty() && !full(bytes)) {
      if (steps_ > most_steps_) stop("The work allowed was done");
      if (timeout_.count() > 0 && elapsed() > timeout_) {
        late_ = true;
        stop("The time allowed, " + seconds_text() + " s, was over");
      }
    }
    if (!reason_.empty()) return true;
    next_look_ = std::min(steps_ + kStepsPerLook, most_steps_ + 1);
    return false;
  }

  // Work without a question in it, such as to sort what is to be searched.
  void spend(std::uint64_t steps) { steps_ += steps; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

  // Was an answer yes?
  [[nodiscard]] bool stopped() const { return !reason_.empty(); }
  // Is the time over?
  [[nodiscard]] bool late() const { return late_; }
  // The caller has given back what it held.
  void forget_memory() {
    if (!late_) reason_.clear();
  }

  // The reason, without its full stop; empty while all bounds are kept.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  [[nodiscard]] std::chrono::nanoseconds elapsed() const { return Clock::now() - begin_; }

 private:
  static constexpr std::uint64_t kStepsPerLook = 64;

  bool full(std::size_t bytes) {
    if (memory_ == 0 || others_ + bytes <= memory_) return false;
    if (reason_.empty()) stop("The memory allowed, " + std::to_string(memory_ / 1'000'000) + " MB, was full");
    return true;
  }
  void stop(std::string reason) {
    reason_ = std::move(reason);
    next_look_ = 0;  // every later call looks
  }
  [[nodiscard]] std::string seconds_text() const {
    std::string milliseconds = std::to_string(timeout_.count() / 1'000'000 % 1000);
    milliseconds.insert(0, 3 - milliseconds.size(), '0');
    std::string seconds = std::to_string(timeout_.count() / 1'000'000'000) + "." + milliseconds;
    while (seconds.back() == '0') seconds.pop_back();
    if (seconds.back() == '.') seconds.pop_back();
    return seconds;
  }

  std::chrono::nanoseconds timeout_;
  std::size_t memory_;
  std::size_t others_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t most_steps_ = ~std::uint64_t{0} - 1;
  std::uint64_t next_look_ = 1;
  Clock::time_point begin_;
  std::string reason_;
  bool late_ = false;
};

}  // namespace picklock
