// The command line says what is wrong with it: seeds, options, commands, files; each help shows its own examples.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "tests/command_runs.hpp"

namespace {

using namespace picklock::testing;

bool says(const Ran& ran, const std::string& text) { return ran.out.find(text) != std::string::npos; }

TEST(CommandLine, ASeedIsAnIntegerOf64Bits) {
  for (const std::string seed : {"-1", "''", "18446744073709551616", "1.5", "0x10", "' 7'", "7x"}) {
    const Ran ran = run_picklock("run paused_holder --seed " + seed);
    EXPECT_EQ(ran.status, 2) << seed << "\n" << ran.out;
    EXPECT_TRUE(says(ran, "expected an integer from 0 to 18446744073709551615")) << ran.out;
  }
  for (const std::string seed : {"0", "18446744073709551615"}) {
    const Ran ran = run_picklock("run paused_holder --seed " + seed);
    EXPECT_EQ(ran.status, 0);
    EXPECT_TRUE(says(ran, "paused_holder, seed " + seed + ":")) << ran.out;
  }
}

TEST(CommandLine, ANumberOfSeedsBeginsAtOne) {
  const Ran ten = run_picklock("run paused_holder --seeds 10");
  EXPECT_EQ(ten.status, 0);
  EXPECT_TRUE(says(ten, "seeds 1..10, 10 runs")) << ten.out;
  EXPECT_EQ(ten.out, run_picklock("run paused_holder --seeds 1..10").out);
  EXPECT_TRUE(says(run_picklock("run paused_holder --seeds 7..7"), "seeds 7..7, 1 runs"));
  for (const std::string seeds : {"0", "-3", "''", "18446744073709551616"}) {
    const Ran ran = run_picklock("run paused_holder --seeds " + seeds);
    EXPECT_EQ(ran.status, 2) << seeds << "\n" << ran.out;
    EXPECT_TRUE(says(ran, "--seeds")) << ran.out;
  }
}

TEST(CommandLine, OutputThatCannotBeWrittenIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  for (const std::string arguments :
       {"run paused_holder", "run paused_holder --seeds 10", "run paused_holder --format json", "list locks", "--help",
        "run --help", "--version"}) {
    EXPECT_EQ(run_picklock(arguments).status, 0) << arguments;
    const Ran full = run_picklock(arguments + " 2>&1 >/dev/full; (exit $?)");
    EXPECT_EQ(full.status, 2) << arguments;
    EXPECT_TRUE(says(full, "picklock: ")) << arguments << ": " << full.out;
    EXPECT_EQ(run_picklock(arguments + " 2>&1 >&-; (exit $?)").status, 2) << arguments << ", standard output closed";
  }
  EXPECT_EQ(run_picklock("run paused_holder --out /dev/null/folder").status, 2);
  EXPECT_EQ(run_picklock("run paused_holder --slice --dot /no/such/folder/slice.dot").status, 2);
}

TEST(CommandLine, ASliceIsOfAPropertyThatThereIs) {
  const Ran unknown = run_picklock("run paused_holder --slice --slice-of mutual-exclusoin");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(says(unknown, "did you mean 'mutual-exclusion'?")) << unknown.out;
  for (const std::string option : {"--slice --slice-of ''", "--slice --dot ''", "--out ''", "--lock ''"})
    EXPECT_EQ(run_picklock("run paused_holder " + option).status, 2) << option;
  const Ran kept = run_picklock("run paused_holder --slice --slice-of double-grant");
  EXPECT_TRUE(says(kept, "double-grant is not violated in this run")) << kept.out;
  EXPECT_TRUE(says(run_picklock("run paused_holder --slice --slice-of lost-update"), "lost-update")) << "that one is";
}

TEST(CommandLine, OptionsThatHaveNoEffectTogetherAreErrors) {
  const std::map<std::string, std::string> pairs = {
      {"run paused_holder --jobs 2", "--seeds"},
      {"run paused_holder --seed 1 --jobs 2", "--seeds"},
      {"run paused_holder --seed 1 --seeds 1..2", "--seed"},
      {"run paused_holder --seeds 1..2 --slice", "--slice"},
      {"run paused_holder --measure --slice", "--slice"},
      {"run paused_holder --slice-of lost-update", "--slice"},
      {"run paused_holder --dot slice.dot", "--slice"},
      {"run paused_holder --brief --all", "--all"},
      {"run paused_holder --format json --width 80", "--width"},
      {"run paused_holder --slice --width 80", "--width"},
      {"run paused_holder --measure --brief", "--brief"},
      {"run paused_holder --measure --svg picture.svg", "--svg"},
      {"run paused_holder --against 2 --link", "--against"},
      {"run paused_holder --lock redlock --set expect.lost-update=holds", "--lock"},
      {"list locks --tag clock", "--tag"}};
  for (const auto& [arguments, other] : pairs) {
    const Ran ran = run_picklock(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_TRUE(says(ran, other)) << arguments << ": " << ran.out;
  }
  const std::string file = scratch("no_slice") + ".dot";
  const Ran nothing = run_picklock("run healthy_control --slice --dot " + file);
  EXPECT_TRUE(says(nothing, "is not written, as there is no slice")) << nothing.out;
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(CommandLine, AnUnknownCommandIsNamedWithTheNearest) {
  const Ran ran = run_picklock("frobnicate");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran, "found 'frobnicate', expected a command: run, ")) << ran.out;
  EXPECT_TRUE(says(ran, "did you mean '")) << ran.out;
  EXPECT_TRUE(says(run_picklock("chekc history.edn"), "did you mean 'check'?"));
  EXPECT_TRUE(says(run_picklock("exprot jepsen.log"), "did you mean 'export'?"));
  EXPECT_TRUE(says(run_picklock(""), "found no command"));
}

TEST(CommandLine, AbsurdDurationsAreTooLong) {
  for (const std::string value : {"1000000h", "99999999999999999999999h", "-400000h"}) {
    const Ran ran = run_picklock("run paused_holder --set lock.ttl=" + value);
    EXPECT_EQ(ran.status, 2) << value;
    EXPECT_TRUE(says(ran, "'" + value + "', which is too long, expected a duration of at most 320255h")) << ran.out;
  }
  for (const std::string law : {"1ms..1000000h", "'exp(1ms, cap 1000000h)'", "'1ms:9 | 1000000h:1'"}) {
    EXPECT_TRUE(says(run_picklock("run paused_holder --set network.latency=" + law), "which is too long")) << law;
  }
  EXPECT_FALSE(says(run_picklock("run paused_holder --set lock.ttl=3parsecs"), "too long"));
}

TEST(CommandLine, AFolderIsNoScenario) {
  const std::string folder = scratch("folder");
  std::filesystem::create_directories(folder);
  const Ran ran = run_picklock("run " + folder);
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran, "is a folder, and a scenario is one file")) << ran.out;
  std::filesystem::create_directories(folder + "/paused_holder");
  EXPECT_EQ(run_picklock("run paused_holder >/dev/null; cd " + folder + " && " + PICKLOCK_BINARY + " run paused_holder")
                .status,
            0)
      << "the library's scenario, beside a folder of its name";
  std::filesystem::remove_all(folder);
}

