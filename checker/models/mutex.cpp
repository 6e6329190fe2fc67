#include "checker/models/mutex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "checker/models/words.hpp"
#include "checker/process_map.hpp"

namespace picklock {
namespace {

enum Role : std::size_t { kAcquire, kRelease };

constexpr std::string_view kOverlaps = "a hold of it overlaps with another";

class Mutex final : public Model {
 public:
  explicit Mutex(const ModelContext& context) : context_(context) {}

  void invoked(const OperationEvent& invoke, std::size_t role) override;
  void returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) override;
  void outlived(const OperationEvent& crashed, std::size_t role) override;
  ModelResult finish() override;
  [[nodiscard]] std::size_t memory() const override;

 private:
  // A hold whose release was invoked, and who acquired the lock first after that.
  struct Released {
    WitnessHold hold;
    std::optional<WitnessHold> next;
    bool again = false;  // an earlier release of the hold crashed, and may have taken effect
  };
  using ReleasedId = std::uint32_t;
  static constexpr ReleasedId kNone = 0xffffffff;

  static bool owns(const WitnessHold& hold, const OperationEvent& release);
  bool uncertain(const OperationEvent& event) const;

  void acquired(const WitnessHold& hold);
  void release_returned(ReleasedId id, const OperationEvent& end);
  void unowned_release_succeeded(const OperationEvent& invoke, const OperationEvent& end);
  void undo(ReleasedId id, std::uint32_t until);

  void overlap(const WitnessHold& first, const WitnessHold& second);
  void wrong_release(const OperationEvent& invoke, const OperationEvent& end);
  void unsure(const OperationEvent& event, std::string_view why);
  void complete_witness(const OperationEvent& event, std::size_t role);

  ReleasedId put(const WitnessHold& hold);
  void free(ReleasedId id);

  ModelContext context_;
  std::optional<WitnessHold> holder_;  // while no release of it is open
  std::vector<Released> released_;     // a pool
  std::vector<ReleasedId> unused_;
  ReleasedId last_ = kNone;      // the release after which nobody has acquired yet
  ProcessMap<ReleasedId> open_;  // 1 + the release that the process waits for; 0: none that owned
  std::unordered_map<HoldId, ReleasedId> crashed_releases_;  // of holds that are named
  std::unordered_set<HoldId> open_acquires_;                 // likewise; pending and crashed
  // Holds that another release may end at any time: it names them, but was invoked while they were
  // not held, and has not failed.  Counts of those releases; once doubted, a conflict adds one.
  std::unordered_map<HoldId, std::uint32_t> doubts_;
  std::unordered_set<std::int32_t> outlived_;  // processes that went on after a crash
  std::string unsure_;
  ModelResult result_;
};

bool Mutex::owns(const WitnessHold& hold, const OperationEvent& release) {
  if (release.hold != kNoHold && hold.acquired.hold != kNoHold) {
    return release.hold == hold.acquired.hold;
  }
  return release.process == hold.acquired.process;
}

bool Mutex::uncertain(const OperationEvent& event) const {
  if (event.hold != kNoHold) return !doubts_.empty() && doubts_.count(event.hold) > 0;
  return !outlived_.empty() && outlived_.count(event.process) > 0;
}

Mutex::ReleasedId Mutex::put(const WitnessHold& hold) {
  if (unused_.empty()) {
    released_.push_back({hold, std::nullopt, false});
    return static_cast<ReleasedId>(released_.size() - 1);
  }
  const ReleasedId id = unused_.back();
  unused_.pop_back();
  released_[id] = {hold, std::nullopt, false};
  return id;
}

void Mutex::free(ReleasedId id) {
  if (last_ == id) last_ = kNone;
  unused_.push_back(id);
}

void Mutex::invoked(const OperationEvent& invoke, std::size_t role) {
  if (result_.judgement == Judgement::violated) return complete_witness(invoke, role);
  if (role == kAcquire) {
    if (invoke.hold != kNoHold) open_acquires_.insert(invoke.hold);
    return;
  }
  ReleasedId& open = open_[invoke.process];
  open = 0;
  if (holder_ && owns(*holder_, invoke)) {
    last_ = put(*holder_);
    released_[last_].hold.release = invoke;
    open = last_ + 1;
    holder_.reset();
  } else if (invoke.hold != kNoHold) {
    // A second attempt to release a named hold: if it succeeds, the first did nothing.
    const auto crashed = crashed_releases_.find(invoke.hold);
    if (crashed == crashed_releases_.end() || released_[crashed->second].next) {
      doubts_[invoke.hold] += open_acquires_.count(invoke.hold) > 0 ? 2 : 1;  // one stays
      return;
    }
    open = crashed->second + 1;
    released_[crashed->second].again = true;
    crashed_releases_.erase(crashed);
  }
}

void Mutex::returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) {
  if (result_.judgement == Judgement::violated) return complete_witness(end, role);
  if (role == kAcquire) {
    if (end.type != OperationType::info) open_acquires_.erase(invoke.hold);
    if (end.type == OperationType::ok) acquired({invoke, end, {}, {}});
    return;
  }
  ReleasedId& open = open_[invoke.process];
  const ReleasedId id = open - 1;
  const bool owned = open != 0;
  open = 0;
  if (owned) return release_returned(id, end);
  if (end.type == OperationType::info) return;
  if (const auto doubt = doubts_.find(invoke.hold); doubt != doubts_.end()) {
    if (--doubt->second == 0) doubts_.erase(doubt);
  }
  if (end.type == OperationType::ok) unowned_release_succeeded(invoke, end);
}

