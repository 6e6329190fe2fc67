// The playground: links of the command, the module under node, and the page in a browser. What needs the module is skipped
// where scripts/playground has not made it; the rest where there is no node, or no Chromium.

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "tests/chromium.hpp"
#include "tests/command_runs.hpp"

namespace picklock::playground_test {
namespace {

using picklock::testing::has, picklock::testing::Ran, picklock::testing::run_picklock, picklock::testing::run_shell;
using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::string kSource = PICKLOCK_SOURCE_DIR;
const std::string kPage = kSource + "/build/playground";

std::string in_quotes(const std::string& text) { return "'" + text + "'"; }
std::string digest_of(const Ran& ran) { return Json::parse(ran.out)["digest"]; }
std::string link_of(const std::string& words) {
  const Ran ran = run_picklock("run " + words + " --link 2>/dev/null");
  EXPECT_EQ(ran.status, 0) << ran.out;
  const std::size_t begin = ran.out.find("#run=");
  return begin == std::string::npos ? "" : ran.out.substr(begin, ran.out.size() - begin - 1);
}

TEST(PlaygroundLink, PlaysTheRunThatItWasMadeOf) {
  const std::string file = picklock::testing::scratch("link") + ".toml";
  std::ofstream(file) << picklock::testing::content(kSource + "/scenarios/library/paused_holder.toml");
  for (const std::string& words :
       {std::string("paused_holder --seed 7"), std::string("paused_holder/fenced"),
        std::string("paused_holder --seed 3 --set lock.ttl=1s --without 'fault[0]'"),
        std::string("paused_holder --lock redlock"), file + " --seed 5 --set lock.ttl=1s", file + "/fenced --seed 5"}) {
    const Ran played = run_picklock("run " + words + " --format json"),
              linked = run_picklock("run " + in_quotes(link_of(words)) + " --format json");
    EXPECT_EQ(digest_of(linked), digest_of(played)) << words;
    EXPECT_EQ(linked.status, played.status) << words;
  }
  fs::remove(file);
}

TEST(PlaygroundLink, BringsALockInLua) {
  const std::string folder = picklock::testing::scratch("lua link"), lock = folder + "/own.lua",
                    file = folder + "/own.toml";
  fs::create_directories(folder);
  std::ofstream(lock) << picklock::testing::content(kSource + "/examples/lua/set_nx_px.lua");
  std::ofstream(file) << "lock = { name = \"" << lock << "\", ttl = \"70ms\" }\n"
                      << "clients = [ { name = \"a\" }, { name = \"b\" } ]\n";
  std::vector<std::pair<std::string, std::string>> links;  // and the digest of the run
  for (const std::string& words : {"paused_holder --seed 7 --lock " + in_quotes(lock), in_quotes(file) + " --seed 3"})
    links.emplace_back(link_of(words), digest_of(run_picklock("run " + words + " --format json")));
  const std::string without = link_of(in_quotes(file) + " --set lock.name=set-nx-px");
  fs::remove_all(folder);
  for (const auto& [link, digest] : links)
    EXPECT_EQ(digest_of(run_picklock("run " + in_quotes(link) + " --format json")), digest) << "without the file";
  const Ran ran = run_picklock("run " + in_quotes(without));
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(has(ran, "without its text")) << ran.out;
}

TEST(PlaygroundLink, ReadsNoFileInLua) {
  const std::string file = picklock::testing::scratch("own") + ".toml",
                    other = picklock::testing::scratch("own") + ".lua";
  std::ofstream(other) << picklock::testing::content(kSource + "/examples/lua/set_nx_px.lua");
  std::ofstream(file) << "lock = \"" << other << "\"\nclients = [ { name = \"a\" }, { name = \"b\" } ]\n";
  ASSERT_NE(run_picklock("run " + file).status, 2);
  // A link that names the lock, but does not bring it.
  const Ran written =
      run_shell("cd " + kSource +
                " && node -e \"const z = require('zlib'), fs = require('fs');"
                "console.log('#run=' + z.deflateRawSync(JSON.stringify({v: 1, runs: [{toml: fs.readFileSync('" +
                file + "', 'utf8')}]})).toString('base64url'))\"");
  if (written.status == 0) {
    const Ran ran = run_picklock("run " + in_quotes(written.out.substr(0, written.out.size() - 1)));
    EXPECT_EQ(ran.status, 2) << ran.out;
    EXPECT_TRUE(has(ran, "without its text")) << ran.out;
  }
  fs::remove(file);
  fs::remove(other);
}

TEST(PlaygroundLink, TakesASeedAndEditsBesideItsOwn) {
  const std::string link = in_quotes(link_of("paused_holder --seed 7"));
  EXPECT_EQ(digest_of(run_picklock("run " + link + " --seed 9 --set lock.ttl=1s --format json")),
            digest_of(run_picklock("run paused_holder --seed 9 --set lock.ttl=1s --format json")));
  EXPECT_EQ(run_picklock("run " + link + " --seeds 5 --format json").out,
            run_picklock("run paused_holder --seeds 5 --format json").out);
}

TEST(PlaygroundLink, ThatIsWrongIsAnErrorInWords) {
  for (const char* link : {"#run=", "#run=AAAA", "#run=<b>", "https://example.org/#run=q1Y"}) {
    const Ran ran = run_picklock("run " + in_quotes(link));
    EXPECT_EQ(ran.status, 2) << link;
    EXPECT_TRUE(has(ran, "link of the playground")) << ran.out;
  }
  EXPECT_EQ(run_picklock("run paused_holder --link --seed 9007199254740993").status, 2);
}

TEST(PlaygroundCommand, TellsWhereThePageIs) {
  const std::string folder = picklock::testing::scratch("play ground");
  fs::create_directories(folder);
  std::ofstream(folder + "/index.html") << "x";
  const Ran found = run_shell("PICKLOCK_PLAYGROUND=" + in_quotes(folder) + " " + PICKLOCK_BINARY + " playground");
  EXPECT_EQ(found.status, 0);
  EXPECT_TRUE(has(found, "file://")) << found.out;
  EXPECT_TRUE(has(found, "play%20ground")) << found.out;
  fs::remove_all(folder);
}

// --- the module under node

class Node : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kPage + "/picklock.wasm")) GTEST_SKIP() << "scripts/playground has not made the module";
    if (run_shell("node --version").status != 0) GTEST_SKIP() << "there is no node";
  }
  static Ran node(const std::string& words) { return run_shell("cd " + kSource + " && node app/playground/" + words); }
};

