#include <fmt/format.h>

#include <map>

#include "app/command.hpp"
#include "app/history_input.hpp"
#include "app/shared_options.hpp"
#include "base/printable.hpp"
#include "checker/io/history_writer.hpp"
#include "checker/io/lock_operations.hpp"

namespace picklock {
namespace {

struct ExportCommand {
  HistoryInput history;
  std::string to;
  std::string purpose;  // "check", "knossos"; empty: everything as it is
  std::string lock;     // empty: all
};

// Operations that were invoked, by function.
std::map<std::string, std::uint64_t> counts_of(const History& history) {
  std::map<std::string, std::uint64_t> counts;
  for (const OperationEvent& e : history.operations) {
    if (e.process < 0 || e.type != OperationType::invoke) continue;
    ++counts[std::string(history.names.view(history.functions[e.f]))];
  }
  return counts;
}

void tell_what_is_left_out(const History& all, const History& written) {
  auto kept = counts_of(written);
  std::string functions;
  for (const auto& [function, count] : counts_of(all)) {
    if (kept[function] >= count) continue;
    functions += fmt::format("{}{} {}", functions.empty() ? "" : ", ", function, count - kept[function]);
  }
  if (!functions.empty()) fmt::print(stderr, "picklock: left out operations: {}\n", printable(functions));
}

int export_history(const ExportCommand& command) {
  WriteOptions write;
  const auto format = format_of_file_name(command.to);
  if (!format) {
    fmt::print(stderr,
               "picklock: found '{}', expected a file whose name ends in .edn or .json, and then .gz to pack it\n",
               command.to);
    return kUsage;
  }
  write.format = *format;
  const bool for_knossos = command.purpose == "knossos";
  if (for_knossos && *format != Format::edn) {
    fmt::print(stderr, "picklock: found '{}', expected a file whose name ends in .edn: Knossos reads no JSON\n",
               command.to);
    return kUsage;
  }
  try {
    const History all = read_history_file(command.history.file, read_options(command.history));
    History history = command.purpose.empty() ? all : with_beliefs_as_operations(all);
    if (!command.lock.empty()) history = only_of_lock(history, command.lock);
    const std::vector<std::string> locks = locks_of(history);
    if (for_knossos && locks.size() > 1) {
      fmt::print(stderr, "picklock: the history has {} locks, and Knossos judges one; choose with --lock: {}\n",
                 locks.size(), printable(fmt::format("{}", fmt::join(locks, ", "))));
      return kUsage;
    }
    tell_what_is_left_out(all, history);
    write_history_file(history, command.to, write);
    return kAsExpected;
  } catch (const ReadError& error) {
    return report(error, false);
  }
}

constexpr const char* kExportExamples = R"(
Examples:
  picklock export jepsen.log history.edn.gz
  picklock export run/history.edn for_knossos.edn --for knossos --lock orders)";

}  // namespace

CommandBody state_export(CLI::App& app) {
  const auto asked = std::make_shared<ExportCommand>();
  app.footer(with_exit_status(kExportExamples));
  add_history_options(app, asked->history);
  app.add_option("to", asked->to, "a file whose name ends in .edn or .json, and then .gz to pack it")->required();
  app.add_option("--for", asked->purpose,
                 "checker that reads the export: check (picklock check) or knossos. Only acquires and releases are "
                 "written; of a run, a hold lasts as long as its client believes in it")
      ->check(CLI::IsMember({"check", "knossos"}));
  app.add_option("--lock", asked->lock, "lock to export; the others are left out");
  return [asked] { return export_history(*asked); };
}

}  // namespace picklock
