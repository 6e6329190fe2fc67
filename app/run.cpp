#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <thread>

#include "app/command.hpp"
#include "reports/costs.hpp"
#include "reports/files.hpp"
#include "reports/json.hpp"
#include "reports/slice.hpp"
#include "reports/table.hpp"
#include "reports/timeline.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/set.hpp"

namespace picklock {
namespace {

std::atomic<bool> interrupted{false};
extern "C" void on_interrupt(int) { interrupted.store(true); }

int report(const std::vector<ScenarioError>& errors, bool json) {
  if (json) fmt::print("{}", errors_json(errors));
  for (const ScenarioError& e : errors) fmt::print(stderr, "{}{}\n", e.file.empty() ? "picklock: " : "", print(e));
  return kUsage;
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%") ==
                                          std::string::npos;
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The command that repeats a run, up to the seed's number.
std::string replay_command(const RunCommand& c) {
  std::string words = "picklock run " + shell_word(c.scenario);
  if (!c.lock.empty()) words += " --lock " + shell_word(c.lock);
  for (const std::string& s : c.set) words += " --set " + shell_word(s);
  return words + " --seed ";
}

// Shows on a terminal how far a long campaign has come.
class ProgressBar {
 public:
  void show(std::uint64_t done, std::uint64_t all) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kQuietAtFirst{500}, kBetween{100};
    const Clock::time_point now = Clock::now();
    if (!on_terminal_ || now - start_ < kQuietAtFirst || (now - shown_ < kBetween && done < all)) return;
    shown_ = now;
    constexpr std::uint64_t kWidth = 40;
    const std::uint64_t filled = kWidth * done / std::max<std::uint64_t>(all, 1);
    const double passed = std::chrono::duration<double>(now - start_).count();
    fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {} of {} runs, {:.0f}/s ", "", filled, "", kWidth - filled, done, all,
               static_cast<double>(done) / passed);
    std::fflush(stderr);
    visible_ = true;
  }
  ~ProgressBar() {
    if (visible_) fmt::print(stderr, "\r{:100}\r", "");
  }

 private:
  bool on_terminal_ = ::isatty(STDERR_FILENO) != 0, visible_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), shown_{};
};

std::vector<ScenarioError> located(const ScenarioFile& file, const std::vector<ScenarioProblem>& problems) {
  std::vector<ScenarioError> errors;
  for (const ScenarioProblem& p : problems) errors.push_back(file.located(p.where, p.found, p.expected, p.nearest));
  return errors;
}

// The first violation, or that of the property of this name; null: none.
const Finding* violation(const RunResult& result, const std::string& property) {
  for (const Finding& v : result.findings) {
    if (v.verdict == Verdict::violated && (property.empty() || property == info(v.property).name)) return &v;
  }
  return nullptr;
}

int run_one(const RunCommand& command, const ScenarioFile& file, const Scenario& scenario, std::uint64_t seed) {
  auto compiled = Runner::compile(scenario);
  if (const auto* problems = std::get_if<1>(&compiled)) return report(located(file, *problems), command.json);
  Runner& runner = *std::get<0>(compiled);
  const bool raw = !command.lock.empty();
  const bool keep = !command.out.empty();
  const RunResult& result = runner.run(seed, {.full_trace = keep || command.slice, .draws = keep});
  const std::string replay = replay_command(command) + std::to_string(seed);
  std::optional<SliceStory> slice;
  if (const Finding* const finding = command.slice ? violation(result, command.slice_of) : nullptr) {
    slice = slice_story(runner, result, *finding);
    if (!command.dot.empty()) write_file(command.dot, slice_dot(*slice));
  }
  const std::string json =
      command.json || keep ? run_json(runner.scenario(), result, raw, replay, slice ? &*slice : nullptr) : "";
  const std::string story =
      !command.json || keep ? timeline(runner.scenario(), result, raw, replay, who_still_waits(runner)) : "";
  if (keep) write_run_files(command.out, runner, result, json, story);
  if (command.slice && !command.json) {
    fmt::print("{}, seed {}: {}", runner.scenario().name, seed,
               slice ? slice_text(*slice) : "nothing is violated that has a slice\n");
    fmt::print("again:  {} --slice\n", replay);
  } else {
    fmt::print("{}", command.json ? json : story);
  }
  std::vector<Fulfilment> all;
  for (const Finding& v : result.findings) {
    const PropertySummary s = summarize(v, seed, runner.scenario(), raw);
    // `some` and its like speak of many seeds: one run cannot refute them.
    const bool about_many = s.expectation && s.expectation->seeds == Seeds::some;
    if (about_many && s.fulfilment == Fulfilment::not_as_expected) continue;
    if (s.expectation || (raw && v.verdict != Verdict::not_applicable)) all.push_back(s.fulfilment);
  }
  if (!result.error.empty()) all.push_back(Fulfilment::not_as_expected);
  return exit_status(all);
}

