// A service that the project does not know goes through the whole house: read, written, played, judged, listed.

#include "tests/toy_service/toy_service.hpp"

#include <gtest/gtest.h>

#include "reports/run/files.hpp"
#include "scenarios/file/hash.hpp"
#include "scenarios/file/keys.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/file/write.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

// Before any scenario is read.
const bool kAdded = add_service(kToyService) && add_lock_kind(kToyLock);

constexpr std::string_view kText = R"(# Three clients want one row.

lock = "toy-lock"
clients = [ { name = "a", count = 3, hold = "5ms", rounds = 20 } ]
)";

Scenario scenario_of(const std::string& text) {
  const ScenarioFile file = read_scenario(text, "toy.toml");
  for (const ScenarioError& e : file.errors) ADD_FAILURE() << print(e);
  return file.scenario;
}
Scenario calm() { return scenario_of(std::string(kText)); }
Scenario with_defect() {
  std::string text(kText);
  text += "[toy]\ndefect = \"takes-over\"\n";
  return scenario_of(text);
}

std::unique_ptr<Runner> compile(const Scenario& s) {
  auto compiled = Runner::compile(s);
  if (const auto* problems = std::get_if<1>(&compiled)) {
    for (const auto& p : *problems) ADD_FAILURE() << p.where << ": " << p.found << ", expected " << p.expected;
    return nullptr;
  }
  return std::move(std::get<0>(compiled));
}

Verdict verdict(const RunResult& r, Property p) { return of(r.findings, p).verdict; }

TEST(ToyService, IsPlayedAndJudged) {
  ASSERT_TRUE(kAdded);
  const auto runner = compile(calm());
  ASSERT_NE(runner, nullptr);
  EXPECT_EQ(runner->cast().machines[1], "table");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RunResult& result = runner->run(seed);
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.defect_shown, "");
    EXPECT_EQ(verdict(result, Property::mutual_exclusion), Verdict::holds);
    EXPECT_EQ(verdict(result, Property::double_grant), Verdict::holds);
    EXPECT_EQ(verdict(result, Property::lost_update), Verdict::holds);
    const auto begun = [](const GrantEvent& g) { return g.change == GrantChange::begin; };
    EXPECT_EQ(std::count_if(result.history->grants.begin(), result.history->grants.end(), begun), 61)
        << "a grant for each round, and one for the probe";
  }
}

TEST(ToyService, ItsDefectIsCaught) {
  const auto runner = compile(with_defect());
  ASSERT_NE(runner, nullptr);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RunResult& result = runner->run(seed);
    EXPECT_NE(result.defect_shown, "");
    EXPECT_EQ(verdict(result, Property::mutual_exclusion), Verdict::violated);
    EXPECT_EQ(verdict(result, Property::double_grant), Verdict::violated);
  }
}

TEST(ToyService, TheSameSeedGivesTheSameRun) {
  const auto first = compile(calm()), second = compile(calm());
  const std::uint64_t digest = first->run(7).digest;
  (void)second->run(3);
  EXPECT_EQ(second->run(7).digest, digest);
}

TEST(ToyService, ItsTableIsReadAndWritten) {
  const Scenario s = with_defect();
  EXPECT_EQ(s.services.of<ToySpec>().defect, ToyDefect::takes_over);
  EXPECT_NE(write_scenario(s).find("[toy]\ndefect = \"takes-over\"\n"), std::string::npos) << write_scenario(s);
  EXPECT_EQ(write_scenario(calm()).find("[toy]"), std::string::npos) << "nothing was said of it";
  EXPECT_TRUE(scenario_of(write_scenario(s)) == s);
  EXPECT_FALSE(s == calm());
  EXPECT_NE(scenario_hash(s), scenario_hash(calm()));
  const ScenarioFile wrong = read_scenario(std::string(kText) + "[toy]\ndefekt = \"none\"\n", "toy.toml");
  ASSERT_EQ(wrong.errors.size(), 1U);
  EXPECT_EQ(wrong.errors[0].nearest, "defect");
  const std::vector<KeysOfPart> keys = scenario_keys();
  const auto own = std::find_if(keys.begin(), keys.end(), [](const KeysOfPart& part) { return part.path == "toy"; });
  ASSERT_NE(own, keys.end());
  EXPECT_EQ(own->help, "The process with the table of rows.");
}

TEST(ToyService, ItsSettingsAreSetByPath) {
  Scenario s = calm();
  EXPECT_FALSE(set_in_scenario(s, "toy.defect=takes-over"));
  EXPECT_TRUE(s == with_defect());
  EXPECT_FALSE(set_in_scenario(s, "toy.defect=none"));
  EXPECT_TRUE(s == calm()) << "said or not, the defaults are the same";
  EXPECT_TRUE(set_in_scenario(s, "toy.spares=4"));
}

TEST(ToyService, ItsMachinesAreThereForFaultsAndClocks) {
  const std::string freeze = "\n[[fault]]\nkind = \"pause\"\nnode = \"table\"\nat = \"20ms\"\nlasts = \"300ms\"\n";
  const auto runner = compile(scenario_of(
      std::string(kText) + "[toy]\nspares = 1\n\n[[clock]]\nnode = \"table2\"\noffset = \"1s\"\n" + freeze));
  ASSERT_NE(runner, nullptr);
  const RunResult& result = runner->run(1);
  EXPECT_EQ(result.executed.pauses, 1);
  EXPECT_EQ(verdict(result, Property::mutual_exclusion), Verdict::holds);
}

TEST(ToyService, ItRefusesWhatItCannotServe) {
  Scenario s = calm();
  s.clients[1].locks = {std::string(101, 'x')};
  const auto compiled = Runner::compile(s);
  const auto* const problems = std::get_if<1>(&compiled);
  ASSERT_NE(problems, nullptr);
  EXPECT_EQ(problems->front().where, "clients[1].locks");
  EXPECT_EQ(problems->front().expected, "a shorter name");
}

TEST(ToyService, ItIsListedAndItsRecordsHaveNames) {
  ASSERT_NE(find_service("toy"), nullptr);
  ASSERT_NE(ownership_rule_of(kToyLock), nullptr);
  EXPECT_EQ(ownership_rule_of(kToyLock)->owner, "the last client that took the row");
  const auto runner = compile(calm());
  (void)runner->run(1, {.full_trace = true});
  EXPECT_NE(trace_text(runner->record()).find("toy-taken hold=1"), std::string::npos);
}

TEST(ToyService, ItLeavesTheOthersAsTheyWere) {
  const Scenario s = scenario_of("lock = \"set-nx-px\"\nclients = [ { name = \"a\" } ]\n");
  EXPECT_EQ(write_scenario(s).find("toy"), std::string::npos);
  const auto runner = compile(s);
  ASSERT_NE(runner, nullptr);
  EXPECT_EQ(runner->cast().machines[1], "redis");
  EXPECT_EQ(runner->run(1).error, "");
}

TEST(ToyService, ATakenNameIsRefused) {
  EXPECT_FALSE(add_service(kToyService));
  static const ServiceKind kSameTable = [] {
    ServiceKind kind = kToyService;
    kind.name = "another-toy";
    return kind;
  }();
  EXPECT_FALSE(add_service(kSameTable));
  EXPECT_EQ(find_service("another-toy"), nullptr);
}

}  // namespace
}  // namespace picklock
