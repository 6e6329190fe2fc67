#include "app/playground/engine.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <variant>

#include "campaigns/campaign.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

using Json = nlohmann::json;

class Answers : public testing::Test {
 protected:
  Json read(const Json& question) { return Json::parse(playground_.read(question.dump())); }
  Json run(const Json& question) { return Json::parse(playground_.run(question.dump())); }
  Playground playground_;
};

Scenario edited(const std::string& name, const ScenarioEdits& edits = {}) {
  Scenario scenario = load_scenario(name).scenario;
  EXPECT_TRUE(edit_scenario(scenario, edits).errors.empty());
  return scenario;
}

TEST_F(Answers, ListEveryScenarioAndVariant) {
  const Json list = Json::parse(playground_.list());
  EXPECT_EQ(list["scenarios"].size(), library_scenarios().size());
  EXPECT_EQ(list["scenarios"][0]["name"], library_scenarios()[0].name);
}

TEST_F(Answers, RunAsTheCommandDoes) {
  const ScenarioEdits edits{"", {"lock.ttl=300ms"}, {}};
  auto compiled = Runner::compile(edited("paused_holder", edits));
  const RunResult& result = std::get<0>(compiled)->run(3);
  const Json run = this->run({{"name", "paused_holder"}, {"set", edits.set}, {"seed", 3}});
  EXPECT_EQ(run["digest"], fmt::format("{:016x}", result.digest));
  EXPECT_FALSE(run["page"]["rows"].empty());
  EXPECT_FALSE(run["page"]["messages"].empty());
  EXPECT_EQ(this->run({{"name", "paused_holder"}, {"seed", 3}})["verdicts"][0]["verdict"], "violated");
}

TEST_F(Answers, CountAsACampaignDoes) {
  CampaignOptions options;
  options.seeds = {5, 34};
  const auto campaign = run_campaign(edited("paused_holder"), options);
  Json sums = Json::parse(playground_.begin_range(R"({"name": "paused_holder", "seed": 5})"));
  EXPECT_TRUE(sums["errors"].empty());
  for (const int part : {1, 9, 20}) sums = Json::parse(playground_.more_of_range(static_cast<std::uint64_t>(part)));
  EXPECT_EQ(sums["runs"], 30);
  EXPECT_EQ(sums["next"], 35);
  EXPECT_EQ(sums["digest"], fmt::format("{:016x}", std::get<0>(campaign).digest));
  const PropertySummary& first = std::get<0>(campaign).properties[0];
  EXPECT_EQ(sums["properties"][0]["violated"], first.figures().count(Verdict::violated));
  EXPECT_EQ(sums["properties"][0]["share"], print_share(first.figures()));
}

TEST_F(Answers, TellErrorsAtTheirPlaces) {
  const Json wrong = read({{"toml", "lock = \"setnx\"\nclients = [ { name = \"a\", hodl = \"1ms\" } ]\n"}});
  ASSERT_EQ(wrong["errors"].size(), 1u);
  EXPECT_EQ(wrong["errors"][0]["line"], 2);
  EXPECT_EQ(wrong["errors"][0]["column"], 27);
  EXPECT_FALSE(read({{"toml", "lock = "}})["errors"].empty());
  EXPECT_FALSE(run({{"name", "paused_holder"}, {"set", {"lock.ttl=x"}}})["errors"].empty());
  EXPECT_FALSE(run({{"name", "paused_holder"}, {"without", {"fault[9]"}}})["errors"].empty());
}

