// Programs as locks, as users of the command meet them: small programs in Python, good ones and bad ones.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/command_runs.hpp"

namespace picklock {
namespace program_lock_command_test {

using testing::has;
using testing::Ran;
using testing::run_picklock;
using testing::run_shell;
using testing::scratch;

// A lock of one SET, over a socket of its own; its release deletes the key without looking whose it is.
const std::string kLock = R"(
import os, picklock, socket, subprocess, sys, time

class Lock:
    def __init__(self, run):
        self.run, self.names, self.socket = run, 0, socket.create_connection(run.servers[0])
    def ask(self, *words):
        words = [str(w).encode() for w in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        return self.socket.recv(1000)
    def acquire(self, call):
        value = "%d-%d" % (self.run.seed, call.hold)
        while not self.ask("SET", call.lock, value, "NX", "PX", self.run.options["ttl"]).startswith(b"+OK"):
            time.sleep(0.05)
        return {"value": value}
    def release(self, hold, call):
        self.ask("DEL", call.lock)

HEAD = {"service": "redis", "lease": "ttl", "options": {"ttl": "100ms"}}
)";
const std::string kServe = "picklock.serve(Lock, HEAD)\n";

class ProgramLockCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run_shell("python3 -c 1").status != 0) GTEST_SKIP() << "python3 is not installed";
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  // The command of a program with this text, as a word of a shell.
  std::string program(const std::string& text) const {
    std::ofstream(folder_ + "/my_lock.py") << text;
    return "'" + command() + "'";
  }
  std::string command() const { return "python3 " + folder_ + "/my_lock.py"; }
  std::string good() const { return program(kLock + kServe); }
  // A run of a program whose acquire does this first.
  Ran run_that(const std::string& statement) const {
    return run_picklock("run healthy_control --lock " +
                        program(kLock + "class Bad(Lock):\n    def acquire(self, call):\n        " + statement +
                                "\n        return Lock.acquire(self, call)\npicklock.serve(Bad, HEAD)\n"));
  }
  const std::string folder_ = scratch("program_lock");
};

TEST_F(ProgramLockCommand, RunsWhereverALockIsNamed) {
  const std::string lock = good();
  const Ran run = run_picklock("run paused_holder --lock " + lock + " --seeds 5 --jobs 2");
  EXPECT_EQ(run.status, 1) << run.out;
  EXPECT_TRUE(has(run, "mutual-exclusion              0         5")) << run.out;
  EXPECT_TRUE(has(run, "--lock " + lock + " --seed 1")) << run.out;
  const Ran late = run_picklock("run paused_holder --set fault[0].lasts=80ms --lock " + lock);
  EXPECT_TRUE(has(late, "wrong-release\n")) << "a's release deletes b's key\n" << late.out;
  EXPECT_EQ(run_picklock("run healthy_control --lock " + lock).status, 0);
  run_shell("(echo '#!/usr/bin/env python3'; cat " + folder_ + "/my_lock.py) > " + folder_ + "/my_lock; chmod +x " +
            folder_ + "/my_lock");
  EXPECT_EQ(run_picklock("run healthy_control --lock " + folder_ + "/my_lock").status, 0) << "a path is a command";
  const Ran compared = run_picklock("compare paused_holder --lock set-nx-px," + lock + " --seeds 5 --jobs 1");
  EXPECT_TRUE(has(compared, "violated in both 5, in A alone 0, in B alone 0")) << compared.out;
  const Ran swept = run_picklock("sweep paused_holder --lock set-nx-px," + lock + " --seeds 3 --jobs 2");
  EXPECT_TRUE(has(swept, command())) << swept.out;
}

TEST_F(ProgramLockCommand, IsExplainedAndMeasured) {
  const std::string lock = good();
  const Ran explained = run_picklock("explain paused_holder --lock " + lock + " --jobs 2");
  EXPECT_EQ(explained.status, 0) << explained.out;
  EXPECT_TRUE(has(explained, "mutual-exclusion")) << explained.out;
  const Ran measured = run_picklock("envelope " + lock + " --hazard pause --seeds 2 --jobs 2");
  EXPECT_TRUE(has(measured, command())) << measured.out;
  EXPECT_NE(measured.status, 2) << measured.out;
  const Ran lua = run_picklock("envelope no_such_lock.lua --hazard pause --seeds 2");
  EXPECT_EQ(lua.status, 2) << "a file in Lua is opened by the same mechanism\n" << lua.out;
}

