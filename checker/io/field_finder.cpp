#include "checker/io/field_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "checker/io/edn.hpp"
#include "checker/io/edn_path.hpp"

namespace picklock {
namespace {

using Kind = Field::Kind;

constexpr std::size_t kSeenMax = 64;  // field names kept for an error message

const Field* top(const Record& record, std::string_view key) {
  for (const Field& field : record.fields) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

// An independent history, and one with keys beside values, need not name the lock in each record.
std::string_view lock_name(const ForeignFields& fields) {
  if (fields.independent) return "value.0";
  return fields.lock.empty() && fields.key_beside ? std::string_view("key") : std::string_view(fields.lock);
}

}  // namespace

FieldFinder::FieldFinder(const ForeignFields& fields, History& tables, Naming& naming, bool paired)
    : fields_(fields),
      tables_(tables),
      naming_(naming),
      paired_(paired),
      process_{fields.process},
      owner_{fields.owner},
      lock_{lock_name(fields)},
      token_{fields.token} {}

void FieldFinder::rename(Record& record) {
  if (fields_.keys.empty()) return;
  renamed_.resize(fields_.keys.size());
  const bool complete = std::find(renamed_.begin(), renamed_.end(), false) == renamed_.end();
  if (!complete) note_keys(record);  // the keys as the file spells them
  for (Field& field : record.fields) {
    for (std::size_t i = 0; i < fields_.keys.size(); ++i) {
      if (field.key != fields_.keys[i].first) continue;
      field.key = fields_.keys[i].second;
      renamed_[i] = true;
      break;
    }
  }
}

// The rest of a path, below `from`.
const Field* FieldFinder::descend(const Field& from, std::string_view path) {
  if (from.kind != Kind::other) return nullptr;
  std::string_view edn = from.text;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const auto element = element_at(edn, path.substr(0, dot));
    if (!element) return nullptr;
    edn = *element;
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  nested_.clear();
  Field& field = nested_.fields.emplace_back();
  field.at = from.at;
  field.key = from.key;
  nested_.scratch = edn;
  set_from_scratch(nested_, field, 0);
  nested_.settle();
  return &field;
}

const Field* FieldFinder::find(const Record& record, std::string_view name) {
  if (const Field* const field = top(record, name)) return field;
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) {
    if (const Field* const field = top(record, name.substr(0, dot))) {
      return descend(*field, name.substr(dot + 1));
    }
  }
  const Field* const value = top(record, "value");
  return value == nullptr ? nullptr : descend(*value, name);
}

// Nil counts as there, and as saying nothing.
const Field* FieldFinder::want(const Record& record, Wanted& wanted) {
  if (wanted.name.empty()) return nullptr;
  const Field* const field = find(record, wanted.name);
  if (field == nullptr) {
    if (!wanted.found && (&wanted != &lock_ || !fields_.lock.empty())) note_keys(record);
    return nullptr;
  }
  wanted.found = true;
  return field->kind == Kind::nil ? nullptr : field;
}

void FieldFinder::note_keys(const Record& record) {
  any_ = true;
  const auto note = [&](std::string_view key) {
    if (seen_.size() == kSeenMax || std::find(seen_.begin(), seen_.end(), key) != seen_.end()) {
      return;
    }
    seen_.emplace_back(key.substr(0, kSeenMax));
  };
  for (const Field& field : record.fields) {
    note(field.key);
    if (field.key != "value" || field.kind != Kind::other) continue;
    for (const std::string& key : keys_of(field.text)) note(key);
  }
}

std::optional<FieldFinder::Missing> FieldFinder::missing() const {
  for (std::size_t i = 0; i < renamed_.size(); ++i) {
    if (!renamed_[i]) return Missing{fields_.keys[i].first, seen_};
  }
  if (!any_) return std::nullopt;
  for (const Wanted* wanted : {&process_, &owner_, &lock_, &token_}) {
    if (wanted == &lock_ && fields_.lock.empty()) continue;  // the caller did not ask for it
    if (!wanted->name.empty() && !wanted->found) return Missing{std::string(wanted->name), seen_};
  }
  return std::nullopt;
}

std::optional<std::int32_t> FieldFinder::process(const Record& record) {
  const Field* const field = want(record, process_);
  if (field == nullptr || (field->is_name() && field->text == "nemesis")) return std::nullopt;
  const std::uint32_t id = naming_.processes.intern(spelt(*field));
  if (id > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max())) {
    throw SyntaxError{field->at, "more processes than 2^31", "fewer"};
  }
  return static_cast<std::int32_t>(id);
}

HoldId FieldFinder::owner_id(const Field& field, EventSink& sink) {
  const std::string name = spelt(field);
  const std::size_t known = naming_.owners.size();
  const std::uint32_t id = naming_.owners.intern(name);
  if (naming_.owners.size() > known) {
    HoldInfo info;
    // Owners may be as many as operations; names are for locks and functions in the first place.
    if (tables_.names.size() < Names::kLimit / 2) info.client = tables_.names.intern(name);
    sink.hold(id + 1, info);
  }
  return id + 1;
}

