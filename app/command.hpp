// The subcommands of `picklock`: what they are told, and what they do with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/recipes.hpp"
#include "checker/io/history_reader.hpp"
#include "estimate/estimate.hpp"
#include "reports/plot.hpp"
#include "scenarios/campaign/sequential.hpp"
#include "scenarios/campaign/sweep.hpp"
#include "scenarios/file/edits.hpp"
#include "scenarios/file/error.hpp"
#include "services/problem.hpp"

namespace picklock {

// Exit status of every command.
inline constexpr int kAsExpected = 0, kNotAsExpected = 1, kUsage = 2, kUndecided = 3;

// Where results of many runs are kept.
struct StoreWords {
  std::string store;        // file; empty: none
  bool play_again = false;  // what the store has, to compare
};

struct RunCommand {
  std::string scenario;
  ScenarioEdits edits;
  std::optional<std::uint64_t> seed;
  std::string seeds;  // "A..B" or a number of them; empty: one seed
  unsigned jobs = 0;  // 0: one per core
  bool json = false;
  bool measure = false;  // what acquiring costs, for the verdicts
  std::string out;       // folder; empty: none
  bool slice = false;    // tell what led to the violation, instead of everything
  std::string slice_of;  // of which property; empty: of the first that is violated
  std::string dot;       // file for the slice as a graph; empty: none
  std::string svg;       // file for the picture; empty: none
  std::string html;      // file for a page of the run; empty: none
  std::string perfetto;  // file of trace events; empty: none
  std::string shiviz;    // file of a log with vector clocks; empty: none
  std::string against;   // a variant, seed or lock, whose run stands beside this one; empty: none
  int width = 0;         // columns; 0: the terminal's, or 100
  bool brief = false;    // the picture and what is violated, and no more
  bool all = false;      // every renewal and every line
  StopRule until;        // of many runs
  StoreWords kept;
  bool link = false;  // print a link of the playground, and play nothing
};

struct CompareCommand {
  GridWords grid;
  std::vector<std::string> also;  // paths that may differ between scenarios
  std::vector<std::string>
      properties;  // names; empty: all that the lock claims, and what a scenario expects to be violated
  std::string seeds = "1..1000";
  unsigned jobs = 0;  // 0: one per core
  bool json = false;
  StopRule until;  // of each contestant
  StoreWords kept;
};

struct TellCommand {
  std::string scenario;
  bool json = false;
};

struct ExplainCommand {
  std::string scenario;
  ScenarioEdits edits;
  std::optional<std::uint64_t> seed;  // absent: that of the file
  unsigned jobs = 0;                  // 0: one per core
  bool json = false;
  std::string html;  // file for a page of the run, with the explanation; empty: none
};

struct HuntCommand {
  std::string scenario;
  ScenarioEdits edits;
  std::vector<std::string> properties;  // names; empty: all that the lock claims
  bool within_assumptions = false;
  std::string beyond;                    // an assumption; empty: none
  std::string against;                   // a scenario or variant; empty: none
  std::vector<std::string> against_set;  // settings of the other side
  std::string strategy = "many";
  std::vector<std::string> kinds;   // of faults; empty: all
  std::vector<std::string> events;  // and verbs that faults wait for; empty: all; "none"
  std::string instants;             // FROM..UNTIL; empty: any
  std::vector<std::string> vary;    // clients, options, servers, network
  std::int64_t most_faults = 12;
  std::uint64_t plans = 0;  // 0: not said
  double seconds = 0;       // 0: no bound
  std::size_t findings = 20;
  std::uint32_t shrink_runs = 400;
  std::uint64_t hunt_seed = 1;
  unsigned jobs = 0;
  std::string out;    // folder; empty: none
  std::string store;  // file for findings; empty: none
  bool json = false;
};

struct EnvelopeCommand {
  std::vector<std::string> locks;    // empty: all
  std::vector<std::string> hazards;  // empty: all
  std::uint64_t seeds = 20;
  unsigned jobs = 0;
  bool json = false;
  std::string svg;  // file for the picture; empty: none
};

struct SweepCommand {
  GridWords grid;
  std::vector<std::string> properties;  // as those of compare
  std::string seeds = "1..1000";
  unsigned jobs = 0;
  StopRule until;               // of each cell
  std::string format = "text";  // text, csv, json
  std::string out;              // file; empty: standard output
  std::string plot;             // file of a picture; empty: none
  PlotOf plot_of = PlotOf::shares;
  StoreWords kept;
  std::optional<Shard> shard;  // only with a store
  bool by_seed = false;        // only with a store: keep the verdict of each seed
};

struct EstimateCommand {
  std::string scenario;
  ScenarioEdits edits;
  std::string property = "mutual-exclusion";
  EstimateMethod method = EstimateMethod::automatic;
  std::string draw;  // empty: the one that decides
  std::uint64_t plain_runs = EstimateOptions().plain_runs, samples = EstimateOptions().samples;
  std::uint32_t trajectories = EstimateOptions().trajectories, replications = EstimateOptions().replications;
  std::uint64_t seed = 1;
  unsigned jobs = 0;
  std::string format = "text";  // text, csv, json
  std::string recipe;           // file for the rare run; empty: none
};

struct MergeCommand {
  std::vector<std::string> stores;
  std::string into;
};

// A recorded history, and what its words mean: checker/io/foreign_fields.hpp.
struct HistoryInput {
  std::string file;                           // "-": standard input
  std::string format;                         // a name of checker/io/format.hpp; empty: recognised by content
  std::vector<std::string> map, keys, types;  // THEIRS=OURS: functions, keys, types
  std::string process_field, owner_field, lock_field, token_field;
  bool independent = false, numbers_in_texts = false;
  std::string end_field;
  std::string skew;  // "5ms"; empty: none
  std::vector<std::string> refused;
  std::vector<std::string> instants;  // THEIRS=OURS, or THEIRS=OURS:fail
  std::string time_unit;              // ns, us, ms or s; empty: not said
  std::string sort;                   // "time", or empty
};

// Throws std::invalid_argument.  Requires that format and time_unit are known.
ReadOptions read_options(const HistoryInput& input);

struct CheckCommand {
  HistoryInput history;
  std::string model = "mutex";
  std::string initial;              // EDN; empty: the model's own
  double timeout_s = 60;            // 0: none
  std::uint64_t memory_mb = 2000;   // 0: without bound
  std::vector<std::string> ignore;  // functions
  bool verdict_only = false;        // no minimal witness
  bool json = false;
  std::string html, dot;  // files to write; empty: none
};

struct ExportCommand {
  HistoryInput history;
  std::string to;
  std::string purpose;  // "check", "knossos"; empty: everything as it is
  std::string lock;     // empty: all
};

struct RegressCommand {
  std::string folder;
  std::string junit;           // file; empty: none
  std::uint64_t others = 100;  // seeds to play when the kept run fails no more
  std::string lock;            // in the place of each file's own; empty: none
};

struct NewLockCommand {
  std::string name;      // "my-lock"
  std::string into;      // folder; empty: one of the lock's name
  bool lua = false;      // a file in Lua instead of a program
  bool mistake = false;  // the file in Lua that has a mistake
  bool python = false;   // a program in Python, which calls a library
  bool node = false;     // the same for Node
};

struct TourCommand {
  std::string chapter;  // number or name; empty: all of them
  bool list = false;    // only their names
};

struct ListCommand {
  std::string what = "all";
  std::vector<std::string> words;  // that an entry has to have in its name, summary, source or tags
  std::vector<std::string> tags;   // that a scenario has to have, all of them
  bool json = false, names = false;
};

int run(const RunCommand& command);
int compare(const CompareCommand& command);
int tell(const TellCommand& command);
// 0: violations are explained; 1: there is none; 3: there is none, and something expected is undecided.
int explain(const ExplainCommand& command);
// 0: nothing was found, and much was tested; 1: findings; 3: nothing was found, and little was tested.
int hunt(const HuntCommand& command);
// 0: no claim is refuted; 1: one is; 3: something was not tested.
int envelope(const EnvelopeCommand& command);
int sweep(const SweepCommand& command);
// 1: an error of the simulation; 3: nothing is estimated, for the reason that is printed.
int estimate(const EstimateCommand& command);
// 1: two results of one chunk differ.
int merge(const MergeCommand& command);
int check(const CheckCommand& command);
int export_history(const ExportCommand& command);
int list(const ListCommand& command);
// 0: all fixed; 1: something still fails; 3: something cannot be told any more.
int regress(const RegressCommand& command);
int new_lock(const NewLockCommand& command);
int tour(const TourCommand& command);

// Prints what is wrong with a scenario; gives the exit status.
int report(const std::vector<ScenarioError>& errors, bool json);
// --jobs; without it a thread for each core.
unsigned threads_of(unsigned jobs);
// "1..1000", both ends included; "1000" for the same. Nothing if it is not of that form, or empty.
std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_seeds(const std::string& text);
// "3/40". Nothing if it is not of that form, or not from 1/N to N/N.
std::optional<Shard> parse_shard(const std::string& text);

}  // namespace picklock
