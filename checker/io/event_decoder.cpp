#include "checker/io/event_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "base/iso_time.hpp"
#include "base/nearest.hpp"
#include "checker/io/text_numbers.hpp"
#include "checker/io/time_unit.hpp"

namespace picklock {
namespace {

using Kind = Field::Kind;

std::string shown(const Field& field) {
  const std::string text = spelt(field).substr(0, 40);
  if (field.kind == Kind::string) return fmt::format("\"{}\"", text);
  return field.kind == Kind::keyword ? ":" + text : text;
}

}  // namespace

EventDecoder::EventDecoder(History& tables, const ReadOptions& options)
    : tables_(tables),
      options_(options),
      finder_(options_.fields, tables_, options.naming == nullptr ? numbered_ : *options.naming,
              !options.sort_by_time) {}

// The error names a key that the record has, or lacks.
void EventDecoder::fail(Key key, std::string expected) const {
  constexpr std::string_view kNames[] = {
      "type",      "f",        "process",    "time",     "index",   "value",        "local-time",   "token",
      "hold",      "object",   "client",     "answer",   "lock",    "holder",       "mode",         "until",
      "by",        "ended-by", "decided-by", "resource", "version", "read-version", "acknowledged", "depends-on-read",
      "omniscient"};
  static_assert(std::size(kNames) == kUnknown);
  if (get(key) != nullptr) fail(get(key), std::move(expected));
  throw SyntaxError{record_->begin, fmt::format("a record without :{}", kNames[key]), std::move(expected)};
}

void EventDecoder::fail(const Field* at, std::string expected) const {
  throw SyntaxError{at->at, fmt::format("{} for :{}", shown(*at), at->key), std::move(expected)};
}

EventDecoder::Key EventDecoder::key_of(std::string_view name) {
  switch (name.size()) {
    case 1:
      return name == "f" ? kF : kUnknown;
    case 2:
      return name == "by" ? kBy : kUnknown;
    case 4:
      return name == "type"   ? kType
             : name == "time" ? kTime
             : name == "hold" ? kHold
             : name == "lock" ? kLock
             : name == "mode" ? kMode
                              : kUnknown;
    case 5:
      return name == "index"   ? kIndex
             : name == "value" ? kValue
             : name == "token" ? kToken
             : name == "until" ? kUntil
                               : kUnknown;
    case 6:
      return name == "client"   ? kClient
             : name == "object" ? kObject
             : name == "holder" ? kHolder
             : name == "answer" ? kAnswer
                                : kUnknown;
    case 7:
      return name == "process" ? kProcess : name == "version" ? kVersion : kUnknown;
    case 8:
      return name == "resource" ? kResource : name == "ended-by" ? kCause : kUnknown;
    case 10:
      return name == "local-time"   ? kLocalTime
             : name == "omniscient" ? kOmniscient
             : name == "decided-by" ? kDecidedBy
                                    : kUnknown;
    case 12:
      return name == "read-version" ? kReadVersion : name == "acknowledged" ? kAcknowledged : kUnknown;
    case 15:
      return name == "depends-on-read" ? kDependsOnRead : kUnknown;
    default:
      return kUnknown;
  }
}

void EventDecoder::sort_fields(const Record& record) {
  record_ = &record;
  known_.fill(nullptr);
  unknown_.clear();
  for (const Field& field : record.fields) {
    const Key key = key_of(field.key);
    if (key == kUnknown) {
      unknown_.push_back(&field);
    } else if (known_[key] != nullptr) {
      throw SyntaxError{field.at, fmt::format(":{} twice", field.key), "distinct keys"};
    } else {
      known_[key] = &field;
    }
  }
}

namespace {

std::optional<FieldFinder::Missing> first_unused(const ForeignFields::Renames& renames,
                                                 const std::vector<std::string>& seen) {
  for (const auto& [theirs, ours] : renames) {
    if (std::find(seen.begin(), seen.end(), theirs) == seen.end()) return FieldFinder::Missing{theirs, seen};
  }
  return std::nullopt;
}

}  // namespace

std::optional<FieldFinder::Missing> EventDecoder::unused_function(const ForeignFields::Renames& asked) const {
  std::vector<std::string> seen;
  for (const Function& function : functions_) seen.push_back(function.text);
  return first_unused(asked, seen);
}

std::optional<FieldFinder::Missing> EventDecoder::unused_type(const ForeignFields::Renames& asked) const {
  return first_unused(asked, types_);
}

OperationType EventDecoder::type() {
  const Field* const field = get(kType);
  std::string_view text = field != nullptr && field->is_name() ? field->text : std::string_view{};
  if (!options_.fields.types.empty() && std::find(types_.begin(), types_.end(), text) == types_.end()) {
    types_.emplace_back(text);
  }
  for (const auto& [theirs, ours] : options_.fields.types) {
    if (text != theirs) continue;
    text = ours;
    break;
  }
  const auto type = from_word<OperationType>(kOperationTypes, text);
  if (!type && field == nullptr) refuse_untyped();
  if (!type) fail(field, ":type with invoke, ok, fail or info");
  return *type;
}

void EventDecoder::refuse_untyped() const {
  const Field* const f = get(kF);
  const std::string function = f != nullptr && f->is_name() ? std::string(f->text.substr(0, 40)) : std::string();
  std::vector<std::string> instants;
  for (const InstantFunction& instant : options_.fields.instants) instants.push_back(instant.theirs);
  throw SyntaxError{
      f != nullptr ? f->at : record_->begin,
      function.empty() ? "a record without :type" : fmt::format("a '{}' without :type", function),
      fmt::format(
          ":type with invoke, ok, fail or info, --end-field for records with begin and end, or --instant {}=… if "
          "it is a whole operation{}",
          function.empty() ? "acquired" : function, did_you_mean(function, instants))};
}

// Whether the record at hand is a whole operation.
const InstantFunction* EventDecoder::instant() const {
  const auto& instants = options_.fields.instants;
  const Field* const f = get(kF);
  if (instants.empty() || f == nullptr || !f->is_name()) return nullptr;
  const auto found =
      std::find_if(instants.begin(), instants.end(), [&](const InstantFunction& i) { return i.theirs == f->text; });
  return found == instants.end() ? nullptr : &*found;
}

// The end of the operation that the record at hand gives, if it is a whole one.
std::optional<OperationType> EventDecoder::end_of_whole() {
  if (const InstantFunction* const whole = instant()) return whole->end;
  if (options_.fields.end.empty()) return std::nullopt;
  const OperationType said = get(kType) == nullptr ? OperationType::ok : type();
  if (said == OperationType::invoke) fail(kType, "ok, fail or info, or no :type, in a record with begin and end");
  return said;
}

std::int64_t EventDecoder::end_time() {
  const auto& fields = record_->fields;
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.key == options_.fields.end; });
  if (found == fields.end() || found->kind == Kind::nil) {
    throw SyntaxError{record_->begin, fmt::format("a record without :{}", options_.fields.end),
                      "the end of the operation there, as --end-field says; without one leave the record out"};
  }
  const std::int64_t begin = operation_time(), end = time_of(*found);
  if (begin == kNoTime) fail(kTime, "the begin of the operation in :time, or --key …=time with the key that holds it");
  if (end < begin) fail(&*found, "a time that is not before the begin of the operation");
  return end;
}

