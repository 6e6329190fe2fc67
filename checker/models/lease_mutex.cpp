#include "checker/models/lease_mutex.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <vector>

#include "checker/models/owner.hpp"
#include "checker/models/try_lease_mutex.hpp"
#include "checker/models/witness.hpp"
#include "checker/models/words.hpp"
#include "checker/sparse_map.hpp"

namespace picklock {
namespace {

using Index = std::uint32_t;

enum Role : std::size_t { kAcquire, kRelease, kExpire, kRefresh };
constexpr std::string_view kVerbs[] = {"acquire", "release", "expire", "refresh"};

// A hold and what proves that it lasted.
struct Proof {
  WitnessHold hold;
  OperationEvent evidence, evidence_ok;
  std::size_t role = kRelease;
  bool any = false;
};

class LeaseMutex final : public Model {
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

  void outlived(const OperationEvent& crashed, std::size_t role) override {
    if (role == kAcquire) owners_[owner_of(crashed)].doubtful = true;
  }

  // With one hold at most that may still show signs of life: what several know of each other is not kept.
  [[nodiscard]] bool rest(std::vector<SeenCall>& calls) const override {
    if (violated() || !unsure_.empty() || live_.size() > 1 || owners_.size() != live_.size()) return false;
    if (live_.empty()) return true;
    const Hold& hold = live_.begin()->second;
    const Owner* const owner = owners_.find(hold.owner);
    if (owner == nullptr || owner->open > 0 || owner->doubtful) return false;
    if (hold.inside || hold.after || hold.around || hold.refusal) return false;
    const Proof& proof = hold.proof;
    calls.emplace_back(proof.hold.acquire, proof.hold.acquired, kAcquire);
    if (proof.any) calls.emplace_back(proof.evidence, proof.evidence_ok, proof.role);
    return true;
  }

  ModelResult finish(std::uint32_t) override {
    if (!violated() && !unsure_.empty()) {
      result_.verdict = Verdict::undecided;
      result_.explanation = unsure_;
    }
    return std::move(result_);
  }

  [[nodiscard]] std::size_t memory() const override {
    return sizeof *this + owners_.memory() + live_.size() * (sizeof(Hold) + 48) + young_.capacity() * sizeof(Index);
  }

 private:
  struct Owner {
    Index hold = 0;          // 1 + the return of its acquire; 0: none
    Index released = 0;      // 1 + the return of the last release
    std::uint32_t open = 0;  // operations
    bool acquiring = false;
    bool doubtful = false;  // which hold its refreshes prove is not clear
  };

  struct Refusal {
    OperationEvent invoke, end;
    std::size_t role = kRefresh;
  };

  // A hold that may still show signs of life.
  struct Hold {
    OwnerKey owner = 0;
    Proof proof;
    Index end = 0;                      // of its core; the return of its acquire: none
    std::optional<WitnessHold> inside;  // the first acquire with its whole window after ours
    std::optional<Proof> after;         // the first core to begin after our acquire
    std::optional<Proof> around;        // a core that began before our acquire and covers it
    std::optional<Refusal> refusal;     // the first to return of those invoked after the acquire returned
  };
  using Live = std::map<Index, Hold>;  // by the return of the acquire

  [[nodiscard]] bool violated() const { return result_.verdict == Verdict::violated; }

  void acquired(const OperationEvent& invoke, const OperationEvent& end) {
    const WitnessHold now{invoke, end, {}, {}};
    const OwnerKey key = end.hold != kNoHold ? owner_of(end) : owner_of(invoke);
    Owner& owner = owners_[key];
    if (owner.hold != 0) live_.erase(owner.hold - 1);  // it must have lapsed
    std::size_t kept = 0;
    for (const Index index : young_) {
      const auto hold = live_.find(index);
      if (hold == live_.end()) continue;
      if (invoke.index > index) {
        hold->second.inside = now;
      } else {
        young_[kept++] = index;
      }
    }
    young_.resize(kept);
    young_.push_back(end.index);
    Hold hold;
    hold.owner = key;
    hold.proof.hold = now;
    hold.end = end.index;
    live_.emplace_hint(live_.end(), end.index, std::move(hold));
    owner.hold = end.index + 1;
  }

