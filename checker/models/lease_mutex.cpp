#include "checker/models/lease_mutex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "checker/models/owner.hpp"
#include "checker/models/shared_calls.hpp"
#include "checker/models/swept_model.hpp"
#include "checker/models/try_lease_mutex.hpp"
#include "checker/models/witness.hpp"
#include "checker/models/words.hpp"
#include "checker/sparse_map.hpp"

namespace picklock {
namespace {

using Index = std::uint32_t;

enum Role : std::size_t { kAcquire, kRelease, kExpire, kRefresh };
constexpr std::string_view kVerbs[] = {"acquire", "release", "expire", "refresh"};

// A hold, and what proves that it lasted.
struct Proof {
  SeenCall acquire, evidence;

  template <typename Archive, typename Self>
  static void state(Archive& archive, Self& proof) {
    archive(proof.acquire, proof.evidence);
  }
};

class LeaseMutex final : public SweptModel<LeaseMutex> {
 public:
  // `refusals`: failed refreshes and releases are observations.
  LeaseMutex(const ModelContext& context, bool refusals) : context_(context), refusals_(refusals) {}

  void invoked(const OperationEvent& invoke, std::size_t role) override {
    if (violated()) return follow(result_, invoke, role == kRelease);
    Owner& owner = owners_[owner_of(invoke)];
    if ((role == kAcquire && owner.open > 0) || owner.acquiring) owner.doubtful = true;
    owner.acquiring = owner.acquiring || role == kAcquire;
    ++owner.open;
  }

  void returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) override {
    if (violated()) return follow(result_, end, role == kRelease);
    const OwnerKey key = owner_of(invoke);
    Owner& owner = owners_[key];
    --owner.open;
    if (role == kAcquire) {
      owner.acquiring = false;
      if (end.type == OperationType::ok) acquired(invoke, end);
      if (end.type == OperationType::info && key < 0) owner.doubtful = true;
    } else if (end.type == OperationType::ok) {
      proved(invoke, end, role, owner);
    } else if (end.type == OperationType::fail && role != kExpire) {
      refused(invoke, end, role, owner);
    }
    Owner& now = owners_[key];
    if (now.open == 0 && now.hold == 0 && !now.doubtful) owners_.erase(key);
  }

  // A hold that shows no sign of life may have lapsed at once.
  [[nodiscard]] bool observes(const OperationEvent&, const OperationEvent& end, std::size_t role) const override {
    if (end.type == OperationType::ok) return role != kAcquire;
    return refusals_ && end.type == OperationType::fail && (role == kRefresh || role == kRelease);
  }

  void outlived(const OperationEvent& crashed, std::size_t role) override {
    if (role == kAcquire) owners_[owner_of(crashed)].doubtful = true;
  }

  void forget_unused() { calls_.forget_unused(); }
  template <typename Archive, typename Self>
  static void state(Archive& archive, Self& self) {
    archive(self.owners_, self.calls_, self.live_, self.over_, self.young_, self.unsure_);
  }

  [[nodiscard]] std::string doubt() const { return unsure_; }

  [[nodiscard]] std::size_t memory() const override {
    std::size_t bytes = sizeof *this + owners_.memory() + calls_.memory() + live_.size() * sizeof(Hold) +
                        young_.capacity() * sizeof(Index);
    for (const Hold& hold : live_) bytes += hold.known ? sizeof(Known) : 0;
    return bytes;
  }

 private:
  struct Owner {
    Index hold = 0;          // 1 + the return of its acquire; 0: none
    Index released = 0;      // 1 + the return of the last release
    std::uint32_t open = 0;  // operations
    bool acquiring = false;
    bool doubtful = false;  // true: it is not clear which hold its refreshes prove

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& owner) {
      archive(owner.hold, owner.released, owner.open, owner.acquiring, owner.doubtful);
    }
  };

  using Ref = SharedCalls::Ref;
  static constexpr Ref kNone = SharedCalls::kNone;
  static constexpr std::size_t kMostAtRest = 64;

