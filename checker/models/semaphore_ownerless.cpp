#include "checker/models/semaphore_ownerless.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "checker/models/semaphore.hpp"
#include "checker/models/swept_model.hpp"
#include "checker/models/witness.hpp"
#include "checker/models/words.hpp"

namespace picklock {
namespace {

using Index = std::uint32_t;

// Debts of one kind of operation.
class Ledger {
 public:
  void invoked(Index at) { candidates_.push_back(at); }

  // Is one open or crashed that no debt needs?
  [[nodiscard]] bool can_owe() const { return candidates_.size() > debts_.size(); }
  void owe(Index at) { debts_.push_back(at); }

  // The operation invoked at `at` returned ok: did it pay a debt?
  bool settle(Index at) {
    forget(at);
    const auto debt = std::upper_bound(debts_.begin(), debts_.end(), at);
    if (debt == debts_.end()) return false;
    debts_.erase(debt);
    return true;
  }

  // It failed: are there candidates enough without it?
  bool fail(Index at) {
    forget(at);
    const auto first = std::upper_bound(debts_.begin(), debts_.end(), at);
    for (auto debt = first; debt != debts_.end(); ++debt) {
      const auto before = place(*debt);
      if (before - candidates_.begin() < debt - debts_.begin() + 1) return false;
    }
    return true;
  }

  template <typename Archive, typename Self>
  static void state(Archive& archive, Self& self) {
    archive(self.candidates_, self.debts_);
  }
  [[nodiscard]] std::size_t memory() const { return (candidates_.capacity() + debts_.capacity()) * sizeof(Index); }

 private:
  std::vector<Index>::iterator place(Index at) { return std::lower_bound(candidates_.begin(), candidates_.end(), at); }
  void forget(Index at) { candidates_.erase(place(at)); }

  std::vector<Index> candidates_;  // the invokes of open and crashed operations, ascending
  std::vector<Index> debts_;       // instants, ascending
};

class OwnerlessSemaphore final : public SweptModel<OwnerlessSemaphore> {
 public:
  explicit OwnerlessSemaphore(const ModelContext& context)
      : context_(context),
        permits_(context.parameter),
        free_at_first_(first_permits(context)),
        taken_(permits_ - free_at_first_) {}

  void invoked(const OperationEvent& invoke, std::size_t role) override {
    if (violated()) return follow(result_, invoke, role == 1);
    (role == 0 ? acquires_ : releases_).invoked(invoke.index);
  }

  void returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) override {
    if (violated()) return follow(result_, end, role == 1);
    Ledger& own = role == 0 ? acquires_ : releases_;
    Ledger& other = role == 0 ? releases_ : acquires_;
    if (end.type == OperationType::info) return;
    if (end.type == OperationType::fail) {
      if (!own.fail(invoke.index)) unpaid(invoke, end, role);
      return;
    }
    if (own.settle(invoke.index)) return note(invoke, end, role);
    const bool legal = role == 0 ? taken_ < permits_ : taken_ > 0;
    if (legal) {
      taken_ += role == 0 ? 1 : -1;
    } else if (other.can_owe()) {
      other.owe(end.index);  // the two cancel out
    } else {
      return role == 0 ? no_permit(invoke, end) : no_hold(invoke, end);
    }
    note(invoke, end, role);
  }

  void outlived(const OperationEvent&, std::size_t) override {}  // there are no owners

  template <typename Archive, typename Self>
  static void state(Archive& archive, Self& self) {
    archive(self.taken_, self.acquires_, self.releases_, self.newest_, self.oldest_, self.release_);
  }

  [[nodiscard]] std::size_t memory() const override {
    return sizeof *this + acquires_.memory() + releases_.memory() + newest_.capacity() * sizeof(SeenCall);
  }

 private:
  [[nodiscard]] WitnessHold witness(const SeenCall& call) const {
    return {call.invoke(context_.lock), call.end(context_.lock), {}, {}};
  }

  // The newest N acquires, in a ring, and the newest release.
  void note(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) {
    const SeenCall call(invoke, end, role);
    if (role == 1) {
      release_ = call;
    } else if (static_cast<std::int64_t>(newest_.size()) < std::min<std::int64_t>(permits_, 64)) {
      newest_.push_back(call);
    } else {
      newest_[oldest_] = call;
      oldest_ = (oldest_ + 1) % newest_.size();
    }
  }

  void no_permit(const OperationEvent& invoke, const OperationEvent& end) {
    std::vector<WitnessHold> holds;
    for (std::size_t i = 0; i < newest_.size(); ++i) holds.push_back(witness(newest_[(oldest_ + i) % newest_.size()]));
    holds.push_back({invoke, end, {}, {}});
    result_ = overlap_witness(context_, std::move(holds), permits_);
    result_.explanation += " No release that could have made room was under way.";
  }

  void no_hold(const OperationEvent& invoke, const OperationEvent& end) {
    std::string text = fmt::format(
        "The release of {} by {}, invoked at {}, succeeded at {}, though nothing "
        "was held and no acquire was under way",
        lock_name(context_.tables, context_.lock), context_.who(invoke), context_.when(invoke), context_.when(end));
    std::vector<OperationEvent> events = {invoke, end};
    if (release_) {
      const OperationEvent released = release_->end(context_.lock);
      events.push_back(released);
      text += fmt::format("; before it, {} had released it at {}", context_.who(released), context_.when(released));
    }
    result_ = violation({}, std::move(events), text + ".");
  }

  // Others had relied on the operation that failed.
  void unpaid(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) {
    std::vector<OperationEvent> events = {invoke, end};
    std::vector<WitnessHold> holds;
    std::string text = fmt::format("The {} of {} by {}, invoked at {}, failed at {}; without it ",
                                   role == 0 ? "acquire" : "release", lock_name(context_.tables, context_.lock),
                                   context_.who(invoke), context_.when(invoke), context_.when(end));
    if (role == 1 && !newest_.empty()) {
      holds = {witness(newest_[(oldest_ + newest_.size() - 1) % newest_.size()])};
      events.push_back(holds[0].acquired);
      text += fmt::format("{} could not have acquired it by {}.", context_.who(holds[0].acquired),
                          context_.when(holds[0].acquired));
    } else {
      const OperationEvent released = release_ ? release_->end(context_.lock) : OperationEvent{};
      events.push_back(released);
      text += fmt::format("{} could not have released it by {}.", context_.who(released), context_.when(released));
    }
    result_ = violation(std::move(holds), std::move(events), std::move(text));
  }

  ModelContext context_;
  std::int64_t permits_;
  std::int64_t free_at_first_;
  std::int64_t taken_;
  Ledger acquires_;
  Ledger releases_;
  std::vector<SeenCall> newest_;
  std::size_t oldest_ = 0;
  std::optional<SeenCall> release_;
};

}  // namespace

std::unique_ptr<Model> make_semaphore_ownerless(const ModelContext& context) {
  return std::make_unique<OwnerlessSemaphore>(context);
}

}  // namespace picklock
