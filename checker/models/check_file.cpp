#include "checker/models/check_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <limits>
#include <new>
#include <set>
#include <utility>

#include "base/nearest.hpp"
#include "checker/io/text_numbers.hpp"
#include "checker/models/bounds.hpp"
#include "checker/models/models.hpp"
#include "checker/models/sweep.hpp"
#include "checker/models/words.hpp"
#include "checker/search/specs/registers.hpp"

namespace picklock {
namespace {

// Names and values are short; what they cost in the tables dominates.
std::size_t memory_of(const History& tables) {
  constexpr std::size_t kPerName = 64;
  return (tables.names.size() + tables.values.size()) * kPerName;
}

// Has reading gone on for too long?
class Watch {
 public:
  Watch(Bounds& bounds, const History& tables, const Sweep& sweep) : bounds_(bounds), tables_(tables), sweep_(sweep) {}

  bool stops() {
    constexpr std::uint64_t kRecordsPerLook = 1024;
    if (++records_ % kRecordsPerLook != 0) return false;
    forget();
    counted_ = memory_of(tables_) + sweep_.memory();
    bounds_.add_others(counted_);  // memory beside the tables of a model's next step
    return bounds_.exceeded_now(0);
  }
  void forget() { bounds_.remove_others(std::exchange(counted_, 0)); }

 private:
  Bounds& bounds_;
  const History& tables_;
  const Sweep& sweep_;
  std::uint64_t records_ = 0;
  std::size_t counted_ = 0;
};

// The machine is out of memory although the bound was kept, or the events to sort are too many for it.
void out_of_memory(CheckResult& result) {
  result.verdict = Verdict::undecided;
  result.explanation = fmt::format("The memory did not suffice after {} records.", result.records);
}

std::string functions_of(const History& tables) {
  std::string text;
  for (const NameId id : tables.functions) {
    const std::string_view name = tables.names.view(id);
    if (!text.empty()) text += ", ";
    text += name.empty() ? "one without a name" : name;
  }
  return text;
}

// A key that `--initial` names and that no operation has is a mistake.
void check_initial(const std::string& file, const Sweep& sweep, const ModelChoice& choice) {
  std::vector<std::string> met;
  if (choice.initial.empty() || choice.initial == kUnknownFirst || !sweep.met_keys(met)) return;
  for (const std::string& asked : initial_keys(choice.initial)) {
    if (std::find(met.begin(), met.end(), asked) != met.end()) continue;
    constexpr std::size_t kListed = 10;
    const std::vector<std::string> listed(met.begin(),
                                          met.begin() + static_cast<std::ptrdiff_t>(std::min(kListed, met.size())));
    throw ReadError(file, {0, 0}, fmt::format("no operation with the key '{}', which --initial names", asked),
                    fmt::format("{}{}{}", met.size() == 1 ? "" : "one of ", fmt::join(listed, ", "),
                                (met.size() > kListed ? ", …" : "") + did_you_mean(asked, met)));
  }
}

// Every order of the operations would do, whatever the object did.
std::string nothing_observed(const CheckResult& result, const Sweep& sweep, const ModelInfo& info) {
  return fmt::format(
      "Nothing was observed: {} succeeded, {} failed and {} have an unknown outcome, and only {} could have "
      "contradicted "
      "the model '{}'.",
      sweep.succeeded(), sweep.failed(), sweep.operations() - sweep.succeeded() - sweep.failed(), info.observation,
      result.model);
}

// Numbers that were written, and texts of their digits that were answered: Redis knows texts alone.
class TextNumbers {
 public:
  void see(const OperationEvent& event) {
    if (event.value.is_integer() && numbers_.size() < kMost) numbers_.insert(event.value.number());
  }

  // One that occurs both ways, or empty.
  [[nodiscard]] std::string both(const ValueTable& values) const {
    for (std::uint32_t id = 0; id < values.size(); ++id) {
      const std::string_view text = values.text(Value::text(id));
      if (text.size() < 3 || text.front() != '"') continue;
      const auto number = integer_in(text.substr(1, text.size() - 2));
      if (number && numbers_.contains(*number)) return std::to_string(*number);
    }
    return {};
  }

