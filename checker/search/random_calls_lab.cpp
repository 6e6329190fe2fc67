#include "checker/search/random_calls_lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace picklock {
namespace {

using Kind = TestAction::Kind;
using Fate = TestCall::Fate;

std::string all_of(const TestObject& object) {
  std::string text;
  for (const auto& [key, value] : object) text += fmt::format(" {}", key);
  return text;
}

// The object's answer, and whether it agrees.
bool perform(TestObject& object, TestAction& action) {
  std::string& value = object[action.key];
  bool agreed = true;
  switch (action.kind) {
    case Kind::get:
      action.seen = value;
      break;
    case Kind::put:
      value = action.to;
      break;
    case Kind::append:
      value += action.to;
      break;
    case Kind::cas:
      agreed = value == action.from;
      if (agreed) value = action.to;
      break;
    case Kind::add:
      value = "x";
      break;
    case Kind::all:
      break;
  }
  if (object[action.key].empty()) object.erase(action.key);
  if (action.kind == Kind::all) action.seen = all_of(object);
  return agreed;
}

std::string some_value(LabRandom& random) { return std::string(1, "123"[random.below(3)]); }

TestAction random_action(LabRandom& random, TestModel model) {
  TestAction action;
  switch (model) {
    case TestModel::reg:
    case TestModel::cas_register:
    case TestModel::try_cas_register:
      action.kind = random.percent(50)                              ? Kind::get
                    : model != TestModel::reg && random.percent(50) ? Kind::cas
                                                                    : Kind::put;
      break;
    case TestModel::multi_register:
      action.kind = random.percent(50) ? Kind::get : Kind::put;
      action.key = static_cast<int>(random.below(2));
      break;
    case TestModel::set:
      action.kind = random.percent(35) ? Kind::all : Kind::add;
      action.key = action.kind == Kind::add ? static_cast<int>(random.below(6)) : -1;
      return action;
    case TestModel::kv:
    case TestModel::kv_object:
      constexpr Kind kKinds[] = {Kind::get, Kind::get, Kind::append, Kind::append, Kind::put, Kind::cas};
      action.kind = kKinds[random.below(6)];
      action.key = static_cast<int>(random.below(2));
      break;
  }
  action.to = some_value(random);
  action.from = action.kind == Kind::cas ? some_value(random) : "";
  return action;
}

// Another answer than the true one, but of those that occur.
void lie(LabRandom& random, TestAction& action) {
  if (action.kind == Kind::get) action.seen = random.percent(20) ? "" : some_value(random);
  if (action.kind != Kind::all) return;
  TestObject other;
  for (int i = 0; i < 6; ++i) {
    const bool there = action.seen.find(fmt::format(" {}", i)) != std::string::npos;
    if (there != random.percent(15)) other[i] = "x";
  }
  action.seen = all_of(other);
}

// The value of a record, as EDN.
std::string edn_of(const TestCall& call, TestModel model, bool answered) {
  const TestAction& a = call.actions[0];
  const auto plain = [](const std::string& text) { return text.empty() ? "nil" : text; };
  const auto quoted = [](const std::string& text) { return text.empty() ? std::string("nil") : '"' + text + '"'; };
  switch (model) {
    case TestModel::reg:
    case TestModel::cas_register:
    case TestModel::try_cas_register:
      if (a.kind == Kind::get) return answered ? plain(a.seen) : "nil";
      return a.kind == Kind::cas ? fmt::format("[{} {}]", a.from, a.to) : a.to;
    case TestModel::multi_register: {
      std::string text;
      for (const TestAction& one : call.actions) {
        const bool gets = one.kind == Kind::get;
        const std::string value = gets ? (answered ? plain(one.seen) : "nil") : one.to;
        text += fmt::format("{}[:{} {} {}]", text.empty() ? "" : " ", gets ? "r" : "w", one.key, value);
      }
      return "[" + text + "]";
    }
    case TestModel::set:
      if (a.kind == Kind::add) return fmt::format("{}", a.key);
      return answered ? "#{" + a.seen.substr(a.seen.empty() ? 0 : 1) + "}" : "nil";
    case TestModel::kv:
    case TestModel::kv_object: {
      const std::string value = a.kind == Kind::get   ? (answered ? quoted(a.seen) : "nil")
                                : a.kind == Kind::cas ? fmt::format("[{} {}]", quoted(a.from), quoted(a.to))
                                                      : quoted(a.to);
      return model == TestModel::kv_object ? value : fmt::format("[{} {}]", a.key, value);
    }
  }
  return "nil";
}

const char* function_of(const TestCall& call, TestModel model) {
  if (model == TestModel::multi_register) return "txn";
  const bool kv = model == TestModel::kv || model == TestModel::kv_object;
  switch (call.actions[0].kind) {
    case Kind::get:
      return kv ? "get" : "read";
    case Kind::put:
      return kv ? "put" : "write";
    case Kind::append:
      return "append";
    case Kind::cas:
      return "cas";
    case Kind::add:
      return "add";
    case Kind::all:
      return "read";
  }
  return "";
}

class Recorder {
 public:
  Recorder(TestHistory& out, TestModel model) : out_(out), model_(model) {}