std::uint8_t EventDecoder::function() {
  const Field* const field = get(kF);
  const bool absent = field == nullptr || field->kind == Kind::nil;
  if (!absent && !field->is_name()) fail(field, "the name of a function for :f");
  const std::string_view text = absent ? std::string_view{} : field->text;
  if (last_function_ < functions_.size() && functions_[last_function_].text == text) {
    return functions_[last_function_].id;
  }
  for (last_function_ = 0; last_function_ < functions_.size(); ++last_function_) {
    if (functions_[last_function_].text == text) return functions_[last_function_].id;
  }
  std::string_view meaning = text;
  for (const auto& [from, to] : options_.functions) {
    if (from == text) meaning = to;
  }
  const NameId name = tables_.names.intern(meaning);
  std::size_t id = 0;
  while (id < tables_.functions.size() && tables_.functions[id] != name) ++id;
  if (id == tables_.functions.size()) {
    if (id >= 255) fail(kF, "at most 255 different functions");
    tables_.functions.push_back(name);
  }
  functions_.push_back({std::string(text), static_cast<std::uint8_t>(id)});
  return functions_.back().id;
}

std::uint32_t EventDecoder::index() {
  const bool anew = options_.sort_by_time || !options_.fields.instants.empty() || !options_.fields.end.empty();
  const Field* const field = anew ? nullptr : get(kIndex);
  std::uint64_t index = next_index_;
  if (field != nullptr && field->kind != Kind::nil) {
    const auto given = static_cast<std::uint64_t>(field->number);
    const bool fits = field->kind == Kind::integer && field->number >= 0;
    if (!fits || given < next_index_) fail(field, fmt::format("an :index from {} on", next_index_));
    index = given;
  }
  if (index >= std::numeric_limits<std::uint32_t>::max()) fail(kIndex, "an :index below 2^32 - 1");
  next_index_ = index + 1;
  return static_cast<std::uint32_t>(index);
}

