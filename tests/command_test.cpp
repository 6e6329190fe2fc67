// The command as its users meet it: output, exit status, errors.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/command_runs.hpp"

namespace {

using namespace picklock::testing;

// A scenario's name as that of a file or a test.
std::string golden_name(std::string scenario) {
  std::replace(scenario.begin(), scenario.end(), '/', '_');
  return scenario;
}

void expect_golden(const std::string& arguments, const std::string& file, int status) {
  const Ran ran = run_picklock(arguments);
  EXPECT_EQ(ran.status, status) << ran.out;
  const std::string path = PICKLOCK_SOURCE_DIR "/tests/testdata/" + file;
  if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << ran.out;
    GTEST_SKIP() << "rewrote " << path;
  }
  EXPECT_EQ(ran.out, content(path)) << "picklock " << arguments;
}

// What a reader sees of a run: ten scenarios in full.
class Story : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(OfTen, Story,
                         testing::Values("paused_holder", "paused_holder/fenced", "curator_writer_becomes_a_reader",
                                         "deadlock_opposite_order", "etcd_partitioned_holder",
                                         "failover_loses_the_lock", "redisson_missed_message", "redlock_clock_jump",
                                         "seats_as_written", "zookeeper_paused_holder"),
                         [](const auto& instance) { return golden_name(instance.param); });

TEST_P(Story, IsAsWrittenDown) {
  expect_golden(std::string("run ") + GetParam(), "stories/" + golden_name(GetParam()) + ".txt", 0);
}

TEST(Command, ACampaignIsATable) { expect_golden("run paused_holder --seeds 1..100 --jobs 2", "campaign.txt", 0); }

TEST(Command, FencingByOptionsOfTheSameScenario) {
  const Ran ran =
      run_picklock("run paused_holder --lock set-nx-px-fenced --set storage.fence=reads-and-writes --format json");
  const auto json = nlohmann::json::parse(ran.out);
  std::map<std::string, std::string> verdicts;
  for (const auto& v : json["verdicts"]) verdicts[v["property"]] = v["verdict"];
  EXPECT_EQ(verdicts["mutual-exclusion"], "violated");
  EXPECT_EQ(verdicts["lost-update"], "holds");
  EXPECT_EQ(verdicts["stale-write"], "holds");
  EXPECT_EQ(ran.status, 1) << "with --lock the raw verdict counts";
}

TEST(Command, ExitStatusSaysWhetherItWasAsExpected) {
  EXPECT_EQ(run_picklock("run healthy_control --seeds 1..20").status, 0);
  EXPECT_EQ(run_picklock("run healthy_control --seeds 1..20 --set expect.mutual-exclusion=violated").status, 1);
  EXPECT_EQ(
      run_picklock(
          "run healthy_control --seeds 1..5 --set clients.*.rounds=1 --set clients.b.start=1s --set clients.c.start=2s")
          .status,
      3)
      << "nobody waited for anybody: undecided, and not a pass";
}

TEST(Command, JsonIsOneDocument) {
  for (const std::string arguments :
       {"run paused_holder --format json", "run paused_holder --seeds 1..10 --format json", "list locks --format json",
        "list all --format json"}) {
    const Ran ran = run_picklock(arguments);
    EXPECT_NO_THROW({
      const auto json = nlohmann::json::parse(ran.out);
      EXPECT_EQ(json["schema"], 1) << arguments;
    }) << arguments
       << "\n"
       << ran.out;
  }
}

TEST(Command, ReplayIsTheSameRun) {
  const auto first = nlohmann::json::parse(run_picklock("run paused_holder --seed 17 --format json").out);
  const std::string replay = first["replay"];
  ASSERT_EQ(replay.rfind("picklock ", 0), 0u);
  const auto second = nlohmann::json::parse(run_picklock(replay.substr(9) + " --format json").out);
  EXPECT_EQ(first["digest"], second["digest"]);
}

