// A model of a sequential object, as a small struct of pure functions:
//
//   struct Counter {
//     static constexpr std::array<std::string_view, 2> functions = {"add", "read"};
//     using State = std::int64_t;
//     State initial() const { return 0; }
//     std::optional<State> step(const State& state, const Call& call) const {
//       if (call.function == "add") return state + call.argument.number();
//       if (call.completed && call.result.number() != state) return std::nullopt;  // impossible
//       return state;
//     }
//   };
//
// `step` is total and pure: the state after the call, or nothing if the object could not have
// answered so.  A crashed call (`completed` is false) has no known result.  States are compared by
// == and hashed by std::hash, or by `std::uint64_t hash(const State&) const`.
//
// May be added, each on its own:
//
//   using Operation = …;  Operation read(const Call&, ValueTable&);
//       The call, understood once; `step` then takes an Operation.  Throws std::invalid_argument
//       for a call that makes no sense, saying what was expected.
//   void check(const Call&, const ValueTable&);
//       Throws as `read` does, where to understand the call takes long: it is asked of each call as it passes by.
//   static constexpr std::array<std::string_view, …> refusals = {…};
//       Functions whose failures are observations: such a call has `failed` and no result.  Other failed calls are left
//       out.
//   void begin_with(std::string_view edn, ValueTable&);
//       Sets what `initial` gives: canonical EDN, or kUnknownFirst for any state.  Throws std::invalid_argument, saying what was found and expected.
//   void enter(Value key, const ValueTable&);
//       The next `initial` is that of the part of this key.
//   std::optional<Value> part(const Call&, ValueTable&);
//       A key: calls of different keys concern independent objects, and each is searched alone
//       (Horn and Kroening, FORTE 2015).
//   static constexpr bool anonymous = true;
//       `step` does not look at process, hold and token: crashed calls with the same function and
//       argument are then interchangeable, which saves much.
//   bool may_follow(const Operation& a, const Operation& b) const;      see state_space.hpp:
//   bool may_omit(const Operation& a, const Operation& b) const;        these four save
//   bool attainable(const State&, const Operation&, const auto& others) const;  very much
//   bool observes(const Operation&) const;
//   bool tells(const Operation&) const;
//       Could the object have refused the answer of this completed call, in some state?  A write's it could not.  Without
//       it every completed call is taken to tell something.
//   std::string describe(const State&) const;
//   std::string why_not(const State&, const Operation&) const;          a clause: "the lock is free"
//   std::size_t bytes(const State&) const;                              on the heap
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "checker/search/call.hpp"

namespace picklock {

// Argument of begin_with for an unknown first state: no value is spelt so, since bare words are strings.
inline constexpr std::string_view kUnknownFirst = "unknown";

namespace spec_detail {
template <typename S>
struct OperationOf {
  using Type = Call;
};
template <typename S>
requires requires { typename S::Operation; }
struct OperationOf<S> {
  using Type = typename S::Operation;
};
}  // namespace spec_detail

template <typename S>
using SpecOperation = typename spec_detail::OperationOf<S>::Type;

template <typename S>
concept Spec = requires(const S spec, const typename S::State state, const SpecOperation<S> operation) {
  {std::string_view(*std::begin(S::functions))};
  { spec.initial() } -> std::convertible_to<typename S::State>;
  { spec.step(state, operation) } -> std::convertible_to<std::optional<typename S::State>>;
  { state == state } -> std::convertible_to<bool>;
};

}  // namespace picklock