// Every scenario and variant on 20 seeds, and the locks of examples/lua.
TEST_F(Node, GivesTheDigestsOfTheNativeBuild) {
  const Ran ran = node("digests.js " + kPage + "/picklock.wasm " + PICKLOCK_BINARY);
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_TRUE(has(ran, "every digest is that of the native build")) << ran.out;
}

TEST_F(Node, TellsADigestThatDiffers) {
  const std::string fake = picklock::testing::scratch("fake");
  std::ofstream(fake) << "#!/bin/sh\necho '{\"digest\": \"0000000000000000\"}'\n";
  fs::permissions(fake, fs::perms::owner_all);
  EXPECT_EQ(node("digests.js " + kPage + "/picklock.wasm " + fake + " paused_holder").status, 1);
  fs::remove(fake);
}

// A module that traps when it is asked to play: the scenario is named, and the next one is asked for too.
TEST_F(Node, TellsAScenarioThatEndsTheModule) {
  const std::string source = picklock::testing::scratch("trap") + ".c", module = source + ".wasm";
  std::ofstream(source)
      << "static char room[4096];\n"
         "#define EXPORT(name) __attribute__((export_name(#name)))\n"
         "EXPORT(_initialize) void initialize(void) {}\n"
         "EXPORT(picklock_memory) char* memory_for(unsigned size) { return size < 4096 ? room : 0; }\n"
         "EXPORT(picklock_begin_range) const char* begin(unsigned size) { (void)size; "
         "__builtin_trap(); }\n";
  if (run_shell("clang-16 --target=wasm32 -nostdlib -Wl,--no-entry " + source + " -o " + module).status != 0)
    GTEST_SKIP() << "there is no clang-16 for WebAssembly";
  const Ran ran = node("digests.js " + module + " " + PICKLOCK_BINARY + " paused_holder healthy_control");
  EXPECT_EQ(ran.status, 1);
  for (const char* name : {"paused_holder", "healthy_control"})
    EXPECT_TRUE(has(ran, std::string(name) + ": the module ends with an exception: ")) << ran.out;
  EXPECT_TRUE(has(ran, ": 2 differ")) << ran.out;
  fs::remove(source);
  fs::remove(module);
}

