// Histories for tests: records in any order of writing, sorted and numbered at the end.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "checker/history.hpp"
#include "checker/properties/properties.hpp"

namespace picklock {

inline constexpr std::int64_t kWithoutEnd = std::numeric_limits<std::int64_t>::max();

class ScriptedHistory {
 public:
  ScriptedHistory() {
    history_.holds.resize(1);
    history_.omniscient = true;
  }

  void foreign() { history_.omniscient = false; }

  HoldId hold(const std::string& client, const std::string& lock = "L", HoldMode mode = HoldMode::write,
              std::int64_t token = kNoToken);

  // Operations of a hold, at both ends.
  void acquires(HoldId hold, std::int64_t from, std::int64_t until);
  void releases(HoldId hold, std::int64_t from, std::int64_t until);
  void operation(std::int64_t time, std::int32_t process, OperationType type, const std::string& function,
                 const std::string& object = "", HoldId hold = kNoHold, std::int64_t token = kNoToken,
                 Value value = {});

  void believes(HoldId hold, std::int64_t from) { belief(hold, from, BeliefEnd::none); }
  void believes(HoldId hold, std::int64_t from, std::int64_t until, BeliefEnd end = BeliefEnd::released) {
    belief(hold, from, BeliefEnd::none);
    belief(hold, until, end);
  }
  void belief(HoldId hold, std::int64_t time, BeliefEnd end) { add(time, BeliefEvent{time, 0, hold, end}); }

  void granted(HoldId hold, std::int64_t time, std::int64_t until) { grant(hold, time, GrantChange::begin, until); }
  void grant(HoldId hold, std::int64_t time, GrantChange change, std::int64_t until = kNoTime, HoldId by = kNoHold) {
    add(time, GrantEvent{time, until, 0, hold, by, change});
  }

  void reads(HoldId hold, std::int64_t time, const std::string& resource, std::uint64_t version);
  void writes(HoldId hold, std::int64_t time, const std::string& resource, std::uint64_t version,
              bool acknowledged = true);  // a write without a read
  void updates(HoldId hold, std::int64_t time, const std::string& resource, std::uint64_t version,
               std::uint64_t read_version, bool acknowledged = true);
  void refused_write(HoldId hold, std::int64_t time, const std::string& resource, bool swallowed = false);
  void effect(EffectEvent event) { add(event.time, event); }

  void process(const std::string& client, std::int64_t time, ProcessChange change) {
    add(time, ProcessEvent{time, 0, history_.names.intern(client), change});
  }
  void phase(std::int64_t time, Phase phase) { add(time, PhaseEvent{time, 0, phase}); }

  // Records of one time keep the order in which they were added.
  History build();

  NameId intern(const std::string& name) { return history_.names.intern(name); }
  ValueTable& values() { return history_.values; }
  std::uint8_t function(const std::string& name);

 private:
  using Record = std::variant<OperationEvent, BeliefEvent, GrantEvent, EffectEvent, ProcessEvent, PhaseEvent>;
  void add(std::int64_t time, Record record) { records_.emplace_back(time, std::move(record)); }

  History history_;
  std::vector<std::string> clients_;
  std::vector<std::pair<std::int64_t, Record>> records_;
};

// One line a record, for messages of failed tests.
std::string dump(const History& history);

// Judges with a fresh scratch.
Finding finding_on(Property property, const History& history, const JudgeOptions& options = {});

}  // namespace picklock
