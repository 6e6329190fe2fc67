#include "campaigns/ranks/lead.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "campaigns/cell_json.hpp"

namespace picklock {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = RankMessage::Kind;

// A cell that was begun.
struct OpenCell {
  std::uint64_t behaviour = 0;
  std::unique_ptr<ChunkMemory> memory;  // may be null
  ChunksInOrder<CellResult> chunks;

  void take(const Chunk& chunk, const std::string& text) { chunks.done(chunk, read_cell_json(text)); }
};

// The cells, from the first on: which chunk is next, and what has come of them.
class CellsInOrder {
 public:
  CellsInOrder(const SharedCells& cells, const LeadOptions& options) : cells_(cells), options_(options) {}

  // A chunk that the memory does not have; nothing: all are handed out. Throws problems of a scenario in a LedSweep.
  std::optional<WorkItem> next() {
    for (;;) {
      for (; handing_ < open_.size(); ++handing_) {
        while (const auto chunk = open_[handing_].chunks.next()) {
          const auto kept = find(open_[handing_], chunk->seeds);
          if (!kept) return WorkItem{handing_, *chunk};
          open_[handing_].take(*chunk, *kept);
        }
      }
      if (open_.size() == cells_.scenarios.size()) return std::nullopt;
      open();
    }
  }

  void take(const PlayedItem& played, std::size_t from) {
    OpenCell& cell = open_.at(played.item.cell);
    if (played.behaviour != cell.behaviour) {
      throw std::runtime_error(fmt::format(
          "rank {} plays cell {} otherwise than rank 0: the ranks run different builds", from, played.item.cell + 1));
    }
    if (cell.memory) cell.memory->keep(played.item.chunk.seeds, played.text);
    cell.take(played.item.chunk, played.text);
  }
  // The second result of a chunk.
  void compare(const PlayedItem& played) {
    OpenCell& cell = open_.at(played.item.cell);
    if (cell.memory) cell.memory->keep(played.item.chunk.seeds, played.text);
  }

  bool are_over() {
    while (first_open_ < open_.size() && open_[first_open_].chunks.is_over()) ++first_open_;
    return first_open_ == cells_.scenarios.size();
  }
  std::uint64_t played() const {
    std::uint64_t seeds = first_open_ * options_.plan.seeds.size();
    for (std::size_t i = first_open_; i < open_.size(); ++i) seeds += open_[i].chunks.played();
    return seeds;
  }

  std::vector<CellResult> results() && {
    std::vector<CellResult> all;
    while (!open_.empty() && open_.back().chunks.merged() == 0) open_.pop_back();
    for (OpenCell& cell : open_) {
      CellResult& result = all.emplace_back(cell.chunks.take_whole());
      result.seeds = cell.chunks.merged();
      result.interrupted = result.seeds < options_.plan.seeds.size() && !result.meets(options_.until);
    }
    return all;
  }

 private:
  static std::optional<std::string> find(OpenCell& cell, SeedRange seeds) {
    return cell.memory ? cell.memory->find(seeds) : std::nullopt;
  }

  void open() {
    const std::uint64_t cell = open_.size();
    auto behaviour = behaviour_of(*cells_.scenarios[cell], cells_.properties);
    if (auto* const problems = std::get_if<1>(&behaviour)) throw LedSweep{{}, {cell, std::move(*problems)}};
    open_.push_back({std::get<0>(behaviour),
                     options_.memory ? options_.memory(cell, std::get<0>(behaviour)) : nullptr,
                     {options_.plan.seeds, CellPlayer::empty(cells_.properties),
                      [this](const CellResult& so_far) { return so_far.meets(options_.until); }}});
  }

  const SharedCells& cells_;
  const LeadOptions& options_;
  std::vector<OpenCell> open_;
  std::size_t handing_ = 0;     // the cell whose chunks are handed out
  std::size_t first_open_ = 0;  // all before it are over
};

class Leader {
 public:
  Leader(Ranks& ranks, const SharedCells& cells, const LeadOptions& options)
      : ranks_(ranks),
        options_(options),
        all_seeds_(options.plan.seeds.size() * cells.scenarios.size()),
        cells_(cells, options),
        team_(cells, options.plan.jobs),
        wanted_(ranks.size()),
        has_ended_(ranks.size()) {}

  LedSweep lead() {
    try {
      while (!stopped()) {
        feed();
        if (cells_.are_over()) break;
        if (!take_results() && !hear()) std::this_thread::sleep_for(kBetweenLooks);
      }
    } catch (...) {
      tell_all_to_stop();
      throw;
    }
    finish();
    return {std::move(cells_).results(), {}};
  }