// Orders of pairs(), fractions as places, numbers as texts: what a lock may show of the Lua that plays it.
TEST_F(Node, HasTheLuaOfTheNativeBuild) {
  const Ran ran = node("lua_check.js " + kPage + "/picklock.wasm " + PICKLOCK_BINARY);
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_TRUE(has(ran, "probes of Lua: the module says what the native build says")) << ran.out;
}

// A native build whose words are others.
TEST_F(Node, TellsALuaThatDiffers) {
  const std::string fake = picklock::testing::scratch("other lua");
  std::ofstream(fake) << "#!/bin/sh\n'" << PICKLOCK_BINARY << "' \"$@\" | sed 's/k1 1 /k1 2 /'\n";
  fs::permissions(fake, fs::perms::owner_all);
  const Ran ran = node("lua_check.js " + kPage + "/picklock.wasm '" + fake + "'");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(has(ran, "order of texts, numbers and booleans:\n  the module says")) << ran.out;
  EXPECT_FALSE(has(ran, "sorting:")) << ran.out;
  fs::remove(fake);
}

TEST_F(Node, JudgesExercisesAndRefusesHostileLinks) {
  const Ran ran = node("page_check.js " + kPage + "/picklock.wasm");
  EXPECT_EQ(ran.status, 0) << ran.out;
}

TEST_F(Node, ReadsAndWritesLinksAsTheCommandDoes) {
  const std::string words = "paused_holder --seed 7 --set lock.ttl=1s";
  const Json read = Json::parse(node("page_check.js - read " + in_quotes(link_of(words))).out);
  EXPECT_EQ(read["runs"][0]["set"][0], "lock.ttl=1s");
  EXPECT_EQ(read["runs"][0]["seed"], 7);
  const std::string written = node("page_check.js - write " + in_quotes(read.dump())).out;
  EXPECT_EQ(digest_of(run_picklock("run " + in_quotes(written.substr(0, written.size() - 1)) + " --format json")),
            digest_of(run_picklock("run " + words + " --format json")));
}

// --- the page in a browser

class PlaygroundPage : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (const auto program = Chromium::find()) browser_ = std::make_unique<Chromium>(*program);
  }
  static void TearDownTestSuite() { browser_.reset(); }
  void SetUp() override {
    if (!browser_) GTEST_SKIP() << "there is no Chromium";
    if (!fs::exists(kPage + "/index.html")) GTEST_SKIP() << "scripts/playground has not made the page";
  }
  void TearDown() override {
    if (!browser_ || IsSkipped()) return;
    for (const std::string& complaint : browser_->complaints) ADD_FAILURE() << complaint;
    for (const std::string& url : browser_->requests)
      EXPECT_TRUE(url.starts_with("file://" + kPage) || url.starts_with("blob:null")) << url;
  }

  // Leaves the page, with all that it still has to say.
  void leave() {
    browser_->call("Page.navigate", {{"url", "about:blank"}});
    becomes("location.href === 'about:blank'");
    ask("new Promise(done => setTimeout(() => done(true), 50))");
    browser_->requests.clear();
    browser_->complaints.clear();
  }
  void open(const std::string& fragment = "") {
    leave();
    browser_->call("Page.navigate", {{"url", "file://" + kPage + "/index.html" + fragment}});
    ASSERT_TRUE(becomes("document.documentElement?.dataset.listed > 100"));
    shown();
  }
  Json ask(const std::string& script) { return browser_->evaluate(script); }
  bool becomes(const std::string& script) { return browser_->becomes(script); }
  void shown() {
    ASSERT_TRUE(
        becomes("document.querySelectorAll('.side').length > 0 && "
                "[...document.querySelectorAll('.side')].every(s => s.dataset.state === 'shown')"));
  }
  // Moves a control, and waits for the run that follows.
  void set(const std::string& path, const std::string& kind, const std::string& value, const std::string& event) {
    ask("(() => { document.querySelector('.side').dataset.state = 'asked'; const e = "
        "document.querySelector('[data-path=\"" +
        path + "\"] " + kind + "'); e.value = '" + value + "'; e.dispatchEvent(new Event('" + event + "')); })()");
    shown();
  }
  std::string digest() { return ask("document.querySelector('.digest').textContent.slice(7, 23)"); }
  static std::string native(const std::string& words) {
    return digest_of(run_picklock("run " + words + " --format json"));
  }

  static std::unique_ptr<Chromium> browser_;
};
std::unique_ptr<Chromium> PlaygroundPage::browser_;

