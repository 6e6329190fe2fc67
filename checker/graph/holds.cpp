#include "checker/graph/holds.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

namespace picklock {
namespace {

enum class Part : std::uint8_t { none, take, give, prove };
enum class Mode : std::uint8_t { any, exclusive, shared };

struct Function {
  Part part = Part::none;
  Mode mode = Mode::any;
};

Function function_named(std::string_view name) {
  Function f;
  if (name.ends_with("-read")) f.mode = Mode::shared;
  if (name.ends_with("-write")) f.mode = Mode::exclusive;
  if (f.mode != Mode::any) name = name.substr(0, name.rfind('-'));
  if (name == "acquire") f.part = Part::take;
  if (name == "release" || name == "expire") f.part = Part::give;
  if (name == "refresh") f.part = Part::prove;
  if (f.part == Part::take && f.mode == Mode::any) f.mode = Mode::exclusive;
  return f;
}

class Finder {
 public:
  explicit Finder(HoldEnds ends) : ends_(ends) {}

  void feed(const OperationEvent& e, const Function& f) {
    if (e.type == OperationType::invoke) {
      pending_[e.process] = e;
      if (f.part == Part::give && ends_ != HoldEnds::when_last_proved) release(e, f.mode);
    } else if (f.part == Part::take) {
      if (e.type == OperationType::ok) take(e, f.mode);
    } else if (ends_ == HoldEnds::when_last_proved) {
      if (e.type == OperationType::ok) prove(e, f);
    } else if (f.part == Part::give) {
      released(e);
    }
  }

  std::vector<WitnessHold> holds() {
    if (ends_ == HoldEnds::when_last_proved) {
      std::erase_if(holds_, [](const WitnessHold& h) { return !h.release; });
    }
    return std::move(holds_);
  }

 private:
  struct Held {
    std::size_t place = 0;  // index into holds_
    Mode mode = Mode::any;
  };
  using Owner = std::pair<std::int64_t, NameId>;  // the owner, and the lock

  Owner owner_of(const OperationEvent& e) const {
    if (ends_ == HoldEnds::when_anyone_releases) return {0, e.object};
    const std::int64_t id = e.hold != kNoHold ? -1 - std::int64_t{e.hold} : std::int64_t{e.process};
    return {id, e.object};
  }

  std::vector<Held>::iterator newest(std::vector<Held>& held, Mode mode, std::int32_t process) {
    auto other = held.end();
    for (auto at = held.end(); at != held.begin();) {
      --at;
      if (mode != Mode::any && at->mode != mode) continue;
      const bool own = holds_[at->place].acquired.process == process;
      if (own || ends_ != HoldEnds::when_anyone_releases) return at;
      if (other == held.end()) other = at;
    }
    return other;
  }

  void take(const OperationEvent& end, Mode mode) {
    std::vector<Held>& held = held_[owner_of(end)];
    if (ends_ == HoldEnds::when_last_proved) held.clear();  // the older hold had lapsed
    held.push_back({holds_.size(), mode});
    holds_.push_back({pending_[end.process], end, std::nullopt, std::nullopt});
  }

  void release(const OperationEvent& invoke, Mode mode) {
    std::vector<Held>& held = held_[owner_of(invoke)];
    const auto at = newest(held, mode, invoke.process);
    if (at == held.end()) return;
    holds_[at->place].release = invoke;
    releasing_[invoke.process] = *at;
    held.erase(at);
  }

  void released(const OperationEvent& end) {
    const auto found = releasing_.find(end.process);
    if (found == releasing_.end()) return;
    WitnessHold& hold = holds_[found->second.place];
    if (end.type == OperationType::fail) {  // the hold went on
      held_[owner_of(*hold.release)].push_back(found->second);
      hold.release.reset();
    } else {
      hold.release_ended = end;
    }
    releasing_.erase(found);
  }

  void prove(const OperationEvent& end, const Function& f) {
    std::vector<Held>& held = held_[owner_of(pending_[end.process])];
    const auto at = newest(held, f.mode, end.process);
    if (at == held.end()) return;
    holds_[at->place].release = pending_[end.process];
    holds_[at->place].release_ended = end;
    if (f.part == Part::give) held.erase(at);
  }

  HoldEnds ends_;
  std::map<std::int32_t, OperationEvent> pending_;  // key: process
  std::map<std::int32_t, Held> releasing_;          // key: owner
  std::map<Owner, std::vector<Held>> held_;         // the newest last
  std::vector<WitnessHold> holds_;
};

}  // namespace

std::vector<WitnessHold> holds_in(const History& history, HoldEnds ends) {
  std::vector<Function> functions;
  for (const NameId name : history.functions) {
    functions.push_back(function_named(history.names.view(name)));
  }
  Finder finder(ends);
  for (const OperationEvent& e : history.operations) {
    const Function& f = functions[e.f];
    if (f.part != Part::none && e.process >= 0) finder.feed(e, f);
  }
  return finder.holds();
}

}  // namespace picklock
