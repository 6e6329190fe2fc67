#include "checker/io/lock_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "checker/io/history_writer.hpp"
#include "checker/properties/deadlock.hpp"
#include "checker/sparse_map.hpp"

namespace picklock {
namespace {

enum class Act : std::uint8_t { other, acquire, release };

Act act_of(std::string_view function) {
  if (function.ends_with("-read") || function.ends_with("-write")) function = function.substr(0, function.rfind('-'));
  return function == "acquire" ? Act::acquire : function == "release" ? Act::release : Act::other;
}

std::vector<Act> acts_of(const History& history) {
  std::vector<Act> acts;
  for (const NameId f : history.functions) acts.push_back(act_of(history.names.view(f)));
  return acts;
}

// A copy without events.
History tables_of(const History& from) {
  History to;
  to.names = from.names;
  to.values = from.values;
  to.functions = from.functions;
  to.holds = from.holds;
  return to;
}

class Converter {
 public:
  explicit Converter(const History& from) : from_(from), to_(tables_of(from)), acts_(acts_of(from)) {
    for (const HoldMode mode : {HoldMode::write, HoldMode::read}) {
      const bool reads = mode == HoldMode::read;
      functions_[index(mode)] = {function(reads ? "acquire-read" : "acquire"),
                                 function(reads ? "release-read" : "release")};
    }
    for (const OperationEvent& e : from.operations) fresh_ = std::max(fresh_, std::int64_t{e.process} + 1);
    holds_.resize(from.holds.size());
    note_beliefs();
    note_tokens();
  }

  History convert() {
    std::size_t belief = 0;
    for (const OperationEvent& e : from_.operations) {
      for (; belief < from_.beliefs.size() && from_.beliefs[belief].index < e.index; ++belief) {
        see(from_.beliefs[belief]);
      }
      see(e);
    }
    for (; belief < from_.beliefs.size(); ++belief) see(from_.beliefs[belief]);
    for (std::size_t i = 0; i < to_.operations.size(); ++i) to_.operations[i].index = static_cast<std::uint32_t>(i);
    return std::move(to_);
  }

 private:
  struct Functions {
    std::uint8_t acquire = 0, release = 0;
  };
  struct Hold {
    std::int32_t process = -1;  // process that its acquire is written under
    std::int64_t token = kNoToken;
    std::int64_t until = std::numeric_limits<std::int64_t>::max();  // end of its belief
    bool asked = false, answered = false, believed = false, over = false;
  };

  static std::size_t index(HoldMode mode) { return static_cast<std::size_t>(mode); }

  std::uint8_t function(std::string_view name) {
    const NameId id = to_.names.intern(name);
    std::size_t f = 0;
    while (f < to_.functions.size() && to_.functions[f] != id) ++f;
    if (f == to_.functions.size()) to_.functions.push_back(id);
    if (f >= 255) throw WriteError("more than 255 functions");
    return static_cast<std::uint8_t>(f);
  }

  std::int32_t fresh_process() {
    if (fresh_ > std::numeric_limits<std::int32_t>::max()) throw WriteError("no process number is left");
    return static_cast<std::int32_t>(fresh_++);
  }

  // Notes the end of the belief in each hold; a belief that begins again within a hold is the same.
  void note_beliefs() {
    std::vector<bool> begun(holds_.size());
    for (const BeliefEvent& e : from_.beliefs) {
      if (e.hold >= holds_.size()) continue;
      Hold& hold = holds_[e.hold];
      if (e.end == BeliefEnd::none) {
        begun[e.hold] = true;
      } else if (begun[e.hold]) {
        hold.until = std::min(hold.until, e.time);
      }
    }
  }

  void note_tokens() {
    for (const OperationEvent& e : from_.operations) {
      const bool granted = e.process >= 0 && acts_[e.f] == Act::acquire && e.type == OperationType::ok;
      if (!granted || e.hold == kNoHold || e.hold >= holds_.size()) continue;
      for (const HoldId part : parts_of(e.hold)) {
        if (holds_[part].token == kNoToken) holds_[part].token = e.token;
      }
    }
  }

  // The holds on the several names of a multi-lock, else the hold itself.
  std::vector<HoldId> parts_of(HoldId hold) const {
    std::vector<HoldId> parts;
    for_each_part(from_, hold, [&](HoldId part) { parts.push_back(part); });
    if (parts.empty()) parts.push_back(hold);
    return parts;
  }

  OperationEvent event_of(HoldId hold, OperationType type, std::int64_t time, bool acquires) const {
    const Functions& functions = functions_[index(from_.holds[hold].mode)];
    OperationEvent e;
    e.time = time;
    e.process = holds_[hold].process;
    e.hold = hold;
    e.type = type;
    e.f = acquires ? functions.acquire : functions.release;
    e.object = from_.holds[hold].lock;
    return e;
  }

  void see(const OperationEvent& e) {
    if (e.process < 0) {
      to_.operations.push_back(e);
      return;
    }
    if (acts_[e.f] != Act::acquire || e.hold == kNoHold || e.hold >= holds_.size()) return;
    for (const HoldId part : parts_of(e.hold)) {
      if (e.type == OperationType::invoke) {
        ask(part, e);
      } else if (e.type != OperationType::ok) {
        answer(part, e.type, e.time);
      }
    }
  }