TEST_F(Answers, KeepSettingsOfPartsThatAreLeftOut) {
  const Json story = read({{"name", "paused_holder"}, {"set", {"fault[0].lasts=1s"}}, {"without", {"fault[0]"}}});
  bool found = false;
  for (const Json& s : story["settings"]) {
    if (s["path"] != "fault[0].lasts") continue;
    found = true;
    EXPECT_EQ(s["value"], "1s");
    EXPECT_EQ(s["type"], "optional-law");
    EXPECT_EQ(s["said"], true);
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(story["variants"].empty(), load_scenario("paused_holder").variants.empty());
}

TEST_F(Answers, PlayVariantsOfAText) {
  const std::string toml = read({{"name", "paused_holder/fenced"}})["toml"];
  const Json of_text = run({{"toml", toml}, {"variant", "fenced"}, {"seed", 2}});
  EXPECT_EQ(of_text["digest"], run({{"name", "paused_holder/fenced"}, {"seed", 2}})["digest"]);
  EXPECT_FALSE(run({{"toml", toml}, {"variant", "none"}})["errors"].empty());
}

TEST_F(Answers, ExplainAlsoAText) {
  const std::string toml = read({{"name", "paused_holder"}})["toml"];
  std::uint64_t heard = 0;
  const Json answer = Json::parse(
      playground_.explain(Json({{"toml", toml}, {"seed", 1}}).dump(), [&](std::uint64_t runs) { heard = runs; }));
  ASSERT_TRUE(answer["errors"].empty()) << answer.dump();
  EXPECT_GT(heard, 10u);
  EXPECT_NE(answer["text"].get<std::string>().find("fault"), std::string::npos);
}

std::string example_lock(const std::string& name) {
  std::ifstream in(PICKLOCK_SOURCE_DIR "/examples/lua/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST_F(Answers, PlayALockInLua) {
  const std::string text = example_lock("set_nx_px.lua");
  Json question = {{"name", "paused_holder"}, {"lock", "own.lua"}, {"locks", {{"own.lua", text}}}, {"seed", 3}};
  const Json run = this->run(question);
  ASSERT_TRUE(run["errors"].empty()) << run.dump();
  EXPECT_EQ(run["verdicts"][0]["verdict"], "violated");
  bool slides = false;
  const Json story = read(question);
  for (const Json& s : story["settings"]) slides |= s["path"] == "lock.ttl" && s["type"] != "string";
  EXPECT_TRUE(slides) << "options of the lock are settings";
  // The text may change, and go; the same name is another lock then.
  std::string other = text;
  other.replace(other.find("\"PX\", math"), 4, "\"EX\"");
  question["locks"]["own.lua"] = other;
  EXPECT_NE(this->run(question)["digest"], run["digest"]);
  question["locks"]["own.lua"] = text;
  EXPECT_EQ(this->run(question)["digest"], run["digest"]);
  question.erase("locks");
  EXPECT_FALSE(this->run(question)["errors"].empty());
}

TEST_F(Answers, TellErrorsOfALockInLuaAtTheirLines) {
  const auto error = [&](const std::string& text) -> Json {
    const Json answer =
        read({{"name", "paused_holder"}, {"lock", "own.lua"}, {"locks", {{"own.lua", text}}}, {"seed", 3}});
    return answer["errors"].empty() ? Json() : answer["errors"][0];
  };
  const Json syntax = error("lock = { service = \"redis\" }\nfunction acquire(ctx\nend\n");
  EXPECT_EQ(syntax["file"], "own.lua");
  EXPECT_EQ(syntax["line"], 3);
  EXPECT_EQ(error("lock = { service = \"redis\" }\n\nerror('x')\n")["line"], 3);
  EXPECT_EQ(error("while true do end")["line"], 1);
  EXPECT_EQ(error(example_lock("set_nx_px.lua")), Json());
  const Json named = read({{"name", "paused_holder"}, {"locks", {{"passwd", "x"}}}});
  EXPECT_FALSE(named["errors"].empty());
}

TEST_F(Answers, GiveEveryClientAClockThatMayDrift) {
  const auto clock_of = [&](const Json& story) {
    for (const Json& s : story["settings"]) {
      if (s["path"] == "clock.a.drift-ppm") return s["value"].get<std::string>();
    }
    return std::string("none");
  };
  Json question = {{"name", "paused_holder"}};
  EXPECT_EQ(clock_of(read(question)), "0");
  question["set"] = {"clock.a.drift-ppm=100000"};
  EXPECT_EQ(clock_of(read(question)), "100000");
  EXPECT_TRUE(run(question)["errors"].empty());
}

TEST_F(Answers, TakeWhatIsNoQuestionForNone) {
  for (const char* question : {"", "null", "7", "[[", R"({"name": 5})", R"({"name": "../../x"})"}) {
    EXPECT_FALSE(Json::parse(playground_.run(question))["errors"].empty()) << question;
    EXPECT_FALSE(Json::parse(playground_.begin_range(question))["errors"].empty()) << question;
    EXPECT_FALSE(Json::parse(playground_.explain(question))["errors"].empty()) << question;
  }
}

}  // namespace
}  // namespace picklock
