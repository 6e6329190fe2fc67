#include "checker/search/specs/registers.hpp"

#include <algorithm>
#include <stdexcept>

namespace picklock {
namespace {

// Does "a, then b" imply "b, then a" with the same end, in each of these states?
template <typename S, typename States>
bool may_follow_in(const States& states, const typename S::Operation& a, const typename S::Operation& b) {
  for (const typename S::State& state : states) {
    const auto middle = S::step(state, a);
    if (!middle) continue;
    const auto end = S::step(*middle, b);
    if (!end) continue;
    const auto other_middle = S::step(state, b);
    if (!other_middle || S::step(*other_middle, a) != end) return false;
  }
  return true;
}

// The two elements of a pair, or nothing.
std::optional<std::array<std::string_view, 2>> pair_of(std::string_view text) {
  EdnElements elements(text);
  std::array<std::string_view, 2> pair;
  std::string_view third;
  if (!elements.next(pair[0]) || !elements.next(pair[1]) || elements.next(third)) {
    return std::nullopt;
  }
  return pair;
}

// "x" and :x are both x.
std::string spelt_key(std::string_view edn) {
  if (edn.starts_with(':')) edn.remove_prefix(1);
  if (edn.size() >= 2 && edn.front() == '"') edn = edn.substr(1, edn.size() - 2);
  return std::string(edn);
}

// The entries of a map, by key as it is spelt.
std::vector<std::pair<std::string, std::string>> first_values(std::string_view edn) {
  if (!edn.starts_with('{')) {
    throw std::invalid_argument("--initial: found " + std::string(edn) +
                                ", expected a map from keys to values, as in {x 0, y 0}");
  }
  const std::string entries = '[' + std::string(edn.substr(1, edn.size() - 2)) + ']';
  EdnElements elements(entries);
  std::vector<std::pair<std::string, std::string>> values;
  for (std::string_view key, value; elements.next(key) && elements.next(value);) {
    values.emplace_back(spelt_key(key), value);
  }
  return values;
}

std::optional<std::array<std::string_view, 2>> pair_of(Value value, const ValueTable& values) {
  if (!value.is_text()) return std::nullopt;
  return pair_of(values.text(value));
}

}  // namespace

std::vector<std::string> initial_keys(std::string_view edn) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : first_values(edn)) keys.push_back(key);
  return keys;
}

RegisterOperation CasRegister::read(const Call& call, ValueTable& values) {
  using Kind = RegisterOperation::Kind;
  if (call.function == "write") return {Kind::write, {}, call.argument};
  if (call.function == "cas") {
    const auto pair = pair_of(call.argument, values);
    if (!pair) throw std::invalid_argument("[old new] as the value of a cas");
    const Value from = values.canonical((*pair)[0]);
    return {call.failed ? Kind::refused_cas : Kind::cas, from, values.canonical((*pair)[1])};
  }
  if (!call.completed) return {};
  return {Kind::read, {}, call.result};
}

std::optional<Value> CasRegister::step(Value state, const RegisterOperation& o) {
  using Kind = RegisterOperation::Kind;
  switch (o.kind) {
    case Kind::look:
      return state;
    case Kind::read:
      return o.to == state || state == kAnyValue ? std::optional(o.to) : std::nullopt;
    case Kind::write:
      return o.to;
    case Kind::cas:
      return o.from == state || state == kAnyValue ? std::optional(o.to) : std::nullopt;
    case Kind::refused_cas:
      return o.from == state ? std::nullopt : std::optional(state);
  }
  return std::nullopt;
}

void TryCasRegister::begin_with(std::string_view edn, ValueTable& table) {
  if (edn == kUnknownFirst) {
    throw std::invalid_argument(
        "--initial: found unknown, expected a value, since each failed cas says what it was not; the model "
        "cas-register "
        "takes unknown");
  }
  CasRegister::begin_with(edn, table);
}

namespace {

// Two operations treat all values alike but those that they name.
std::array<Value, 5> telling_states(const RegisterOperation& a, const RegisterOperation& b) {
  std::array<Value, 5> states = {a.from, a.to, b.from, b.to, Value()};
  const auto named = states.end() - 1;
  for (std::int64_t i = 0; std::find(states.begin(), named, states[4]) != named; ++i) {
    states[4] = Value::integer(i);
  }
  return states;
}

}  // namespace

bool CasRegister::may_follow(const RegisterOperation& a, const RegisterOperation& b) {
  return may_follow_in<CasRegister>(telling_states(a, b), a, b);
}

bool CasRegister::may_omit(const RegisterOperation& a, const RegisterOperation& b) {
  for (const Value state : telling_states(a, b)) {
    const auto middle = step(state, a);
    const auto end = middle ? step(*middle, b) : std::nullopt;
    if (end && step(state, b) != end) return false;
  }
  return true;
}

