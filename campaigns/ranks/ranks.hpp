// Processes that share one command's work, such as those that mpirun starts: each has a rank, and 0 leads.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace picklock {

// A rank that waits for messages looks for them so often, and leaves the processor to others meanwhile.
inline constexpr std::chrono::milliseconds kBetweenLooks{1};

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  // Does not wait for the receiver. Messages between two ranks arrive in the order in which they were sent.
  virtual void send(std::size_t to, const std::string& message) = 0;
  struct Received {
    std::size_t from = 0;
    std::string message;
  };
  // Takes one message that has arrived; does not wait.
  virtual std::optional<Received> receive() = 0;
};

// The ranks of this process; null: it works alone.
Ranks* ranks_of_this_process();
void set_ranks_of_this_process(Ranks* ranks);

}  // namespace picklock