TEST_F(PlaygroundPage, PlaysFromAFile) {
  open();
  EXPECT_EQ(digest(), native("paused_holder --seed 1"));
  EXPECT_EQ(ask("document.querySelectorAll('.verdicts .violated').length > 0"), true);
  EXPECT_EQ(ask("document.querySelector('canvas').dataset.ready"), "yes");
  EXPECT_NE(ask("document.querySelector('.description').textContent").get<std::string>().find("|-acquire-[ read"),
            std::string::npos);
}

TEST_F(PlaygroundPage, ASliderChangesTheRunAndTheLink) {
  open();
  const std::string before = digest();
  set("fault[0].lasts", "input[type=range]", "-60", "input");
  EXPECT_NE(digest(), before);
  EXPECT_EQ(ask("document.querySelectorAll('.verdicts .violated').length"), 0);
  const std::string now = digest();
  ASSERT_TRUE(becomes("location.hash.startsWith('#run=')"));
  ask("new Promise(done => setTimeout(() => done(true), 400))");
  const std::string link = ask("location.hash");
  EXPECT_EQ(digest_of(run_picklock("run " + in_quotes(link) + " --format json")), now)
      << "the command plays the page's link";
  open(link);
  EXPECT_EQ(digest(), now) << "the page plays its own link";
}

TEST_F(PlaygroundPage, OpensTheLinkOfTheCommand) {
  open(link_of("redlock_paused_holder --seed 4 --set lock.ttl=5s"));
  EXPECT_EQ(digest(), native("redlock_paused_holder --seed 4 --set lock.ttl=5s"));
  EXPECT_EQ(ask("document.querySelector('.seed').value"), "4");
}

// A variant whose scenario is not in the list has its whole name.
TEST_F(PlaygroundPage, SearchesScenarios) {
  open();
  ask("(() => { const e = document.getElementById('search'); e.value = 'counter out of reach'; e.dispatchEvent(new "
      "Event('input')); })()");
  EXPECT_EQ(ask("[...document.querySelectorAll('#scenarios button')].map(b => b.firstChild.textContent).join()"),
            "redlock_two_majorities/counter_out_of_reach");
  ask("(() => { const e = document.getElementById('search'); e.value = 'paused_holder'; e.dispatchEvent(new "
      "Event('input')); })()");
  EXPECT_EQ(ask("[...document.querySelectorAll('#scenarios li.variant button')].filter(b => b.dataset.name === "
                "'paused_holder/fenced')[0].firstChild.textContent"),
            "fenced");
}

TEST_F(PlaygroundPage, PlaysTwoRunsSideBySide) {
  open();
  ask("document.getElementById('two').click()");
  ASSERT_TRUE(becomes("document.querySelectorAll('.side').length === 2"));
  shown();
  ask("document.querySelectorAll('.side')[1].querySelector('.next').click()");
  ASSERT_TRUE(becomes(
      "document.querySelectorAll('.digest')[1].textContent !== document.querySelectorAll('.digest')[0].textContent"));
  EXPECT_EQ(digest(), native("paused_holder --seed 1"));
  EXPECT_EQ(ask("document.querySelectorAll('.digest')[1].textContent.slice(7, 23)"), native("paused_holder --seed 2"));
}

TEST_F(PlaygroundPage, CountsInAWorkerAndSeeks) {
  open();
  ask("document.querySelector('.many').value = 200; document.querySelector('.count-them').click()");
  ASSERT_TRUE(becomes("document.querySelector('.side').dataset.count === 'done'"));
  const std::string table = ask("document.querySelector('.counted tbody').textContent");
  EXPECT_NE(table.find("100.00 % (200 of 200"), std::string::npos) << table;
  set("fault[0].lasts", "input[type=text]", "10ms", "change");
  ask("document.querySelector('.side').dataset.seek = ''; document.querySelector('.property').value = "
      "'mutual-exclusion'");
  set("fault[0].lasts", "input[type=text]", "200ms", "change");
  ask("document.querySelector('.seek').click()");
  ASSERT_TRUE(becomes("document.querySelector('.side').dataset.seek === 'done'"));
  EXPECT_EQ(ask("document.querySelector('.seed').value"), "2");
}