TEST_F(ProgramLockCommand, IsHuntedAndKept) {
  const std::string kept = folder_ + "/kept", lock = good();
  const Ran hunted = run_picklock("hunt paused_holder --lock " + lock +
                                  " --plans 40 --findings 1 --shrink-runs 5 --jobs 1 --out " + kept);
  EXPECT_EQ(hunted.status, 1) << hunted.out;
  const Ran refused = run_picklock("regress " + kept + " --others 2");
  EXPECT_EQ(refused.status, 3) << "a kept finding starts no program by itself\n" << refused.out;
  EXPECT_TRUE(has(refused, "--allow-program")) << refused.out;
  const Ran again = run_picklock("regress " + kept + " --others 2 --allow-program");
  EXPECT_EQ(again.status, 1) << again.out;
  EXPECT_TRUE(has(again, "1 still fail, 0 fixed, 0 cannot be told any more")) << again.out;
}

TEST_F(ProgramLockCommand, AScenarioFileStartsNoProgramByItself) {
  good();
  std::ofstream(folder_ + "/own.toml") << "lock = \"" << command()
                                       << "\"\nclients = [ { name = \"a\" }, { name = \"b\" } ]\n";
  const Ran refused = run_picklock("run " + folder_ + "/own.toml");
  EXPECT_EQ(refused.status, 2) << refused.out;
  EXPECT_TRUE(has(refused, folder_ + "/own.toml:1:")) << refused.out;
  EXPECT_TRUE(has(refused, "expected --allow-program")) << refused.out;
  const Ran allowed = run_picklock("run " + folder_ + "/own.toml --allow-program");
  EXPECT_EQ(allowed.status, 0) << allowed.out;
}

// The digest covers all that servers and clients did: bytes, instants, orders.
TEST_F(ProgramLockCommand, AFreshProcessPlaysTheSameRun) {
  const std::string lock = good();
  const auto digest = [&](const std::string& how) {
    const Ran ran = run_picklock("run paused_holder --lock " + lock + how);
    const std::size_t at = ran.out.find("digest ");
    return at == std::string::npos ? "none: " + ran.out : ran.out.substr(at, 23);
  };
  const std::string first = digest(" --seed 7");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(digest(" --seed 7"), first);
  EXPECT_NE(digest(" --seed 8"), first);
  EXPECT_EQ(digest(" --seeds 1..20 --jobs 1"), digest(" --seeds 1..20 --jobs 2"));
}

TEST_F(ProgramLockCommand, WhatCannotStartIsBadInput) {
  const auto refused = [&](const std::string& lock, const std::string& words) {
    const Ran ran = run_picklock("run paused_holder --lock " + lock);
    EXPECT_EQ(ran.status, 2) << ran.out;
    EXPECT_TRUE(has(ran, words)) << words << " is not in:\n" << ran.out;
  };
  refused("'no-such-program --at all'", "no-such-program: No such file or directory");
  refused("'python3 \"unfinished'", "a quote without its end");
  refused("'python3 " + folder_ + "/none.py'", "No such file or directory");
  refused(program("import sys\nsys.exit('its own words')\n"), "its own words");
  refused(program("import sys\nsys.exit('its own words')\n"), "it ended with exit status 1");
  refused(program("import time\ntime.sleep(100)\n"), "it waits, and has not called picklock.serve()");
  refused(program("import picklock\npicklock.VERSION = 2\npicklock.serve(None, {})\n"),
          "it speaks version 2 of the contract; expected 1");
  refused(program("import picklock\npicklock.VERSION = None\npicklock._Server.say = lambda self, m: "
                  "self.control.sendall(b'hello\\n')\n"
                  "picklock.serve(None, {})\n"),
          "found 'hello' on the contract");
  refused(program("import picklock\npicklock.serve(None, {'servce': 'redis'})\n"), "did you mean 'service'?");
  refused(program("import picklock\npicklock.serve(None, {'lease': 'tll', 'options': {'ttl': '1s'}})\n"),
          "did you mean 'ttl'?");
  refused(program("import picklock\npicklock.serve(None, {'refused': [1]})\n"), "expected names of error classes");
}

