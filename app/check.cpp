#include <fmt/format.h>

#include <array>
#include <memory>

#include "app/command.hpp"
#include "app/history_input.hpp"
#include "app/shared_options.hpp"
#include "checker/models/check_file.hpp"
#include "reports/check/check_dot.hpp"
#include "reports/check/check_page.hpp"
#include "reports/check/check_text.hpp"
#include "reports/json.hpp"
#include "reports/run/files.hpp"

namespace picklock {
namespace {

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

int status_of(Verdict verdict) {
  return verdict == Verdict::holds ? kAsExpected : verdict == Verdict::violated ? kNotAsExpected : kUndecided;
}

std::string standard_input() {
  FileSource source("-");
  std::string all;
  std::array<char, 65'536> bytes{};
  while (const std::size_t count = source.read(bytes.data(), bytes.size())) all.append(bytes.data(), count);
  return all;
}

int check(const CheckCommand& command) {
  const ReadOptions reading = read_options(command.history);
  HistoryCheckOptions options;
  options.model = command.model;
  options.initial = command.initial;
  options.format = reading.format;
  options.functions = reading.functions;
  options.ignored = command.ignore;
  options.fields = reading.fields;
  options.sort_by_time = reading.sort_by_time;
  options.verdict_only = command.verdict_only;
  options.timeout =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(command.timeout_s));
  options.memory = static_cast<std::size_t>(command.memory_mb) << 20;
  try {
    const std::string& file = command.history.file;
    const bool twice = !command.html.empty();  // judged as it passes by, then kept, for the page to draw it
    const std::string input = twice && file == "-" ? standard_input() : std::string();
    const auto source = [&]() -> std::unique_ptr<ByteSource> {
      if (twice && file == "-") return std::make_unique<TextSource>(input);
      return std::make_unique<FileSource>(file);
    };
    const CheckResult result = check_source(*source(), file, options);
    if (twice) write_file(command.html, check_page(file, result, read_history(*source(), file, reading)));
    if (!command.dot.empty()) write_file(command.dot, check_dot(result));
    fmt::print("{}", command.json ? check_json(file, result) : check_text(file, result));
    return status_of(result.verdict);
  } catch (const ReadError& error) {
    return report(error, command.json);
  }
}

constexpr const char* kCheckExamples = R"(
Examples:
  picklock check history.edn --model mutex
  picklock check prod.jsonl.gz --map lock=acquire,unlock=release --key op=f --owner-field client
  picklock check app.csv --key at=time,event=f --process-field client --instant acquired=acquire,released=release
  picklock check history.edn --model cas-register --html history.html)";

// CLI::Range lets nan pass.
std::string not_seconds(const std::string& text) {
  double seconds = 0;
  const bool good = CLI::detail::lexical_cast(text, seconds) && seconds >= 0 && seconds <= 1e6;
  return good ? "" : "found '" + text + "', expected seconds from 0 to 1000000";
}

}  // namespace

CommandBody state_check(CLI::App& app) {
  const auto asked = std::make_shared<CheckCommand>();
  app.footer(with_exit_status(kCheckExamples));
  add_history_options(app, asked->history);
  app.add_option("--model", asked->model, "lock model, see 'picklock list models' (default mutex)");
  app.add_option(
      "--initial", asked->initial,
      "first state of the model: value of a register (0), values by key ({x 0, y 0}), or permits of a "
      "semaphore that are free at first (0 to N); unknown, for registers, maps and mutexes, if the history begins in "
      "the middle; default nil, all permits, and free");
  app.add_option("--timeout", asked->timeout_s,
                 "time limit in seconds, from 0 to 1000000 (default 60; 0: none); when it is over, the verdict is "
                 "undecided (exit status 3)")
      ->check(not_seconds);
  app.add_option("--html", asked->html, "writes the history and its contradiction as a page for the browser");
  app.add_option("--dot", asked->dot, "writes the contradiction as a graph for Graphviz");
  app.add_option("--memory", asked->memory_mb,
                 "memory limit in megabytes, for names, models and searches (default 2000; 0: none); when it is "
                 "reached, the verdict is undecided (exit status 3)")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 24));
  comma_separated(app.add_option("--ignore", asked->ignore,
                                 "functions to leave out, such as read,write; any other unknown function is an error"));
  app.add_flag("--no-witness", asked->verdict_only,
               "looks for no minimal witness of a violated register, map or set, which may take longer than the "
               "verdict, and of several violated keys reports the first that it finds");
  add_format(app, asked->json);
  return [asked] { return check(*asked); };
}

}  // namespace picklock
