#include "checker/io/history_writer.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>

#include "checker/io/event_names.hpp"
#include "checker/io/record_text.hpp"
#include "checker/sparse_map.hpp"

namespace picklock {
namespace {

constexpr std::size_t kFlushAt = 256 * 1024;

class Writer {
 public:
  Writer(const History& history, Format format, ByteSink& sink)
      : history_(history), sink_(sink), record_(record_text(history, format)) {}

  void write();

 private:
  // A process as Knossos sees it: alive until an operation of its crashes.
  struct Process {
    const OperationEvent* pending = nullptr;
    bool crashed = false;
    std::int32_t number = -1;  // number that it is written under
  };

  void header();
  void next_event();
  void operation(const OperationEvent& event);
  bool has_extra(const OperationEvent& event, std::string_view name);
  void extras(const OperationEvent& event);
  void belief(const BeliefEvent& event);
  void grant(const GrantEvent& event);
  void effect(const EffectEvent& event);
  std::int32_t numbered(const OperationEvent& event, const OperationEvent*& invoke);

  // Pieces of a record.
  void end();
  void own(OwnProcess kind, std::string_view f, std::int64_t time, std::int64_t index);
  void name(std::string_view key, NameId id);
  void process(std::string_view key, std::int32_t process);
  void hold(std::string_view key, HoldId id);
  void client_of(HoldId id);
  const HoldInfo* info(HoldId id) const;

  const History& history_;
  ByteSink& sink_;
  std::unique_ptr<RecordText> record_;
  SparseMap<std::int32_t, Process> processes_;
  std::int32_t fresh_ = 0;