TEST_F(ProgramLockCommand, WhatFailsInARunFailsTheRunInItsOwnWords) {
  const auto fails = [&](const Ran& ran, const std::string& words) {
    EXPECT_EQ(ran.status, 1) << ran.out;
    EXPECT_TRUE(has(ran, "lock " + command() + " failed")) << ran.out;
    EXPECT_TRUE(has(ran, words)) << words << " is not in:\n" << ran.out;
  };
  fails(run_that("print('last words', flush=True); os._exit(3)"), "last words");
  fails(run_that("self.run.lost(99)"), "it lost hold 99, which it never had");
  fails(run_that("picklock._server.control.sendall(b'nonsense\\n')"), "found 'nonsense' on the contract");
  fails(run_that("picklock._server.control.sendall(b'{\"id\": 77, \"ok\": {}}\\n')"), "which answers no open call");
  fails(run_that("time.clock_gettime(99)"), "it read the clock 99, whose time is not picklock's");
  fails(run_that("os.fork()"), "it forks");
  fails(run_that("subprocess.run(['true'])"), "it ");
  fails(run_that("os.system('true')"), "it starts the command true");
  fails(run_that("socket.create_connection(('192.0.2.1', 80))"), "it connected to 192.0.2.1 port 80");
  fails(run_that("socket.create_connection(('127.0.0.1', 9))"), "it connected to 127.0.0.1 port 9");
  fails(run_that("socket.create_connection(('example.org', 80))"), "it looked up the address of example.org");
  fails(run_that("socket.create_server(('127.0.0.1', 0))"), "it listens on a socket");
}

TEST_F(ProgramLockCommand, AHangIsNoticedAndAFloodIsNot) {
  ::setenv("PICKLOCK_TURN_LIMIT_MS", "700", 1);
  const Ran spins = run_that("print('I spin', flush=True)\n        while True: pass");
  ::unsetenv("PICKLOCK_TURN_LIMIT_MS");
  EXPECT_EQ(spins.status, 1) << spins.out;
  EXPECT_TRUE(has(spins, "it came to no wait within 700 ms of real time")) << spins.out;
  EXPECT_TRUE(has(spins, "I spin")) << spins.out;
  EXPECT_EQ(run_that("print('x' * 1000000, flush=True)").status, 0) << "a pipe that is full holds nothing up";
  const Ran floods =
      run_that("[picklock._server.control.sendall(b'{\"log\": \"%s\"}\\n' % (b'x' * 1000000)) for i in range(100)]");
  EXPECT_TRUE(has(floods, "it wrote more than 64 MiB in one turn")) << floods.out;
}

// Randomness of the kernel and times of the processor differ from run to run, where they are not picklock's.
TEST_F(ProgramLockCommand, WhatDiffersFromProcessToProcessIsTheSame) {
  const auto run = [&](const std::string& what) {  // it waits for a time that depends on this
    return run_that("import resource, uuid; time.sleep(abs(hash(str(" + what + "))) % 10007 / 1e6)").out;
  };
  for (const char* const what :
       {"os.urandom(8).hex()", "open('/dev/urandom', 'rb').read(8).hex()", "time.process_time()", "os.times()",
        "resource.getrusage(0)", "os.getpid()", "uuid.uuid1()", "id(object())",
        "time.clock_gettime(time.CLOCK_BOOTTIME)", "hash('word')"}) {
    EXPECT_EQ(run(what), run(what)) << what;
  }
  const std::string file = "open('" + folder_ + "/count', 'a+')";
  const std::string changes = "(" + file + ".write('x'), " + file + ".tell())";
  EXPECT_NE(run(changes), run(changes)) << "a twin: what differs is seen";
}

TEST_F(ProgramLockCommand, ErrorsOfTheLibraryAreRefusalsOrUnknown) {
  const std::string raises = "raise ValueError('no luck')";
  const Ran unknown = run_that(raises);
  EXPECT_TRUE(has(unknown, "does not learn whether it got lock")) << unknown.out;
  EXPECT_TRUE(has(unknown, "raised ValueError: no luck (")) << unknown.out;
  const Ran refused = run_picklock("run healthy_control --lock " +
                                   program(kLock + "class Bad(Lock):\n    def acquire(self, call):\n        " + raises +
                                           "\nHEAD['refused'] = ['Exception']\npicklock.serve(Bad, HEAD)\n"));
  EXPECT_FALSE(has(refused, "does not learn")) << refused.out;
  EXPECT_FALSE(has(refused, "no luck")) << refused.out;
}

// --- in real time