  // Knowledge that only few holds gain.
  struct Known {
    std::optional<Proof> after;       // the first core to begin after our acquire
    std::optional<Proof> around;      // a core that began before our acquire and covers it
    std::optional<SeenCall> refusal;  // the first to return of those invoked after the acquire returned

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& known) {
      archive(known.after, known.around, known.refusal);
    }
  };

  // A hold that may still show signs of life.
  struct Hold {
    OwnerKey owner = 0;
    Ref acquire = kNone;
    Ref evidence = kNone;  // the last event that proves that it lasted
    Ref inside = kNone;    // the first acquire with its whole window after ours
    Index at = 0;          // the return of the acquire
    Index end = 0;         // end of its core; `at`: none
    std::unique_ptr<Known> known;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& hold) {
      archive(hold.owner, hold.acquire, hold.evidence, hold.inside, hold.at, hold.end, hold.known);
    }
    [[nodiscard]] bool over() const { return acquire == kNone; }
    Known& learn() {
      if (!known) known = std::make_unique<Known>();
      return *known;
    }
  };
  using Live = std::deque<Hold>;  // ascending by `at`

  // The first of the live holds whose acquire returned at `at` or later.
  Live::iterator from(Index at) {
    return std::lower_bound(live_.begin(), live_.end(), at, [](const Hold& hold, Index i) { return hold.at < i; });
  }
  Hold* hold_at(Index at) {
    const auto hold = from(at);
    return hold == live_.end() || hold->at != at || hold->over() ? nullptr : &*hold;
  }

  // It stays among the others as one that is over, until they are as many as the rest.
  void forget(Index at) {
    const auto hold = from(at);
    for (const Ref ref : {hold->acquire, hold->evidence, hold->inside}) calls_.drop(ref);
    hold->acquire = kNone;
    ++over_;
    if (live_.size() > kMostAtRest && over_ * 2 <= live_.size()) return;
    std::erase_if(live_, [](const Hold& each) { return each.over(); });
    over_ = 0;
  }

  void acquired(const OperationEvent& invoke, const OperationEvent& end) {
    const Ref now = calls_.put(SeenCall(invoke, end, kAcquire));
    const OwnerKey key = end.hold != kNoHold ? owner_of(end) : owner_of(invoke);
    Owner& owner = owners_[key];
    if (owner.hold != 0) forget(owner.hold - 1);  // the old hold must have lapsed
    std::size_t kept = 0;
    for (const Index index : young_) {
      Hold* const hold = hold_at(index);
      if (hold == nullptr) continue;
      if (invoke.index > index) {
        hold->inside = calls_.share(now);
      } else {
        young_[kept++] = index;
      }
    }
    young_.resize(kept);
    young_.push_back(end.index);
    Hold& hold = live_.emplace_back();
    hold.owner = key;
    hold.acquire = now;
    hold.at = hold.end = end.index;
    owner.hold = end.index + 1;
  }

  void proved(const OperationEvent& invoke, const OperationEvent& end, std::size_t role, Owner& owner) {
    const bool over = role != kRefresh;
    if (owner.doubtful) {
      unsure(invoke);
    } else if (owner.hold == 0) {
      if (role == kRefresh && owner.released > invoke.index) return unsure(invoke);
      if (live_.empty()) {
        result_ = unowned_witness(context_, kVerbs[role], invoke, end, nullptr);
      } else {
        const auto newest =
            std::find_if_not(live_.rbegin(), live_.rend(), [](const Hold& hold) { return hold.over(); });
        const WitnessHold holder = witness(calls_[newest->acquire]);
        result_ = unowned_witness(context_, kVerbs[role], invoke, end, &holder);
      }
      return;
    } else {
      const auto at = from(owner.hold - 1);
      if (at->evidence == kNone || invoke.index > calls_[at->evidence].invoked_at()) {
        const bool first = at->evidence == kNone;
        if (!first) calls_.drop(at->evidence);
        at->evidence = calls_.put(SeenCall(invoke, end, role));
        grow(at, invoke.index, first);
        if (violated()) return;
      }
    }
    if (!over || owner.hold == 0) return;
    forget(owner.hold - 1);
    owner.hold = 0;
    owner.released = end.index + 1;
  }

  void refused(const OperationEvent& invoke, const OperationEvent& end, std::size_t role, const Owner& owner) {
    if (!refusals_ || owner.hold == 0 || owner.hold - 1 > invoke.index) return;
    std::optional<SeenCall>& refusal = hold_at(owner.hold - 1)->learn().refusal;
    if (!refusal) refusal = SeenCall(invoke, end, role);
  }

  [[nodiscard]] Proof proof_of(const Hold& hold) const { return {calls_[hold.acquire], calls_[hold.evidence]}; }

  // The core of `at` lasts until `until` at least.
  void grow(Live::iterator at, Index until, bool first) {
    Hold& hold = *at;
    const Proof proof = proof_of(hold);
    if (hold.known && hold.known->refusal && hold.known->refusal->ended_at() < until) {
      return contradict(proof, *hold.known->refusal);
    }
    if (hold.inside != kNone && calls_[hold.inside].ended_at() < until) return refuse(proof, calls_[hold.inside]);
    if (hold.known && hold.known->around) return clash(*hold.known->around, proof);
    if (hold.known && hold.known->after && hold.known->after->acquire.ended_at() < until) {
      return clash(proof, *hold.known->after);
    }
    for (auto other = from(hold.end + 1); other != live_.end() && other->at < until; ++other) {
      if (other != at && !other->over()) other->learn().around = proof;
    }
    hold.end = until;
    if (!first) return;
    // Applies to the live holds that began before it.  Once one knows of an earlier core, so do all before it.
    for (auto other = at; other != live_.begin();) {
      --other;
      if (other->over()) continue;
      std::optional<Proof>& after = other->learn().after;
      if (after && after->acquire.ended_at() < at->at) break;
      after = proof;
    }
  }

  [[nodiscard]] OperationEvent invoke_of(const SeenCall& call) const { return call.invoke(context_.lock); }
  [[nodiscard]] OperationEvent end_of(const SeenCall& call) const { return call.end(context_.lock); }
  [[nodiscard]] WitnessHold witness(const SeenCall& acquire) const {
    return {invoke_of(acquire), end_of(acquire), {}, {}};
  }

  [[nodiscard]] std::string proof_words(const Proof& proof, bool first = true) const {
    const OperationEvent acquired = end_of(proof.acquire);
    return fmt::format(
        "{} acquired {} at {} and still held it when its {} was invoked at {}, since "
        "that succeeded",
        first ? context_.subject(acquired) : context_.who(acquired), lock_name(context_.tables, context_.lock),
        context_.when(acquired), kVerbs[proof.evidence.role()], context_.when(invoke_of(proof.evidence)));
  }

  void clash(const Proof& first, const Proof& second) {
    result_ = violation({witness(first.acquire), witness(second.acquire)},
                        {end_of(first.acquire), invoke_of(first.evidence), end_of(first.evidence),
                         end_of(second.acquire), invoke_of(second.evidence), end_of(second.evidence)},
                        fmt::format("{}; in between, {}.", proof_words(first), proof_words(second, false)));
  }

  void refuse(const Proof& proof, const SeenCall& acquire) {
    const WitnessHold other = witness(acquire);
    result_ = violation(
        {witness(proof.acquire), other},
        {end_of(proof.acquire), invoke_of(proof.evidence), end_of(proof.evidence), other.acquire, other.acquired},
        fmt::format("{}; in between, {} asked for it at {} and acquired it at {}.", proof_words(proof),
                    context_.who(other.acquired), context_.when(other.acquire), context_.when(other.acquired)));
  }

  void contradict(const Proof& proof, const SeenCall& refusal) {
    result_ = violation(
        {witness(proof.acquire)},
        {end_of(proof.acquire), invoke_of(refusal), end_of(refusal), invoke_of(proof.evidence), end_of(proof.evidence)},
        fmt::format("{}; in between, its {}, invoked at {}, was refused at {} as if it did not hold.",
                    proof_words(proof), kVerbs[refusal.role()], context_.when(invoke_of(refusal)),
                    context_.when(end_of(refusal))));
  }

  void unsure(const OperationEvent& event) {
    if (!unsure_.empty()) return;
    unsure_ = fmt::format(
        "{} goes on after an acquire of unknown outcome, or acquires while it does something else, "
        "so that it is not clear which hold it proves at {}.",
        context_.subject(event), context_.when(event));
  }

  ModelContext context_;
  bool refusals_;
  SparseMap<OwnerKey, Owner> owners_;
  SharedCalls calls_;
  Live live_;                 // live holds, and some that are over
  std::size_t over_ = 0;      // number of holds in live_ that are over
  std::vector<Index> young_;  // holds without `inside`
  std::string unsure_;
};

}  // namespace

std::unique_ptr<Model> make_lease_mutex(const ModelContext& context) {
  return std::make_unique<LeaseMutex>(context, false);
}

std::unique_ptr<Model> make_try_lease_mutex(const ModelContext& context) {
  return std::make_unique<LeaseMutex>(context, true);
}

}  // namespace picklock
