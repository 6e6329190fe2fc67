// For tests: small random histories of each general model, and their verdict by trying every order.
//
// Independent of the search and of the specs: one plain object, a map of texts, plays all models.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/history.hpp"
#include "checker/random_lab.hpp"

namespace picklock {

enum class TestModel : std::uint8_t {
  reg,
  cas_register,
  try_cas_register,
  multi_register,
  set,
  kv,        // values [key value]
  kv_object  // the key as :object
};
std::string_view name_of(TestModel model);

// One access to the object; a transaction has several.
struct TestAction {
  enum class Kind : std::uint8_t { get, put, append, cas, add, all } kind = Kind::get;
  int key = 0;
  std::string from;
  std::string to;
  std::string seen;  // answer of get and all
};

struct TestCall {
  std::vector<TestAction> actions;
  std::int32_t process = 0;
  std::uint32_t invoked = 0;
  std::optional<std::uint32_t> returned;  // index of its completion
  enum class Fate : std::uint8_t { ok, fail, crashed } fate = Fate::crashed;
  std::optional<std::uint32_t> until;  // a crashed call is not after a call that was invoked later
  bool refused = false;                // true: failed, which is an observation: the object must refuse it
};

using TestObject = std::map<int, std::string>;

struct TestHistory {
  TestObject initial;
  std::vector<TestCall> calls;
  History history;
};

// EDN for `--initial`; empty: nothing is set.
std::string initial_edn(TestModel model, const TestObject& initial);

// A real object whose answers are now and then wrong; `calls` of at most `most`.
TestHistory random_calls(LabRandom& random, TestModel model, std::uint32_t most);

struct TestVerdict {
  bool linearizable = false;
  std::uint32_t stuck = 0;  // the invoke of the call at which all orders end, if not linearizable
};

// The calls whose invokes are not among these may take effect at any time, or in their own, whatever they were answered,
// or never.
TestHistory loosened(const TestHistory& history, const std::vector<std::uint32_t>& kept, bool own_time);

// `key`: only calls on it (kv); -1: all.
TestVerdict try_every_order(const TestHistory& history, int key = -1);

// Does the object allow the call, and answer as recorded?  If so, does it.
bool replay(TestObject& object, const TestCall& call);

}  // namespace picklock
