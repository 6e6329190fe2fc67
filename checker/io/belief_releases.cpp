#include <optional>

#include "checker/io/history_writer.hpp"
#include "checker/sparse_map.hpp"

namespace picklock {
namespace {

struct Hold {
  std::int32_t process = -1;  // that acquired it
  NameId lock = kNoName;
  bool over = false;  // its release was invoked or made up
};

class Converter {
 public:
  explicit Converter(const History& from) : from_(from), holds_(from.holds.size()) {
    to_.names = from.names;
    to_.values = from.values;
    to_.functions = from.functions;
    to_.holds = from.holds;
    acquire_ = function("acquire");
    release_ = function("release");
    fresh_ = 0;
    for (const OperationEvent& event : from.operations) {
      if (event.process >= fresh_ && event.process < INT32_MAX) fresh_ = event.process + 1;
    }
    for (std::size_t id = 0; id < holds_.size(); ++id) {
      holds_[id] = {from.holds[id].process, from.holds[id].lock, false};
    }
  }

  History convert() {
    std::size_t belief = 0;
    for (const OperationEvent& event : from_.operations) {
      while (belief < from_.beliefs.size() && from_.beliefs[belief].index < event.index) {
        end_of(from_.beliefs[belief++]);
      }
      operation(event);
    }
    while (belief < from_.beliefs.size()) end_of(from_.beliefs[belief++]);
    return std::move(to_);
  }

 private:
  struct Process {
    bool busy = false;
    bool dropping = false;  // its pending operation is left out
  };

  std::uint8_t function(std::string_view name) {
    const NameId id = to_.names.intern(name);
    std::size_t f = 0;
    while (f < to_.functions.size() && to_.functions[f] != id) ++f;
    if (f == to_.functions.size()) to_.functions.push_back(id);
    if (f >= 255) throw WriteError("more than 255 functions");
    return static_cast<std::uint8_t>(f);
  }

  void add(OperationEvent event) {
    event.index = index_++;
    to_.operations.push_back(event);
  }

  void operation(const OperationEvent& event) {
    while (extra_ < from_.extras.size() && from_.extras[extra_].index < event.index) ++extra_;
    const bool client = event.process >= 0;
    if (client && event.f != acquire_ && event.f != release_) return;
    const bool known = event.hold != kNoHold && event.hold < holds_.size();
    if (client) {
      Process& process = processes_[event.process];
      if (event.type == OperationType::invoke) {
        process.dropping = event.f == release_ && known && holds_[event.hold].over;
        if (event.f == release_ && known) holds_[event.hold].over = true;
      }
      if (process.dropping) return;
      process.busy = event.type == OperationType::invoke || event.type == OperationType::info;
      if (event.f == acquire_ && event.type == OperationType::ok && known) {
        holds_[event.hold].process = event.process;
      }
    }
    for (; extra_ < from_.extras.size() && from_.extras[extra_].index == event.index; ++extra_) {
      ExtraField field = from_.extras[extra_];
      field.index = index_;
      to_.extras.push_back(field);
    }
    add(event);
  }

  void end_of(const BeliefEvent& belief) {
    if (belief.end == BeliefEnd::none || belief.end == BeliefEnd::released) return;
    if (belief.hold == kNoHold || belief.hold >= holds_.size()) return;
    Hold& hold = holds_[belief.hold];
    if (hold.over || hold.process < 0) return;
    hold.over = true;
    OperationEvent release;
    release.time = belief.time;
    // A process that waits for something else (or has crashed) cannot invoke in Jepsen's sense.
    release.process = processes_[hold.process].busy ? fresh_++ : hold.process;
    release.hold = belief.hold;
    release.object = hold.lock;
    release.f = release_;
    release.type = OperationType::invoke;
    add(release);
    release.type = OperationType::ok;
    add(release);
  }

  const History& from_;
  History to_;
  std::uint8_t acquire_ = 0;
  std::uint8_t release_ = 0;
  std::vector<Hold> holds_;
  SparseMap<std::int32_t, Process> processes_;
  std::int32_t fresh_ = 0;
  std::uint32_t index_ = 0;
  std::size_t extra_ = 0;
};

}  // namespace

History with_belief_ends_as_releases(const History& history) { return Converter(history).convert(); }

}  // namespace picklock
