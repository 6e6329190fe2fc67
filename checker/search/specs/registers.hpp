// Registers: one, one with compare-and-set, several under transactions, and a map of them.
//
// All begin as nil, unless `begin_with` says otherwise.  A completed read says what it saw, nil included: a register that was never
// written.  (Knossos takes a nil read for "unknown"; a history that means this has to leave the
// read out.)  A crashed read says nothing.  A compare-and-set that failed is an observation to TryCasRegister alone; any
// other failed operation is dropped.
//
// A first value that is not known is a state of its own: the set of all values.  What a read or a cas says of it leaves the
// one value, so that then reads are no observers.  An order exists from this state iff one exists from some first value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/search/spec.hpp"

namespace picklock {

struct RegisterOperation {
  // look: a read without an answer; refused_cas: one that found another value
  enum class Kind : std::uint8_t { read, look, write, cas, refused_cas };
  Kind kind = Kind::look;
  Value from;  // cas, refused_cas: the old value
  Value to;    // read: the value seen; write, cas: the new one
};

// read, write and cas; the value of a cas is [old new].
struct CasRegister {
  static constexpr std::array<std::string_view, 3> functions = {"read", "write", "cas"};
  static constexpr bool anonymous = true;
  using State = Value;
  using Operation = RegisterOperation;

  static Operation read(const Call& call, ValueTable& values);
  void begin_with(std::string_view edn, ValueTable& table) {
    first_ = edn == kUnknownFirst ? kAnyValue : table.canonical(edn);
  }
  [[nodiscard]] State initial() const { return first_; }
  static std::optional<State> step(State state, const Operation& o);
  static bool may_follow(const Operation& a, const Operation& b);
  static bool may_omit(const Operation& a, const Operation& b);
  [[nodiscard]] bool observes(const Operation& o) const {
    if (first_ == kAnyValue) return o.kind == Operation::Kind::look;
    return o.kind != Operation::Kind::write && (o.kind != Operation::Kind::cas || o.from == o.to);
  }
  static bool tells(const Operation& o) { return o.kind != Operation::Kind::write && o.kind != Operation::Kind::look; }
  static std::uint64_t hash(State state) { return state.bits(); }
  [[nodiscard]] std::string describe(State state) const {
    return state == kAnyValue ? std::string("unknown") : values->edn(state);
  }
  [[nodiscard]] std::string why_not(State state, const Operation&) const {
    return "the register is " + describe(state);
  }

  const ValueTable* values = nullptr;

 protected:
  static constexpr Value kAnyValue = Value::text(0xffffffff);  // no table has as many

 private:
  Value first_;
};

// A cas that failed says that the register had another value.
struct TryCasRegister : CasRegister {
  static constexpr std::array<std::string_view, 1> refusals = {"cas"};
  void begin_with(std::string_view edn, ValueTable& table);  // a failed cas would say what an unknown value is not
};

struct Register : CasRegister {
  static constexpr std::array<std::string_view, 2> functions = {"read", "write"};
};

// The keys of a map that says how registers begin, without their quotes and colons.
std::vector<std::string> initial_keys(std::string_view edn);

// txn: a list of [function key value], done at once; function is r, read, w or write.
struct MultiRegister {
  static constexpr std::array<std::string_view, 1> functions = {"txn"};
  static constexpr bool anonymous = true;
  // Ascending by key.  Others are nil, and stand for it; or not known, if the first state was not.
  using State = std::vector<std::pair<Value, Value>>;
  struct Step {
    enum class Kind : std::uint8_t { read, look, write };
    Kind kind = Kind::look;
    Value key;
    Value value;
  };
  using Operation = std::vector<Step>;

  Operation read(const Call& call, ValueTable& table);
  void begin_with(std::string_view edn, ValueTable& table);
  [[nodiscard]] State initial() const { return first_; }
  [[nodiscard]] std::optional<State> step(State state, const Operation& o) const;
  static bool may_follow(const Operation& a, const Operation& b);
  static bool may_omit(const Operation& a, const Operation& b);
  [[nodiscard]] bool observes(const Operation& o) const;
  static bool tells(const Operation& o);
  static std::uint64_t hash(const State& state);
  [[nodiscard]] std::string describe(const State& state) const;
  void met_keys(std::vector<std::string>& keys) const { keys.insert(keys.end(), met_.begin(), met_.end()); }

  const ValueTable* values = nullptr;

 private:
  void meet(Value key);

  bool unknown_ = false;                              // true: the first state is unknown
  std::vector<std::pair<std::string, Value>> asked_;  // pairs of key, as it is spelt, and value
  std::set<std::string> met_;                         // keys, where some were asked for
  State first_;                                       // first values of the keys that were met
};

// get or read, put or write, append, cas, with values [key value], or with the key beside the value
// (:object).  append joins characters to those of a string; nil is the empty string.
struct KeyValue {
  static constexpr std::array<std::string_view, 6> functions = {"get", "put", "append", "write", "cas", "read"};
  static constexpr bool anonymous = true;
  // The characters of a string, the EDN of anything else; after kAnyBegin the end of a text whose beginning is not known.
  using State = std::string;
  static constexpr char kAnyBegin = '\0';
  struct Operation {
    enum class Kind : std::uint8_t { read, look, write, append, cas };
    Kind kind = Kind::look;
    std::string from;
    std::string to;
  };

  KeyValue() = default;  // the key stands in the value
  // The key stands beside the value, and is this one.
  explicit KeyValue(std::string_view key) : key_(key) {}

  Operation read(const Call& call, ValueTable& values) const;
  std::optional<Value> part(const Call& call, ValueTable& values) const;
  void begin_with(std::string_view edn, ValueTable& values);
  void enter(Value key, const ValueTable& values);
  void met_keys(std::vector<std::string>& keys) const {
    if (key_) keys.push_back(*key_);
  }
  static std::string spelt(std::string_view key);
  [[nodiscard]] State initial() const { return first_; }
  static std::optional<State> step(const State& state, const Operation& o);
  static bool may_follow(const Operation& a, const Operation& b);
  static bool may_omit(const Operation&, const Operation& b) { return b.kind == Operation::Kind::write; }
  [[nodiscard]] bool observes(const Operation& o) const {
    return (o.kind == Operation::Kind::read && !unknown_) || o.kind == Operation::Kind::look;
  }
  static bool tells(const Operation& o) { return o.kind == Operation::Kind::read || o.kind == Operation::Kind::cas; }
  static std::string describe(const State& state);
  static std::string why_not(const State& state, const Operation&) { return "the value is " + describe(state); }

  // A value only gets longer without writes.
  static bool attainable(const State& state, const Operation& o, const auto& others) {
    if (state.starts_with(kAnyBegin)) return true;
    for (const Operation& other : others) {
      if (other.kind == Operation::Kind::write || other.kind == Operation::Kind::cas) return true;
    }
    return (o.kind == Operation::Kind::cas ? o.from : o.to).starts_with(state);
  }

 private:
  std::optional<std::string> key_;
  bool unknown_ = false;                              // true: the first state is unknown
  std::vector<std::pair<std::string, State>> asked_;  // pairs of key, as it is spelt, and state
  State first_;
};

}  // namespace picklock