 private:
  struct Flight {
    Clock::time_point since;
    std::size_t rank = 0;  // rank that was given it last
  };

  bool stopped() const { return options_.plan.stop != nullptr && options_.plan.stop->load(); }

  void feed() {
    while (team_.waiting() < options_.plan.jobs) {
      const auto item = next(0);
      if (!item) return;
      team_.give(*item);
    }
    for (std::size_t rank = 1; rank < wanted_.size(); ++rank) {
      for (; wanted_[rank] > 0; --wanted_[rank]) {
        const auto item = next(rank);
        if (!item) return;
        say(rank, {.kind = Kind::work, .wanted = 0, .played = {*item, 0, {}}});
      }
    }
  }

  std::optional<WorkItem> next(std::size_t rank) {
    const Clock::time_point now = Clock::now();
    if (const auto item = overdue(rank, now)) return item;
    const auto item = cells_.next();
    if (item) in_flight_[*item] = {now, rank};
    return item;
  }

  // A chunk that was handed out so long ago that its rank may be dead.
  std::optional<WorkItem> overdue(std::size_t rank, Clock::time_point now) {
    const auto limit = std::max<Clock::duration>(options_.least_overdue, 8 * longest_);
    if (now - looked_ < limit / 8) return std::nullopt;
    for (auto& [item, flight] : in_flight_) {
      if (now - flight.since < limit || flight.rank == rank) continue;
      flight = {now, rank};
      return item;
    }
    looked_ = now;
    return std::nullopt;
  }

  bool take_results() {
    bool any = false;
    while (const auto played = team_.take()) {
      take(*played, 0);
      any = true;
    }
    return any;
  }

  void take(const PlayedItem& played, std::size_t from) {
    const auto flight = in_flight_.find(played.item);
    if (flight == in_flight_.end()) return cells_.compare(played);
    longest_ = std::max(longest_, Clock::now() - flight->second.since);
    in_flight_.erase(flight);
    cells_.take(played, from);
    if (options_.plan.progress) options_.plan.progress(cells_.played(), all_seeds_);
  }

  bool hear() {
    const auto received = ranks_.receive();
    if (!received) return false;
    const std::size_t rank = received->from;
    const RankMessage message = unpacked(received->message);
    if (message.kind == Kind::failed) throw std::runtime_error(fmt::format("rank {}: {}", rank, message.played.text));
    if (message.kind == Kind::bye) has_ended_[rank] = true;
    if (message.kind == Kind::result) {
      ++wanted_[rank];
      take(message.played, rank);
    }
    if (message.kind == Kind::ready) {
      wanted_[rank] += message.wanted;
      if (message.wanted == 0) say(rank, {.kind = Kind::wait, .wanted = 0, .played = {}});
    }
    return true;
  }

  // After an interruption all chunks in flight come back, except those of dead ranks.
  void finish() {
    tell_all_to_stop();
    team_.forget_waiting();
    options_.save();
    if (cells_.are_over()) return;
    Clock::time_point last_word = Clock::now();
    const auto ended = [&] { return std::all_of(has_ended_.begin() + 1, has_ended_.end(), [](bool b) { return b; }); };
    while (!ended() || team_.unfinished() > 0) {
      const bool any = take_results() || hear();
      if (any) options_.save();
      const Clock::time_point now = Clock::now();
      if (any) last_word = now;
      if (now - last_word > options_.last_patience && team_.unfinished() == 0) return;
      if (!any) std::this_thread::sleep_for(kBetweenLooks);
    }
  }

  void tell_all_to_stop() {
    for (std::size_t rank = 1; rank < ranks_.size(); ++rank) say(rank, {.kind = Kind::stop, .wanted = 0, .played = {}});
  }
  void say(std::size_t rank, const RankMessage& message) { ranks_.send(rank, packed(message)); }

  Ranks& ranks_;
  const LeadOptions& options_;
  const std::uint64_t all_seeds_;  // seeds of all cells together
  CellsInOrder cells_;
  Team team_;
  std::map<WorkItem, Flight> in_flight_;
  std::vector<std::uint64_t> wanted_;  // chunks, by rank
  std::vector<bool> has_ended_;        // index: rank
  Clock::duration longest_{};          // longest time from handing out to the result
  Clock::time_point looked_{};         // time of the last look for overdue chunks
};

}  // namespace

LedSweep lead(Ranks& ranks, const SharedCells& cells, const LeadOptions& options) {
  try {
    return Leader(ranks, cells, options).lead();
  } catch (LedSweep& problem) {
    return std::move(problem);
  }
}

}  // namespace picklock