// A release that a failover undid: the lease frees the lock, and the record tells that its client had asked for that before.
TEST(Command, TellsTheLocksThatATimeoutFreed) {
  const auto json = nlohmann::json::parse(run_picklock("run failover_revives_a_released_lock/lease --format json").out);
  const auto& all = json["freed_by_timeout"];
  ASSERT_EQ(all.size(), 1u) << all;
  EXPECT_EQ(all[0]["client"], "a");
  EXPECT_EQ(all[0]["ended_by"], "expired");
  EXPECT_EQ(all[0]["decided_by"], "redis-replica1");
  EXPECT_EQ(all[0]["holder"], "has asked to release it");
  EXPECT_LT(all[0]["release_asked_ns"], all[0]["time_ns"]);
  const auto none = nlohmann::json::parse(run_picklock("run healthy_control --format json").out);
  EXPECT_TRUE(none["freed_by_timeout"].empty());
}

TEST(Command, OutWritesFilesThatCanBeUsed) {
  const std::string folder = scratch("out");
  ASSERT_EQ(run_picklock("run paused_holder --out " + folder).status, 0);
  for (const char* name : {"scenario.toml", "history.edn", "history.json", "result.json", "story.txt", "trace.txt",
                           "trace.bin", "draws.txt", "freed_by_timeout.tsv"}) {
    EXPECT_GT(std::filesystem::file_size(folder + "/" + name), 0u) << name;
  }
  EXPECT_NE(content(folder + "/draws.txt").find("a>redis/latency@a#1.1 = "), std::string::npos);
  const std::string freed = content(folder + "/freed_by_timeout.tsv");
  EXPECT_NE(freed.find("\tlock\ta\t1\texpired\tredis\tworks on\t"), std::string::npos) << freed;
  // The history is a history: its acquires and releases by themselves are not those of a mutex.
  EXPECT_EQ(run_picklock("check " + folder + "/history.edn --model mutex --ignore read,write,final-read").status, 1);
  for (const char* const history : {"/history.json", "/history.edn"}) {
    const Ran ran = run_picklock("check " + folder + history + " --model mutex");
    EXPECT_EQ(ran.status, 1);
    EXPECT_NE(ran.out.find("Not judged: 2 read, 2 write, 1 final-read"), std::string::npos) << ran.out;
  }
  // The scenario, as written, is the same run.
  const auto again = nlohmann::json::parse(run_picklock("run " + folder + "/scenario.toml --format json").out);
  EXPECT_EQ(again["digest"], nlohmann::json::parse(content(folder + "/result.json"))["digest"]);
  EXPECT_EQ(run_picklock("run paused_holder --out " + folder + "/story.txt").status, 2) << "a file is no folder";
  std::filesystem::remove_all(folder);
}

TEST(Command, AnExportForACheckerSaysForHowLongClientsBelieved) {
  const std::string folder = scratch("export");
  ASSERT_EQ(run_picklock("run renewal_honouring_deadline --out " + folder).status, 0);
  const Ran ran = run_picklock("export " + folder + "/history.edn " + folder + "/mutex.edn --for check");
  ASSERT_EQ(ran.status, 0) << ran.out;
  EXPECT_NE(ran.out.find("left out operations: "), std::string::npos) << ran.out;
  EXPECT_EQ(run_picklock("check " + folder + "/mutex.edn --model mutex").status, 0)
      << "by belief the lock was exclusive";
  EXPECT_EQ(run_picklock("export " + folder + "/history.edn " + folder + "/mutex.txt").status, 2);
  std::filesystem::remove_all(folder);
}

