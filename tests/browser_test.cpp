// The page of `picklock check --html` in a browser.  Skipped where there is no Chromium.

#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "checker/io/history_reader.hpp"
#include "checker/models/check_file.hpp"
#include "reports/check/check_page.hpp"
#include "reports/run/run_page.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/run/run.hpp"
#include "tests/chromium.hpp"

namespace picklock {
namespace {

std::string edn(int process, const std::string& type, const std::string& f, int time, int index) {
  return "{:type :" + type + ", :f :" + f + ", :process " + std::to_string(process) + ", :time " +
         std::to_string(time) + ", :index " + std::to_string(index) + "}\n";
}

// Processes take turns; with `bad`, the last but one does not wait for its turn.
std::string turns(int count, int processes, bool bad) {
  std::string text;
  int index = 0;
  for (int i = 0; i < count; ++i) {
    const int p = i % processes;
    const bool jumps = bad && i == count - 2;
    const auto add = [&](int process, const char* type, const char* f) {
      text += edn(process, type, f, 1000 * index, index);
      ++index;
    };
    add(p, "invoke", "acquire");
    add(p, "ok", "acquire");
    if (jumps) {
      add(processes, "invoke", "acquire");
      add(processes, "ok", "acquire");
    }
    add(p, "invoke", "release");
    add(p, "ok", "release");
  }
  return text;
}

constexpr const char* kHostile =
    R"j([{"type":"invoke","f":"acquire","process":0,"value":"</script><script>document.title='owned'</script><!--<script>","time":1000,"index":0},)j"
    R"j({"type":"ok","f":"acquire","process":0,"value":"]]>&lt;' onx=\" </style>","time":2000,"index":1},)j"
    R"j({"type":"invoke","f":"</script><img src=x onerror=\"document.title='owned'\">","process":2,"value":null,"time":2500,"index":2},)j"
    R"j({"type":"invoke","f":"acquire","process":1,"value":{"a":"<b>"},"time":3000,"index":3},)j"
    R"j({"type":"ok","f":"acquire","process":1,"value":null,"time":4000,"index":4}])j";

class Page : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (const auto program = Chromium::find()) browser_ = std::make_unique<Chromium>(*program);
  }
  static void TearDownTestSuite() { browser_.reset(); }
  void SetUp() override {
    if (!browser_) GTEST_SKIP() << "there is no Chromium";
    file_ =
        (std::filesystem::temp_directory_path() / ("picklock_page_" + std::to_string(::getpid()) + ".html")).string();
  }
  void TearDown() override { std::filesystem::remove(file_); }

  void open(const std::string& text, const std::string& name = "history.edn") {
    const History history = read_history_text(text);
    show(check_page(name, check_history(history), history));
  }
  void show(const std::string& page) {
    std::ofstream(file_) << page;
    browser_->requests.clear();
    browser_->complaints.clear();
    browser_->call("Page.navigate", {{"url", "file://" + file_}});
    ASSERT_TRUE(browser_->becomes("document.getElementById('timeline')?.dataset.ready === 'yes'"));
  }
  Chromium::Json ask(const std::string& script) { return browser_->evaluate(script); }
  // Two frames later what was asked for is drawn.
  void wait_for_drawing() {
    ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
  }
  void press(const std::string& key) {
    ask("document.getElementById('timeline').focus()");
    browser_->call("Input.dispatchKeyEvent", {{"type", "keyDown"}, {"key", key}, {"text", key.size() == 1 ? key : ""}});
    browser_->call("Input.dispatchKeyEvent", {{"type", "keyUp"}, {"key", key}});
    wait_for_drawing();
  }
  void mouse(const std::string& type, double x, double y, Chromium::Json more = Chromium::Json::object()) {
    Chromium::Json event = {{"type", type}, {"x", x}, {"y", y}};
    event.update(more);
    browser_->call("Input.dispatchMouseEvent", event);
    wait_for_drawing();
  }
  double number(const std::string& name) {
    return std::stod(ask("document.getElementById('timeline').dataset." + name).get<std::string>());
  }
  double span() { return number("to") - number("from"); }
  void expect_no_complaints() {
    EXPECT_TRUE(browser_->complaints.empty()) << browser_->complaints[0];
    for (const std::string& url : browser_->requests) EXPECT_EQ(url, "file://" + file_);
  }

  static std::unique_ptr<Chromium> browser_;
  std::string file_;
};
std::unique_ptr<Chromium> Page::browser_;