// A program of no library: it keeps the contract by itself, and runs freely.
const std::string kFree = R"(
import json, os, socket, time
control = socket.create_connection(("127.0.0.1", int(os.environ["PICKLOCK_CONTROL"])))
def say(**message): control.sendall(json.dumps(message).encode() + b"\n")
say(picklock=1, head={"service": "redis", "lease": "ttl", "options": {"ttl": "100ms"}})
def ask(*words):
    redis.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in map(str.encode, words)))
    return redis.recv(1000)
for line in control.makefile("rb"):
    call = json.loads(line)
    if call["op"] == "run":
        redis, ttl = socket.create_connection(tuple(call["servers"][0])), str(call["options"]["ttl"])
    elif call["op"] == "acquire":
        value = "hold-%d-%d" % (os.getpid(), call["hold"])
        until = time.monotonic() + (3600 if call["patience"] is None else call["patience"] / 1000)
        while not (got := ask("SET", call["lock"], value, "NX", "PX", ttl) == b"+OK\r\n") and time.monotonic() < until:
            time.sleep(0.005)
        say(id=call["id"], **({"ok": {"value": value}} if got else {"no": True}))
    else:
        script = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"
        done = ask("EVAL", script, "1", call["lock"], value) == b":1\r\n"
        say(id=call["id"], **({"ok": {}} if done else {"no": True}))
)";

TEST_F(ProgramLockCommand, RealTimePlaysAProgramThatRunsFreely) {
  const Ran paused = run_picklock("run paused_holder --clock wall --lock " + program(kFree));
  EXPECT_TRUE(has(paused, "in real time, so that another run may differ; this machine was late by ")) << paused.out;
  EXPECT_TRUE(has(paused, "both believed that they held lock") || has(paused, "cannot tell")) << paused.out;
  EXPECT_TRUE(has(paused, "--clock wall --seed 1")) << "the line that plays it again: " << paused.out;
  const Ran calm = run_picklock("run healthy_control --clock wall --lock " +
                                program(kFree + "    print('x' * 20000, flush=True)\n"));
  EXPECT_FALSE(has(calm, "both believed")) << calm.out;
  EXPECT_TRUE(has(calm, "is told that it holds lock")) << calm.out;
}

TEST_F(ProgramLockCommand, RealTimeRefusesWhatItHasNot) {
  const Ran stepped = run_picklock("run fast_client_clock --clock wall --lock " + program(kFree));
  EXPECT_TRUE(has(stepped, "its machine's clock is stepped, or drifts")) << stepped.out;
  const Ran kept = run_picklock("run paused_holder --clock wall --seeds 2 --store " + folder_ + "/s.sqlite --lock " +
                                program(kFree));
  EXPECT_EQ(kept.status, 2) << kept.out;
  EXPECT_TRUE(has(kept, "--store keeps runs that can be repeated")) << kept.out;
}

// Over a socket of its own, as no package of npm is there in a test.
TEST_F(ProgramLockCommand, NodeRunsTheSame) {
  if (run_shell("node --version").status != 0) GTEST_SKIP() << "node is not installed";
  std::ofstream(folder_ + "/my_lock.cjs") << R"(
const net = require('net'), { randomUUID } = require('crypto'), picklock = require('picklock')
picklock.serve(({ servers: [[host, port]], options: { ttl } }) => {
  const socket = net.connect(port, host), waiting = []
  socket.on('data', data => waiting.shift()(String(data)))
  const ask = (...words) => new Promise(resolve => {
    waiting.push(resolve)
    socket.write(`*${words.length}\r\n` + words.map(w => `$${String(w).length}\r\n${w}\r\n`).join(''))
  })
  return {
    async acquire({ lock }) {
      const value = randomUUID()
      while (!(await ask('SET', lock, value, 'NX', 'PX', ttl)).startsWith('+OK'))
        await new Promise(resolve => setTimeout(resolve, 5 + Math.random() * 10))
      return { value }
    },
    async release(hold, { lock }) { await ask('DEL', lock) },
  }
}, { service: 'redis', lease: 'ttl', options: { ttl: '100ms' } })
)";
  const auto run = [&](const std::string& rest) {
    return run_picklock("run paused_holder --lock 'node " + folder_ + "/my_lock.cjs'" + rest);
  };
  const Ran first = run(" --seed 3"), again = run(" --seed 3"), other = run(" --seed 4");
  EXPECT_EQ(first.status, 1) << first.out;
  EXPECT_TRUE(has(first, "both believed that they held lock")) << first.out;
  EXPECT_EQ(first.out, again.out) << "time, randomness and the order of events are picklock's";
  EXPECT_NE(first.out, other.out);
  const auto digest_of = [](const Ran& ran) {
    const std::size_t at = ran.out.find("digest ");
    return at == std::string::npos ? "none: " + ran.out : ran.out.substr(at, 23);
  };
  EXPECT_EQ(digest_of(run(" --seeds 1..20 --jobs 1")), digest_of(run(" --seeds 1..20 --jobs 2")))
      << "each run is a fork of a process that has played none: its digest depends on no run before";
}