  void ask(HoldId id, const OperationEvent& invoke) {
    Hold& hold = holds_[id];
    if (hold.asked) return;  // nested
    hold.asked = true;
    bool& busy = busy_[invoke.process];
    hold.process = busy ? fresh_process() : invoke.process;
    busy_[hold.process] = true;
    to_.operations.push_back(event_of(id, OperationType::invoke, invoke.time, true));
  }

  void answer(HoldId id, OperationType type, std::int64_t time) {
    Hold& hold = holds_[id];
    if (!hold.asked || hold.answered) return;
    hold.answered = true;
    busy_[hold.process] = type == OperationType::info;
    OperationEvent e = event_of(id, type, time, true);
    if (type == OperationType::ok) e.token = hold.token;
    to_.operations.push_back(e);
  }

  void see(const BeliefEvent& e) {
    if (e.hold == kNoHold || e.hold >= holds_.size()) return;
    Hold& hold = holds_[e.hold];
    if (!hold.asked || hold.over) return;
    if (e.end == BeliefEnd::none) {
      if (hold.believed) return;
      hold.believed = true;
      hold.over = hold.until <= e.time;
      answer(e.hold, hold.over ? OperationType::fail : OperationType::ok, e.time);
    } else if (hold.believed) {
      hold.over = true;
      release(e.hold, e.time);
    }
  }

  // A release comes before all acquires at the same instant.
  void release(HoldId id, std::int64_t time) {
    OperationEvent invoke = event_of(id, OperationType::invoke, time, false);
    if (busy_[invoke.process]) invoke.process = fresh_process();
    auto place = to_.operations.end();
    while (place != to_.operations.begin()) {
      const OperationEvent& before = *std::prev(place);
      const bool releases = before.f == functions_[0].release || before.f == functions_[1].release;
      if (releases || before.time != time || before.process == invoke.process || before.hold == id) break;
      --place;
    }
    OperationEvent ok = invoke;
    ok.type = OperationType::ok;
    to_.operations.insert(place, {invoke, ok});
  }

  const History& from_;
  History to_;
  std::vector<Act> acts_;  // index: function of from_
  Functions functions_[2];
  std::vector<Hold> holds_;
  SparseMap<std::int32_t, bool> busy_;  // processes that wait for an answer, or crashed
  std::int64_t fresh_ = 0;
};

// A foreign history: its acquires and releases.
History without_other_functions(const History& from) {
  const std::vector<Act> acts = acts_of(from);
  History to = tables_of(from);
  std::uint32_t index = 0;
  auto extra = from.extras.begin();
  for (OperationEvent e : from.operations) {
    if (e.process >= 0 && acts[e.f] == Act::other) continue;
    while (extra != from.extras.end() && extra->index < e.index) ++extra;
    for (; extra != from.extras.end() && extra->index == e.index; ++extra) {
      to.extras.push_back(*extra);
      to.extras.back().index = index;
    }
    e.index = index++;
    to.operations.push_back(e);
  }
  return to;
}

NameId lock_of(const History& history, const OperationEvent& e) {
  const bool by_hold = e.object == kNoName && e.hold != kNoHold && e.hold < history.holds.size();
  return by_hold ? history.holds[e.hold].lock : e.object;
}

}  // namespace

History with_beliefs_as_operations(const History& history) {
  return history.omniscient ? Converter(history).convert() : without_other_functions(history);
}

std::vector<std::string> locks_of(const History& history) {
  const std::vector<Act> acts = acts_of(history);
  std::vector<NameId> seen;
  std::vector<std::string> locks;
  for (const OperationEvent& e : history.operations) {
    if (e.process < 0 || acts[e.f] == Act::other) continue;
    const NameId lock = lock_of(history, e);
    if (lock == kNoName || std::find(seen.begin(), seen.end(), lock) != seen.end()) continue;
    seen.push_back(lock);
    std::string_view rest = history.names.view(lock);
    while (true) {
      const std::string_view one = history.omniscient ? rest.substr(0, rest.find('+')) : rest;
      if (std::find(locks.begin(), locks.end(), one) == locks.end()) locks.emplace_back(one);
      if (one.size() == rest.size()) break;
      rest.remove_prefix(one.size() + 1);
    }
  }
  return locks;
}

History only_of_lock(const History& history, std::string_view lock) {
  const std::vector<std::string> locks = locks_of(history);
  if (std::find(locks.begin(), locks.end(), lock) == locks.end()) {
    throw WriteError(fmt::format("no operation acquires or releases a lock '{}'; the history's locks: {}{}", lock,
                                 locks.empty() ? "none that has a name" : fmt::format("{}", fmt::join(locks, ", ")),
                                 did_you_mean(lock, locks)));
  }
  History to = history;
  const NameId name = to.names.intern(lock);
  const auto other = [&](NameId of) { return of != name && !(to.omniscient && stands_for(to.names, of, name)); };
  const auto other_hold = [&](const auto& e) {
    return e.hold == kNoHold || e.hold >= history.holds.size() || other(history.holds[e.hold].lock);
  };
  std::erase_if(to.operations, [&](const OperationEvent& e) {
    const NameId meant = lock_of(history, e);
    return e.process >= 0 && other(meant) && (e.object == kNoName || other_hold(e));
  });
  std::erase_if(to.beliefs, other_hold);
  std::erase_if(to.grants, other_hold);
  std::erase_if(to.effects, other_hold);
  return to;
}

}  // namespace picklock
