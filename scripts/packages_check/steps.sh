#!/usr/bin/env bash
# Steps of scripts/check-packages: run by an ordinary user where the packages are installed.
set -uo pipefail
export CMAKE_GENERATOR=Ninja
failed=0

# step NAME: runs the commands on standard input in an empty folder, and prints how long they took.
step() {
  local folder=$HOME/work/$((++number)) begun=$EPOCHREALTIME
  mkdir -p "$folder"
  if (cd "$folder" && bash -euo pipefail) >"$folder.log" 2>&1; then
    awk -v name="$1" -v a="$begun" -v b="$EPOCHREALTIME" 'BEGIN { printf "%8.1f s  %s\n", b - a, name }'
  else
    echo "  FAILED    $1"
    tail -n 40 "$folder.log"
    failed=1
  fi
}
# fails COMMAND…: after `set -e` a `!` alone checks nothing.
fails() { if "$@"; then echo "should have failed: $*"; return 1; fi; }
export -f fails
number=0
lock=$HOME/work/lock  # the project of the first step, which the others look at

step "new lock: skeleton, build, test" <<EOS
picklock new lock my-lock
cp -r my-lock $lock
cd $lock
cmake -S . -B build -DCMAKE_BUILD_TYPE=Release
cmake --build build
ctest --test-dir build --output-on-failure
build/my_lock_test | grep -c '^my-lock kept its claims'
EOS