TEST_F(PlaygroundPage, TellsErrorsOfTheTextAtTheirPlaces) {
  open();
  ask("(() => { const t = document.querySelector('textarea'); t.value = t.value.replace('lasts = \"200ms\"', 'lasts = "
      "\"200mss\"'); "
      "t.dispatchEvent(new Event('input')); })()");
  ASSERT_TRUE(becomes("document.querySelectorAll('.toml .editor-errors li').length === 1"));
  const std::string error = ask("document.querySelector('.toml .editor-errors').textContent");
  EXPECT_EQ(ask("document.querySelectorAll('.toml .gutter .wrong').length"), 1) << "the line is marked";
  ask("document.querySelector('.errors button').click()");
  EXPECT_EQ(ask("(() => { const t = document.activeElement; return t.value.slice(t.selectionStart - 8, "
                "t.selectionStart); })()"),
            "lasts = ")
      << "a click leads to line and column";
  EXPECT_NE(error.find("edited.toml:"), std::string::npos) << error;
  EXPECT_NE(error.find("200mss"), std::string::npos) << error;
}

TEST_F(PlaygroundPage, PlaysALockInLua) {
  open();
  ask("document.querySelector('[data-tab=lua]').click()");
  ASSERT_TRUE(becomes("document.querySelector('.lua-from').options.length > 5"));
  ask("(() => { document.querySelector('.side').dataset.state = 'asked'; const e = "
      "document.querySelector('.lua-from'); "
      "e.value = 'redlock.lua'; e.dispatchEvent(new Event('change')); })()");
  shown();
  EXPECT_EQ(digest(), native("paused_holder --seed 1 --lock " + kSource + "/examples/lua/redlock.lua"));
  EXPECT_EQ(ask("document.querySelector('[data-path=\"lock.ttl\"] input[type=range]') !== null"), true)
      << "its options are settings";
  ASSERT_TRUE(becomes("location.hash.length > 1000"));
  const std::string link = ask("location.hash"), now = digest();
  EXPECT_EQ(digest_of(run_picklock("run " + in_quotes(link) + " --format json")), now);
  open(link);
  EXPECT_EQ(digest(), now);

  // What is wrong is told at its line, and gone when it is mended.
  ask("(() => { const t = document.querySelector('.lua textarea'); t.value = t.value.replace('function release', "
      "'functoin release'); t.dispatchEvent(new Event('input')); })()");
  ASSERT_TRUE(becomes("document.querySelectorAll('.lua .editor-errors li').length === 1"));
  const std::string error = ask("document.querySelector('.lua .editor-errors').textContent");
  EXPECT_EQ(error.rfind("own.lua:", 0), 0u) << error;
  ask("(() => { document.querySelector('.side').dataset.state = 'asked'; const t = document.querySelector('.lua "
      "textarea'); t.value = t.value.replace('functoin release', 'function release'); t.dispatchEvent(new "
      "Event('input')); })()");
  shown();
  EXPECT_EQ(digest(), now);
  EXPECT_EQ(ask("document.querySelectorAll('.errors li').length"), 0);
  ask("document.querySelector('.lua-out').click()");
  ASSERT_TRUE(becomes("document.querySelector('.lua-out').hidden"));
  shown();
  EXPECT_EQ(digest(), native("paused_holder --seed 1"));
}

TEST_F(PlaygroundPage, WarnsOfALongLink) {
  open();
  ask("(() => { let noise = ''; for (let i = 1, n = 7; i < 5000; ++i) { n = (n * 48271) % 2147483647; noise += "
      "n.toString(36); "
      "if (i % 20 === 0) noise += '\\n# '; } const t = document.querySelector('.toml textarea'); t.value = '# ' + "
      "noise + "
      "'\\n' + t.value; t.dispatchEvent(new Event('input')); })()");
  EXPECT_TRUE(becomes("document.getElementById('note').textContent.includes('8192')"));
}