MultiRegister::Operation MultiRegister::read(const Call& call, ValueTable& table) {
  constexpr const char* kExpected = "[[function key value] …] as the value of a txn";
  const Value said = call.completed && !call.result.is_nil() ? call.result : call.argument;
  Operation operation;
  if (!said.is_text() || !EdnElements::is_sequence(table.text(said))) {
    throw std::invalid_argument(kExpected);
  }
  const std::string text(table.text(said));
  EdnElements steps(text);
  for (std::string_view step; steps.next(step);) {
    EdnElements elements(step);
    std::string_view function, key, value, fourth;
    if (!elements.next(function) || !elements.next(key) || !elements.next(value) || elements.next(fourth)) {
      throw std::invalid_argument(kExpected);
    }
    function.remove_prefix(function[0] == ':' ? 1 : 0);
    if (function.size() >= 2 && function[0] == '"') function = function.substr(1, function.size() - 2);
    const bool writes = function == "w" || function == "write";
    if (!writes && function != "r" && function != "read") throw std::invalid_argument(kExpected);
    const auto kind = writes ? Step::Kind::write : call.completed ? Step::Kind::read : Step::Kind::look;
    const Value named = table.canonical(key);
    if (!asked_.empty()) meet(named);
    operation.push_back({kind, named, table.canonical(value)});
  }
  std::erase_if(operation, [](const Step& s) { return s.kind == Step::Kind::look; });
  return operation;
}

void MultiRegister::begin_with(std::string_view edn, ValueTable& table) {
  unknown_ = edn == kUnknownFirst;
  if (unknown_) return;
  for (const auto& [key, value] : first_values(edn)) asked_.emplace_back(key, table.canonical(value));
}

void MultiRegister::meet(Value key) {
  met_.insert(spelt_key(values->edn(key)));
  const auto at = [](const auto& one, Value other) { return one.first < other; };
  const auto asked = std::find_if(asked_.begin(), asked_.end(),
                                  [&](const auto& one) { return one.first == spelt_key(values->edn(key)); });
  const auto place = std::lower_bound(first_.begin(), first_.end(), key, at);
  const bool known = place != first_.end() && place->first == key;
  if (!known && asked != asked_.end() && !asked->second.is_nil()) first_.insert(place, {key, asked->second});
}

std::optional<MultiRegister::State> MultiRegister::step(State state, const Operation& o) const {
  for (const Step& step : o) {
    const auto at = std::lower_bound(state.begin(), state.end(), step.key,
                                     [](const auto& one, Value key) { return one.first < key; });
    const bool there = at != state.end() && at->first == step.key;
    const bool known = there || !unknown_;
    if (step.kind == Step::Kind::read && known) {
      if ((there ? at->second : Value()) != step.value) return std::nullopt;
    } else if (step.value.is_nil() && !unknown_) {
      if (there) state.erase(at);
    } else if (there) {
      at->second = step.value;
    } else {
      state.insert(at, {step.key, step.value});
    }
  }
  return state;
}

// For a key that both touch: a's last write, if any, against b's first step.
bool MultiRegister::may_follow(const Operation& a, const Operation& b) {
  bool clash = false;
  for (const Step& second : b) {
    std::optional<Value> written;
    bool touched = false;
    for (const Step& first : a) {
      if (first.key != second.key) continue;
      touched = true;
      if (first.kind == Step::Kind::write) written = first.value;
    }
    if (!touched) continue;
    const bool first_of_key =
        &second == &*std::find_if(b.begin(), b.end(), [&](const Step& s) { return s.key == second.key; });
    const bool reads = second.kind == Step::Kind::read;
    if (first_of_key && reads && written && *written != second.value) return true;  // the order a, b is impossible
    if (written || !reads) clash = true;
  }
  return !clash;
}

// b overwrites all that a wrote, and sees none of it.
bool MultiRegister::may_omit(const Operation& a, const Operation& b) {
  return std::all_of(a.begin(), a.end(), [&](const Step& first) {
    if (first.kind != Step::Kind::write) return true;
    const auto second = std::find_if(b.begin(), b.end(), [&](const Step& s) { return s.key == first.key; });
    return second != b.end() && second->kind == Step::Kind::write;
  });
}

bool MultiRegister::observes(const Operation& o) const {
  return !unknown_ && std::none_of(o.begin(), o.end(), [](const Step& s) { return s.kind == Step::Kind::write; });
}

bool MultiRegister::tells(const Operation& o) {
  return std::any_of(o.begin(), o.end(), [](const Step& s) { return s.kind == Step::Kind::read; });
}