TEST(Command, KnossosGetsOneLock) {
  const std::string folder = scratch("knossos");
  ASSERT_EQ(run_picklock("run curator_multi_lock_one_order --out " + folder).status, 0);
  const std::string history = folder + "/history.edn ", target = folder + "/knossos.edn";
  const Ran several = run_picklock("export " + history + target + " --for knossos");
  EXPECT_EQ(several.status, 2);
  EXPECT_NE(several.out.find("choose with --lock: "), std::string::npos) << several.out;
  const std::string locks = several.out.substr(several.out.rfind(": ") + 2);
  const std::string first = locks.substr(0, locks.find_first_of(",\n"));
  const Ran wrong = run_picklock("export " + history + target + " --for knossos --lock " + first + "x");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.out.find("did you mean '" + first + "'?"), std::string::npos) << wrong.out;
  EXPECT_EQ(run_picklock("export " + history + folder + "/knossos.json --for knossos --lock " + first).status, 2);
  EXPECT_EQ(run_picklock("export " + history + target + " --for knossos --lock " + first).status, 0);
  EXPECT_EQ(run_picklock("check " + target + " --model mutex").status, 0);
  std::filesystem::remove_all(folder);
}

TEST(Command, AnAppsLogNeedsNoScript) {
  const std::string folder = scratch("log");
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/app.csv";
  std::ofstream(file) << "at,client,event,order\n"
                         "2024-05-01T12:00:01Z,api-7f,released,42\n"
                         "2024-05-01T12:00:00Z,api-7f,acquired,42\n"
                         "2024-05-01T12:00:01.5Z,api-9c,acquired,42\n";
  const std::string words = " --key at=time,event=f --process-field client --lock-field order --instant ";
  EXPECT_EQ(run_picklock("check " + file + words + "acquired=acquire,released=release --sort time").status, 0);
  const Ran unsorted = run_picklock("check " + file + words + "acquired=acquire,released=release");
  EXPECT_EQ(unsorted.status, 1);
  EXPECT_NE(unsorted.out.find("(--sort time)"), std::string::npos) << unsorted.out;
  const Ran mistyped = run_picklock("check " + file + words + "acquired=acquire,relesed=release --sort time");
  EXPECT_EQ(mistyped.status, 2);
  EXPECT_EQ(run_picklock("check " + file + words + "acquired=acquire:no").status, 2);
  std::filesystem::remove_all(folder);
}

TEST(Command, SecondsTakenForNanosecondsGetAHint) {
  const std::string file = scratch("seconds");
  std::ofstream(file) << "{:process 0, :type :invoke, :f :acquire, :time 1714564800}\n"
                         "{:process 0, :type :ok, :f :acquire, :time 1714564801}\n";
  const Ran ran = run_picklock("check " + file);
  EXPECT_NE(ran.out.find("look like seconds since 1970 (--time-unit s)"), std::string::npos) << ran.out;
  EXPECT_EQ(nlohmann::json::parse(run_picklock("check --format json " + file).out)["likely_time_unit"], "s");
  for (const char* const unit : {"s", "ns"}) {
    EXPECT_EQ(run_picklock("check " + file + " --time-unit " + unit).out.find("Hint"), std::string::npos);
  }
  std::filesystem::remove(file);
}

TEST(Command, TheFirstStateCanBeSet) {
  const std::string file = scratch("initial");
  std::ofstream(file) << "{:process 0, :type :invoke, :f :read} {:process 0, :type :ok, :f :read, :value 0}\n";
  EXPECT_EQ(run_picklock("check " + file + " --model register").status, 1);
  EXPECT_EQ(run_picklock("check " + file + " --model register --initial 0").status, 0);
  const Ran none = run_picklock("check " + file + " --model set --initial 0");
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.out.find("--initial: model 'set' always begins in one state"), std::string::npos) << none.out;
  EXPECT_EQ(run_picklock("check " + file + " --model kv --initial 0").status, 2) << "needs a map";
  EXPECT_EQ(run_picklock("check " + file + " --model semaphore:2 --initial 3").status, 2);
  EXPECT_EQ(run_picklock("check " + file + " --model register --initial '[1'").status, 2);
  std::ofstream(file) << "{:process 0, :type :invoke, :f :get, :value [:stock nil]}\n";
  const Ran unknown = run_picklock("check " + file + " --model kv --initial '{stok 0}'");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.out.find("found no operation with the key 'stok', which --initial names, expected stock; did you "
                             "mean 'stock'?"),
            std::string::npos)
      << unknown.out;
  std::filesystem::remove(file);
}