step "the command with the own lock: list, run, hunt, explain, compare, check" <<EOS
cd $lock
build/my_lock list locks | grep -c my-lock
fails build/my_lock run paused_holder --lock my-lock --seeds 100 >run.txt
grep -q 'mutual-exclusion              0       100' run.txt
fails build/my_lock run paused_holder --lock my-lock --html run.html
grep -q '<html' run.html
fails build/my_lock hunt --lock my-lock --plans 60 --findings 1 --jobs 1 --out found
ls found/*.toml
build/my_lock run found/*.toml | grep -c 'both believed'
build/my_lock explain paused_holder --lock my-lock --jobs 1 | grep -c 'pause of a'
build/my_lock compare paused_holder --lock set-nx-px,my-lock --seeds 20 --jobs 1
build/my_lock tour --list | grep -c 1
EOS

step "a mistake: found, shrunk, drawn, kept, replayed, repaired; regress with JUnit" <<EOS
cd $lock
sed 's/const auto reply = co_await delete_if_equals(redis_, name_, hold.value);/(void)hold;\n    const auto deleted = co_await redis_.del(name_);/; s/co_return yes_if_one(reply);/co_return deleted;/' my_lock.cpp >broken.cpp
cp my_lock.cpp right.cpp
cp broken.cpp my_lock.cpp
cmake --build build
fails build/my_lock_test >report.txt
grep -q 'my-lock breaks its claim' report.txt
grep -q 'both in' report.txt
sh -c "\$(sed -n 's/^  again:  //p' report.txt)" | grep -c 'both believed'
fails build/my_lock regress kept --junit regress.xml
grep -q 'failures="1"' regress.xml
xmllint --noout regress.xml
cp right.cpp my_lock.cpp
cmake --build build
build/my_lock regress kept --junit regress.xml
grep -q 'failures="0"' regress.xml
cmake -S . -B build
ctest --test-dir build --output-on-failure
EOS

# suite NAME PACKAGE LIBRARIES: its test program stands in suite.cpp, and takes the lock as it is and with a mistake.
suite() {
  cat >CMakeLists.txt <<EOC
cmake_minimum_required(VERSION 3.25)
project(suite LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(picklock REQUIRED COMPONENTS testkit)
$1
foreach(kind right broken)
  add_executable(\${kind} suite.cpp $lock/\${kind}.cpp)
  target_include_directories(\${kind} PRIVATE $lock)
  target_compile_options(\${kind} PRIVATE -Wall -Wextra -Werror)
  target_link_libraries(\${kind} PRIVATE picklock::testkit $2)
endforeach()
EOC
  cmake -S . -B build -DCMAKE_BUILD_TYPE=Release
  cmake --build build
  build/right
  fails build/broken >broken.txt 2>&1  # RapidCheck tells it there
}
export -f suite
export lock

step "check_lock in GoogleTest" <<'EOS'
cat >suite.cpp <<'EOC'
#include "my_lock.hpp"
#include "testkit/gtest.hpp"

TEST(MyLock, KeepsItsClaims) {
  add_my_lock();
  EXPECT_TRUE(picklock::keeps_its_claims("my-lock"));
}
EOC
suite 'find_package(GTest REQUIRED)' GTest::gtest_main
grep -q 'my-lock breaks its claim' broken.txt
EOS

step "check_lock in Catch2" <<'EOS'
cat >suite.cpp <<'EOC'
#define CATCH_CONFIG_MAIN  // version 2, which Debian 12 has
#include <catch2/catch.hpp>

#include "my_lock.hpp"
#include "testkit/catch2.hpp"

TEST_CASE("my-lock keeps its claims") {
  add_my_lock();
  REQUIRE_THAT(picklock::check_lock("my-lock"), picklock::KeptClaims());
}
EOC
suite 'find_package(Catch2 REQUIRED)' Catch2::Catch2
grep -q 'my-lock breaks its claim' broken.txt
EOS

step "check_lock with plain RapidCheck" <<'EOS'
cat >suite.cpp <<'EOC'
#include "my_lock.hpp"
#include "testkit/rapidcheck.hpp"

int main() {
  add_my_lock();
  return rc::check("my-lock", picklock::claims_of("my-lock")) ? 0 : 1;
}
EOC
export RC_PARAMS="seed=1 max_success=400"
suite '' ''
grep -q 'mutual-exclusion, seed' broken.txt
EOS

step "a lock in Lua: skeleton, run, hunt, a mistake found" <<'EOS'
picklock new lock your-lock --lua
cd your-lock
fails picklock run paused_holder --lock your_lock.lua
picklock hunt --lock your_lock.lua --within-assumptions --plans 300 --jobs 1
sed -i '/^function release/,$d' your_lock.lua
printf 'function release(ctx, hold)\n  redis:call("DEL", ctx.name)\n  return yes\nend\n' >>your_lock.lua
fails picklock hunt --lock your_lock.lua --within-assumptions --plans 600 --findings 1 --jobs 1 --out kept
fails picklock regress kept
EOS

step "pkg-config" <<'EOS'
cp $lock/my_lock.hpp $lock/right.cpp $lock/main.cpp .
g++ main.cpp right.cpp $(pkg-config --cflags --libs picklock) -o mine
./mine run healthy_control --lock my-lock --seeds 20
EOS

step "find_package(picklock COMPONENTS …): the one that is there, and the one that is not" <<'EOS'
cat >CMakeLists.txt <<'EOC'
cmake_minimum_required(VERSION 3.25)
project(components LANGUAGES CXX)
find_package(picklock 0.1 REQUIRED COMPONENTS checker generators)
add_executable(model /usr/share/doc/picklock/examples/own_model/main.cpp)
target_link_libraries(model PRIVATE picklock::checker)
EOC
cmake -S . -B build
cmake --build build
build/model | diff /usr/share/doc/picklock/examples/own_model/expected.txt -
sed -i 's/checker scenarios/generators/checker nonsense/' CMakeLists.txt
fails cmake -S . -B other 2>error.txt
grep -q nonsense error.txt
EOS

step "the manual page" <<'EOS'
man picklock | col -b >page.txt || man picklock >page.txt
grep -q 'picklock hunt' page.txt
EOS

step "completion in bash" <<'EOS'
cat >look.sh <<'EOC'
source /usr/share/bash-completion/bash_completion
_completion_loader picklock
complete -p picklock
COMP_WORDS=(picklock reg) COMP_CWORD=1
$(complete -p picklock | sed 's/.*-F \([^ ]*\).*/\1/')
printf '%s\n' "${COMPREPLY[@]}"
COMP_WORDS=(picklock run --lock redlo) COMP_CWORD=3
$(complete -p picklock | sed 's/.*-F \([^ ]*\).*/\1/')
printf '%s\n' "${COMPREPLY[@]}"
EOC
bash -i look.sh >seen.txt
grep -qx regress seen.txt
grep -qx redlock seen.txt
EOS

step "completion in zsh" <<'EOS'
# A zsh of its own, in a terminal of its own, in which the tab key is pressed.
cat >look.zsh <<'EOC'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u; print READY'
zpty -r shell line '*READY*READY*'
zpty -w -n shell $'picklock regr\t'
sleep 2
zpty -w shell $' --jun\t'
sleep 2
while zpty -rt shell line; do print -r -- "$line"; done
EOC
zsh -f look.zsh >seen.txt
grep -q 'picklock regress' seen.txt
grep -q -- '--junit' seen.txt
EOS

step "completion in fish" <<'EOS'
fish -c 'complete -C "picklock regr"' | grep -c '^regress'
fish -c 'complete -C "picklock run --hel"' | grep -c -- '--help'
EOS

step "documents, examples, reference, schemas" <<'EOS'
cd /usr/share/doc/picklock
ls README.md* docs/own_lock.md* docs/lua.md* docs/stability.md* CHANGELOG.md* reference/index.html examples/own_lock/own_lock.cpp
ls examples/lua | wc -l | grep -c 6
EOS
exit $failed