std::uint64_t MultiRegister::hash(const State& state) {
  std::uint64_t hash = 0;
  for (const auto& [key, value] : state) {
    hash = (hash ^ key.bits()) * 0x9e3779b97f4a7c15u;
    hash = ((hash ^ (hash >> 29)) + value.bits()) * 0xbf58476d1ce4e5b9u;
  }
  return hash;
}

std::string MultiRegister::describe(const State& state) const {
  std::string text = "{";
  for (const auto& [key, value] : state) {
    if (text.size() > 1) text += ", ";
    text += values->edn(key) + " " + values->edn(value);
  }
  return text + "}";
}

namespace {

// The characters of a string, in its escapes; the text of anything else; nothing for nil.
std::string characters(std::string_view edn) {
  if (edn == "nil") return {};
  if (edn.size() >= 2 && edn.front() == '"') edn = edn.substr(1, edn.size() - 2);
  return std::string(edn);
}

}  // namespace

std::string KeyValue::describe(const State& state) {
  if (!state.starts_with(kAnyBegin)) return '"' + state + '"';
  return state.size() == 1 ? std::string("unknown") : "unknown, and ends with \"" + state.substr(1) + '"';
}

std::optional<Value> KeyValue::part(const Call& call, ValueTable& values) const {
  if (key_) return std::nullopt;
  const auto pair = pair_of(call.argument, values);
  if (!pair) throw std::invalid_argument("[key value] as the value");
  return values.canonical(std::string((*pair)[0]));
}

void KeyValue::begin_with(std::string_view edn, ValueTable&) {
  unknown_ = edn == kUnknownFirst;
  if (unknown_) first_ = kAnyBegin;
  if (unknown_) return;
  for (const auto& [key, value] : first_values(edn)) {
    asked_.emplace_back(key, characters(value));
    if (key == key_) first_ = asked_.back().second;
  }
}

std::string KeyValue::spelt(std::string_view key) { return spelt_key(key); }

void KeyValue::enter(Value key, const ValueTable& values) {
  if (unknown_) return;
  const std::string name = spelt_key(values.edn(key));
  const auto asked = std::find_if(asked_.begin(), asked_.end(), [&](const auto& one) { return one.first == name; });
  first_ = asked == asked_.end() ? State() : asked->second;
}

KeyValue::Operation KeyValue::read(const Call& call, ValueTable& values) const {
  using Kind = Operation::Kind;
  const auto plain = [&](Value value) {
    const std::string text = values.edn(value);
    if (key_) return text;
    const auto pair = pair_of(text);
    if (!pair) throw std::invalid_argument("[key value] as the value");
    return std::string((*pair)[1]);
  };
  if (call.function == "put" || call.function == "write") {
    return {Kind::write, {}, characters(plain(call.argument))};
  }
  if (call.function == "append") return {Kind::append, {}, characters(plain(call.argument))};
  if (call.function == "cas") {
    const std::string text = plain(call.argument);
    const auto pair = pair_of(text);
    if (!pair) throw std::invalid_argument("[old new] as what a cas changes");
    return {Kind::cas, characters((*pair)[0]), characters((*pair)[1])};
  }
  if (!call.completed) return {};
  return {Kind::read, {}, characters(plain(call.result))};
}

std::optional<std::string> KeyValue::step(const std::string& state, const Operation& o) {
  const bool open = state.starts_with(kAnyBegin);
  const auto fits = [&](const std::string& seen) {
    return open ? seen.ends_with(std::string_view(state).substr(1)) : seen == state;
  };
  switch (o.kind) {
    case Operation::Kind::look:
      return state;
    case Operation::Kind::read:
      return fits(o.to) ? std::optional(o.to) : std::nullopt;
    case Operation::Kind::write:
      return o.to;
    case Operation::Kind::append:
      return state + o.to;
    case Operation::Kind::cas:
      return fits(o.from) ? std::optional(o.to) : std::nullopt;
  }
  return std::nullopt;
}

bool KeyValue::may_follow(const Operation& a, const Operation& b) {
  using Kind = Operation::Kind;
  if (a.kind == Kind::look || b.kind == Kind::look) return true;
  if (a.kind == Kind::append) {
    if (a.to.empty()) return true;
    const std::string& needed = b.kind == Kind::cas ? b.from : b.to;
    const bool needs = b.kind == Kind::read || b.kind == Kind::cas;
    return needs && !needed.ends_with(a.to);  // the order a, b is impossible
  }
  if (b.kind == Kind::append) return b.to.empty();
  // These operations treat all values alike but those that they name.
  const std::string other = a.from + a.to + b.from + b.to + "?";
  return may_follow_in<KeyValue>(std::array{a.from, a.to, b.from, b.to, other}, a, b);
}

}  // namespace picklock
