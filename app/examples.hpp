// Examples of the command as a whole and of each of its parts, for their helps.
#pragma once

namespace picklock::examples {

inline constexpr const char* kExitStatus = R"(

Exit status: 0 as expected or valid; 1 violated, invalid or not as expected; 2 usage, bad input, or output that cannot be
written; 3 undecided. Results go to standard output, progress and diagnostics to standard error.)";

// Examples of the command as a whole, and of each of its parts.
inline constexpr const char* kExamples = R"(
Examples:
  picklock run paused_holder                        one run, as a picture and a story
  picklock compare paused_holder --vary lock.ttl=100ms,300ms
  picklock tell paused_holder                       what a scenario is about, and what repairs it
  picklock explain paused_holder                    finds causes, thresholds and cures by running again
  picklock sweep paused_holder --vary lock.ttl=100ms..400ms/50ms --format csv
  picklock estimate my.toml                         how likely a violation is, down to 1e-9
  picklock hunt --lock redlock                      finds failures that no scenario tells of
  picklock check history.edn --model mutex          judges a history that anything recorded
  picklock export jepsen.log history.edn.gz
  picklock regress kept --junit regress.xml         plays kept counterexamples again
  picklock list scenarios --tag clock
  picklock new lock my-lock                         writes the skeleton of a lock of your own
  picklock tour                                     leads through the guide, and plays its runs

'picklock run --help' shows the options of run, with examples; the other commands have such a page too.

Environment: PICKLOCK_LIBRARY=FOLDER takes the scenarios of a folder instead of the library; NO_COLOR=1 prints without colours.)";
inline constexpr const char* kRunExamples = R"(
Examples:
  picklock run paused_holder                        one run, as a picture and a story
  picklock run paused_holder/fenced --seeds 1..10000
  picklock run paused_holder --seeds 100            seeds 1 to 100
  picklock run paused_holder --set clients.b.hold=80ms --lock setnx-expire
  picklock run paused_holder --without 'fault[0]'   the same clients, and no pause
  picklock run paused_holder --slice --dot slice.dot
  picklock run paused_holder --against fenced       two runs side by side, and their first difference
  picklock run redlock_clock_jump --brief --svg picture.svg --html run.html
  picklock run paused_holder --seed 17 --out found)";
inline constexpr const char* kTellExamples = R"(
Examples:
  picklock tell paused_holder
  picklock tell redlock_clock_jump/slewed
  picklock tell my/own.toml --format json)";
inline constexpr const char* kCompareExamples = R"(
Examples:
  picklock compare paused_holder paused_holder/fenced
  picklock compare healthy_control --lock set-nx-px,redlock,zookeeper-lock --seeds 2000
  picklock compare paused_holder --vary lock.ttl=100ms,300ms,1s
  picklock compare paused_holder --lock redisson-lock --vary lock.release=3.16.8,4.7

The first contestant is the one that the others are held against. Exit status 3: a property was not tested.)";
inline constexpr const char* kEstimateExamples = R"(
Examples:
  picklock estimate paused_holder --set 'fault[0].lasts=exp(5ms, cap 2s)'
  picklock estimate my.toml --property lost-update --recipe rare.toml
  picklock estimate my.toml --method splitting --trajectories 5000 --format json

Exit status 3: nothing is estimated, for the reason that is printed.)";
inline constexpr const char* kExplainExamples = R"(
Examples:
  picklock explain paused_holder
  picklock explain redlock_clock_jump --seed 7
  picklock explain paused_holder --set clients.b.hold=80ms --format json

Exit status: 0 the violations are explained; 1 nothing is violated; 2 usage, bad input, or output that cannot be written;
3 nothing is violated, and something that is expected is undecided or was not tested.)";
inline constexpr const char* kHuntExamples = R"(
Examples:
  picklock hunt paused_holder                       distinct failures of two holders, each shrunk and rated
  picklock hunt --lock redlock --plans 5000
  picklock hunt --lock redisson-lock --within-assumptions --vary clients,options
  picklock hunt paused_holder --beyond beliefs-shorter-than
  picklock hunt redisson_resend_twice --against-set lock.release=4.7 --out found
  picklock hunt paused_holder --strategy exhaustive --faults pause,partition