std::int64_t EventDecoder::time() const { return number(kTime, kNoTime); }

std::int64_t EventDecoder::operation_time() const {
  const Field* const field = get(kTime);
  return field == nullptr || field->kind == Kind::nil ? kNoTime : time_of(*field);
}

std::int64_t EventDecoder::time_of(const Field& given) const {
  const Field* const field = &given;
  switch (field->kind) {
    case Kind::integer:
      return options_.fields.time_unit.value_or(1) == 1 ? field->number
                                                        : time_in(fmt::to_string(field->number), *field);
    case Kind::other:  // 2.50M is a decimal of Clojure's
      return time_in(field->text.ends_with('M') ? field->text.substr(0, field->text.size() - 1) : field->text, *field);
    case Kind::string:
      if (const auto time = iso_time(field->text)) return *time;
      return time_in(field->text, *field);
    default:
      fail(field, "a number or an ISO 8601 time");
  }
}

// A number of units.  One with a fraction is hardly a number of nanoseconds.
std::int64_t EventDecoder::time_in(std::string_view text, const Field& field) const {
  const auto unit = options_.fields.time_unit;
  const auto time = in_nanoseconds(text, unit.value_or(1));
  if (!time) fail(&field, "a number of time units, within 292 years, or an ISO 8601 time");
  if (!unit && text.find_first_of(".eE") != std::string_view::npos) {
    fail(&field, "a whole number of nanoseconds; seconds need --time-unit s, milliseconds --time-unit ms");
  }
  return *time;
}

// A number of a client, or the name of e.g. the nemesis.
std::int32_t EventDecoder::process_in(const Field& field) {
  if (field.is_name()) return ~static_cast<std::int32_t>(tables_.names.intern(field.text));
  const bool fits =
      field.kind == Kind::integer && field.number >= 0 && field.number <= std::numeric_limits<std::int32_t>::max();
  if (!fits) fail(&field, fmt::format("a number from 0 to 2147483647 or a name for :{}", field.key));
  return static_cast<std::int32_t>(field.number);
}

std::optional<OwnProcess> EventDecoder::own_process() const {
  const Field* const field = get(kProcess);
  if (field == nullptr || !field->is_name()) return std::nullopt;
  return from_word<OwnProcess>(kOwnProcesses, field->text);
}

Value EventDecoder::value(const Field& field) {
  switch (field.kind) {
    case Kind::nil:
      return {};
    case Kind::boolean:
      return tables_.values.boolean(field.number != 0);
    case Kind::integer:
      return tables_.values.integer(field.number);
    case Kind::string:
      if (const auto number = options_.fields.numbers_in_texts ? integer_in(field.text) : std::nullopt)
        return tables_.values.integer(*number);
      return tables_.values.string(field.text);
    case Kind::keyword:
      return tables_.values.keyword(field.text);
    case Kind::other:
      if (!options_.fields.numbers_in_texts) return tables_.values.canonical(field.text);
      return tables_.values.canonical(with_numbers_for_texts(field.text));
  }
  return {};
}

std::int64_t EventDecoder::number(Key key, std::int64_t missing) const {
  const Field* const field = get(key);
  if (field == nullptr || field->kind == Kind::nil) return missing;
  if (field->kind != Kind::integer) fail(field, "an integer of 64 bits");
  return field->number;
}

NameId EventDecoder::name(Key key) {
  const Field* const field = get(key);
  if (field == nullptr || field->kind == Kind::nil) return kNoName;
  if (!field->is_name()) fail(field, "a name");
  return tables_.names.intern(field->text);
}

