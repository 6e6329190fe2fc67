#include "campaigns/ranks/team.hpp"

#include <stdexcept>

#include "campaigns/cell_json.hpp"

namespace picklock {
namespace {

// One thread's player of the cell at hand.
class PlayerOfACell {
 public:
  explicit PlayerOfACell(const SharedCells& cells) : cells_(cells) {}

  PlayedItem play(const WorkItem& item) {
    if (!player_ || cell_ != item.cell) begin(item.cell);
    return {item, behaviour_, cell_json(player_->play(item.chunk.seeds))};
  }

 private:
  void begin(std::uint64_t cell) {
    const Scenario& scenario = *cells_.scenarios.at(cell);
    auto behaviour = behaviour_of(scenario, cells_.properties);
    auto player = CellPlayer::of(scenario, cells_.properties, cells_.by_seed);
    if (behaviour.index() == 1 || player.index() == 1) throw std::runtime_error("a scenario cannot be played here");
    behaviour_ = std::get<0>(behaviour);
    player_ = std::get<0>(std::move(player));
    cell_ = cell;
  }

  const SharedCells& cells_;
  std::optional<CellPlayer> player_;
  std::uint64_t cell_ = 0, behaviour_ = 0;
};

}  // namespace

Team::Team(const SharedCells& cells, std::size_t threads) : cells_(cells) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Team::~Team() {
  {
    const std::lock_guard guard(mutex_);
    is_over_ = true;
    given_.clear();
  }
  changed_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Team::give(const WorkItem& item) {
  {
    const std::lock_guard guard(mutex_);
    given_.push_back(item);
    ++unfinished_;
  }
  changed_.notify_one();
}

std::size_t Team::waiting() const {
  const std::lock_guard guard(mutex_);
  return given_.size();
}

std::size_t Team::unfinished() const {
  const std::lock_guard guard(mutex_);
  return unfinished_;
}

void Team::forget_waiting() {
  const std::lock_guard guard(mutex_);
  unfinished_ -= given_.size();
  given_.clear();
}

std::optional<PlayedItem> Team::take() {
  const std::lock_guard guard(mutex_);
  if (problem_) std::rethrow_exception(problem_);
  if (done_.empty()) return std::nullopt;
  PlayedItem first = std::move(done_.front());
  done_.pop_front();
  --unfinished_;
  return first;
}

std::optional<WorkItem> Team::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_over_ || !given_.empty(); });
  if (is_over_) return std::nullopt;
  const WorkItem item = given_.front();
  given_.pop_front();
  return item;
}

void Team::work() {
  try {
    PlayerOfACell player(cells_);
    while (const auto item = next()) {
      PlayedItem played = player.play(*item);
      const std::lock_guard guard(mutex_);
      done_.push_back(std::move(played));
    }
  } catch (...) {
    const std::lock_guard guard(mutex_);
    problem_ = std::current_exception();
  }
}

}  // namespace picklock
