#include "checker/io/history_writer.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/utf8.hpp"
#include "checker/io/edn.hpp"
#include "checker/io/event_names.hpp"
#include "checker/sparse_map.hpp"

namespace picklock {
namespace {

constexpr std::size_t kFlushAt = 256 * 1024;

class Writer {
 public:
  Writer(const History& history, Format format, ByteSink& sink)
      : history_(history),
        sink_(sink),
        json_(format == Format::json),
        names_(history.names.size()),
        texts_(json_ ? history.values.size() : 0) {}

  void write();

 private:
  // A process as Knossos sees it: alive until an operation of its crashes.
  struct Process {
    const OperationEvent* pending = nullptr;
    bool crashed = false;
    std::int32_t number = -1;  // under which it is written
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
  void begin();
  void end();
  void own(OwnProcess kind, std::string_view f, std::int64_t time, std::int64_t index);
  void key(std::string_view name);
  void any_key(NameId name);
  void integer(std::string_view name, std::int64_t number);
  void natural(std::string_view name, std::uint64_t number);
  void word(std::string_view name, std::string_view text);
  void name(std::string_view key_name, NameId id);
  void process(std::string_view key_name, std::int32_t process);
  void value(std::string_view key_name, Value value);
  void truth(std::string_view key_name);
  void hold(std::string_view key_name, HoldId id);
  void client_of(HoldId id);
  void put_value(Value value);
  void put_name(NameId id);
  const HoldInfo* info(HoldId id) const;

  const History& history_;
  ByteSink& sink_;
  bool json_;
  std::string out_;
  bool first_key_ = true;
  bool first_record_ = true;
  std::vector<std::string> names_;  // as written, made when first needed
  std::vector<std::string> texts_;  // JSON of the texts behind values, made when first needed
  SparseMap<std::int32_t, Process> processes_;
  std::int32_t fresh_ = 0;

