// Explanations are verified without the explainer, and explainers that are wrong in one kind of claim are caught.

#include "instruments/explain/explanation.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "instruments/explain/json.hpp"
#include "instruments/explain/page_verifier_lab.hpp"
#include "instruments/explain/text.hpp"
#include "instruments/explain/verifier_lab.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

std::string document(const std::string& scenario, const Finders& finders = {}, unsigned jobs = 1) {
  Experiments experiments(jobs);
  const Explanation e = explain_trial(experiments, {scenario, {}, 1}, finders);
  return explanation_json(e, experiments);
}

// Document and page of one explanation, as the command makes them.
struct Written {
  std::string json, page;
};
Written written(const std::string& scenario, const Finders& finders = {},
                PageWords (*words_of)(const Explanation&, std::string) = words_for_page) {
  Experiments experiments(1);
  const Trial base{scenario, {}, 1};
  const Explanation e = explain_trial(experiments, base, finders);
  auto compiled = Runner::compile(experiments.file_of(base).scenario);
  Runner& runner = *std::get<0>(compiled);
  runner.run(base.seed, {.full_trace = true, .bodies = true, .story = true});
  return {explanation_json(e, experiments), run_page(runner.record(), words_of(e, ""), "")};
}

// Families of locks, services and faults.
class OfScenario : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Explanation, OfScenario,
                         testing::Values("paused_holder", "paused_holder/fenced", "redlock_clock_jump",
                                         "redlock_two_majorities", "etcd_partitioned_holder", "zookeeper_paused_holder",
                                         "crash_without_expiry", "delete_of_anothers_lock", "del_setnx_race",
                                         "seats_as_written", "deadlock_opposite_order",
                                         "curator_writer_becomes_a_reader", "redisson_missed_message",
                                         "restart_without_fsync", "renewal_lost_in_partition", "go_same_random_values"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

TEST_P(OfScenario, StatesNothingThatIsNotSo) {
  const auto [json, page] = written(GetParam());
  EXPECT_NE(json.find("\"finding\""), std::string::npos) << "nothing is violated";
  for (const std::string& wrong : wrong_claims(json, false)) ADD_FAILURE() << wrong;
  for (const std::string& wrong : wrong_places(json, page)) ADD_FAILURE() << wrong;
}

TEST(Explanation, IsTheSameWithAnyNumberOfThreads) {
  EXPECT_EQ(document("paused_holder", {}, 1), document("paused_holder", {}, 2));
}

TEST(Explanation, CountsOverOtherSeedsAreSo) {
  for (const char* const scenario : {"paused_holder", "del_setnx_race"}) {
    for (const std::string& wrong : wrong_claims(document(scenario), true)) ADD_FAILURE() << scenario << ": " << wrong;
  }
}

// All of them, or each n-th from the k-th on: PICKLOCK_EVERY_SCENARIO=k/n, as scripts/verify-explanations sets it.
TEST(Explanation, OfEveryViolatedScenarioIsSo) {
  const char* const share = std::getenv("PICKLOCK_EVERY_SCENARIO");
  if (share == nullptr) GTEST_SKIP() << "scripts/verify-explanations";
  std::size_t k = 0, n = 0, place = 0, explained = 0;
  ASSERT_EQ(std::sscanf(share, "%zu/%zu", &k, &n), 2);
  for (const LibraryEntry& entry : scenarios_in(PICKLOCK_SOURCE_DIR "/scenarios/library")) {
    if (place++ % n != k) continue;
    const auto start = std::chrono::steady_clock::now();
    const auto [json, page] = written(entry.name);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (json.find("\"finding\"") == std::string::npos) continue;
    ++explained;
    for (const std::string& wrong : wrong_claims(json, true)) ADD_FAILURE() << entry.name << ": " << wrong;
    for (const std::string& wrong : wrong_places(json, page)) ADD_FAILURE() << entry.name << ": " << wrong;
    std::printf("%7.2f s  %s\n", took.count(), entry.name.c_str());
    std::fflush(stdout);
  }
  EXPECT_GT(explained, n <= 4 ? 100u / n : 0u) << "of some 270";
}

// --- broken explainers, one for each kind of claim

// The paused holder, with a client and a fault that matter to nothing.
class SpareParts : public testing::Test {
 protected:
  void SetUp() override {
    file_ = testing::TempDir() + "picklock_spare_parts_" + std::to_string(::getpid()) + ".toml";
    std::ofstream(file_) << R"(lock = { name = "set-nx-px", ttl = "100ms", retry = "5ms..10ms" }
clients = [ { name = "a", hold = "50ms" }, { name = "b", start = "10ms", hold = "50ms" },
            { name = "c", start = "2s", hold = "50ms" } ]
workload = "counter"
[[fault]]
kind  = "slow-disk"
node  = "redis"
by    = "1ms"
[[fault]]
kind  = "pause"
node  = "a"
on    = "a enters"
lasts = "200ms"
)";
  }
  void TearDown() override { std::remove(file_.c_str()); }

  void expect_caught(const Finders& broken, const std::string& kind) const {
    const std::vector<std::string> wrong = wrong_claims(document(file_, broken), true);
    EXPECT_TRUE(std::any_of(wrong.begin(), wrong.end(), [&](const auto& w) { return w.starts_with(kind + ":"); }))
        << kind << ": " << wrong.size() << " others, such as " << (wrong.empty() ? "none" : wrong.front());
  }

  std::string file_;
};
using BrokenExplainer = SpareParts;