  std::uint32_t record(const TestCall& call, OperationType type) {
    History& h = out_.history;
    OperationEvent event;
    event.index = static_cast<std::uint32_t>(h.operations.size());
    event.time = event.index;
    event.process = call.process;
    event.type = type;
    const NameId f = h.names.intern(function_of(call, model_));
    const auto at = std::find(h.functions.begin(), h.functions.end(), f);
    event.f = static_cast<std::uint8_t>(at - h.functions.begin());
    if (at == h.functions.end()) h.functions.push_back(f);
    event.value = h.values.canonical(edn_of(call, model_, type == OperationType::ok));
    if (model_ == TestModel::kv_object) {
      event.object = h.names.intern(fmt::format("key {}", call.actions[0].key));
    }
    h.operations.push_back(event);
    return event.index;
  }

 private:
  TestHistory& out_;
  TestModel model_;
};

}  // namespace

std::string_view name_of(TestModel model) {
  constexpr std::string_view kNames[] = {"register", "cas-register", "try-cas-register", "multi-register", "set", "kv",
                                         "kv"};
  return kNames[static_cast<std::size_t>(model)];
}

std::string initial_edn(TestModel model, const TestObject& initial) {
  if (initial.empty()) return {};
  const bool kv = model == TestModel::kv || model == TestModel::kv_object;
  if (!kv && model != TestModel::multi_register) return initial.at(0);
  std::string text;
  for (const auto& [key, value] : initial) {
    const std::string name = model == TestModel::kv_object ? fmt::format("\"key {}\"", key) : fmt::format("{}", key);
    text += fmt::format("{} {} ", name, kv ? '"' + value + '"' : value);
  }
  return "{" + text + "}";
}

// Does any call have the key?  `--initial` must not name another.
static bool names(const std::vector<TestCall>& calls, int key) {
  return std::any_of(calls.begin(), calls.end(), [&](const TestCall& call) {
    return std::any_of(call.actions.begin(), call.actions.end(), [&](const TestAction& a) { return a.key == key; });
  });
}

