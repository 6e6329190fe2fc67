// A sweep shared by ranks is that of one process, for any number of ranks, and if some of them die.

#include <gtest/gtest.h>

#include <map>

#include "campaigns/cell_json.hpp"
#include "campaigns/ranks/follow.hpp"
#include "campaigns/ranks/lead.hpp"
#include "campaigns/ranks/ranks_lab.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"

namespace picklock {
namespace ranks_test {

using testing::RanksLab;

constexpr SeedRange kSeeds{1, 3000};

Scenario scenario(const std::string& lease) {
  ScenarioFile file = load_scenario("paused_holder");
  EXPECT_TRUE(edit_scenario(file.scenario, {.lock = {}, .set = {"lock.ttl=" + lease}, .without = {}}).errors.empty());
  return file.scenario;
}

// A memory that all cells share, in the process.
class Kept : public ChunkMemory {
 public:
  std::optional<std::string> find(SeedRange chunk) override {
    const auto found = kept_.find(chunk.first);
    return found == kept_.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(SeedRange chunk, const std::string& result) override {
    const auto [at, is_new] = kept_.emplace(chunk.first, result);
    if (!is_new && at->second != result) throw std::runtime_error("determinism is broken");
    ++keeps_;
  }
  std::size_t size() const { return kept_.size(); }
  std::size_t keeps() const { return keeps_; }

 private:
  std::map<std::uint64_t, std::string> kept_;
  std::size_t keeps_ = 0;
};

// A memory that outlives the sweep.
class Lent : public ChunkMemory {
 public:
  explicit Lent(ChunkMemory& memory) : memory_(memory) {}
  std::optional<std::string> find(SeedRange chunk) override { return memory_.find(chunk); }
  void keep(SeedRange chunk, const std::string& result) override { memory_.keep(chunk, result); }

 private:
  ChunkMemory& memory_;
};

class RanksTest : public ::testing::Test {
 protected:
  RanksTest() {
    options_.plan.seeds = kSeeds;
    options_.last_patience = std::chrono::milliseconds(50);
    options_.memory = [this](std::uint64_t cell, std::uint64_t) { return std::make_unique<Lent>(kept_[cell]); };
  }

  // Each rank plays with `threads` threads.
  LedSweep play(RanksLab& lab, unsigned threads = 1) {
    options_.plan.jobs = threads;
    std::vector<std::thread> followers;
    for (std::size_t rank = 1; rank < lab.size(); ++rank) {
      followers.emplace_back([&, rank] {
        follow(lab[rank], cells_of(rank),
               {.threads = threads, .stop = nullptr, .patience = std::chrono::milliseconds(500)});
      });
    }
    LedSweep led;
    try {
      led = lead(lab[0], cells_, options_);
    } catch (const std::exception& wrong) {
      problem_ = wrong.what();
    }
    for (std::thread& f : followers) f.join();
    return led;
  }
  const SharedCells& cells_of(std::size_t rank) const { return rank == other_build_ ? other_cells_ : cells_; }

  static std::string text(const std::vector<CellResult>& results) {
    std::string all;
    for (const CellResult& r : results)
      all += std::to_string(r.seeds) + (r.interrupted ? "!" : "") + cell_json(r) + "\n";
    return all;
  }
  std::string plain() const {
    std::vector<CellResult> results;
    SeedPlan plan;
    plan.seeds = kSeeds;
    for (const Scenario* s : cells_.scenarios)
      results.push_back(std::get<0>(play_cell(*s, plan, cells_.properties, options_.until)));
    return text(results);
  }