TEST_F(SpareParts, AreFoundToBeSpare) {
  Experiments experiments(1);
  const Explanation e = explain_trial(experiments, {file_, {}, 1});
  const Needed& needs = e.properties.at(0).needs;
  std::vector<std::string> needed, left;
  for (const Removal& r : needs.each) {
    if (r.needed) needed.push_back(r.element.path);
  }
  for (const std::size_t i : needs.left) left.push_back(needs.each[i].element.path);
  EXPECT_EQ(needed, (std::vector<std::string>{"fault[1]", "clients.a", "clients.b"}));
  EXPECT_EQ(left, needed);
  for (const std::string& wrong : wrong_claims(document(file_), true)) ADD_FAILURE() << wrong;
}

// Believes that all faults of a scenario are needed: it has not left them out.
Needed all_needed(Experiments& experiments, const Trial& base, Property property) {
  Needed needs = needs_of(experiments, base, property);
  for (Removal& r : needs.each) r.needed = true;
  return needs;
}
// Stops once one part could be left out.
Needed not_the_smallest(Experiments& experiments, const Trial& base, Property property) {
  Needed needs = needs_of(experiments, base, property);
  needs.smallest = base;
  needs.left.clear();
  needs.one_less.clear();
  for (std::size_t i = 0; i < needs.each.size(); ++i) {
    needs.left.push_back(i);
    needs.one_less.push_back(needs.each[i].trial);
  }
  return needs;
}
TEST_F(BrokenExplainer, OfNeedsIsCaught) {
  expect_caught({.needs = all_needed}, "needs");
  expect_caught({.needs = not_the_smallest}, "needs");
}

