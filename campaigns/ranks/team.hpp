// The threads of one rank: they play what they are given, in any order.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "campaigns/ranks/messages.hpp"
#include "campaigns/sweep.hpp"

namespace picklock {

// A rank's knowledge of the cells. All ranks have read the same command.
struct SharedCells {
  std::vector<const Scenario*> scenarios;  // index: cell
  std::vector<Property> properties;
  bool by_seed = false;
};

class Team {
 public:
  Team(const SharedCells& cells, std::size_t threads);
  ~Team();  // finishes what has begun
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  void give(const WorkItem& item);
  std::size_t waiting() const;       // items that no thread has begun
  std::size_t unfinished() const;    // items that were given and not taken back
  void forget_waiting();             // drops the items that are still waiting
  std::optional<PlayedItem> take();  // a finished item, or none yet; rethrows an exception of a thread

 private:
  void work();
  std::optional<WorkItem> next();

  const SharedCells& cells_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::deque<WorkItem> given_;
  std::deque<PlayedItem> done_;
  std::size_t unfinished_ = 0;
  std::exception_ptr problem_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace picklock