  std::size_t operation_ = 0, extra_ = 0, belief_ = 0, grant_ = 0, effect_ = 0, process_ = 0, phase_ = 0;
};

void Writer::begin() {
  if (json_) out_ += first_record_ ? "[\n{" : ",\n{";
  if (!json_) out_.push_back('{');
  first_record_ = false;
  first_key_ = true;
}

void Writer::end() {
  out_.push_back('}');
  if (!json_) out_.push_back('\n');
  if (out_.size() < kFlushAt) return;
  sink_.write(out_);
  out_.clear();
}

void Writer::key(std::string_view name) {
  if (!first_key_) out_ += json_ ? "," : ", ";
  first_key_ = false;
  out_.push_back(json_ ? '"' : ':');
  out_ += name;
  out_ += json_ ? "\":" : " ";
}

void Writer::any_key(NameId id) {
  const std::string_view name = history_.names.view(id);
  if (is_keyword_name(name)) {
    key(name);
    return;
  }
  if (!first_key_) out_ += json_ ? "," : ", ";
  first_key_ = false;
  if (json_) {
    append_json_string(out_, name);
    out_.push_back(':');
  } else {
    append_edn_string(out_, name);
    out_.push_back(' ');
  }
}

void Writer::integer(std::string_view name, std::int64_t number) {
  key(name);
  const fmt::format_int digits(number);
  out_.append(digits.data(), digits.size());
}

void Writer::natural(std::string_view name, std::uint64_t number) {
  key(name);
  const fmt::format_int digits(number);
  out_.append(digits.data(), digits.size());
}

// One of our own words, which need no escapes.
void Writer::word(std::string_view name, std::string_view text) {
  key(name);
  out_.push_back(json_ ? '"' : ':');
  out_ += text;
  if (json_) out_.push_back('"');
}

void Writer::put_name(NameId id) {
  std::string& text = names_.at(id);
  if (text.empty()) {
    const std::string_view name = history_.names.view(id);
    if (!valid_utf8(name)) throw WriteError("a name that is not UTF-8 cannot be written");
    if (json_) {
      std::string literal;
      append_edn_string(literal, name);
      append_json(text, literal);
    } else if (is_keyword_name(name)) {
      text.assign(1, ':').append(name);
    } else {
      append_edn_string(text, name);
    }
  }
  out_ += text;
}

void Writer::name(std::string_view key_name, NameId id) {
  if (id == kNoName) return;
  key(key_name);
  put_name(id);
}

void Writer::process(std::string_view key_name, std::int32_t process) {
  if (process >= 0) {
    integer(key_name, process);
  } else {
    name(key_name, static_cast<NameId>(~process));
  }
}

void Writer::put_value(Value value) {
  if (!json_ || !value.is_text()) {
    if (json_ && value.is_nil()) {
      out_ += "null";
    } else {
      history_.values.append_to(out_, value);
    }
    return;
  }
  std::string& text = texts_.at(value.id());
  if (text.empty()) append_json(text, history_.values.text(value));
  out_ += text;
}

void Writer::value(std::string_view key_name, Value value) {
  key(key_name);
  put_value(value);
}

void Writer::truth(std::string_view key_name) {
  key(key_name);
  out_ += "true";
}

void Writer::hold(std::string_view key_name, HoldId id) {
  if (id != kNoHold) natural(key_name, id);
}

const HoldInfo* Writer::info(HoldId id) const {
  return id != kNoHold && id < history_.holds.size() ? &history_.holds[id] : nullptr;
}

void Writer::client_of(HoldId id) {
  if (const HoldInfo* const known = info(id)) name("client", known->client);
}

void Writer::own(OwnProcess kind, std::string_view f, std::int64_t time, std::int64_t index) {
  begin();
  word("type", "info");
  word("f", f);
  word("process", picklock::word(kOwnProcesses, kind));
  if (time != kNoTime) integer("time", time);
  integer("index", index);
}

// Records without an index of their own get negative ones, so that all ascend.
void Writer::header() {
  const std::size_t holds = history_.holds.empty() ? 0 : history_.holds.size() - 1;
  if (holds == 0 && !history_.omniscient) return;
  auto index = -static_cast<std::int64_t>(holds) - 1;
  own(OwnProcess::picklock, "history", kNoTime, index);
  if (history_.omniscient) truth("omniscient");
  end();
  for (std::size_t id = 1; id <= holds; ++id) {
    const HoldInfo& known = history_.holds[id];
    own(OwnProcess::hold, "hold", kNoTime, ++index);
    natural("hold", id);
    name("lock", known.lock);
    name("client", known.client);
    process("holder", known.process);
    if (known.token != kNoToken) integer("token", known.token);
    word("mode", picklock::word(kModeWords, known.mode));
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
  begin();
  word("type", picklock::word(kOperationTypes, event.type));
  const NameId f = history_.functions.at(event.f);
  if (!history_.names.view(f).empty()) name("f", f);
  const bool differs = event.type == OperationType::fail && invoke != nullptr && invoke->value != event.value;
  const Value shown = differs ? invoke->value : event.value;
  if (!shown.is_nil()) value("value", shown);
  if (differs) value("answer", event.value);
  process("process", number);
  if (event.time != kNoTime) integer("time", event.time);
  name("object", event.object);
  if (!has_extra(event, "client")) client_of(event.hold);
  hold("hold", event.hold);
  if (event.token != kNoToken) integer("token", event.token);
  if (event.local_time != kNoTime) integer("local-time", event.local_time);
  extras(event);
  integer("index", event.index);
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
    any_key(fields[extra_].key);
    put_value(fields[extra_].value);
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
    word("until", "forever");
  } else if (event.until != kNoTime) {
    integer("until", event.until);
  }
  if (event.cause != GrantEnd::unknown) word("ended-by", picklock::word(kGrantEndWords, event.cause));
  name("decided-by", event.server);
  end();
}

void Writer::effect(const EffectEvent& event) {
  own(OwnProcess::effect, picklock::word(kEffectWords, event.kind), event.time, event.index);
  client_of(event.hold);
  hold("hold", event.hold);
  if (event.token != kNoToken) integer("token", event.token);
  name("resource", event.resource);
  natural("version", event.version);
  if (event.read_version != 0) natural("read-version", event.read_version);
  if (event.acknowledged) truth("acknowledged");
  if (event.depends_on_read) truth("depends-on-read");
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
  if (json_) out_ += first_record_ ? "[]\n" : "\n]\n";
  sink_.write(out_);
}

}  // namespace

void write_history(const History& history, const WriteOptions& options, ByteSink& sink) {
  Writer(history, options.format, sink).write();
}

}  // namespace picklock