TEST_F(Page, OpensWithoutANetworkAndShowsTheWitness) {
  open(turns(40, 3, true));
  EXPECT_EQ(ask("document.title"), "history.edn: INVALID as mutex");
  EXPECT_GT(number("drawn"), 3);
  EXPECT_LT(span(), 40 * 4000) << "it looks at the witness first";
  EXPECT_EQ(ask("document.querySelectorAll('[data-index]').length >= 4"), true);
  EXPECT_NE(ask("document.querySelector('.words').innerText").get<std::string>().find("only one may hold"),
            std::string::npos);
  expect_no_complaints();
}

TEST_F(Page, AValidHistoryIsShownWhole) {
  open(turns(10, 3, false));
  EXPECT_EQ(ask("document.querySelector('.verdict').textContent"), "valid as mutex");
  EXPECT_EQ(ask("document.querySelector('[data-do=witness]') === null"), true);
  EXPECT_GE(number("drawn"), 20);
  expect_no_complaints();
}

TEST_F(Page, IsWorkedByKeyboard) {
  open(turns(40, 3, true));
  press("0");
  const double whole = span();
  press("+");
  EXPECT_LT(span(), whole * 0.7);
  const double from = number("from");
  press("ArrowRight");
  EXPECT_GT(number("from"), from);
  press("n");
  const std::string first = ask("document.getElementById('status').textContent");
  EXPECT_NE(first.find("invoked at index"), std::string::npos) << first;
  press("n");
  EXPECT_NE(ask("document.getElementById('status').textContent"), first);
  press("p");
  EXPECT_EQ(ask("document.getElementById('status').textContent"), first);
  press("Escape");
  EXPECT_EQ(ask("document.getElementById('status').textContent"), "");
  press("w");
  EXPECT_LT(span(), whole / 4);
  expect_no_complaints();
}

TEST_F(Page, IsWorkedByMouse) {
  open(turns(40, 3, true));
  press("0");
  const auto box =
      ask("(() => { const b = document.getElementById('timeline').getBoundingClientRect(); return [b.left, b.top, "
          "b.width]; })()");
  const double x = box[0].get<double>() + box[2].get<double>() / 2, y = box[1].get<double>() + 45;
  const double whole = span();
  mouse("mouseWheel", x, y, {{"deltaX", 0}, {"deltaY", -100}});
  EXPECT_LT(span(), whole);
  const double from = number("from");
  mouse("mousePressed", x, y, {{"button", "left"}, {"clickCount", 1}});
  mouse("mouseMoved", x - 100, y, {{"button", "left"}, {"buttons", 1}});
  mouse("mouseReleased", x - 100, y, {{"button", "left"}, {"clickCount", 1}});
  EXPECT_GT(number("from"), from) << "what is dragged to the left shows what is later";
  // The first operation of the witness, chosen by its entry beside the drawing.
  ask("document.querySelector('.words [data-index]').click()");
  wait_for_drawing();
  EXPECT_NE(ask("document.getElementById('status').textContent").get<std::string>().find("part of the witness"),
            std::string::npos);
  bool shown = false;
  for (double px = 100; px < box[2].get<double>() && !shown; px += 6) {
    mouse("mouseMoved", box[0].get<double>() + px, y);
    shown = ask("!document.getElementById('tip').hidden") == true;
  }
  EXPECT_TRUE(shown);
  EXPECT_NE(ask("document.getElementById('tip').innerText").get<std::string>().find("invoked at index"),
            std::string::npos);
  expect_no_complaints();
}

TEST_F(Page, WhatAHostileHistoryHoldsIsText) {
  open(kHostile, "</title><script>document.title='owned'</script>");
  EXPECT_EQ(ask("document.title"), "</title><script>document.title='owned'</script>: INVALID as mutex");
  EXPECT_EQ(ask("document.scripts.length"), 2);
  EXPECT_EQ(ask("document.images.length"), 0);
  press("n");
  press("n");
  press("p");
  EXPECT_NE(ask("document.getElementById('status').textContent").get<std::string>().find("</script><script>"),
            std::string::npos);
  expect_no_complaints();
}