void FieldFinder::fill(const Record& record, OperationEvent& event, EventSink& sink, const Field*& value) {
  if (const Field* const token = want(record, token_)) {
    std::int64_t number = token->number;
    const char* const end = token->text.data() + token->text.size();
    const bool digits = token->kind == Kind::string && std::from_chars(token->text.data(), end, number).ptr == end &&
                        !token->text.empty();
    if (token->kind != Kind::integer && !digits) {
      throw SyntaxError{token->at, fmt::format("'{}' for the token", spelt(*token).substr(0, 40)),
                        "an integer of 64 bits"};
    }
    event.token = number;
  }
  name_lock_and_owner(record, event, sink);
  take_lock_out(record, event, value);
  if (event.type != OperationType::ok || fields_.refused.empty()) return;
  const std::string answer = value == nullptr ? "nil" : spelt(*value);
  const auto& refused = fields_.refused;
  if (std::find(refused.begin(), refused.end(), answer) != refused.end()) event.type = OperationType::fail;
}

void FieldFinder::name_lock_and_owner(const Record& record, OperationEvent& event, EventSink& sink) {
  if (lock_.name.empty() && owner_.name.empty()) return;
  // A completion's own fields count only where its invoke named none: its :value is an answer.
  Invoked said;
  const bool client = event.process >= 0;
  if (fields_.independent && !client) return;
  if (paired_ && client && event.type != OperationType::invoke) said = invoked_[event.process];
  if (said.lock == kNoName) {
    if (const Field* const lock = want(record, lock_)) said.lock = tables_.names.intern(spelt(*lock));
  }
  if (said.owner == kNoHold) {
    if (const Field* const owner = want(record, owner_)) said.owner = owner_id(*owner, sink);
  }
  if (paired_ && client) invoked_[event.process] = event.type == OperationType::invoke ? said : Invoked{};
  if (said.lock != kNoName) event.object = said.lock;
  if (said.owner != kNoHold) event.hold = said.owner;
}

// The path of the lock inside the record's :value; empty: the lock is elsewhere.
std::string_view FieldFinder::lock_path(const Record& record) const {
  std::string_view path = lock_.name;
  if (path.empty() || top(record, path) != nullptr) return {};
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos || top(record, path.substr(0, dot)) == nullptr) return path;
  return path.substr(0, dot) == "value" ? path.substr(dot + 1) : std::string_view{};
}

void FieldFinder::refuse_value(const Record& record, const Field* value, std::string expected) const {
  throw SyntaxError{value == nullptr ? record.begin : value->at,
                    value == nullptr ? "a record without :value" : spelt(*value).substr(0, 40) + " for :value",
                    std::move(expected)};
}

// A completion leaves its value alone that names no lock, or something else in the same place: then it is an answer.
void FieldFinder::take_lock_out(const Record& record, const OperationEvent& event, const Field*& value) {
  if (event.process < 0) return;
  const std::string_view path = lock_path(record);
  if (path.empty()) return;
  const bool invokes = event.type == OperationType::invoke;
  const bool says = value != nullptr && value->kind != Kind::nil;
  const bool pair = says && value->kind == Kind::other && pair_in(value->text).has_value();
  if (fields_.independent && (invokes || says) && !pair) {
    refuse_value(record, value, "[key value], as --independent reads each operation of a client");
  }
  const Field* const lock = says ? descend(*value, path) : nullptr;
  const NameId named = lock == nullptr || lock->kind == Kind::nil ? kNoName : tables_.names.intern(spelt(*lock));
  if (fields_.independent && pair && named == kNoName) refuse_value(record, value, "[key value] with a key");
  NameId& asked = asked_[event.process];
  if (invokes) asked = named;
  const NameId of_invoke = invokes || asked == kNoName ? named : asked;
  if (fields_.independent && pair && named != of_invoke) {
    refuse_value(record, value, fmt::format("the key of its invoke, {}", tables_.names.view(of_invoke)));
  }
  if (!invokes) asked_.erase(event.process);
  if (named == kNoName || named != of_invoke) return;
  const auto rest = without_element(value->text, path);
  rest_.clear();
  Field& field = rest_.fields.emplace_back();
  field.at = value->at;
  field.key = value->key;
  rest_.scratch = *rest;
  set_from_scratch(rest_, field, 0);
  rest_.settle();
  value = &field;
}

void FieldFinder::pair(OperationEvent& event) {
  if ((lock_.name.empty() && owner_.name.empty()) || event.process < 0) return;
  Invoked& invoked = invoked_[event.process];
  if (event.type == OperationType::invoke) {
    invoked = {event.object, event.hold};
    return;
  }
  if (!lock_.name.empty() && invoked.lock != kNoName) event.object = invoked.lock;
  if (!owner_.name.empty() && invoked.owner != kNoHold) event.hold = invoked.owner;
  invoked = {};
}

ForeignFields with_defaults_of(Format format, ForeignFields fields) {
  if (format == Format::porcupine && fields.lock.empty()) fields.lock = "key";
  if (format == Format::lease_json) {
    if (fields.lock.empty()) fields.lock = "value";
    if (fields.refused.empty()) fields.refused = {"", "false"};
  }
  return fields;
}

ForeignFields::Renames functions_of(Format format) {
  if (format != Format::lease_json) return {};
  return {{"lock", "acquire"}, {"unlock", "release"}};
}

}  // namespace picklock
