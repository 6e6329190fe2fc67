#include "checker/models/try_mutex.hpp"

#include <fmt/format.h>

#include <optional>

#include "checker/models/owned_lock_state.hpp"
#include "checker/models/witness.hpp"
#include "checker/models/words.hpp"

namespace picklock {
namespace {

class TryMutex final : public Model {
 public:
  // A lock may be held at first: then attempts are judged from the first successful acquire on.
  explicit TryMutex(const ModelContext& context)
      : context_(context),
        mutex_(context, mutex_rules(context)),
        state_(unknown_first(context) ? State::maybe_for_ever : State::free) {}

  void invoked(const OperationEvent& invoke, std::size_t role) override {
    if (result_.verdict == Verdict::violated) return follow(result_, invoke, role == 1);
    mutex_.invoked(invoke, role);
    if (decided()) return;
    if (role == 0) {
      acquires_.push_back({invoke.process, invoke.index});
    } else if (state_ == State::held && owner_of(invoke) == owner_) {
      state_ = State::releasing;
      last_.release = invoke;
    }
  }

  void returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) override {
    if (result_.verdict == Verdict::violated) return follow(result_, end, role == 1);
    mutex_.returned(invoke, end, role);
    if (role == 0 && end.type == OperationType::fail) failed_ = SeenCall(invoke, end, 0);
    if (decided()) return;
    if (role == 1) return released(invoke, end);
    std::erase_if(acquires_, [&](const Pending& p) { return p.process == invoke.process; });
    if (end.type == OperationType::info) {
      crashed_ = std::min(crashed_, invoke.index);
    } else if (end.type == OperationType::fail) {
      const bool surely_free =
          state_ == State::free && (!last_.release_ended || last_.release_ended->index < invoke.index);
      if (surely_free && !attempt_) attempt_ = Attempt{invoke, end};
    } else {
      const WitnessHold hold{invoke, end, {}, {}};
      if (attempt_ && attempt_->end.index < invoke.index) return refused_while_free(&hold);
      attempt_.reset();
      state_ = State::held;
      last_ = hold;
      owner_ = end.hold != kNoHold ? owner_of(end) : owner_of(invoke);
    }
  }

  [[nodiscard]] bool observes(const OperationEvent&, const OperationEvent& end, std::size_t role) const override {
    return end.type == OperationType::ok || (end.type == OperationType::fail && role == 0);
  }

  void outlived(const OperationEvent& crashed, std::size_t role) override { mutex_.outlived(crashed, role); }

  // A search asks of failed attempts only whether there were any.
  [[nodiscard]] bool keep(StateWriter& to) override {
    if (result_.verdict == Verdict::violated || mutex_.done()) return false;
    if (mutex_.searching()) {
      last_ = {};
      attempt_.reset();
      acquires_ = {};
      if (failed_) failed_ = SeenCall();
    }
    mutex_.forget_unused();
    state(to, *this);
    return true;
  }
  void restore(StateReader& from) override { state(from, *this); }

  template <typename Archive, typename Self>
  static void state(Archive& archive, Self& self) {
    archive(self.mutex_, self.state_, self.owner_, self.last_, self.attempt_, self.failed_, self.acquires_,
            self.crashed_);
  }

  ModelResult finish(std::uint32_t turn) override {
    if (result_.verdict == Verdict::violated) return std::move(result_);
    if (mutex_.violated() || mutex_.searching()) {
      ModelResult found = mutex_.finish(turn);
      if (found.verdict != Verdict::holds || !failed_) return found;
      found.verdict = Verdict::undecided;
      found.explanation = fmt::format(
          "Owners of {} live on after operations of unknown outcome, or do several things at once: "
          "whether the attempts that failed were right to fail is not judged then.",
          lock_name(context_.tables, context_.lock));
      return found;
    }
    for (const Pending& p : acquires_) crashed_ = std::min(crashed_, p.index);
    if (!decided() && attempt_ && attempt_->end.index < crashed_) refused_while_free(nullptr);
    return std::move(result_);
  }

  [[nodiscard]] std::size_t memory() const override {
    return sizeof *this + mutex_.memory() + acquires_.capacity() * sizeof(Pending);
  }

 private:
  // State of the hold that was acquired last.
  enum class State { free, held, releasing, maybe_for_ever };
  struct Pending {
    std::int32_t process = 0;
    std::uint32_t index = 0;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& p) {
      archive(p.process, p.index);
    }
  };
  struct Attempt {
    OperationEvent invoke, end;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& a) {
      archive(a.invoke, a.end);
    }
  };

  [[nodiscard]] bool decided() const {
    return result_.verdict == Verdict::violated || mutex_.violated() || mutex_.searching();
  }

  void released(const OperationEvent& invoke, const OperationEvent& end) {
    if (state_ != State::releasing || owner_of(invoke) != owner_) return;
    if (end.type == OperationType::ok) {
      state_ = State::free;
      last_.release_ended = end;
    } else {
      state_ = end.type == OperationType::info ? State::maybe_for_ever : State::held;
      if (state_ == State::held) last_.release.reset();
    }
  }

  // The witness: the attempt, the hold before it and the one after.
  void refused_while_free(const WitnessHold* next) {
    std::vector<OperationEvent> events = {attempt_->invoke, attempt_->end};
    std::vector<WitnessHold> holds;
    std::string since = "no process had acquired it yet";
    if (last_.release_ended) {
      const OperationEvent& released = *last_.release_ended;
      holds.push_back(last_);
      events.insert(events.end(), {*last_.release, released});
      since = fmt::format("it was released by {} at {}", context_.who(released), context_.when(released));
    }
    std::string until = "no process acquired it any more";
    if (next != nullptr) {
      holds.push_back(*next);
      events.insert(events.end(), {next->acquire, next->acquired});
      until = fmt::format("the next acquire to succeed, of {}, was invoked at {}", context_.who(next->acquire),
                          context_.when(next->acquire));
    }
    result_ = violation(std::move(holds), std::move(events),
                        fmt::format("The attempt of {} to acquire {}, invoked at {}, failed at {} "
                                    "although the lock was surely free: {}, and {}.",
                                    context_.who(attempt_->invoke), lock_name(context_.tables, context_.lock),
                                    context_.when(attempt_->invoke), context_.when(attempt_->end), since, until));
  }

  ModelContext context_;
  OwnedLock mutex_;
  State state_;
  OwnerKey owner_ = 0;
  WitnessHold last_;                // the hold that was acquired last
  std::optional<Attempt> attempt_;  // the first to fail in the gap of now
  std::optional<SeenCall> failed_;  // the newest to fail
  std::vector<Pending> acquires_;
  static constexpr std::uint32_t kNever = 0xffffffff;
  std::uint32_t crashed_ = kNever;  // the first acquire of unknown outcome
  ModelResult result_;
};

}  // namespace

std::unique_ptr<Model> make_try_mutex(const ModelContext& context) { return std::make_unique<TryMutex>(context); }

}  // namespace picklock