TEST_F(Page, DrawsOnlyWhatIsVisibleOfAHundredThousand) {
  open(turns(50'000, 20, true));
  press("0");
  EXPECT_LT(number("drawn"), 21 * 2 * 1300) << "at most one a pixel and lane, holds and operations";
  EXPECT_GT(number("drawn"), 5'000);
  press("w");
  EXPECT_LT(number("drawn"), 200);
  EXPECT_NE(ask("document.querySelector('.verdict').textContent").get<std::string>().find("INVALID"),
            std::string::npos);
  expect_no_complaints();
}

TEST_F(Page, ThePartialLinearizationIsSteppedThrough) {
  History history = read_history_text(turns(6, 2, false));
  CheckResult r = check_history(history);
  r.verdict = Verdict::violated;
  r.model = "register";
  PartialLinearization p;
  p.initial = "free";
  for (std::size_t i = 0; i < 8; i += 2) {
    p.placed.push_back(
        {history.operations[i], history.operations[i + 1], "step " + std::to_string(i), "state " + std::to_string(i)});
  }
  p.stuck = {history.operations[8], history.operations[9], "the <stuck> one", ""};
  p.candidates.push_back(
      {history.operations[8], history.operations[9], "the <stuck> one", false, "", "the state is 6"});
  r.partial = p;
  show(check_page("history.edn", r, history));
  EXPECT_EQ(number("step"), 4);
  press("[");
  EXPECT_EQ(number("step"), 3);
  EXPECT_EQ(ask("document.getElementById('state').textContent"), "3. step 4 → state 4");
  EXPECT_EQ(ask("document.querySelectorAll('.placed li.later').length"), 1);
  for (int i = 0; i < 5; ++i) press("[");
  EXPECT_EQ(number("step"), 0);
  EXPECT_EQ(ask("document.getElementById('state').textContent"), "At the beginning: free");
  ask("document.getElementById('forth').click()");
  wait_for_drawing();
  EXPECT_EQ(number("step"), 1);
  EXPECT_NE(ask("document.querySelector('.stuck').textContent").get<std::string>().find("the <stuck> one"),
            std::string::npos);
  expect_no_complaints();
}

TEST_F(Page, FitsEveryWidthInLightAndDark) {
  open(turns(40, 3, true));
  std::string light;
  for (const char* const scheme : {"light", "dark"}) {
    browser_->call("Emulation.setEmulatedMedia",
                   {{"features", {{{"name", "prefers-color-scheme"}, {"value", scheme}}}}});
    for (const int width : {320, 700, 1100, 1900}) {
      browser_->call("Emulation.setDeviceMetricsOverride",
                     {{"width", width}, {"height", 800}, {"deviceScaleFactor", 1}, {"mobile", false}});
      wait_for_drawing();
      EXPECT_LE(ask("document.documentElement.scrollWidth").get<int>(), width) << scheme;
      EXPECT_GT(ask("document.getElementById('timeline').clientWidth").get<int>(), width / 3);
    }
    // A pixel of the drawing that nothing covers.
    const std::string paper =
        ask("getComputedStyle(document.body).backgroundColor + "
            "[...document.getElementById('timeline').getContext('2d').getImageData(1, 1, 1, 1).data]");
    if (light.empty()) {
      light = paper;
    } else {
      EXPECT_NE(paper, light);
    }
  }
  browser_->call("Emulation.clearDeviceMetricsOverride");
  browser_->call("Emulation.setEmulatedMedia", {{"features", Chromium::Json::array()}});
  expect_no_complaints();
}

TEST_F(Page, SaysWhatItIsToThoseWhoDoNotSeeIt) {
  open(turns(40, 3, true));
  EXPECT_EQ(ask("document.documentElement.lang"), "en");
  EXPECT_EQ(ask("document.getElementById('timeline').getAttribute('aria-label').length > 10 && "
                "document.getElementById('timeline').tabIndex === 0"),
            true);
  EXPECT_EQ(ask("[...document.querySelectorAll('button, a, input')].every(b => (b.getAttribute('aria-label') || "
                "b.textContent).trim() !== '')"),
            true);
  EXPECT_EQ(ask("document.querySelectorAll('[aria-live]').length >= 1"), true);
  EXPECT_EQ(ask("[...document.querySelectorAll('section')].every(s => s.getAttribute('aria-label'))"), true);
}

// --- the page of a run

std::string page_of_run(Scenario scenario) {
  auto compiled = Runner::compile(scenario);
  Runner& runner = *std::get<0>(compiled);
  runner.run(1, {.full_trace = true, .bodies = true, .story = true});
  return run_page(runner.record(), verdicts_for_page(runner.record(), false), "picklock run x --seed 1");
}

TEST_F(Page, OfARunShowsMessagesAndStepsThroughTheStory) {
  show(page_of_run(load_scenario("redlock_clock_jump").scenario));
  EXPECT_GT(number("messages"), 50);
  const double whole = span();
  press("+");
  EXPECT_LT(span(), whole * 0.7);
  press("b");
  EXPECT_LT(span(), whole);
  press("n");
  press("n");
  EXPECT_EQ(ask("document.querySelectorAll('#story li.now').length"), 1);
  EXPECT_NE(ask("document.getElementById('status').textContent").get<std::string>().find("ms: "), std::string::npos);
  EXPECT_NE(ask("document.querySelector('.words').innerText").get<std::string>().find("the clock-step of redis3"),
            std::string::npos);
  expect_no_complaints();
}

TEST_F(Page, OfARunLinksEachSentenceToItsPlace) {
  show(page_of_run(load_scenario("redlock_clock_jump").scenario));
  const double whole = span();
  EXPECT_EQ(ask("document.querySelectorAll('.sentences li').length"), 4) << "a sentence for each violated property";
  EXPECT_EQ(ask("document.querySelectorAll('.sentences li a[data-from]').length"), 4);
  ask("document.querySelector('.sentences a').click()");
  wait_for_drawing();
  EXPECT_LT(span(), whole);
  EXPECT_LT(number("from"), 1'261'084'000) << "where the second client comes in";
  EXPECT_GT(number("to"), 1'261'084'000);
  EXPECT_NE(ask("document.getElementById('status').textContent").get<std::string>().find("mutual-exclusion"),
            std::string::npos);
  expect_no_complaints();
}

TEST_F(Page, OfARunTellsWhatAMessageCarriedAndWhatEachPartyBelieved) {
  show(page_of_run(load_scenario("paused_holder").scenario));
  press("n");
  press("n");
  press("n");  // a is told that it holds the lock
  const std::string believed = ask("document.getElementById('status').textContent");
  EXPECT_NE(believed.find("a: believes that it holds"), std::string::npos) << believed;
  EXPECT_NE(believed.find("b: neither waits nor believes"), std::string::npos) << believed;
  EXPECT_NE(believed.find("lock: a owns the lock"), std::string::npos) << believed;
  for (int i = 0; i < 9; ++i) press("+");
  press("p");  // the request is granted: its arrow comes from the row of a, and crosses that of b
  std::string carried;
  const auto box =
      ask("(() => { const b = document.getElementById('timeline').getBoundingClientRect(); return [b.left, b.top, "
          "b.width]; "
          "})()");
  for (double x = 180; x < box[2].get<double>() && carried.find("\nSET lock ") == std::string::npos; x += 5) {
    mouse("mouseMoved", box[0].get<double>() + x, box[1].get<double>() + 79);
    carried = ask("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent");
  }
  EXPECT_NE(carried.find(" → redis, sent at "), std::string::npos) << carried;
  EXPECT_NE(carried.find("When it arrives:"), std::string::npos) << carried;
  EXPECT_NE(carried.find("b: neither waits nor believes"), std::string::npos) << carried;
  expect_no_complaints();
}

TEST_F(Page, OfARunTellsWhatItsColoursMeanAndWhatWasHeldBack) {
  show(page_of_run(load_scenario("redisson_unlock_sent_twice").scenario));
  const std::string legend = ask("document.getElementById('legend').innerText");
  EXPECT_NE(legend.find("believes that it holds"), std::string::npos) << legend;
  EXPECT_NE(legend.find("a message late or held back"), std::string::npos) << legend;
  EXPECT_EQ(legend.find("leads"), std::string::npos) << "no server leads there: " << legend;
  EXPECT_EQ(ask("JSON.parse(document.getElementById('data').textContent).messages.filter(m => m[4] === 3).length > 0"),
            true);
  EXPECT_EQ(ask("document.querySelector('[data-do=servers]').hidden"), true) << "it has one server";
  expect_no_complaints();
}

TEST_F(Page, OfARunHidesManyMessagesAmongServers) {
  show(page_of_run(load_scenario("etcd_partitioned_holder").scenario));
  EXPECT_EQ(ask("document.getElementById('timeline').dataset.servers"), "hidden");
  const double few = number("messages");
  press("m");
  EXPECT_EQ(ask("document.querySelector('[data-do=servers]').getAttribute('aria-pressed')"), "true");
  EXPECT_GT(number("messages"), few * 3);
  press("m");
  EXPECT_EQ(number("messages"), few);
  expect_no_complaints();
}

TEST_F(Page, OfARunBeginsShortlyBeforeTheFirstClient) {
  show(page_of_run(load_scenario("etcd_partitioned_holder").scenario));
  EXPECT_GT(number("from"), 1e9) << "the members elect a leader first";
  EXPECT_LT(number("from"), 3e9);
  press("0");
  EXPECT_EQ(number("from"), 0);
  expect_no_complaints();
}

TEST_F(Page, OfARunSearchesStoryAndMessages) {
  show(page_of_run(load_scenario("etcd_partitioned_holder").scenario));
  const auto search = [&](const std::string& words) {
    ask("document.getElementById('find').value = '" + words +
        "'; document.getElementById('find').dispatchEvent(new "
        "KeyboardEvent('keydown', { key: 'Enter' }))");
    wait_for_drawing();
    return ask("document.getElementById('status').textContent").get<std::string>();
  };
  EXPECT_NE(search("lost the lock").find("a learns that it has lost the lock"), std::string::npos);
  EXPECT_NE(search("grant 0 ttl=5").find("→ etcd"), std::string::npos) << "what a message carries";
  EXPECT_NE(search("no such words").find("neither the story nor a message"), std::string::npos);
  expect_no_complaints();
}

TEST_F(Page, OfARunKeepsItsStoryInItsPlace) {
  show(page_of_run(load_scenario("redlock_clock_jump").scenario));
  EXPECT_EQ(ask("getComputedStyle(document.querySelector('#story li')).display"), "grid");
  EXPECT_LE(ask("document.getElementById('story').clientHeight").get<double>(),
            ask("window.innerHeight").get<double>());
  expect_no_complaints();
}

TEST_F(Page, OfARunDrawsOnlyWhatIsVisibleOfAHundredThousandMessages) {
  Scenario scenario = load_scenario("redlock_clock_offsets").scenario;
  for (ClientSpec& c : scenario.clients) c.rounds *= 3;
  const std::string page = page_of_run(scenario);
  show(page);
  press("0");
  EXPECT_GT(number("messages"), 50'000);
  EXPECT_LT(number("arrows"), 15 * 2 * 1300) << "at most one a pixel and wire";
  EXPECT_GT(number("arrows"), 1'000);
  EXPECT_LE(ask("document.querySelectorAll('#story li').length"), 1200);
  press("n");
  for (int i = 0; i < 12; ++i) press("+");
  EXPECT_LT(number("messages"), 3'000);
  expect_no_complaints();
}

TEST_F(Page, OfTwoRunsMovesBothAndMarksTheFirstDifference) {
  const Scenario a = load_scenario("paused_holder").scenario, b = load_scenario("paused_holder/fenced").scenario;
  auto first = Runner::compile(a), second = Runner::compile(b);
  Runner &left = *std::get<0>(first), &right = *std::get<0>(second);
  left.run(1, {.full_trace = true, .story = true});
  right.run(1, {.full_trace = true, .story = true});
  const RunRecord &one = left.record(), &two = right.record();
  show(against_page({one, told(one, "left", "x", {})}, {two, told(two, "right", "y", {})}));
  EXPECT_EQ(ask("document.querySelectorAll('#story li.first.now').length"), 1) << "it is shown first";
  EXPECT_GE(ask("document.querySelectorAll('#story li.other').length"), 1);
  press("0");
  press("+");
  press("ArrowRight");
  EXPECT_EQ(
      ask("document.getElementById('timeline').dataset.from === document.getElementById('timeline2').dataset.from"),
      true);
  press("d");
  EXPECT_NE(ask("document.getElementById('status').textContent").get<std::string>().find("nothing"), std::string::npos);
  expect_no_complaints();
}

TEST_F(Page, OfARunWithHostileNamesDoesNoHarm) {
  Scenario scenario = load_scenario("paused_holder").scenario;
  scenario.name = "</script><script>document.title='owned'</script>";
  scenario.lock.key = "</script><img src=x onerror=\"document.title='owned'\">";
  show(page_of_run(scenario));
  EXPECT_EQ(ask("document.title.includes('owned') && !document.title.includes('<')"), false);
  EXPECT_EQ(ask("document.querySelectorAll('img').length"), 0);
  expect_no_complaints();
}

}  // namespace
}  // namespace picklock