int run_many(const RunCommand& command, const ScenarioFile& file, const Scenario& scenario, SeedRange seeds) {
  ProgressBar bar;
  CampaignOptions options;
  options.seeds = seeds;
  options.jobs = command.jobs != 0 ? command.jobs : std::max(1u, std::thread::hardware_concurrency());
  options.raw = !command.lock.empty();
  options.costs = command.measure;
  options.progress = [&](std::uint64_t done, std::uint64_t all) { bar.show(done, all); };
  options.stop = &interrupted;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  auto outcome = run_campaign(scenario, options);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (const auto* problems = std::get_if<1>(&outcome)) return report(located(file, *problems), command.json);
  const CampaignResult& result = std::get<0>(outcome);
  const std::string replay = replay_command(command);
  const std::string json = campaign_json(scenario, result, options.raw, replay);
  const std::string table = campaign_table(scenario, result, options.raw, replay);
  if (!command.out.empty()) {
    make_folder(command.out);
    write_file(command.out + "/result.json", json);
    write_file(command.out + "/result.txt", table);
  }
  if (result.costs) {
    std::string again = replay_command(command);  // ends in "--seed "
    if (seeds.size() == 1) {
      again += fmt::format("{} --measure", seeds.first);
    } else {
      again.insert(again.size() - 1, "s");
      again += fmt::format("{}..{} --measure", seeds.first, seeds.last);
    }
    fmt::print("{}", command.json ? costs_json(scenario, *result.costs, seeds, again)
                                  : costs_text(scenario, *result.costs, seeds, again));
  } else {
    fmt::print("{}", command.json ? json : table);
  }
  return result.exit_status();
}

}  // namespace

std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_seeds(const std::string& text) {
  const auto number = [](std::string_view digits) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const std::size_t dots = text.find("..");
  const auto first = number(std::string_view(text).substr(0, dots));
  const auto last = dots == std::string::npos ? first : number(std::string_view(text).substr(dots + 2));
  if (!first || !last || *first > *last || *last - *first == UINT64_MAX) return std::nullopt;
  return std::pair(*first, *last);
}

int run(const RunCommand& command) {
  ScenarioFile file = load_scenario(command.scenario);
  if (!file.ok()) return report(file.errors, command.json);
  Scenario& scenario = file.scenario;
  std::vector<ScenarioError> errors;
  if (!command.lock.empty()) {
    if (auto error = set_lock(scenario, command.lock)) errors.push_back(*error);
  }
  for (const std::string& assignment : command.set) {
    if (auto error = set_in_scenario(scenario, assignment)) errors.push_back(*error);
  }
  if (!errors.empty()) return report(errors, command.json);
  if (command.seeds.empty() && command.measure) {
    const std::uint64_t seed = command.seed.value_or(1);
    return run_many(command, file, scenario, {seed, seed});
  }
  if (command.seeds.empty()) return run_one(command, file, scenario, command.seed.value_or(1));
  const auto seeds = parse_seeds(command.seeds);
  if (!seeds) {
    fmt::print(stderr, "picklock: --seeds: found '{}', expected A..B with A <= B, as in 1..1000\n", command.seeds);
    return kUsage;
  }
  return run_many(command, file, scenario, {seeds->first, seeds->second});
}

}  // namespace picklock
