#include "campaigns/store/store.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "campaigns/cell_json.hpp"
#include "campaigns/sweep.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/write.hpp"

namespace picklock {
namespace store_test {

// A file of its own for each test, removed at its end.
class StoreTest : public ::testing::Test {
 protected:
  StoreTest() {
    folder_ = std::filesystem::temp_directory_path() / ("picklock_store_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~StoreTest() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / (name + ".sqlite")).string(); }

 private:
  std::filesystem::path folder_;
};

const std::vector<Property> kProperties = {Property::mutual_exclusion, Property::lost_update};

Scenario scenario() {
  ScenarioFile file = load_scenario("paused_holder");
  EXPECT_TRUE(edit_scenario(file.scenario, {.lock = {}, .set = {"lock.ttl=245ms"}, .without = {}}).errors.empty());
  return file.scenario;
}

CellContent content() {
  const Scenario s = scenario();
  return {"sweep", write_scenario(s), s.lock.name, kProperties, std::get<0>(behaviour_of(s, kProperties))};
}

SeedPlan plan(SeedRange seeds, unsigned jobs = 1) {
  SeedPlan p;
  p.seeds = seeds;
  p.jobs = jobs;
  return p;
}

CellResult play(Store& store, SeedRange seeds, unsigned jobs = 1) {
  const auto memory = store.cell(content());
  return std::get<0>(play_cell(scenario(), plan(seeds, jobs), kProperties, {}, memory.get()));
}

std::string text(const CellResult& result) { return std::to_string(result.seeds) + cell_json(result); }

TEST(CellJson, ReadsBackEqual) {
  const CellResult result = std::get<0>(play_cell(scenario(), plan({1, 100}), kProperties));
  const CellResult again = read_cell_json(cell_json(result));
  EXPECT_EQ(again.properties, result.properties);
  EXPECT_EQ(again.latency_ns, result.latency_ns);
  EXPECT_EQ(cell_json(again), cell_json(result));
  CellResult odd;
  odd.errors[UINT64_MAX] = "a \"quoted\" error";
  odd.properties[Property::mutual_exclusion].tally.add(Verdict::undecided, UINT64_MAX);
  EXPECT_EQ(cell_json(read_cell_json(cell_json(odd))), cell_json(odd));
  for (const char* wrong : {"", "{}", "[1]", R"({"properties":{"no such":{}}})"})
    EXPECT_THROW(read_cell_json(wrong), std::runtime_error) << wrong;
}

TEST_F(StoreTest, TheSameSweepGoesOnWhereItStopped) {
  const CellResult plain = std::get<0>(play_cell(scenario(), plan({1, 300}), kProperties));
  CellResult first, second;
  {
    Store store(file("a"), Store::Open::or_create);
    first = play(store, {1, 100});
  }
  Store store(file("a"), Store::Open::existing);
  second = play(store, {1, 300}, 3);
  EXPECT_EQ(first.seeds, 100u);
  EXPECT_EQ(text(second), text(plain));
  // Everything is there by now: a memory that may not be asked to keep anything proves that nothing is played.
  class ReadOnly : public ChunkMemory {
   public:
    explicit ReadOnly(ChunkMemory& memory) : memory_(memory) {}
    std::optional<std::string> find(SeedRange chunk) override { return memory_.find(chunk); }
    void keep(SeedRange, const std::string&) override { ADD_FAILURE() << "a chunk was played again"; }

   private:
    ChunkMemory& memory_;
  };
  const auto memory = store.cell(content());
  ReadOnly known(*memory);
  EXPECT_EQ(text(std::get<0>(play_cell(scenario(), plan({1, 300}), kProperties, {}, &known))), text(plain));
}

TEST_F(StoreTest, ShardsMergedInAnyOrderAreTheWhole) {
  const CellResult plain = std::get<0>(play_cell(scenario(), plan({1, 500}), kProperties));
  for (std::uint64_t i = 1; i <= 3; ++i) {
    Store store(file("shard" + std::to_string(i)), Store::Open::or_create);
    const auto memory = store.cell(content());
    const ShardResult done =
        std::get<0>(play_shard(scenario(), plan({1, 500}, 2), kProperties, Shard{i, 3}, 7, *memory));
    EXPECT_GT(done.chunks, 0u);
    EXPECT_LT(done.seeds, 500u);
    EXPECT_EQ(done.passed, 500u);
  }
  for (const auto& order : std::vector<std::vector<int>>{{1, 2, 3}, {3, 1, 2}, {2, 2, 3, 1, 3}}) {
    Store all(file("all" + std::to_string(order[0])), Store::Open::or_create);
    std::uint64_t added = 0;
    for (const int i : order) {
      Store shard(file("shard" + std::to_string(i)), Store::Open::existing);
      added += all.merge(shard).added;
    }
    EXPECT_EQ(added, 16u);  // 16 of 32 seeds, the last of 20
    EXPECT_EQ(text(play(all, {1, 500})), text(plain));
  }
}

TEST_F(StoreTest, ADifferenceIsBrokenDeterminism) {
  CellResult one = std::get<0>(play_cell(scenario(), plan({1, 32}), kProperties)), other = one;
  ++other.granted;
  Store a(file("a"), Store::Open::or_create), b(file("b"), Store::Open::or_create);
  a.cell(content())->keep({1, 32}, cell_json(one));
  EXPECT_NO_THROW(a.cell(content())->keep({1, 32}, cell_json(one)));
  EXPECT_THROW(a.cell(content())->keep({1, 32}, cell_json(other)), BrokenDeterminism);
  b.cell(content())->keep({33, 64}, cell_json(one));
  b.cell(content())->keep({1, 32}, cell_json(other));
  EXPECT_THROW(a.merge(b), BrokenDeterminism);
  EXPECT_FALSE(a.cell(content())->find({33, 64})) << "half of a store was merged";
  EXPECT_EQ(*a.cell(content())->find({1, 32}), cell_json(one));
  EXPECT_FALSE(a.cell(content(), true)->find({1, 32})) << "to be played again";
}

TEST_F(StoreTest, AnotherContentIsAnotherCell) {
  const CellContent one = content();
  CellContent lease = one, judged = one, build = one;
  lease.scenario += "\n# another";
  judged.properties.pop_back();
  ++build.behaviour;
  EXPECT_EQ(one.key(), content().key());
  for (const CellContent& other : {lease, judged, build}) EXPECT_NE(other.key(), one.key());
}

TEST_F(StoreTest, RefusesWhatIsNoStore) {
  std::ofstream(file("text")) << "This is no database, but a text that is longer than the header of one would be.\n";
  EXPECT_THROW(Store(file("text"), Store::Open::or_create), std::runtime_error);
  EXPECT_THROW(Store(file("absent"), Store::Open::existing), std::runtime_error);
  {
    Database other(file("other"), Database::Open::or_create);
    other.run("CREATE TABLE t(x)");
  }
  EXPECT_THROW(Store(file("other"), Store::Open::or_create), std::runtime_error);
  { Store store(file("later"), Store::Open::or_create); }
  { Database(file("later"), Database::Open::existing).run("PRAGMA user_version = 99"); }
  EXPECT_THROW(Store(file("later"), Store::Open::existing), std::runtime_error);
}

TEST_F(StoreTest, HasTheFormatThatItsPageTells) {
  { Store store(file("new"), Store::Open::or_create); }
  const std::uint64_t format = Database(file("new"), Database::Open::existing).number("PRAGMA user_version");
  std::ifstream page(std::string(PICKLOCK_SOURCE_DIR) + "/docs/store.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  EXPECT_NE(text.find("the format: " + std::to_string(format) + "."), std::string::npos) << format;
}

TEST_F(StoreTest, IsUsedByOneProcessAtATime) {
  Store store(file("a"), Store::Open::or_create);
  play(store, {1, 32});
  EXPECT_THROW(Store(file("a"), Store::Open::existing), std::runtime_error);
}

TEST_F(StoreTest, WhatAThreadThrowsReachesTheCaller) {
  class Full : public ChunkMemory {
   public:
    std::optional<std::string> find(SeedRange) override { return std::nullopt; }
    void keep(SeedRange, const std::string&) override { throw std::runtime_error("the disk is full"); }
  };
  Full memory;
  EXPECT_THROW(play_cell(scenario(), plan({1, 1000}, 3), kProperties, {}, &memory), std::runtime_error);
}

}  // namespace store_test
}  // namespace picklock
