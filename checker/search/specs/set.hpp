// A set that only grows: add, and reads of the whole, such as a last one.
//
// A read's value is a set, a vector or a list; a nil read says nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checker/search/spec.hpp"

namespace picklock {

struct GrowingSet {
  static constexpr std::array<std::string_view, 2> functions = {"add", "read"};
  static constexpr bool anonymous = true;

  // One bit per element, without zeros at the end.
  using State = std::vector<std::uint64_t>;
  struct Operation {
    enum class Kind : std::uint8_t { add, read, look };
    Kind kind = Kind::look;
    std::uint32_t element = 0;
    State seen;
  };

  void check(const Call& call, const ValueTable& values);
  Operation read(const Call& call, ValueTable& values);
  static State initial() { return {}; }
  static std::optional<State> step(State state, const Operation& o);
  static bool may_follow(const Operation& a, const Operation& b);
  static bool observes(const Operation& o) { return o.kind != Operation::Kind::add; }
  static bool tells(const Operation& o) { return o.kind == Operation::Kind::read; }
  static std::uint64_t hash(const State& state);
  [[nodiscard]] std::string describe(const State& state) const;
  [[nodiscard]] std::string why_not(const State& state, const Operation& o) const;

  static bool contains(const State& set, std::uint32_t element) {
    return element / 64 < set.size() && (set[element / 64] >> (element % 64) & 1) != 0;
  }

  // An element that is there stays there; a missing one must be among the adds.
  static bool attainable(const State& state, const Operation& o, const auto& others) {
    if (o.kind != Operation::Kind::read) return true;
    State reachable = state;
    reachable.resize(o.seen.size() > state.size() ? o.seen.size() : state.size());
    for (const Operation& other : others) {
      if (other.kind == Operation::Kind::add && contains(o.seen, other.element)) {
        reachable[other.element / 64] |= std::uint64_t{1} << (other.element % 64);
      }
    }
    return reachable == o.seen;
  }

  const ValueTable* values = nullptr;

 private:
  std::uint32_t number_of(Value element);
  std::string list(const State& set, const State& without) const;

  std::vector<Value> elements_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // key: bits of the element; never iterated
};

}  // namespace picklock
