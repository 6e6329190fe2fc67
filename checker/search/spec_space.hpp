// Makes a StateSpace of a Spec: interns states, so that a configuration holds 32 bits of them.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "checker/search/spec.hpp"
#include "checker/search/state_space.hpp"

namespace picklock {

template <Spec S>
class SpecSpace final : public StateSpace {
 public:
  using State = typename S::State;
  using Operation = SpecOperation<S>;

  // Both must outlive the space.
  SpecSpace(const S& spec, const std::vector<Operation>& operations) : spec_(spec), operations_(operations) { clear(); }

  StateId initial() override { return intern(spec_.initial()); }

  StateId step(StateId state, OperationId operation) override {
    std::optional<State> next = spec_.step(states_[state], operations_[operation]);
    return next ? intern(std::move(*next)) : kImpossible;
  }

  bool may_follow(OperationId a, OperationId b) override {
    if constexpr (requires { spec_.may_follow(operations_[a], operations_[b]); }) {
      return spec_.may_follow(operations_[a], operations_[b]);
    } else {
      return false;
    }
  }

  bool may_omit(OperationId a, OperationId b) override {
    if constexpr (requires { spec_.may_omit(operations_[a], operations_[b]); }) {
      return spec_.may_omit(operations_[a], operations_[b]);
    } else {
      return false;
    }
  }

  bool attainable(StateId state, OperationId operation, std::span<const OperationId> others) override {
    const Some them{operations_, others};
    if constexpr (requires { spec_.attainable(states_[state], operations_[operation], them); }) {
      return spec_.attainable(states_[state], operations_[operation], them);
    } else {
      return true;
    }
  }

  bool observes(OperationId operation) override {
    if constexpr (requires { spec_.observes(operations_[operation]); }) {
      return spec_.observes(operations_[operation]);
    } else {
      return false;
    }
  }

  void keep(std::span<StateId> kept) override {
    std::vector<State> states;
    for (const StateId id : kept) states.push_back(states_[id]);
    clear();
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = intern(std::move(states[i]));
  }

  std::string describe(StateId id) override {
    if constexpr (requires { spec_.describe(states_[id]); }) {
      return spec_.describe(states_[id]);
    } else if constexpr (requires { std::to_string(states_[id]); }) {
      return std::to_string(states_[id]);
    } else {
      return {};
    }
  }

  std::string why_not(StateId state, OperationId operation) override {
    if constexpr (requires { spec_.why_not(states_[state], operations_[operation]); }) {
      return spec_.why_not(states_[state], operations_[operation]);
    } else {
      const std::string text = describe(state);
      return text.empty() ? "the state does not allow it" : "the state is " + text;
    }
  }

  [[nodiscard]] std::size_t memory() const override {
    return states_.capacity() * sizeof(State) + hashes_.capacity() * sizeof(std::uint64_t) +
           slots_.capacity() * sizeof(StateId) + heap_;
  }

 private:
  // Operations by their ids.  (clang 14 cannot compile the views of libstdc++ 12.)
  struct Some {
    struct Iterator {
      const std::vector<Operation>* all;
      const OperationId* at;
      const Operation& operator*() const { return (*all)[*at]; }
      Iterator& operator++() {
        ++at;
        return *this;
      }
      bool operator==(const Iterator& other) const { return at == other.at; }
    };
    [[nodiscard]] Iterator begin() const { return {&all, ids.data()}; }
    [[nodiscard]] Iterator end() const { return {&all, ids.data() + ids.size()}; }

    const std::vector<Operation>& all;
    std::span<const OperationId> ids;
  };

  static constexpr StateId kFree = kImpossible;

  std::uint64_t hash(const State& state) const {
    std::uint64_t z = 0;
    if constexpr (requires { spec_.hash(state); }) {
      z = spec_.hash(state);
    } else {
      z = std::hash<State>{}(state);
    }
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return z ^ (z >> 29);
  }

  std::size_t heap_of(const State& state) const {
    if constexpr (requires { spec_.bytes(state); }) {
      return spec_.bytes(state);
    } else if constexpr (requires { state.capacity() * sizeof(typename State::value_type); }) {
      return state.capacity() * sizeof(typename State::value_type);
    } else if constexpr (requires { state.size() * sizeof(typename State::value_type); }) {
      return state.size() * (sizeof(typename State::value_type) + 6 * sizeof(void*));  // the nodes of a tree or list
    } else {
      return 0;
    }
  }

  StateId intern(State state) {
    const std::uint64_t h = hash(state);
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = h & mask;
    for (; slots_[slot] != kFree; slot = (slot + 1) & mask) {
      if (hashes_[slots_[slot]] == h && states_[slots_[slot]] == state) return slots_[slot];
    }
    const auto id = static_cast<StateId>(states_.size());
    slots_[slot] = id;
    states_.push_back(std::move(state));
    heap_ += heap_of(states_.back());
    hashes_.push_back(h);
    if (2 * states_.size() > slots_.size()) grow();
    return id;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), kFree);
    const std::size_t mask = slots_.size() - 1;
    for (StateId id = 0; id < states_.size(); ++id) {
      std::size_t slot = hashes_[id] & mask;
      while (slots_[slot] != kFree) slot = (slot + 1) & mask;
      slots_[slot] = id;
    }
  }

  void clear() {
    states_ = {};
    hashes_ = {};
    slots_ = std::vector<StateId>(64, kFree);
    heap_ = 0;
  }

  const S& spec_;
  const std::vector<Operation>& operations_;
  std::vector<State> states_;
  std::vector<std::uint64_t> hashes_;
  std::vector<StateId> slots_;  // open addressing, a power of two, at most half full
  std::size_t heap_ = 0;
};

}  // namespace picklock