// The lines of a help's examples.
std::vector<std::string> examples_of(const std::string& help) {
  std::vector<std::string> all;
  for (std::size_t at = 0; (at = help.find("\n  picklock ", at)) != std::string::npos; ++at) {
    all.push_back(help.substr(at + 3, help.find('\n', at + 1) - at - 3));
  }
  return all;
}

TEST(CommandLine, EachHelpShowsItsOwnExamples) {
  for (const std::string command : {"run", "tell", "explain", "compare", "check", "export", "list"}) {
    const std::vector<std::string> examples = examples_of(run_picklock(command + " --help").out);
    EXPECT_GE(examples.size(), 2u) << command;
    for (const std::string& example : examples)
      EXPECT_TRUE(example.starts_with("picklock " + command + " ")) << example;
  }
  const std::vector<std::string> all = examples_of(run_picklock("--help").out);
  for (const std::string command : {"run", "tell", "explain", "compare", "check", "export", "list"}) {
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const std::string& e) {
      return e.starts_with("picklock " + command + " ");
    })) << command;
  }
}

TEST(CommandLine, ExamplesOfScenariosRun) {
  for (const std::string& example : examples_of(run_picklock("run --help").out)) {
    std::string arguments = example.substr(0, example.find("   ")).substr(std::string("picklock ").size());
    const auto has_option = [&](const char* option) { return arguments.find(option) != std::string::npos; };
    if (has_option("--out") || has_option("--dot") || has_option("--svg")) continue;  // they write files
    if (const auto many = arguments.find("1..10000"); many != std::string::npos) arguments.replace(many, 8, "1..20");
    EXPECT_NE(run_picklock(arguments).status, 2) << example;
  }
  for (const std::string& example : examples_of(run_picklock("explain --help").out))
    EXPECT_EQ(run_picklock(example.substr(std::string("picklock ").size())).status, 0) << example;
  for (const std::string& example : examples_of(run_picklock("list --help").out)) {
    EXPECT_EQ(run_picklock(example.substr(std::string("picklock ").size())).status, 0) << example;
  }
}

TEST(CommandLine, PartsOfAScenarioAreLeftOut) {
  const Ran calm = run_picklock("run paused_holder --without 'fault[0]'");
  EXPECT_EQ(calm.status, 1) << "not as expected";
  EXPECT_TRUE(says(calm, "violated: nothing")) << calm.out;
  EXPECT_TRUE(says(calm, "again:  picklock run paused_holder --without 'fault[0]' --seed 1")) << calm.out;
  const Ran unknown = run_picklock("run paused_holder --without 'fault[1]'");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(says(unknown, "expected one of clients, ")) << unknown.out;
  const Ran named = run_picklock("run redlock_clock_jump --without 'fault[0]' --without clients.b");
  EXPECT_EQ(named.status, 2) << "another fault names b";
  EXPECT_TRUE(says(named, "redlock_clock_jump.toml:")) << named.out;
}