 private:
  static constexpr std::size_t kMost = 10'000;
  std::set<std::int64_t> numbers_;
};

void conclude(CheckResult& result, Sweep& sweep, const ModelInfo& info, Bounds& bounds, bool with_witness) {
  result.operations = sweep.operations();
  for (std::size_t f = 0; f < sweep.skipped().size(); ++f) {
    if (sweep.skipped()[f] == 0) continue;
    result.skipped.emplace_back(result.tables.names.view(result.tables.functions[f]), sweep.skipped()[f]);
  }
  result.of_others = sweep.of_others();
  result.backwards = sweep.backwards();
  result.first_backwards = sweep.first_backwards();
  const std::string stopped = bounds.reason();  // a reason that arose while reading
  bounds.add_others(memory_of(result.tables));
  ModelResult found = sweep.finish(with_witness);
  result.verdict = found.verdict;
  result.holds = std::move(found.holds);
  result.events = std::move(found.events);
  result.explanation = std::move(found.explanation);
  result.partial = std::move(found.partial);
  result.minimal = std::move(found.minimal);
  result.members = std::move(found.members);
  result.parts = std::move(found.parts);
  result.keys = sweep.verdicts();
  result.overlaps = std::move(found.overlaps);
  const PartCounts& parts = result.parts;
  const bool alike = parts.undecided.count + parts.untested.count == 0 && parts.violated.count < 2;
  const std::string by_part = parts.all() < 2 || (alike && result.keys.empty()) ? "" : in_words(parts);
  const auto tell = [&](const std::string& sentence) {
    result.explanation = sentence + (sentence.empty() || by_part.empty() ? "" : " ") + by_part;
  };
  if (result.verdict == Verdict::violated) return tell(result.explanation);
  if (!stopped.empty()) {
    result.verdict = Verdict::undecided;
    tell(fmt::format("{} after {} operations.", stopped, result.operations));
  } else if (result.records == 0) {
    result.verdict = Verdict::undecided;
    result.explanation = "The history is empty: it has no records.";
  } else if (result.operations == 0 && result.of_others > 0 && result.skipped.empty()) {
    result.verdict = Verdict::undecided;
    result.explanation =
        "No client did anything: all processes have names, as Jepsen's nemesis has; --process-field process takes them "
        "for "
        "clients.";
  } else if (info.needs_values ? sweep.operations() == 0 : sweep.acquires() == 0) {
    result.verdict = Verdict::undecided;
    const std::string functions = functions_of(result.tables);
    const std::string wanted =
        info.needs_values ? fmt::format("{}", fmt::join(info.functions, "' or '")) : std::string(info.functions[0]);
    result.explanation =
        fmt::format("The history has no operation '{}', so it says nothing about the {}; its functions: {}.", wanted,
                    info.needs_values ? "object" : "lock", functions.empty() ? "none" : functions);
  } else if (result.verdict == Verdict::holds && result.parts.decided() == 0) {
    result.verdict = Verdict::undecided;
    tell(nothing_observed(result, sweep, info));
  } else if (result.verdict == Verdict::holds) {
    tell(fmt::format("All {} operations fit the model '{}'.", result.operations, result.model));
  } else {
    tell(result.explanation);
  }
}

// Work of a run's clients besides taking the lock (scenarios/recording/journal.hpp).
constexpr std::string_view kWorkOfARun[] = {"read", "write", "append", "final-read", "force"};

// Stops at the first operation of a client that the model does not know and that is not to be left out.
class Gate {
 public:
  Gate(const ModelInfo& info, const History& tables, const HistoryCheckOptions& options)
      : info_(info), tables_(tables), options_(options) {}

  // The history is a run's own: the work of its clients may be left out unasked.
  void pass_work() { own_ = true; }

  // Throws ImpossibleEvent.
  void pass(const OperationEvent& event) {
    if (!options_.ignored || event.process < 0 || passed_[event.f]) return;
    check(tables_.names.view(tables_.functions[event.f]));
    passed_[event.f] = true;
  }

 private:
  void check(std::string_view name) const {
    const auto is = [&](std::string_view other) { return other == name; };
    if (std::any_of(info_.functions.begin(), info_.functions.end(), is)) return;
    if (std::any_of(options_.ignored->begin(), options_.ignored->end(), is)) return;
    if (own_ && std::any_of(std::begin(kWorkOfARun), std::end(kWorkOfARun), is)) return;
    if (name.empty()) {
      throw ImpossibleEvent("a record without :f",
                            fmt::format("a function in :f, one of {}, or --key …=f with the key that names it",
                                        fmt::join(info_.functions, ", ")));
    }
    const auto nearest = nearest_name(name, info_.functions);
    std::vector<std::string> said = *options_.ignored;
    for (const auto& [from, to] : options_.functions) said.push_back(from);
    const auto meant = nearest_name(name, said);
    throw ImpossibleEvent(
        fmt::format("the function '{}', which the model '{}' does not know", name, info_.name),
        fmt::format("one of {}{}, or --map {}=… to translate it{}, or --ignore {} to leave it out",
                    fmt::join(info_.functions, ", "), nearest ? fmt::format(" (the nearest is '{}')", *nearest) : "",
                    name, meant ? fmt::format(" (was it meant by '{}'?)", *meant) : "", name));
  }

  const ModelInfo& info_;
  const History& tables_;
  const HistoryCheckOptions& options_;
  std::bitset<256> passed_;  // functions
  bool own_ = false;
};

// Whether times are those of a clock, in another unit than nanoseconds.
class TimeRange {
 public:
  void see(std::int64_t time) {
    if (time == kNoTime) return;
    earliest_ = std::min(earliest_, time);
    latest_ = std::max(latest_, time);
  }
  [[nodiscard]] bool none() const { return latest_ < earliest_; }
  [[nodiscard]] std::string_view likely_unit() const {
    constexpr std::int64_t kYear2000 = 946'684'800, kYear2100 = 4'102'444'800, kSpan = 100 * 86'400;
    if (none()) return {};
    std::int64_t unit = 1;  // units in a second
    for (const std::string_view name : {"s", "ms", "us"}) {
      const bool near = latest_ - earliest_ <= kSpan * unit;  // more likely the times of one history
      if (near && earliest_ >= kYear2000 * unit && latest_ <= kYear2100 * unit) return name;
      unit *= 1000;
    }
    return {};
  }