// Through standard input as well, which is read once and drawn all the same.
TEST(Command, NamesOfClientsSurvive) {
  const std::string folder = scratch("names");
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/app.jsonl";
  std::ofstream(file) << R"({"client":"api-7f","f":"acquire","type":"invoke"}
{"client":"api-7f","f":"acquire","type":"ok"}
{"client":"\u001b[31mapi","f":"acquire","type":"invoke"}
{"client":"\u001b[31mapi","f":"acquire","type":"ok"}
)";
  for (const std::string& input : {file, "- < " + file}) {
    const std::string page = folder + "/page.html";
    const Ran ran = run_picklock("check --process-field client --html " + page + " " + input);
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_NE(ran.out.find("api-7f acquired the lock at index 1"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("\\x1b[31mapi"), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
    EXPECT_NE(content(page).find("\"lanes\":[\"api-7f\","), std::string::npos);
    EXPECT_EQ(content(page).find("rocess 0"), std::string::npos);
    std::filesystem::remove(page);
  }
  std::filesystem::remove_all(folder);
}

TEST(Command, AForeignHistoryNeedsNoScript) {
  const std::string folder = scratch("foreign");
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/service.jsonl";
  std::ofstream(file) << R"({"event":"start","op":"take","node":"n1","ts":1.5,"value":["l1"]}
{"event":"end","op":"take","node":"n1","ts":2.5,"value":true}
{"event":"start","op":"take","node":"n2","ts":3,"value":["l2"]}
{"event":"end","op":"take","node":"n2","ts":4,"value":true}
{"event":"start","op":"take","node":"n3","ts":5,"value":["l1"]}
{"event":"end","op":"take","node":"n3","ts":6,"value":false}
)";
  const std::string words =
      " --key op=f,event=type,ts=time --type start=invoke --type end=ok --map take=acquire --process-field node "
      "--time-unit ms";
  EXPECT_EQ(run_picklock("check " + file).status, 2);
  EXPECT_EQ(run_picklock("check " + file + words).status, 1) << "one lock, and every answer a grant";
  EXPECT_EQ(run_picklock("check " + file + words + " --lock-field value.0 --refused false").status, 0);
  EXPECT_EQ(run_picklock("check " + file + words + " --lock-field value.0").status, 1) << "n3 was refused";

  // Packed, in our own words, and through standard input.
  const std::string packed = folder + "/ours.edn.gz";
  ASSERT_EQ(run_picklock("export " + file + " " + packed + words + " --lock-field value.0 --refused false").status, 0);
  EXPECT_EQ(run_picklock("check " + packed).status, 0);
  EXPECT_EQ(run_picklock("check - < " + packed).status, 0);
  EXPECT_EQ(run_picklock("check " + packed + " --input json").status, 2);
  std::filesystem::resize_file(packed, 40);
  const Ran cut = run_picklock("check " + packed);
  EXPECT_EQ(cut.status, 2);
  EXPECT_NE(cut.out.find("cut off"), std::string::npos) << cut.out;

  const Ran mistyped = run_picklock("check " + file + words + " --owner-field valeu");
  EXPECT_EQ(mistyped.status, 2);
  EXPECT_NE(mistyped.out.find("did you mean 'value'?"), std::string::npos) << mistyped.out;
  std::filesystem::remove_all(folder);
}