TEST(CommandLine, AStatusThatIsNotZeroIsExplained) {
  const Ran changed = run_picklock("run paused_holder --set lock.ttl=400ms");
  EXPECT_EQ(changed.status, 1);
  EXPECT_TRUE(says(changed,
                   "exit status 1: not as expected: mutual-exclusion, lost-update, stale-write\n"
                   "  paused_holder expects otherwise of its own settings; --set lock.ttl=400ms changes them\n"))
      << changed.out;
  EXPECT_TRUE(
      says(run_picklock("run paused_holder --set lock.ttl=400ms --seeds 10"), "exit status 1: not as expected: "));
  EXPECT_TRUE(
      says(run_picklock("run paused_holder --lock redlock"), "exit status 1: violated, and --lock makes the verdicts"));
  EXPECT_FALSE(says(run_picklock("run paused_holder"), "exit status")) << "0 needs no reason";
}

TEST(CommandLine, WhatWasNotTestedSaysSo) {
  const std::string alone =
      "run healthy_control --set 'clients.*.rounds=1' --set clients.b.start=1s --set clients.c.start=2s";
  for (const std::string seeds : {"", " --seeds 5"}) {
    const Ran ran = run_picklock(alone + seeds);
    EXPECT_EQ(ran.status, 3);
    EXPECT_TRUE(says(ran, "not tested")) << ran.out;
    EXPECT_FALSE(says(ran, "nobody")) << ran.out;
    EXPECT_TRUE(says(ran, "exit status 3: undecided or not tested: mutual-exclusion, ")) << ran.out;
  }
}

TEST(CommandLine, AFailoverThatLostTheKeyBreaksNoDataLoss) {
  EXPECT_TRUE(says(run_picklock("run failover_loses_the_lock"), "no-data-loss broken: 1"));
  EXPECT_TRUE(says(run_picklock("run failover_loses_the_lock/after_kill"), "no-data-loss met"));
}

TEST(CommandLine, TheScenarioOfOvertakingAndThePropertyAgree) {
  const Ran herd = run_picklock("run zookeeper_overtaken");
  EXPECT_EQ(herd.status, 0);
  EXPECT_TRUE(says(herd, "  overtaking  (as expected)\n")) << herd.out;
  const Ran queue = run_picklock("run zookeeper_overtaken/not_overtaken");
  EXPECT_EQ(queue.status, 0);
  EXPECT_TRUE(says(queue, ", overtaking, ")) << queue.out;
  EXPECT_FALSE(says(run_picklock("run zookeeper_overtaken --lock zookeeper-herd-lock"), "overtaking"))
      << "without an expectation a lock that promises no order is not judged by it";
}

TEST(CommandLine, TheDeadAreRestartedOnlyIfSomebodyDied) {
  const std::string dead = "the dead restarted", over = "-- the load is over", lifted = "all faults are lifted";
  const Ran paused = run_picklock("run paused_holder"), calm = run_picklock("run healthy_control"),
            killed = run_picklock("run restart_without_fsync"), stays = run_picklock("run failover_loses_the_lock");
  EXPECT_TRUE(says(paused, over + ": " + lifted + "\n"));
  EXPECT_FALSE(says(paused, dead));
  EXPECT_TRUE(says(calm, over + "\n"));
  EXPECT_TRUE(says(killed, over + ": " + lifted + ", " + dead)) << killed.out;
  EXPECT_FALSE(says(stays, dead)) << "the machine stays dead";
}

// What a terminal of 90 columns gets; `environment` as env(1) reads it.
std::string on_terminal(const std::string& arguments, const std::string& environment = "-u NO_COLOR TERM=xterm") {
  return run_shell("script -qec 'stty cols 90; env " + environment + " " + PICKLOCK_BINARY + " " + arguments +
                   "' /dev/null </dev/null")
      .out;
}

std::string without_colours(const std::string& text) {
  return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
}

TEST(CommandLine, ATerminalGetsItsWidthAndColours) {
  const std::string colour = "\x1b[", run = "run paused_holder";
  const std::string coloured = on_terminal(run), plain = on_terminal(run, "NO_COLOR=1 TERM=xterm");
  EXPECT_NE(coloured.find(colour), std::string::npos) << coloured;
  EXPECT_EQ(plain.find(colour), std::string::npos) << plain;
  EXPECT_EQ(without_colours(coloured), plain) << "colours change no word";
  EXPECT_EQ(on_terminal(run, "NO_COLOR= TERM=xterm"), coloured) << "an empty NO_COLOR asks for nothing";
  EXPECT_EQ(on_terminal(run, "-u NO_COLOR TERM=dumb"), plain) << "a dumb terminal shows no colours";
  EXPECT_EQ(run_picklock(run).out.find(colour), std::string::npos) << "a pipe is no terminal";

  std::stringstream lines(plain);
  for (std::string line; std::getline(lines, line) && !line.starts_with("     time (ms)");)
    EXPECT_LE(line.size(), 91u) << line;  // with the carriage return of a terminal
  EXPECT_NE(plain, on_terminal(run + " --width 70", "NO_COLOR=1 TERM=xterm"));
}

}  // namespace