Exit status: 0 nothing was found, some plan could have broken each property that is judged, and most plans disturbed clients that
contended; 1 findings, or an error of the simulation; 2 usage, bad input, or output that cannot be written; 3 nothing was found, and
no plan could have broken one of these properties, or the hunt tested little, or was interrupted.)";
inline constexpr const char* kEnvelopeExamples = R"(
Examples:
  picklock envelope set-nx-px
  picklock envelope redlock etcd-mutex zookeeper-lock --hazard pause,delay
  picklock envelope --seeds 50 --format json        all locks

Exit status: 0 no claim of a lock is refuted; 1 one is; 2 usage, or output that cannot be written; 3 something was not tested, or the
measurement was interrupted.)";
inline constexpr const char* kSweepExamples = R"(
Examples:
  picklock sweep paused_holder --vary lock.ttl=100ms..400ms/50ms
  picklock sweep paused_holder --lock set-nx-px,redlock --vary 'fault[0].lasts=50ms,200ms,1s' --format csv --out sweep.csv
  picklock sweep paused_holder/fenced --property lost-update --seeds 1000000 --until-decided 'P<1e-3'
  picklock sweep paused_holder --seeds 1000000 --store results.sqlite
  picklock sweep paused_holder --vary lock.ttl=240ms..250ms/1ms --plot shares.svg

Exit status 3: a cell tested nothing or did not meet the rule of --until-…, or the sweep was interrupted.)";
inline constexpr const char* kMergeExamples = R"(
Examples:
  picklock sweep paused_holder --seeds 1000000 --store 1.sqlite --shard 1/2
  picklock merge 1.sqlite 2.sqlite --into all.sqlite

Merging the same stores again, or in another order, changes nothing. Afterwards the sweep's own command with --store
all.sqlite prints the table. Exit status 1: two stores have different results of the same runs.)";
inline constexpr const char* kCheckExamples = R"(
Examples:
  picklock check history.edn --model mutex
  picklock check prod.jsonl.gz --map lock=acquire,unlock=release --key op=f --owner-field client
  picklock check app.csv --key at=time,event=f --process-field client --instant acquired=acquire,released=release
  picklock check history.edn --model cas-register --html history.html)";
inline constexpr const char* kExportExamples = R"(
Examples:
  picklock export jepsen.log history.edn.gz
  picklock export run/history.edn for_knossos.edn --for knossos --lock orders)";
inline constexpr const char* kNewExamples = R"(
Examples:
  picklock new lock my-lock
  cd my-lock; cmake -S . -B build; cmake --build build; ctest --test-dir build
  build/my_lock run paused_holder --lock my-lock      the whole command, with your lock
  picklock new lock my-lock --lua; cd my-lock
  picklock run paused_holder --lock my_lock.lua       the same lock in Lua, without a compiler
  picklock new lock taken --lua --mistake             an exercise: find the mistake, and mend it
  picklock new lock my-lock --python; cd my-lock
  picklock run paused_holder --lock 'python3 my_lock.py'    a library that you have, unmodified (or --node)

docs/own_lock.md leads from there to a failing property, its repair and a regression test.)";
inline constexpr const char* kTourExamples = R"(
Examples:
  picklock tour                                     all chapters; Enter goes on, q ends
  picklock tour 3
  picklock tour clocks
  picklock tour --list)";
inline constexpr const char* kDescribeExamples = R"(
Examples:
  picklock describe man > picklock.1
  source <(picklock describe bash)                  completes commands, options, scenarios and locks
  picklock describe fish > ~/.config/fish/completions/picklock.fish

The Debian package installs all of them.)";
inline constexpr const char* kRegressExamples = R"(
Examples:
  picklock hunt --lock redlock --out kept
  picklock regress kept
  picklock regress kept --junit regress.xml
  picklock regress kept --lock mended.lua           the same faults around another lock

A kept run fails still if one of the properties that its file expects to be violated is: on the file's seed, or on another. It
is fixed if all of them hold on every seed that puts them to the test, with every fault striking. What no seed puts to the
test any more, and a file that no longer fits the program, cannot be told.

Exit status: 0 everything is fixed; 1 something still fails; 2 usage, bad input, or output that cannot be written; 3 nothing
fails, and something cannot be told any more.)";
inline constexpr const char* kListExamples = R"(
Examples:
  picklock list locks redisson
  picklock list scenarios --tag clock
  picklock list scenarios --tag redis seats --format json)";

}  // namespace picklock::examples