// 10 MB of nesting, or of one line, in every form: an error with its place, soon, and no crash.
TEST(Command, EndlessNestingAndEndlessLinesAreErrors) {
  const std::string folder = scratch("endless");
  std::filesystem::create_directories(folder);
  constexpr std::size_t kSize = 10'000'000;
  const std::string log = "INFO  jepsen.util - 0\t:invoke\t:acquire\t";
  struct Endless {
    const char* form;
    std::string begin;
    char filler;
  };
  const Endless all[] = {{"edn", "", '['},
                         {"edn", "{:type :invoke :f :acquire :process 0 :value ", '{'},
                         {"edn", "{:type :invoke :f :", 'a'},
                         {"edn", "{:type \"", 'a'},
                         {"edn", "#", '#'},
                         {"edn", "", '\''},
                         {"json", "", '['},
                         {"json", "{\"type\":\"", 'a'},
                         {"json", "{\"value\":", '['},
                         {"json", "{\"time\":", '9'},
                         {"jepsen-log", log, '['},
                         {"jepsen-log", log, 'a'},
                         {"jepsen-log", log + "\"", 'a'},
                         {"lease-json", "{\"value\":", '['},
                         {"lease-json", "[{\"type\":\"invoke\",\"f\":\"lock\",\"value\":\"", 'a'},
                         {"porcupine", "{:process 0, :type :invoke, :f :append, :key \"0\", :value ", '('},
                         {"porcupine", "{:process 0, :type :invoke, :f :append, :key \"", '0'}};
  for (const Endless& one : all) {
    const std::string file = folder + "/endless";
    std::ofstream(file, std::ios::binary) << one.begin << std::string(kSize, one.filler);
    const bool recognised = one.begin.empty();  // as whatever it may be
    const Ran ran = run_picklock("check " + file + (recognised ? "" : " --input " + std::string(one.form)));
    EXPECT_EQ(ran.status, 2) << one.form << ": " << one.begin << one.filler << "…\n" << ran.out.substr(0, 500);
    EXPECT_LT(ran.out.size(), 2'000u) << one.form << ": " << one.begin << ": what was found is told in short";
    EXPECT_NE(ran.out.find("endless:"), std::string::npos) << ran.out.substr(0, 500);
  }
  std::filesystem::remove_all(folder);
}

TEST(Command, AnExportThatFailsLeavesItsTargetAlone) {
  const std::string folder = scratch("kept");
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/good.edn") << "{:type :invoke, :f :acquire, :process 0}\n";
  std::ofstream(folder + "/bad.edn") << "{:type :ok, :f :acquire, :process 0}\n";
  ASSERT_EQ(run_picklock("export " + folder + "/good.edn " + folder + "/out.json").status, 0);
  const std::string before = content(folder + "/out.json");
  EXPECT_EQ(run_picklock("export " + folder + "/bad.edn " + folder + "/out.json").status, 2);
  EXPECT_EQ(content(folder + "/out.json"), before);
  std::filesystem::remove_all(folder);
}

TEST(Command, TheTokensOfHazelcastNeedNoScript) {
  const std::string folder = scratch("hazelcast");
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/fenced.edn";
  const auto write = [&](int second) {
    std::ofstream(file) << "{:type :invoke, :f :acquire, :process 0, :value nil}\n"
                           "{:type :ok, :f :acquire, :process 0, :value {:client \"c0\", :fence 7, :uid \"u0\"}}\n"
                           "{:type :invoke, :f :release, :process 0, :value nil}\n"
                           "{:type :ok, :f :release, :process 0, :value {:client \"c0\", :fence 7, :uid \"u1\"}}\n"
                           "{:type :invoke, :f :acquire, :process 1, :value nil}\n"
                           "{:type :ok, :f :acquire, :process 1, :value {:client \"c1\", :fence "
                        << second << ", :uid \"u2\"}}\n";
  };
  for (const std::string model : {"fenced-mutex", "reentrant-fenced-mutex:2"}) {
    for (const std::string owner : {"", " --owner-field value.client"}) {
      const std::string arguments = "check " + file + " --token-field value.fence --model " + model + owner;
      write(9);
      EXPECT_EQ(run_picklock(arguments).status, 0) << arguments;
      write(7);
      EXPECT_EQ(run_picklock(arguments).status, 1) << arguments;
      write(0);
      const Ran zero = run_picklock(arguments);
      EXPECT_EQ(zero.status, 1) << arguments;
      EXPECT_NE(zero.out.find("tokens are greater than 0"), std::string::npos) << zero.out;
    }
  }
  std::filesystem::remove_all(folder);
}

TEST(Command, TheRealEtcdHistoryIsInvalidAndTheTwoHoldsAreNamed) {
  const char* const given = std::getenv("PICKLOCK_SHARED");
  const std::string shared = given != nullptr ? given : PICKLOCK_SOURCE_DIR "/../shared";
  if (!std::filesystem::exists(shared + "/data/jepsen-mutex")) GTEST_SKIP() << "no real histories at " << shared;
  for (const std::string name : {"etcd.edn", "etcd.json"}) {
    const Ran ran = run_picklock("check " + shared + "/data/jepsen-mutex/" + name + " --model mutex");
    EXPECT_EQ(ran.status, 1);
    EXPECT_NE(ran.out.find("process 3"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("1109"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("process 0"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("1119"), std::string::npos) << ran.out;
  }
}

struct Wrong {
  std::string arguments, says;
};
class BadInput : public testing::TestWithParam<Wrong> {};
INSTANTIATE_TEST_SUITE_P(
    Usage, BadInput,
    testing::Values(
        Wrong{"", "expected a command"}, Wrong{"rnu paused_holder", "did you mean 'run'"},
        Wrong{"run pausd_holder", "paused_holder"}, Wrong{"run /no/such/file.toml", "/no/such/file.toml"},
        Wrong{"run paused_holder --seeds 9..1", "A..B"}, Wrong{"run paused_holder --seeds x", "A..B"},
        Wrong{"run paused_holder --seeed 3", "--seed"}, Wrong{"run paused_holder --lock set-nx", "setnx"},
        Wrong{"run paused_holder --set clients.a.hodl=3ms", "clients.a.hold"},
        Wrong{"run paused_holder --set lock.ttl=3parsecs", "duration"},
        Wrong{"run paused_holder --set lock.ttl=-3s", "lock.ttl"},
        Wrong{"run paused_holder --set fault[0].node=z", "node"}, Wrong{"run paused_holder --format xml", "text"},
        Wrong{"list lokcs", "locks"}, Wrong{"list scenarios --tag clok", "did you mean 'clock'"},
        Wrong{"list locks --tag clock", "list scenarios"},
        Wrong{"run paused_holder/fencd", "did you mean paused_holder/fenced"},
        Wrong{"run paused_holder_fenced", "did you mean paused_holder/fenced"},
        Wrong{"check /no/such/history.edn", "/no/such/history.edn"}, Wrong{"check /dev/null --model mutx", "mutex"},
        Wrong{"check /dev/null --map lock", "THEIRS=OURS"}, Wrong{"check /dev/null --input xml", "jepsen-log"},
        Wrong{"check /dev/null --owner-feild x", "--owner-field"}, Wrong{"check /dev/null --time-unit h", "ms"}));

TEST_P(BadInput, IsAnErrorThatNamesWhatWasMeant) {
  const Ran ran = run_picklock(GetParam().arguments);
  EXPECT_EQ(ran.status, 2) << ran.out;
  EXPECT_NE(ran.out.find(GetParam().says), std::string::npos) << ran.out;
}

TEST(Command, HelpAndVersionSucceed) {
  EXPECT_EQ(run_picklock("--help").status, 0);
  EXPECT_EQ(run_picklock("--version").status, 0);
  EXPECT_EQ(run_picklock("run --help").status, 0);
}

}  // namespace