// A server sends the page with nothing but its type; nothing else is asked for.
TEST_F(PlaygroundPage, PlaysFromAStaticHost) {
  const std::string port_file = picklock::testing::scratch("port");
  const Ran started =
      run_shell("cd " + kPage + " && (timeout 60 python3 -u -m http.server --bind 127.0.0.1 0 >" + port_file +
                " 2>/dev/null & echo $!); for i in $(seq 100); do grep -q port " + port_file +
                " && break; sleep 0.1; done; sed -n 's/.* port "
                "\\([0-9]*\\) .*/\\1/p' " +
                port_file);
  const std::size_t line = started.out.find('\n');
  const std::string process = started.out.substr(0, line);
  const std::string port =
      line + 1 < started.out.size() ? started.out.substr(line + 1, started.out.size() - line - 2) : "";
  if (port.empty()) GTEST_SKIP() << "there is no python3";
  const std::string site = "http://127.0.0.1:" + port + "/";
  leave();
  browser_->call("Page.navigate", {{"url", site + "index.html#run="}});
  EXPECT_TRUE(becomes("document.documentElement?.dataset.listed > 100"));
  shown();
  EXPECT_EQ(digest(), native("paused_holder --seed 1"));
  for (std::string& url : browser_->requests) {
    EXPECT_TRUE(url.starts_with(site) || url.starts_with("blob:" + site.substr(0, site.size() - 1))) << url;
    url = "blob:null";  // as TearDown expects
  }
  // The policy forbids what a page might be made to ask for.
  EXPECT_EQ(ask("fetch('http://127.0.0.1:9/').then(() => 'asked', () => 'refused')"), "refused");
  EXPECT_EQ(ask("(() => { const s = document.createElement('script'); s.textContent = 'window.owned = 1'; "
                "document.head.append(s); return window.owned === undefined; })()"),
            true);
  leave();  // with the complaints of the two refusals
  run_shell("kill " + process);
  fs::remove(port_file);
}

TEST_F(PlaygroundPage, ExplainsAsTheCommandDoes) {
  open();
  ask("document.querySelector('.side .explain').click()");
  ASSERT_TRUE(becomes("document.querySelector('.side').dataset.explain === 'done'"));
  const std::string told = ask("document.querySelector('.explanation').textContent");
  EXPECT_EQ(told, run_picklock("explain paused_holder").out);
}

TEST_F(PlaygroundPage, LeavesAFaultOut) {
  open();
  ask("(() => { document.querySelector('.side').dataset.state = 'asked'; document.querySelector('[aria-label^=\"play "
      "with fault[0]\"]').click(); })()");
  shown();
  EXPECT_EQ(digest(), native("paused_holder --without 'fault[0]'"));
}

TEST_F(PlaygroundPage, OpensAnExerciseAndJudgesIt) {
  open("#exercise=3");
  ASSERT_TRUE(becomes("!document.getElementById('exercise').hidden"));
  ask("(() => { document.querySelector('#exercise input[value=no]').checked = true; document.querySelector('#exercise "
      "form button').click(); })()");
  ASSERT_TRUE(becomes("document.querySelector('.told').classList.contains('wrong')"));
  ask("(() => { document.querySelector('#exercise input[value=yes]').checked = true; document.querySelector('#exercise "
      "form button').click(); })()");
  ASSERT_TRUE(becomes("document.querySelector('.told').classList.contains('right')"));
  // The address of another one, in the page that is open.
  ask("location.hash = '#exercise=8'");
  ASSERT_TRUE(becomes("document.querySelector('#exercise h2').textContent.startsWith('Exercise 8:')"));
  ASSERT_TRUE(becomes("document.querySelector('.side .name').textContent === 'deadlock_opposite_order'"));
  EXPECT_EQ(ask("document.getElementById('exercises').value"), "7");
  EXPECT_EQ(ask("document.getElementById('note').textContent"), "");
  ASSERT_TRUE(
      becomes("document.querySelector('#scenarios [aria-current=true]').dataset.name === 'deadlock_opposite_order'"))
      << "the list shows what is open";
}

