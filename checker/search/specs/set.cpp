#include "checker/search/specs/set.hpp"

#include <stdexcept>

namespace picklock {

std::uint32_t GrowingSet::number_of(Value element) {
  const auto next = static_cast<std::uint32_t>(elements_.size());
  const auto [found, fresh] = numbers_.try_emplace(element.bits(), next);
  if (fresh) elements_.push_back(element);
  return found->second;
}

namespace {

void insert(GrowingSet::State& set, std::uint32_t element) {
  if (element / 64 >= set.size()) set.resize(element / 64 + 1);
  set[element / 64] |= std::uint64_t{1} << (element % 64);
}

}  // namespace

// Elements are numbered in the order in which they are added.
void GrowingSet::check(const Call& call, const ValueTable& table) {
  if (call.function == "add") {
    number_of(call.argument);
  } else if (call.completed && !call.result.is_nil() &&
             (!call.result.is_text() || !EdnElements::is_sequence(table.text(call.result)))) {
    throw std::invalid_argument("a set, a vector or a list as the value of a read");
  }
}

GrowingSet::Operation GrowingSet::read(const Call& call, ValueTable& table) {
  check(call, table);
  if (call.function == "add") return {Operation::Kind::add, number_of(call.argument), {}};
  if (!call.completed || call.result.is_nil()) return {};
  Operation operation{Operation::Kind::read, 0, {}};
  EdnElements elements(table.text(call.result));
  for (std::string_view element; elements.next(element);) {
    insert(operation.seen, number_of(table.canonical(element)));
  }
  return operation;
}

std::optional<GrowingSet::State> GrowingSet::step(State state, const Operation& o) {
  if (o.kind == Operation::Kind::add) insert(state, o.element);
  if (o.kind == Operation::Kind::read && state != o.seen) return std::nullopt;
  return state;
}

bool GrowingSet::may_follow(const Operation& a, const Operation& b) {
  using Kind = Operation::Kind;
  if (a.kind == b.kind || a.kind == Kind::look || b.kind == Kind::look) return true;
  if (a.kind == Kind::add) return !contains(b.seen, a.element);  // otherwise the order a, b is impossible
  return contains(a.seen, b.element);                            // the element is there already
}

std::uint64_t GrowingSet::hash(const State& state) {
  std::uint64_t hash = state.size();
  for (const std::uint64_t word : state) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash;
}

// Lists at most ten of the elements.
std::string GrowingSet::list(const State& set, const State& without) const {
  std::string text;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < elements_.size(); ++i) {
    if (!contains(set, i) || contains(without, i) || ++count > 10) continue;
    if (count > 1) text += " ";
    text += values->edn(elements_[i]);
  }
  return count > 10 ? text + " and " + std::to_string(count - 10) + " more" : text;
}

std::string GrowingSet::describe(const State& state) const { return "#{" + list(state, {}) + "}"; }

std::string GrowingSet::why_not(const State& state, const Operation& o) const {
  const std::string lost = list(state, o.seen);
  const std::string unknown = list(o.seen, state);
  std::string text;
  if (!lost.empty()) text = "the set contains " + lost + ", which was not read";
  if (!lost.empty() && !unknown.empty()) text += ", and ";
  if (!unknown.empty()) text += "the set lacks " + unknown + ", which was read";
  return text;
}

}  // namespace picklock