void Mutex::release_returned(ReleasedId id, const OperationEvent& end) {
  Released& released = released_[id];
  const bool crashed =
      end.type == OperationType::info || (end.type == OperationType::fail && released.again);
  if (!released.again) released.hold.release_ended = end;
  if (crashed && released.hold.acquired.hold != kNoHold) {
    crashed_releases_[released.hold.acquired.hold] = id;  // it may be asked for again
  } else if (end.type == OperationType::fail) {
    undo(id, end.index);
  } else {
    free(id);
  }
}

void Mutex::acquired(const WitnessHold& hold) {
  if (holder_) {
    const bool open = uncertain(holder_->acquired) || uncertain(hold.acquired);
    if (!open) return overlap(*holder_, hold);
    const bool first = uncertain(holder_->acquired);
    unsure(first ? holder_->acquired : hold.acquired, kOverlaps);
    if (first) holder_ = hold;
    return;
  }
  if (last_ != kNone) released_[last_].next = hold;
  last_ = kNone;
  holder_ = hold;
}

// The hold went on, at least to the index `until`: take it up again, or it overlaps with whoever
// acquired in the meantime.
void Mutex::undo(ReleasedId id, std::uint32_t until) {
  const Released released = released_[id];
  free(id);
  if (released.next) {
    const bool first = uncertain(released.hold.acquired);
    if (!first && !uncertain(released.next->acquired)) {
      return overlap(released.hold, *released.next);
    }
    unsure(first ? released.hold.acquired : released.next->acquired, kOverlaps);
    if (first || (holder_ && holder_->acquired.index > until)) return;
    if (holder_ && !uncertain(holder_->acquired)) return overlap(released.hold, *holder_);
  }
  holder_ = released.hold;
  holder_->release.reset();
  holder_->release_ended.reset();
}

void Mutex::unowned_release_succeeded(const OperationEvent& invoke, const OperationEvent& end) {
  if (invoke.hold != kNoHold) {
    const auto crashed = crashed_releases_.find(invoke.hold);
    if (crashed != crashed_releases_.end()) {
      // The earlier release did nothing, so the hold lasted at least until this one was invoked.
      const ReleasedId id = crashed->second;
      crashed_releases_.erase(crashed);
      const auto& next = released_[id].next;
      if (!next || next->acquired.index > invoke.index) return free(id);
      undo(id, invoke.index);
      if (holder_ && owns(*holder_, invoke)) holder_.reset();
      return;
    }
    const bool pending = std::any_of(released_.begin(), released_.end(), [&](const Released& r) {
      return r.hold.acquired.hold == invoke.hold;
    });
    if (pending || open_acquires_.count(invoke.hold) > 0) {
      return unsure(invoke, "it releases what another operation may have released or acquired");
    }
  }
  if (uncertain(invoke)) return unsure(invoke, "it releases what it may or may not hold");
  wrong_release(invoke, end);
}