// The lock of chapter 10 as `picklock new lock` writes it, and its mended skeleton.
TEST_F(PlaygroundPage, JudgesALockThatIsMended) {
  const auto skeleton = [](const std::string& words) {
    const std::string folder = picklock::testing::scratch("skeleton");
    EXPECT_EQ(run_picklock("new lock own-lock --lua --into " + folder + words).status, 0);
    const std::string text = picklock::testing::content(folder + "/own_lock.lua");
    fs::remove_all(folder);
    return text;
  };
  open("#exercise=10");
  ASSERT_TRUE(becomes("document.querySelector('.lua textarea').value !== ''"));
  EXPECT_EQ(ask("document.querySelector('.lua textarea').value"), skeleton(" --mistake"));
  ASSERT_TRUE(becomes("!document.querySelector('.lua').hidden"));
  shown();
  EXPECT_EQ(ask("document.querySelectorAll('.verdicts .violated').length > 0"), true) << "the mistake is in sight";
  const auto judged = [&] {
    ask("(() => { document.querySelector('.told').className = 'told'; document.querySelector('#exercise form "
        "button').click(); })()");
    becomes("/right|wrong/.test(document.querySelector('.told').className)");
    return ask("document.querySelector('.told').className + ': ' + document.querySelector('.told').textContent")
        .get<std::string>();
  };
  const std::string not_yet = judged();
  EXPECT_EQ(not_yet.find("told wrong: Not yet: with a pause 50 us after the release has begun, 20 of 20"), 0u)
      << not_yet;
  ask("(() => { document.querySelector('.side').dataset.state = 'asked'; document.querySelector('.show-run').click(); "
      "})()");
  shown();
  EXPECT_NE(ask("document.querySelector('.verdicts .violated').textContent").get<std::string>().find("violated"),
            std::string::npos);
  EXPECT_EQ(ask("document.querySelector('.lua textarea').value"), skeleton(" --mistake")) << "the lock is still there";
  ask("(() => { document.querySelector('.side').dataset.state = 'asked'; const t = document.querySelector('.lua "
      "textarea'); t.value = " +
      Json(skeleton("")).dump() + "; t.dispatchEvent(new Event('input')); })()");
  shown();
  const std::string right = judged();
  EXPECT_EQ(right.find("told right: Right: in "), 0u) << right;
  EXPECT_EQ(ask("document.querySelector('.show-run').hidden"), true);
}

TEST_F(PlaygroundPage, HostileLinksDoNoHarm) {
  for (const std::string& link :
       {std::string("#run=AAAA"), std::string("#run=<img src=x onerror=alert(1)>"), std::string("#x")}) {
    open(link);
    EXPECT_NE(ask("document.getElementById('note').textContent").get<std::string>().find("cannot be opened"),
              std::string::npos);
    EXPECT_EQ(digest(), native("paused_holder --seed 1"));
  }
  const std::string file = picklock::testing::scratch("hostile") + ".toml";
  std::ofstream(file) << "# <script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\n"
                         "lock = \"setnx\"\nclients = [ { name = \"a\", hold = \"5ms\" } ]\n";
  open(link_of(file));
  EXPECT_EQ(ask("document.title"), "picklock playground");
  EXPECT_EQ(ask("document.querySelectorAll('.side img').length"), 0);
  fs::remove(file);
}

TEST_F(PlaygroundPage, IsWorkedByKeyboardAndFitsAPhone) {
  browser_->call("Emulation.setDeviceMetricsOverride",
                 {{"width", 390}, {"height", 844}, {"deviceScaleFactor", 2}, {"mobile", true}});
  open();
  EXPECT_EQ(ask("document.documentElement.scrollWidth <= window.innerWidth"), true);
  browser_->call("Emulation.clearDeviceMetricsOverride");
  ask("document.querySelector('canvas').focus()");
  for (const char* type : {"keyDown", "keyUp"})
    browser_->call("Input.dispatchKeyEvent", {{"type", type}, {"key", "n"}, {"text", "n"}});
  EXPECT_TRUE(becomes("document.querySelector('.status').textContent !== ''"));
  EXPECT_EQ(ask("document.querySelectorAll('.story li.now').length"), 1);
  EXPECT_EQ(
      ask("[...document.querySelectorAll('button:not([role=tab]), input, select, textarea')].every(e => e.tabIndex "
          ">= 0)"),
      true);
  // The arrow keys move among the tabs, of which Tab reaches one.
  ask("document.querySelector('[role=tab][aria-selected=true]').focus()");
  for (const char* type : {"keyDown", "keyUp"})
    browser_->call("Input.dispatchKeyEvent", {{"type", type}, {"key", "ArrowRight"}});
  EXPECT_EQ(ask("document.activeElement.textContent"), "What happened");
  EXPECT_EQ(ask("document.querySelector('.happened').hidden"), false);
  EXPECT_EQ(ask("document.querySelectorAll('[role=tab]:not([tabindex=\"-1\"])').length"), 1);
}

}  // namespace
}  // namespace picklock::playground_test
