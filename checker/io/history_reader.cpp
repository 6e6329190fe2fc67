#include "checker/io/history_reader.hpp"

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "checker/io/event_decoder.hpp"
#include "checker/io/event_sorter.hpp"
#include "checker/io/gzip.hpp"

namespace picklock {
namespace {

// A whole History, in memory.
class Builder final : public EventSink {
 public:
  explicit Builder(History& history) : history_(history) {}

  void operation(const OperationEvent& event, const OperationExtras& extras) override {
    OperationEvent& kept = history_.operations.emplace_back(event);
    const bool known = event.hold < history_.holds.size();
    if (!known) kept.hold = kNoHold;
    for (const ExtraField& field : extras.fields) {
      const bool repeats_hold = known && event.hold != kNoHold && extras.client != kNoName &&
                                history_.holds[event.hold].client == extras.client &&
                                history_.names.view(field.key) == "client";
      if (!repeats_hold) history_.extras.push_back(field);
    }
    if (!known && event.hold != kNoHold) {  // a foreign number
      history_.extras.push_back({event.index, history_.names.intern("hold"), history_.values.integer(event.hold)});
    }
  }
  void omniscient() override { history_.omniscient = true; }
  void hold(HoldId, const HoldInfo& info) override {
    if (history_.holds.empty()) history_.holds.emplace_back();
    history_.holds.push_back(info);
  }
  void belief(const BeliefEvent& event) override { history_.beliefs.push_back(event); }
  void grant(const GrantEvent& event) override { history_.grants.push_back(event); }
  void effect(const EffectEvent& event) override { history_.effects.push_back(event); }
  void process(const ProcessEvent& event) override { history_.processes.push_back(event); }
  void phase(const PhaseEvent& event) override { history_.phases.push_back(event); }

 private:
  History& history_;
};

}  // namespace

HistoryReader::HistoryReader(ByteSource& source, std::string file, History& tables, ReadOptions options)
    : file_(std::move(file)),
      options_(std::move(options)),
      tables_(tables),
      unpacked_(std::make_unique<UnpackingSource>(source, file_)),
      window_(*unpacked_, options_.limits.record),
      format_(recognised()),
      records_(make_reader(format_, window_, file_, options_.limits)) {
  options_.sort_by_time = options_.sort_by_time || options_.fields.skew > 0 || !options_.fields.end.empty();
  if (options_.format == Format::automatic) {
    ahead_ = read_ahead();
    if (ahead_) format_ = recognise_content(format_, record_);
  }
  for (const InstantFunction& instant : options_.fields.instants) {
    options_.functions.emplace_back(instant.theirs, instant.ours);
  }
  asked_functions_ = options_.functions;
  asked_types_ = options_.fields.types;
  options_.fields = with_defaults_of(format_, std::move(options_.fields));
  // The last one counts: the caller, not the format.
  auto& functions = options_.functions;
  auto implied = functions_of(format_);
  implied.insert(implied.end(), functions.begin(), functions.end());
  functions = std::move(implied);
  decoder_ = std::make_unique<EventDecoder>(tables, options_);
}

HistoryReader::~HistoryReader() = default;

// An error in the text of a packed file may be damage to the file, which then is the error.
template <typename Read>
static auto or_damage(UnpackingSource& unpacked, Read read) {
  try {
    return read();
  } catch (const ReadError&) {
    unpacked.check_rest();
    throw;
  }
}

Format HistoryReader::recognised() {
  return or_damage(*unpacked_, [&] {
    refuse_stranger(window_, file_);
    return options_.format == Format::automatic ? recognise_syntax(window_, file_) : options_.format;
  });
}

bool HistoryReader::read_ahead() {
  return or_damage(*unpacked_, [&] { return records_->next(record_); });
}

bool HistoryReader::next(EventSink& sink) {
  return or_damage(*unpacked_, [&] { return options_.sort_by_time ? sorted_next(sink) : read_next(sink); });
}

bool HistoryReader::sorted_next(EventSink& sink) {
  if (sorter_ == nullptr) {
    auto sorter =
        std::make_unique<EventSorter>(sink, options_.limits.sorted, options_.fields.skew, !options_.fields.end.empty());
    while (read_next(*sorter)) {
      sorter->place(records_->position(record_.begin));
      if (sorter->run()) fail("an event of a run, whose history is in order", "a history of operations alone to sort");
      if (sorter->untimed()) fail("an event without a time", "a time in each, to sort by it");
    }
    sorter->sort();
    Naming unnamed;
    sorter->separate(options_.naming != nullptr ? *options_.naming : unnamed, tables_);
    if (options_.naming != nullptr) options_.naming->lines.keep_all();
    sorter_ = std::move(sorter);
  }
  EventSorter::Event* const event = sorter_->next();
  if (event == nullptr) return false;
  decoder_->pair(event->operation);
  position_ = event->position;
  if (options_.naming != nullptr) options_.naming->lines.add(event->operation.index, position_.line);
  sink.operation(event->operation, sorter_->extras_of(*event));
  return true;
}

bool HistoryReader::read_next(EventSink& sink) {
  if (!ahead_ && !records_->next(record_)) {
    check_fields();
    return false;
  }
  ahead_ = false;
  try {
    const bool lines = options_.naming != nullptr && !options_.sort_by_time;
    decoder_->decode(record_, sink, lines ? records_->position(record_.begin).line : 0);
  } catch (SyntaxError& error) {
    records_->fail(error.at, std::move(error.found), std::move(error.expected));
  }
  return true;
}

void HistoryReader::check_fields() const {
  const auto check = [&](const char* what, const std::optional<FieldFinder::Missing>& missing) {
    if (!missing) return;
    throw ReadError(
        file_, {0, 0}, fmt::format("no record with {} '{}'", what, missing->field),
        fmt::format("one of {}{}", fmt::join(missing->seen, ", "), did_you_mean(missing->field, missing->seen)));
  };
  check("a field", decoder_->missing());
  if (!decoder_->any()) return;
  check("the function", decoder_->unused_function(asked_functions_));
  check("the type", decoder_->unused_type(asked_types_));
}

bool HistoryReader::likely_independent() const { return decoder_->likely_pairs(); }

Position HistoryReader::position() const { return sorter_ != nullptr ? position_ : records_->position(record_.begin); }

void HistoryReader::fail(std::string found, std::string expected) const {
  throw ReadError(file_, position(), std::move(found), std::move(expected));
}

History read_history(ByteSource& source, const std::string& file, const ReadOptions& options) {
  History history;
  Builder builder(history);
  HistoryReader reader(source, file, history, options);
  while (reader.next(builder)) {
  }
  return history;
}

History read_history_text(std::string_view text, const ReadOptions& options) {
  TextSource source(text);
  return read_history(source, "text", options);
}

History read_history_file(const std::string& path, const ReadOptions& options) {
  FileSource source(path);
  return read_history(source, path, options);
}

}  // namespace picklock