// Takes the neighbours of the grid for the threshold, and does not narrow it.
std::vector<Quantity> not_bisected(Experiments& experiments, const Trial& base, Property property,
                                   const Needed& needs) {
  std::vector<Quantity> all = thresholds_of(experiments, base, property, needs);
  for (Quantity& q : all) {
    std::size_t place = 0;
    for (std::size_t i = 1; i < q.probes.size(); ++i) {
      if (q.probes[i - 1].harmful == q.probes[i].harmful) continue;
      q.thresholds[place].below = q.probes[i - 1];
      q.thresholds[place++].above = q.probes[i];
    }
  }
  return all;
}
// Takes the two sides for each other.
std::vector<Quantity> upside_down(Experiments& experiments, const Trial& base, Property property, const Needed& needs) {
  std::vector<Quantity> all = thresholds_of(experiments, base, property, needs);
  for (Quantity& q : all) {
    for (Threshold& t : q.thresholds) std::swap(t.below.harmful, t.above.harmful);
  }
  return all;
}
TEST_F(BrokenExplainer, OfThresholdsIsCaught) {
  expect_caught({.thresholds = not_bisected}, "thresholds");
  expect_caught({.thresholds = upside_down}, "thresholds");
}

// Takes every broken assumption for one that suffices alone.
Assumptions each_suffices(const Experiments& experiments, const Trial& base, Property property) {
  Assumptions all = assumptions_of(experiments, base, property);
  for (BrokenAssumption& b : all.broken) b.alone = base;
  return all;
}
// Does not see the last of them.
Assumptions one_too_few(const Experiments& experiments, const Trial& base, Property property) {
  Assumptions all = assumptions_of(experiments, base, property);
  all.broken.pop_back();
  return all;
}
TEST_F(BrokenExplainer, OfAssumptionsIsCaught) {
  expect_caught({.assumptions = each_suffices}, "assumptions");
  expect_caught({.assumptions = one_too_few}, "assumptions");
}

// Believes that each cure ends everything.
std::vector<Cure> panaceas(Experiments& experiments, const Trial& base, const std::vector<Property>& violated) {
  std::vector<Cure> all = cures_of(experiments, base, violated);
  for (Cure& c : all) {
    if (c.state == CureState::tried) c.ended = violated;
    c.remaining.clear();
  }
  return all;
}
// Calls them free of cost.
std::vector<Cure> free_cures(Experiments& experiments, const Trial& base, const std::vector<Property>& violated) {
  std::vector<Cure> all = cures_of(experiments, base, violated);
  for (Cure& c : all) c.after = c.before;
  return all;
}
// Calls a cure what ends the violation by keeping a client out.
std::vector<Cure> blind_to_service(Experiments& experiments, const Trial& base, const std::vector<Property>& violated) {
  std::vector<Cure> all = cures_of(experiments, base, violated);
  for (Cure& c : all) c.less.clear();
  return all;
}
TEST(Explanation, CallsNoCureWhatEndsService) {
  // The tokens' counter stands at a server that b does not reach.
  Experiments experiments(1);
  const Explanation e = explain_trial(experiments, {"redlock_clock_jump", {}, 1});
  const auto named = [&](std::string_view name) {
    return *std::find_if(e.cures.begin(), e.cures.end(), [&](const Cure& c) { return c.name == name; });
  };
  const Cure starving = named("tokens-on-writes"), fenced = named("variant fenced");
  EXPECT_TRUE(starving.by_ending_service());
  EXPECT_EQ(starving.less, (std::vector<LessService>{{"b", 1, 0, true, false}}));
  EXPECT_FALSE(fenced.by_ending_service());
  EXPECT_TRUE(fenced.ends(Property::lost_update) && fenced.ends(Property::stale_write));
  EXPECT_EQ(fenced.refused, 1U) << "a's write";
  const std::string text = explanation_text(e, experiments, "redlock_clock_jump");
  EXPECT_NE(text.find("by ending service: b is served only after healing"), std::string::npos) << text;
  for (const std::string& wrong : wrong_claims(explanation_json(e, experiments), false)) ADD_FAILURE() << wrong;
  EXPECT_FALSE(wrong_claims(document("redlock_clock_jump", {.cures = blind_to_service}), false).empty());
}

TEST_F(BrokenExplainer, OfCuresIsCaught) {
  expect_caught({.cures = panaceas}, "cures");
  expect_caught({.cures = free_cures}, "cures");
}

