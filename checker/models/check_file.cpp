#include "checker/models/check_file.hpp"

#include <fmt/format.h>

#include <optional>

#include "checker/models/models.hpp"
#include "checker/models/sweep.hpp"

namespace picklock {
namespace {

using Clock = std::chrono::steady_clock;

// Why a check stopped early, if it must.  Looks at the clock once in a while only.
class Bounds {
 public:
  explicit Bounds(const CheckOptions& options) : options_(options), begin_(Clock::now()) {}

  [[nodiscard]] std::chrono::nanoseconds elapsed() const { return Clock::now() - begin_; }

  std::optional<std::string> exceeded(const History& tables, const Sweep& sweep) {
    if (++calls_ % 1024 != 0) return std::nullopt;
    if (options_.timeout.count() > 0 && elapsed() > options_.timeout) {
      return fmt::format("The time allowed, {} s, was over after {} operations.",
                         std::chrono::duration<double>(options_.timeout).count(),
                         sweep.operations());
    }
    // Names and values are short; what they cost in the tables dominates.
    constexpr std::size_t kPerName = 64;
    const std::size_t bytes =
        sweep.memory() + (tables.names.size() + tables.values.size()) * kPerName;
    if (options_.memory > 0 && bytes > options_.memory) {
      return fmt::format("The memory allowed, {} MB, was full after {} operations.",
                         options_.memory / 1'000'000, sweep.operations());
    }
    return std::nullopt;
  }

 private:
  const CheckOptions& options_;
  Clock::time_point begin_;
  std::uint64_t calls_ = 0;
};

std::string functions_of(const History& tables) {
  std::string text;
  for (const NameId id : tables.functions) {
    if (!text.empty()) text += ", ";
    text += tables.names.view(id);
  }
  return text;
}

void conclude(CheckResult& result, Sweep& sweep, const ModelInfo& info,
              const std::optional<std::string>& stopped) {
  result.operations = sweep.operations();
  ModelResult found = sweep.finish();
  result.judgement = found.judgement;
  result.holds = std::move(found.holds);
  result.events = std::move(found.events);
  result.explanation = std::move(found.explanation);
  result.partial = std::move(found.partial);
  if (result.judgement == Judgement::violated) return;
  if (stopped) {
    result.judgement = Judgement::undecided;
    result.explanation = *stopped;
  } else if (sweep.acquires() == 0) {
    result.judgement = Judgement::undecided;
    const std::string functions = functions_of(result.tables);
    result.explanation = fmt::format(
        "The history has no operation '{0}', so it says nothing about the lock; its functions: "
        "{1}.",
        info.functions[0], functions.empty() ? "none" : functions);
  } else if (result.judgement == Judgement::holds) {
    result.explanation =
        fmt::format("All {} operations fit the model '{}'.", result.operations, result.model);
  }
}

class Feeder final : public EventSink {
 public:
  explicit Feeder(Sweep& sweep) : sweep_(sweep) {}
  void operation(const OperationEvent& event, const OperationExtras&) override {
    sweep_.feed(event);
  }

 private:
  Sweep& sweep_;
};

}  // namespace

CheckResult check_source(ByteSource& source, const std::string& file, const CheckOptions& options) {
  const ModelChoice choice = find_model(options.model);
  CheckResult result;
  result.model = options.model;
  Bounds bounds(options);
  ReadOptions reading;
  reading.format = options.format;
  reading.keep_values = false;
  reading.keep_extras = false;
  reading.functions = options.functions;
  reading.fields = options.fields;
  HistoryReader reader(source, file, result.tables, reading);
  result.format = reader.format();
  Sweep sweep(choice, result.tables);
  Feeder feeder(sweep);
  std::optional<std::string> stopped;
  try {
    while (!stopped && reader.next(feeder)) {
      ++result.records;
      stopped = bounds.exceeded(result.tables, sweep);
    }
  } catch (const ImpossibleEvent& event) {
    reader.fail(event.found, event.expected);
  }
  conclude(result, sweep, *choice.info, stopped);
  result.elapsed = bounds.elapsed();
  return result;
}

CheckResult check_file(const std::string& path, const CheckOptions& options) {
  FileSource source(path);
  return check_source(source, path, options);
}

CheckResult check_history(const History& history, const CheckOptions& options) {
  const ModelChoice choice = find_model(options.model);
  CheckResult result;
  result.model = options.model;
  result.tables.names = history.names;
  result.tables.functions = history.functions;
  for (NameId& function : result.tables.functions) {
    for (const auto& [from, to] : options.functions) {
      if (history.names.view(function) != from) continue;
      function = result.tables.names.intern(to);
      break;
    }
  }
  result.tables.values = history.values;
  Bounds bounds(options);
  Sweep sweep(choice, result.tables);
  std::optional<std::string> stopped;
  try {
    for (const OperationEvent& event : history.operations) {
      ++result.records;
      sweep.feed(event);
      if ((stopped = bounds.exceeded(result.tables, sweep))) break;
    }
  } catch (const ImpossibleEvent& event) {
    throw ReadError("history", {result.records, 1}, event.found, event.expected);
  }
  conclude(result, sweep, *choice.info, stopped);
  result.elapsed = bounds.elapsed();
  return result;
}

}  // namespace picklock