TestHistory random_calls(LabRandom& random, TestModel model, std::uint32_t most) {
  struct Client {
    std::int32_t process = 0;
    std::optional<TestCall> call;
    bool applied = false;
    bool agreed = false;
  };
  TestHistory out;
  Recorder recorder(out, model);
  for (int key = 0; key < 2 && model != TestModel::set; ++key) {
    const bool has_keys =
        model != TestModel::reg && model != TestModel::cas_register && model != TestModel::try_cas_register;
    if ((key == 0 || has_keys) && random.percent(20)) out.initial[key] = some_value(random);
  }
  TestObject object = out.initial;
  std::vector<Client> clients(2 + random.below(3));
  std::int32_t fresh = 0;
  for (Client& client : clients) client.process = fresh++;
  const std::uint32_t lies = random.below(3) * 30;
  const std::uint32_t crashes = random.below(3) * 18;
  std::uint32_t invoked = 0;
  for (std::uint32_t steps = 6 * most; steps > 0; --steps) {
    Client& client = clients[random.below(static_cast<std::uint32_t>(clients.size()))];
    if (!client.call) {
      if (invoked == most) continue;
      ++invoked;
      TestCall call;
      call.process = client.process;
      const std::uint32_t actions = model == TestModel::multi_register ? 1 + random.below(2) : 1;
      for (std::uint32_t i = 0; i < actions; ++i) {
        call.actions.push_back(random_action(random, model));
      }
      call.invoked = recorder.record(call, OperationType::invoke);
      client = {client.process, call, false, false};
      continue;
    }
    TestCall& call = *client.call;
    if (!client.applied && random.percent(60)) {
      client.applied = client.agreed = true;
      for (TestAction& action : call.actions) client.agreed &= perform(object, action);
      continue;
    }
    const bool refusable = model == TestModel::try_cas_register && call.actions[0].kind == Kind::cas;
    if (!client.applied && !random.percent(refusable ? crashes / 4 : crashes)) continue;
    if (random.percent(crashes)) {
      const bool silent = random.percent(20);
      if (!silent) call.returned = recorder.record(call, OperationType::info);
      client.process = fresh++;
    } else if (!client.applied || !client.agreed || (refusable && random.percent(lies / 3))) {
      call.fate = Fate::fail;
      call.refused = refusable;
      call.returned = recorder.record(call, OperationType::fail);
    } else {
      call.fate = Fate::ok;
      for (TestAction& action : call.actions) {
        if (random.percent(lies)) lie(random, action);
      }
      call.returned = recorder.record(call, OperationType::ok);
    }
    out.calls.push_back(call);
    client.call.reset();
  }
  for (const Client& client : clients) {
    if (client.call) out.calls.push_back(*client.call);  // calls that are never answered
  }
  std::erase_if(out.initial, [&](const auto& value) { return !names(out.calls, value.first); });
  return out;
}

bool replay(TestObject& object, const TestCall& call) {
  for (TestAction action : call.actions) {
    const std::string recorded = action.seen;
    if (perform(object, action) == call.refused) return false;
    if (call.fate == Fate::ok && action.seen != recorded) return false;
  }
  return true;
}

namespace {

class EveryOrder {
 public:
  explicit EveryOrder(std::vector<TestCall> calls) : calls_(std::move(calls)) {}

  bool from(std::uint32_t done, const TestObject& object) {
    const TestCall* next = nullptr;  // next call to return
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const TestCall& call = calls_[i];
      if ((done >> i & 1) != 0 || call.fate == Fate::crashed) continue;
      if (next == nullptr || *call.returned < *next->returned) next = &call;
    }
    if (next == nullptr) return true;
    if (stuck == nullptr || *next->returned > *stuck->returned) stuck = next;
    if (!seen_.emplace(done, object).second) return false;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if ((done >> i & 1) != 0 || calls_[i].invoked > *next->returned || too_late(calls_[i], done)) continue;
      TestObject after = object;
      if (replay(after, calls_[i]) && from(done | 1u << i, after)) return true;
    }
    return false;
  }

  const TestCall* stuck = nullptr;

 private:
  bool too_late(const TestCall& call, std::uint32_t done) const {
    for (std::size_t i = 0; i < calls_.size() && call.until; ++i) {
      if ((done >> i & 1) != 0 && calls_[i].invoked > *call.until) return true;
    }
    return false;
  }

  std::vector<TestCall> calls_;
  std::set<std::pair<std::uint32_t, TestObject>> seen_;
};

}  // namespace

TestHistory loosened(const TestHistory& history, const std::vector<std::uint32_t>& kept, bool own_time) {
  TestHistory loose = history;
  for (TestCall& call : loose.calls) {
    if (std::find(kept.begin(), kept.end(), call.invoked) != kept.end()) continue;
    if (call.refused) call.refused = false;  // the call may fail: that asserts nothing
    if (call.fate == Fate::fail) continue;
    if (!own_time) call.invoked = 0;
    if (own_time && call.fate == Fate::ok) call.until = call.returned;
    call.fate = Fate::crashed;
    call.returned.reset();
  }
  return loose;
}

TestVerdict try_every_order(const TestHistory& history, int key) {
  std::vector<TestCall> relevant;
  for (const TestCall& call : history.calls) {
    if (call.fate == Fate::fail && !call.refused) continue;
    if (key < 0 || call.actions[0].key == key) relevant.push_back(call);
  }
  EveryOrder search(std::move(relevant));
  TestVerdict verdict;
  verdict.linearizable = search.from(0, history.initial);
  if (!verdict.linearizable) verdict.stuck = search.stuck->invoked;
  return verdict;
}

}  // namespace picklock