  void proved(const OperationEvent& invoke, const OperationEvent& end, std::size_t role, Owner& owner) {
    const bool over = role != kRefresh;
    if (owner.doubtful) {
      unsure(invoke);
    } else if (owner.hold == 0) {
      if (role == kRefresh && owner.released > invoke.index) return unsure(invoke);
      const WitnessHold* const holder = live_.empty() ? nullptr : &live_.rbegin()->second.proof.hold;
      result_ = unowned_witness(context_, kVerbs[role], invoke, end, holder);
      return;
    } else {
      const auto at = live_.find(owner.hold - 1);
      Proof& proof = at->second.proof;
      const bool later = !proof.any || invoke.index > proof.evidence.index;
      if (later) {
        proof.evidence = invoke;
        proof.evidence_ok = end;
        proof.role = role;
        grow(at, invoke.index);
        if (violated()) return;
      }
    }
    if (!over || owner.hold == 0) return;
    live_.erase(owner.hold - 1);
    owner.hold = 0;
    owner.released = end.index + 1;
  }

  void refused(const OperationEvent& invoke, const OperationEvent& end, std::size_t role, const Owner& owner) {
    if (!refusals_ || owner.hold == 0 || owner.hold - 1 > invoke.index) return;
    Hold& hold = live_.at(owner.hold - 1);
    if (!hold.refusal) hold.refusal = Refusal{invoke, end, role};
  }

  // The core of `at` lasts until `until` at least.
  void grow(Live::iterator at, Index until) {
    Hold& hold = at->second;
    if (hold.refusal && hold.refusal->end.index < until) return contradict(hold);
    if (hold.inside && hold.inside->acquired.index < until) return refuse(hold, *hold.inside);
    if (hold.around) return clash(*hold.around, hold.proof);
    if (hold.after && hold.after->hold.acquired.index < until) return clash(hold.proof, *hold.after);
    for (auto other = live_.upper_bound(hold.end); other != live_.end() && other->first < until; ++other) {
      if (other != at) other->second.around = hold.proof;
    }
    hold.end = until;
    if (hold.proof.any) return;
    hold.proof.any = true;
    // To those that began before it.  Once one knows of an earlier core, so do all before it.
    for (auto other = at; other != live_.begin();) {
      --other;
      std::optional<Proof>& after = other->second.after;
      if (after && after->hold.acquired.index < at->first) break;
      after = hold.proof;
    }
  }

  [[nodiscard]] std::string proof_words(const Proof& proof, bool first = true) const {
    return fmt::format(
        "{} acquired {} at {} and still held it when its {} was invoked at {}, since "
        "that succeeded",
        first ? context_.subject(proof.hold.acquired) : context_.who(proof.hold.acquired),
        lock_name(context_.tables, context_.lock), context_.when(proof.hold.acquired), kVerbs[proof.role],
        context_.when(proof.evidence));
  }

  void clash(const Proof& first, const Proof& second) {
    result_ = violation({first.hold, second.hold},
                        {first.hold.acquired, first.evidence, first.evidence_ok, second.hold.acquired, second.evidence,
                         second.evidence_ok},
                        fmt::format("{}; in between, {}.", proof_words(first), proof_words(second, false)));
  }

  void refuse(const Hold& hold, const WitnessHold& other) {
    const Proof& proof = hold.proof;
    result_ = violation(
        {proof.hold, other}, {proof.hold.acquired, proof.evidence, proof.evidence_ok, other.acquire, other.acquired},
        fmt::format("{}; in between, {} asked for it at {} and acquired it at {}.", proof_words(proof),
                    context_.who(other.acquired), context_.when(other.acquire), context_.when(other.acquired)));
  }

  void contradict(const Hold& hold) {
    const Proof& proof = hold.proof;
    const Refusal& refusal = *hold.refusal;
    result_ =
        violation({proof.hold}, {proof.hold.acquired, refusal.invoke, refusal.end, proof.evidence, proof.evidence_ok},
                  fmt::format("{}; in between, its {}, invoked at {}, was refused at {} as if it did not hold.",
                              proof_words(proof), kVerbs[refusal.role], context_.when(refusal.invoke),
                              context_.when(refusal.end)));
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
  Live live_;
  std::vector<Index> young_;  // holds without `inside`
  std::string unsure_;
  ModelResult result_;
};

}  // namespace

std::unique_ptr<Model> make_lease_mutex(const ModelContext& context) {
  return std::make_unique<LeaseMutex>(context, false);
}

std::unique_ptr<Model> make_try_lease_mutex(const ModelContext& context) {
  return std::make_unique<LeaseMutex>(context, true);
}

}  // namespace picklock