// Takes one run for all.
Generality always(Experiments& experiments, const Trial& base, const PropertyExplanation& claims,
                  const std::vector<Cure>& cures) {
  Generality all = generality_of(experiments, base, claims, cures);
  for (Share& s : all.cures) s.hits = s.of;
  for (Generality::Sides& s : all.thresholds) s.below.hits = s.above.hits = kOtherSeeds;
  return all;
}
Generality of_every_seed(Experiments& experiments, const Trial& base, const PropertyExplanation& claims,
                         const std::vector<Cure>& cures) {
  Generality all = generality_of(experiments, base, claims, cures);
  all.violated.hits = all.violated.of - all.violated.hits;
  return all;
}
TEST_F(BrokenExplainer, OfGeneralityIsCaught) {
  expect_caught({.generality = always}, "generality");
  expect_caught({.generality = of_every_seed}, "generality");
}

// Forgets the "not".
std::vector<Sentence> without_not(const Explanation& e) {
  std::vector<Sentence> all = paragraph_of(e);
  for (Sentence& s : all) {
    const std::size_t at = s.text.find(" it is not violated, and");
    if (at != std::string::npos) s.text.erase(at + 6, 4);
  }
  return all;
}
std::vector<Sentence> cures_mixed_up(const Explanation& e) {
  std::vector<Sentence> all = paragraph_of(e);
  for (Sentence& s : all) {
    if (s.text.starts_with("The violation ends")) s.text.replace(0, 18, "The violation remains");
  }
  return all;
}
std::vector<Sentence> without_runs(const Explanation& e) {
  std::vector<Sentence> all = paragraph_of(e);
  all.back().trials.clear();
  return all;
}
TEST_F(BrokenExplainer, OfSentencesIsCaught) {
  expect_caught({.paragraph = without_not}, "paragraph");
  expect_caught({.paragraph = cures_mixed_up}, "paragraph");
  expect_caught({.paragraph = without_runs}, "paragraph");
}

// Links every sentence to the fault that matters to nothing.
std::string the_spare_fault(const Explanation&, const Sentence&) { return "fault[0]"; }
// Links every sentence to the violation.
std::string always_the_violation(const Explanation&, const Sentence&) { return ""; }
TEST_F(BrokenExplainer, OfPlacesIsCaught) {
  expect_caught({.place = the_spare_fault}, "places");
  expect_caught({.place = always_the_violation}, "places");
}

// Pages whose links do not lead where the document says: to the other fault, to another client, to the violation alone, nowhere.
PageWords of_the_other_fault(const Explanation& e, std::string rest) {
  PageWords words = words_for_page(e, std::move(rest));
  for (PageSentence& s : words.sentences) {
    if (s.fault) s.fault = 1 - *s.fault;
  }
  return words;
}
PageWords of_the_last_client(const Explanation& e, std::string rest) {
  PageWords words = words_for_page(e, std::move(rest));
  for (PageSentence& s : words.sentences) {
    if (!s.fault) s.client = "c";
  }
  return words;
}
PageWords of_the_violation(const Explanation& e, std::string rest) {
  PageWords words = words_for_page(e, std::move(rest));
  for (PageSentence& s : words.sentences) s.fault.reset();
  return words;
}
PageWords without_places(const Explanation& e, std::string rest) {
  PageWords words = words_for_page(e, std::move(rest));
  for (PageSentence& s : words.sentences) s = {s.text};
  return words;
}
TEST_F(BrokenExplainer, OfPlacesOnThePageIsCaught) {
  const Written right = written(file_);
  EXPECT_TRUE(wrong_places(right.json, right.page).empty());
  for (const auto words_of : {of_the_other_fault, of_the_last_client, of_the_violation, without_places}) {
    const Written wrong = written(file_, {}, words_of);
    EXPECT_FALSE(wrong_places(wrong.json, wrong.page).empty());
  }
}

}  // namespace
}  // namespace picklock