void EventDecoder::operation(EventSink& sink, std::optional<std::int32_t> process) {
  OperationEvent event;
  extras_.clear();
  const std::optional<OperationType> whole = end_of_whole();
  event.type = whole ? OperationType::invoke : type();
  if (whole && get(kType) != nullptr) unknown_.push_back(get(kType));
  event.f = function();
  if (!process && get(kProcess) == nullptr)
    fail(kProcess, "the client in :process, or --process-field with the name of the field that names it");
  event.process = process ? *process : process_in(*get(kProcess));
  event.time = operation_time();
  event.index = index();
  if (line_ != 0) options_.naming->lines.add(event.index + (whole ? 1 : 0), line_);
  const Field* field = get(kValue);
  if (event.process >= 0) pairs_.see(field, event.type, tables_.names.view(tables_.functions[event.f]));
  fill(event, sink, field);
  OperationExtras extras;
  if (const Field* const client = get(kClient)) {
    if (client->is_name()) extras.client = tables_.names.find(client->text);
    unknown_.push_back(client);
  }
  for (std::size_t key = kLock; key < kUnknown; ++key) {
    if (known_[key] != nullptr) unknown_.push_back(known_[key]);
  }
  // The writer keeps :value as Knossos wants it, and moves what a failure answered to :answer.
  const bool answered = get(kAnswer) != nullptr && event.type == OperationType::fail;
  if (get(kAnswer) != nullptr && !answered) unknown_.push_back(get(kAnswer));
  if (answered) field = get(kAnswer);
  if (options_.keep_values && field != nullptr) event.value = value(*field);
  if (whole) {  // all other fields belong to the end, the token included
    OperationEvent invoke = event;
    invoke.token = kNoToken;
    sink.operation(invoke, {});
    event.type = *whole;
    event.index = index();
    if (!options_.fields.end.empty()) event.time = end_time();
    field = get(kValue);
    finder_.fill(*record_, event, sink, field);
  }
  if (options_.keep_extras) {
    for (const Field* const extra : unknown_) keep_extra(*extra, event.index);
  }
  extras.fields = extras_;
  sink.operation(event, extras);
}

// Fills in our keys, and what the lock leaves of the value.  Foreign keys may mean something else: they are extras.
void EventDecoder::fill(OperationEvent& event, EventSink& sink, const Field*& value) {
  const auto accept = [&](Key key, bool fits, auto&& take) {
    const Field* const field = get(key);
    if (field == nullptr) return;
    if (fits) {
      take(*field);
    } else {
      unknown_.push_back(field);
    }
  };
  const auto whole = [&](Key key) { return get(key) != nullptr && get(key)->kind == Kind::integer; };
  accept(kLocalTime, whole(kLocalTime), [&](const Field& f) { event.local_time = f.number; });
  accept(kToken, whole(kToken), [&](const Field& f) { event.token = f.number; });
  const bool hold_fits = whole(kHold) && options_.fields.owner.empty() && get(kHold)->number > 0 &&
                         get(kHold)->number <= std::numeric_limits<HoldId>::max();
  accept(kHold, hold_fits, [&](const Field& f) { event.hold = static_cast<HoldId>(f.number); });
  accept(kObject, get(kObject) != nullptr && get(kObject)->is_name(),
         [&](const Field& f) { event.object = tables_.names.intern(f.text); });
  finder_.fill(*record_, event, sink, value);  // may make the owner's name known
}

void EventDecoder::keep_extra(const Field& field, std::uint32_t index) {
  const NameId key = tables_.names.intern(field.key);
  for (const ExtraField& other : extras_) {
    if (other.key == key) throw SyntaxError{field.at, fmt::format(":{} twice", field.key), "distinct keys"};
  }
  extras_.push_back({index, key, value(field)});
}

void EventDecoder::decode(Record& record, EventSink& sink, std::uint64_t line) {
  line_ = line;
  constexpr std::size_t kNamesOfField = 2, kNamesBeside = 8;
  const std::size_t names = record.fields.size() * kNamesOfField + kNamesBeside;
  if (names > Names::kLimit - tables_.names.size()) {
    throw SyntaxError{record.begin, fmt::format("a history has room for {} distinct names", Names::kLimit), ""};
  }
  finder_.rename(record);
  sort_fields(record);
  const auto process = finder_.process(record);
  const auto own = process ? std::nullopt : own_process();
  if (own) {
    own_event(*own, sink);
  } else {
    operation(sink, process);
  }
}

}  // namespace picklock