void Mutex::outlived(const OperationEvent& crashed, std::size_t) {
  if (crashed.hold == kNoHold) outlived_.insert(crashed.process);
}

void Mutex::overlap(const WitnessHold& first, const WitnessHold& second) {
  result_.judgement = Judgement::violated;
  result_.holds = {first, second};
  result_.events = {first.acquired, second.acquired};
  if (first.release && first.release_ended) {
    result_.events.push_back(*first.release);
    result_.events.push_back(*first.release_ended);
  }
  const std::string lock = lock_name(context_.tables, context_.lock);
  std::string text = fmt::format("{} acquired {} at {}", capitalised(who(first.acquired)), lock,
                                 when(first.acquired));
  if (first.release && first.release_ended) {
    text +=
        fmt::format("; its release, invoked at {}, {} at {}, so it held on. ", when(*first.release),
                    first.release_ended->type == OperationType::fail
                        ? "failed"
                        : "did nothing (a later one succeeded) although it crashed",
                    when(*first.release_ended));
    text +=
        fmt::format("Meanwhile {} acquired it at {}.", who(second.acquired), when(second.acquired));
  } else {
    text += fmt::format(
        " and had not released it when {} acquired it at {}.",
        first.acquired.process == second.acquired.process && first.acquired.hold == kNoHold
            ? "the same process"
            : who(second.acquired),
        when(second.acquired));
  }
  result_.explanation = std::move(text);
}

void Mutex::wrong_release(const OperationEvent& invoke, const OperationEvent& end) {
  result_.judgement = Judgement::violated;
  result_.events = {invoke, end};
  const std::string named =
      invoke.hold == kNoHold ? std::string() : fmt::format(" of hold {}", invoke.hold);
  std::string text = fmt::format(
      "Process {} did not hold {}, yet its release{}, invoked at {}, succeeded at {}",
      invoke.process, lock_name(context_.tables, context_.lock), named, when(invoke), when(end));
  if (holder_) {
    result_.holds = {*holder_};
    result_.events.push_back(holder_->acquired);
    text += fmt::format("; the holder then was {}, since {}", who(holder_->acquired),
                        when(holder_->acquired));
  }
  result_.explanation = text + ".";
}

void Mutex::unsure(const OperationEvent& event, std::string_view why) {
  if (event.hold != kNoHold) ++doubts_[event.hold];
  if (!unsure_.empty()) return;
  unsure_ = fmt::format("{} goes on after an operation of unknown outcome, and {} ({}).",
                        capitalised(who(event)), why, when(event));
}

// Notes how the holds of the witness went on.
void Mutex::complete_witness(const OperationEvent& event, std::size_t role) {
  if (role != kRelease) return;
  for (WitnessHold& hold : result_.holds) {
    if (!owns(hold, event) || event.index < hold.acquired.index) continue;
    if (event.type == OperationType::invoke) {
      if (!hold.release) hold.release = event;
    } else if (hold.release && !hold.release_ended && hold.release->process == event.process) {
      hold.release_ended = event;
    }
  }
}

ModelResult Mutex::finish() {
  if (result_.judgement == Judgement::holds && !unsure_.empty()) {
    result_.judgement = Judgement::undecided;
    result_.explanation = unsure_;
  }
  std::sort(result_.events.begin(), result_.events.end(),
            [](const auto& a, const auto& b) { return a.index < b.index; });
  return std::move(result_);
}

std::size_t Mutex::memory() const {
  constexpr std::size_t kNode = 48;
  return sizeof *this + released_.capacity() * sizeof(Released) + open_.memory() +
         (crashed_releases_.size() + open_acquires_.size() + doubts_.size() + outlived_.size()) *
             kNode;
}

}  // namespace

std::unique_ptr<Model> make_mutex(const ModelContext& context) {
  return std::make_unique<Mutex>(context);
}

}  // namespace picklock