  std::size_t operation_ = 0, extra_ = 0, belief_ = 0, grant_ = 0, effect_ = 0, process_ = 0, phase_ = 0;
};

void Writer::end() {
  record_->end();
  if (record_->out.size() < kFlushAt) return;
  sink_.write(record_->out);
  record_->out.clear();
}

void Writer::name(std::string_view key, NameId id) {
  if (id != kNoName) record_->name(key, id);
}

void Writer::process(std::string_view key, std::int32_t process) {
  if (process >= 0) {
    record_->integer(key, process);
  } else {
    record_->name(key, static_cast<NameId>(~process));
  }
}

void Writer::hold(std::string_view key, HoldId id) {
  if (id != kNoHold) record_->natural(key, id);
}

const HoldInfo* Writer::info(HoldId id) const {
  return id != kNoHold && id < history_.holds.size() ? &history_.holds[id] : nullptr;
}

void Writer::client_of(HoldId id) {
  if (const HoldInfo* const known = info(id)) name("client", known->client);
}

void Writer::own(OwnProcess kind, std::string_view f, std::int64_t time, std::int64_t index) {
  record_->begin();
  record_->word("type", "info");
  record_->word("f", f);
  record_->word("process", picklock::word(kOwnProcesses, kind));
  if (time != kNoTime) record_->integer("time", time);
  record_->integer("index", index);
}

// Records without an index of their own get negative ones, so that all ascend.
void Writer::header() {
  const std::size_t holds = history_.holds.empty() ? 0 : history_.holds.size() - 1;
  if (holds == 0 && !history_.omniscient) return;
  auto index = -static_cast<std::int64_t>(holds) - 1;
  own(OwnProcess::picklock, "history", kNoTime, index);
  if (history_.omniscient) record_->truth("omniscient");
  end();
  for (std::size_t id = 1; id <= holds; ++id) {
    const HoldInfo& known = history_.holds[id];
    own(OwnProcess::hold, "hold", kNoTime, ++index);
    record_->natural("hold", id);
    name("lock", known.lock);
    name("client", known.client);
    process("holder", known.process);
    if (known.token != kNoToken) record_->integer("token", known.token);
    record_->word("mode", picklock::word(kModeWords, known.mode));
    end();
  }
}

// The number under which the event is written, and the invoke of a completion.
std::int32_t Writer::numbered(const OperationEvent& event, const OperationEvent*& invoke) {
  Process& process = processes_[event.process];
  if (event.type == OperationType::invoke) {
    if (process.crashed || process.pending != nullptr) {
      if (fresh_ == std::numeric_limits<std::int32_t>::max()) {
        throw WriteError("no process number is left for a process that goes on after a crash");
      }
      process.number = fresh_++;
    } else if (process.number < 0) {
      process.number = event.process;
    }
    process.crashed = false;
    process.pending = &event;
    return process.number;
  }
  if (process.pending == nullptr || process.pending->f != event.f) {
    throw WriteError(fmt::format("the {} of process {} at index {} has no invoke",
                                 picklock::word(kOperationTypes, event.type), event.process, event.index));
  }
  invoke = process.pending;
  process.pending = nullptr;
  process.crashed = event.type == OperationType::info;
  return process.number;
}

void Writer::operation(const OperationEvent& event) {
  const OperationEvent* invoke = nullptr;
  std::int32_t number = event.process;
  if (event.process >= 0) {
    number = numbered(event, invoke);
  } else if (from_word<OwnProcess>(kOwnProcesses, history_.names.view(static_cast<NameId>(~event.process)))) {
    throw WriteError("an operation by a process with a reserved name: " +
                     std::string(history_.names.view(static_cast<NameId>(~event.process))));
  }
  record_->begin();
  record_->word("type", picklock::word(kOperationTypes, event.type));
  const NameId f = history_.functions.at(event.f);
  if (!history_.names.view(f).empty()) name("f", f);
  const bool differs = event.type == OperationType::fail && invoke != nullptr && invoke->value != event.value;
  const Value shown = differs ? invoke->value : event.value;
  if (!shown.is_nil()) record_->value("value", shown);
  if (differs) record_->value("answer", event.value);
  process("process", number);
  if (event.time != kNoTime) record_->integer("time", event.time);
  name("object", event.object);
  if (!has_extra(event, "client")) client_of(event.hold);
  hold("hold", event.hold);
  if (event.token != kNoToken) record_->integer("token", event.token);
  if (event.local_time != kNoTime) record_->integer("local-time", event.local_time);
  extras(event);
  record_->integer("index", event.index);
  end();
}

bool Writer::has_extra(const OperationEvent& event, std::string_view name) {
  const auto& fields = history_.extras;
  while (extra_ < fields.size() && fields[extra_].index < event.index) ++extra_;
  for (std::size_t i = extra_; i < fields.size() && fields[i].index == event.index; ++i) {
    if (history_.names.view(fields[i].key) == name) return true;
  }
  return false;
}

void Writer::extras(const OperationEvent& event) {
  const auto& fields = history_.extras;
  for (; extra_ < fields.size() && fields[extra_].index == event.index; ++extra_) {
    record_->value(history_.names.view(fields[extra_].key), fields[extra_].value);
  }
}

void Writer::belief(const BeliefEvent& event) {
  own(OwnProcess::belief, picklock::word(kBeliefWords, event.end), event.time, event.index);
  client_of(event.hold);
  hold("hold", event.hold);
  end();
}

void Writer::grant(const GrantEvent& event) {
  own(OwnProcess::grant, picklock::word(kGrantWords, event.change), event.time, event.index);
  client_of(event.hold);
  hold("hold", event.hold);
  hold("by", event.by);
  if (event.until == std::numeric_limits<std::int64_t>::max()) {
    record_->word("until", "forever");
  } else if (event.until != kNoTime) {
    record_->integer("until", event.until);
  }
  if (event.cause != GrantEnd::unknown) record_->word("ended-by", picklock::word(kGrantEndWords, event.cause));
  name("decided-by", event.server);
  end();
}

void Writer::effect(const EffectEvent& event) {
  own(OwnProcess::effect, picklock::word(kEffectWords, event.kind), event.time, event.index);
  client_of(event.hold);
  hold("hold", event.hold);
  if (event.token != kNoToken) record_->integer("token", event.token);
  name("resource", event.resource);
  record_->natural("version", event.version);
  if (event.read_version != 0) record_->natural("read-version", event.read_version);
  if (event.acknowledged) record_->truth("acknowledged");
  if (event.depends_on_read) record_->truth("depends-on-read");
  end();
}

void Writer::next_event() {
  constexpr auto kNone = std::numeric_limits<std::uint64_t>::max();
  const auto head = [](const auto& events, std::size_t at) {
    return at < events.size() ? std::uint64_t{events[at].index} : kNone;
  };
  const std::uint64_t heads[] = {head(history_.operations, operation_), head(history_.beliefs, belief_),
                                 head(history_.grants, grant_),         head(history_.effects, effect_),
                                 head(history_.processes, process_),    head(history_.phases, phase_)};
  std::size_t least = 0;
  for (std::size_t i = 1; i < std::size(heads); ++i) {
    if (heads[i] < heads[least]) least = i;
  }
  switch (least) {
    case 0:
      operation(history_.operations[operation_++]);
      break;
    case 1:
      belief(history_.beliefs[belief_++]);
      break;
    case 2:
      grant(history_.grants[grant_++]);
      break;
    case 3:
      effect(history_.effects[effect_++]);
      break;
    case 4: {
      const ProcessEvent& event = history_.processes[process_++];
      own(OwnProcess::process, picklock::word(kProcessWords, event.change), event.time, event.index);
      name("client", event.client);
      end();
      break;
    }
    default: {
      const PhaseEvent& event = history_.phases[phase_++];
      own(OwnProcess::phase, picklock::word(kPhaseWords, event.phase), event.time, event.index);
      end();
    }
  }
}

void Writer::write() {
  for (const OperationEvent& event : history_.operations) {
    if (event.process >= fresh_) fresh_ = event.process + (event.process < INT32_MAX ? 1 : 0);
  }
  header();
  const std::size_t events = history_.operations.size() + history_.beliefs.size() + history_.grants.size() +
                             history_.effects.size() + history_.processes.size() + history_.phases.size();
  for (std::size_t i = 0; i < events; ++i) next_event();
  record_->finish();
  sink_.write(record_->out);
}

}  // namespace

void write_history(const History& history, const WriteOptions& options, ByteSink& sink) {
  Writer(history, options.format, sink).write();
}

}  // namespace picklock