TEST_F(ProgramLockCommand, ASkeletonRunsAtOnce) {
  if (run_shell("/usr/bin/python3 -c 'import redis'").status != 0) GTEST_SKIP() << "python3-redis is not installed";
  const std::string here = "cd " + folder_ + " && " + PICKLOCK_BINARY;
  const Ran made = run_shell(here + " new lock my-own --python");
  EXPECT_TRUE(has(made, "--lock 'python3 my_own.py'")) << made.out;
  const Ran ran = run_shell(here + " run paused_holder --lock '/usr/bin/python3 my-own/my_own.py'");
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_TRUE(has(ran, "both believed that they held lock")) << ran.out;
  EXPECT_TRUE(has(run_shell(here + " new lock other --node"), "other/other.cjs"));
  EXPECT_EQ(run_shell(here + " new lock third --node --python").status, 2);
}

// Third parties try a package for another language, or an adapter, by themselves.
TEST_F(ProgramLockCommand, ConformanceIsTold) {
  const auto tried = [&](const std::string& program) {
    return run_shell("python3 " PICKLOCK_SOURCE_DIR "/bridge/conformance.py " + program +
                     " --picklock " PICKLOCK_BINARY);
  };
  const Ran kept = tried(good());
  EXPECT_EQ(kept.status, 0) << kept.out;
  EXPECT_FALSE(has(kept, "broken")) << kept.out;
  const Ran silent = tried(program("import sys\nsys.exit('its own words')\n"));
  EXPECT_EQ(silent.status, 1) << silent.out;
  EXPECT_TRUE(has(silent, "broken     it starts, connects")) << silent.out;
  EXPECT_TRUE(has(silent, "its own words")) << silent.out;
  EXPECT_TRUE(has(silent, "not tried  acquire is granted")) << silent.out;
  // It draws from something that differs each time, and its head tells a wrong key.
  const Ran broken = tried(program(kLock +
                                   "class Bad(Lock):\n"
                                   "    def acquire(self, call):\n"
                                   "        with open('" +
                                   folder_ +
                                   "/count', 'a+') as file:\n"
                                   "            file.write('x')\n"
                                   "            time.sleep(file.tell() * 7919 % 10007 / 1e6)\n"
                                   "        return Lock.acquire(self, call)\n"
                                   "HEAD['key'] = 'prefix:{name}'\n"
                                   "picklock.serve(Bad, HEAD)\n"));
  EXPECT_EQ(broken.status, 1) << broken.out;
  EXPECT_TRUE(has(broken, "broken     its grants are seen at the key")) << broken.out;
  EXPECT_TRUE(has(broken, "broken     a run is repeated by its seed")) << broken.out;
  EXPECT_TRUE(has(broken, "kept       release gives the lock back")) << broken.out;
}

TEST_F(ProgramLockCommand, NoProcessIsLeftBehind) {
  const std::string lock = good();
  const auto left = [&] { return std::stoi(run_shell("ps -eo args | grep '[p]ython3 " + folder_ + "' | wc -l").out); };
  EXPECT_EQ(run_picklock("run paused_holder --lock " + lock + " --seeds 3 --jobs 2").status, 1);
  EXPECT_EQ(left(), 0);
  const std::string pid = folder_ + "/pid";
  run_shell("(" + std::string(PICKLOCK_BINARY) + " run paused_holder --lock " + lock + " --seeds 100000 --jobs 1 > " +
            folder_ + "/out 2>&1 & echo $! > " + pid + ")");
  const auto wait_until = [&](bool some) {
    for (int i = 0; i < 200 && (left() > 1) != some; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  wait_until(true);
  EXPECT_GT(left(), 1) << testing::content(folder_ + "/out");
  ::kill(std::stoi(testing::content(pid)), SIGKILL);
  wait_until(false);
  for (int i = 0; i < 100 && left() > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(left(), 0) << "after kill -9 of picklock";
}

}  // namespace program_lock_command_test
}  // namespace picklock