  const Scenario short_ = scenario("245ms"), long_ = scenario("248ms");
  const SharedCells cells_{{&short_, &long_}, {Property::mutual_exclusion, Property::lost_update}};
  const SharedCells other_cells_{{&long_, &short_}, cells_.properties};
  std::size_t other_build_ = 0;  // the rank that has other_cells_; 0: none
  LeadOptions options_;
  std::map<std::uint64_t, Kept> kept_;  // key: cell
  std::string problem_;
};

TEST_F(RanksTest, AreAsOneProcess) {
  const std::string one = plain();
  for (const std::size_t ranks : {1u, 2u, 4u}) {
    for (const unsigned threads : {1u, 2u}) {
      kept_.clear();
      RanksLab lab(ranks);
      EXPECT_EQ(text(play(lab, threads).results), one) << ranks << " ranks with " << threads << " threads";
      EXPECT_EQ(kept_[0].size(), kept_[0].keeps()) << "a chunk was played twice";
    }
  }
}

TEST_F(RanksTest, PlayNothingThatIsKept) {
  RanksLab first(2), second(2);
  const std::string one = text(play(first).results);
  const std::size_t keeps = kept_[0].keeps() + kept_[1].keeps();
  EXPECT_EQ(text(play(second).results), one);
  EXPECT_EQ(kept_[0].keeps() + kept_[1].keeps(), keeps);
  EXPECT_LT(second.messages(), 20u);
}

TEST_F(RanksTest, ADeadRankCostsItsChunksInFlightOnly) {
  const std::string one = plain();
  options_.least_overdue = std::chrono::milliseconds(20);
  for (const std::size_t messages : {0u, 1u, 2u, 7u}) {
    kept_.clear();
    RanksLab lab(3);
    lab.dies(2, messages);
    EXPECT_EQ(text(play(lab).results), one) << "rank 2 died after " << messages << " messages";
  }
}

TEST_F(RanksTest, AreStoppedInTheMiddle) {
  std::atomic<bool> stop{false};
  options_.plan.stop = &stop;
  options_.plan.progress = [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_EQ(all, 2 * kSeeds.size());
    stop = done >= 500;
  };
  std::size_t saved = 0;
  options_.save = [&] { ++saved; };
  RanksLab lab(3);
  const std::vector<CellResult> cut = play(lab).results;
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_TRUE(cut[0].interrupted);
  EXPECT_GT(saved, 0u);
  SeedPlan plan;
  plan.seeds = {1, cut[0].seeds};
  EXPECT_EQ(cell_json(std::get<0>(play_cell(short_, plan, cells_.properties))), cell_json(cut[0]));
}

TEST_F(RanksTest, StopRulesSeeTheSamePrefix) {
  options_.until.width = 0.1;
  const std::string one = plain();
  RanksLab lab(3);
  const std::vector<CellResult> results = play(lab, 2).results;
  EXPECT_EQ(text(results), one);
  EXPECT_LT(results[0].seeds, kSeeds.size());
}

TEST_F(RanksTest, OfDifferentBuildsAreRefused) {
  other_build_ = 1;
  RanksLab lab(2);
  play(lab);
  EXPECT_NE(problem_.find("rank 1 plays cell "), std::string::npos) << problem_;
}

TEST_F(RanksTest, AFollowerLeavesADeadLeader) {
  RanksLab lab(2);
  lab.dies(0, 0);
  EXPECT_NO_THROW(follow(lab[1], cells_, {.threads = 1, .stop = nullptr, .patience = std::chrono::milliseconds(0)}));
}

TEST(RankMessages, AreReadBack) {
  const RankMessage m{.kind = RankMessage::Kind::result,
                      .wanted = 3,
                      .played = {{7, {9, {UINT64_MAX - 1, UINT64_MAX}}}, 11, "a text\nof two lines"}};
  const RankMessage again = unpacked(packed(m));
  EXPECT_EQ(packed(again), packed(m));
  EXPECT_EQ(again.played.text, m.played.text);
  EXPECT_EQ(again.played.item.chunk.seeds.last, UINT64_MAX);
  for (const char* const wrong : {"", "x 1 2 3 4 5 6\n", "r", "r 1 2 3\n", "r 1 2 3 4 5 6", "r 1 2 3 4 5 six\n"})
    EXPECT_THROW(unpacked(wrong), std::runtime_error) << wrong;
}

}  // namespace ranks_test
}  // namespace picklock