 private:
  std::int64_t earliest_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t latest_ = std::numeric_limits<std::int64_t>::min();
};

class Feeder final : public EventSink {
 public:
  Feeder(Sweep& sweep, Gate& gate, Naming& naming) : sweep_(sweep), gate_(gate), naming_(naming) {}
  void operation(const OperationEvent& event, const OperationExtras&) override {
    gate_.pass(event);
    if (times_.none() && event.time != kNoTime) naming_.begin(event.time);
    times_.see(event.time);
    numbers_.see(event);
    sweep_.feed(event);
  }
  [[nodiscard]] const TimeRange& times() const { return times_; }
  [[nodiscard]] const TextNumbers& numbers() const { return numbers_; }
  void omniscient() override { gate_.pass_work(); }

 private:
  Sweep& sweep_;
  Gate& gate_;
  Naming& naming_;
  TimeRange times_;
  TextNumbers numbers_;
};

}  // namespace

CheckResult check_source(ByteSource& source, const std::string& file, const HistoryCheckOptions& options) {
  const ModelChoice choice = find_model(options.model, options.initial);
  CheckResult result;
  result.model = options.model;
  Bounds bounds(options.timeout, options.memory);
  ReadOptions reading;
  reading.format = options.format;
  reading.keep_values = choice.info->needs_values;
  reading.keep_extras = false;
  reading.functions = options.functions;
  reading.fields = options.fields;
  reading.fields.key_beside = choice.info->keyed;
  reading.sort_by_time = options.sort_by_time;
  reading.limits.sorted = options.memory;
  reading.naming = &result.naming;
  HistoryReader reader(source, file, result.tables, reading);
  result.format = reader.format();
  Sweep sweep(choice, result.tables, &bounds, &result.naming);
  sweep.keep_awake(options.awake_locks);
  sweep.accept_any_violation(options.verdict_only);
  sweep.judge_each(options.fields.independent);
  Gate gate(*choice.info, result.tables, options);
  Feeder feeder(sweep, gate, result.naming);
  Watch watch(bounds, result.tables, sweep);
  try {
    while (!watch.stops() && reader.next(feeder)) ++result.records;
    watch.forget();
    if (!options.fields.time_unit) result.likely_time_unit = feeder.times().likely_unit();
    if (bounds.reason().empty()) check_initial(file, sweep, choice);
    conclude(result, sweep, *choice.info, bounds, !options.verdict_only);
    if (options.fields.skew > 0) result.backwards = 0;  // events were sorted by other times
    const bool unkeyed = options.fields.lock.empty() && !options.fields.independent && !choice.info->keyed;
    result.likely_independent = unkeyed && reader.likely_independent();
    if (result.verdict == Verdict::violated) result.text_number = feeder.numbers().both(result.tables.values);
  } catch (const ImpossibleEvent& event) {
    reader.fail(event.found, event.expected);
  } catch (const std::bad_alloc&) {
    out_of_memory(result);
  }
  result.elapsed = bounds.elapsed();
  return result;
}

CheckResult check_file(const std::string& path, const HistoryCheckOptions& options) {
  FileSource source(path);
  return check_source(source, path, options);
}

CheckResult check_history(const History& history, const HistoryCheckOptions& options) {
  return check_history(history, find_model(options.model, options.initial), options);
}

CheckResult check_history(const History& history, const ModelChoice& choice, const HistoryCheckOptions& options) {
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
  Bounds bounds(options.timeout, options.memory);
  const auto timed = std::find_if(history.operations.begin(), history.operations.end(),
                                  [](const OperationEvent& event) { return event.time != kNoTime; });
  if (timed != history.operations.end()) result.naming.begin(timed->time);
  Sweep sweep(choice, result.tables, &bounds, &result.naming);
  sweep.keep_awake(options.awake_locks);
  sweep.accept_any_violation(options.verdict_only);
  Gate gate(*choice.info, result.tables, options);
  if (history.omniscient) gate.pass_work();
  Watch watch(bounds, result.tables, sweep);
  try {
    for (const OperationEvent& event : history.operations) {
      if (watch.stops()) break;
      ++result.records;
      gate.pass(event);
      sweep.feed(event);
    }
    watch.forget();
    if (bounds.reason().empty()) check_initial("history", sweep, choice);
    conclude(result, sweep, *choice.info, bounds, !options.verdict_only);
  } catch (const ImpossibleEvent& event) {
    throw ReadError("history", {result.records, 1}, event.found, event.expected);
  } catch (const std::bad_alloc&) {
    out_of_memory(result);
  }
  result.elapsed = bounds.elapsed();
  return result;
}

}  // namespace picklock
