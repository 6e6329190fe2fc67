#include "checker/models/fencing_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "checker/models/witness.hpp"
#include "checker/models/words.hpp"

namespace picklock {
namespace {

enum Role : std::size_t { kAcquire, kRead, kWrite, kRelease };

class FencingTokens final : public Model {
 public:
  explicit FencingTokens(const ModelContext& context) : context_(context) {}

  void invoked(const OperationEvent& invoke, std::size_t role) override {
    if (violated() || role == kRelease) return;
    open_.push_back({invoke.process, invoke.index, role == kAcquire, role == kAcquire ? granted_ : accepted_});
  }

  void returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) override {
    if (violated() || role == kRelease) return;
    const auto at =
        std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.process == invoke.process; });
    if (at == open_.end()) return;
    const Open open = *at;
    open_.erase(at);  // keeps the order of the invokes
    WitnessHold now{invoke, end, {}, {}};
    if (end.type == OperationType::ok) {
      if (now.acquired.token == kNoToken) now.acquired.token = invoke.token;
      if (now.acquired.token != kNoToken) judge(now, open);
    }
    forget_old();
  }

  void outlived(const OperationEvent&, std::size_t) override {}  // nothing depends on owners

  [[nodiscard]] bool rest(std::vector<SeenCall>& calls) const override {
    if (violated() || !open_.empty() || !recent_.empty()) return false;
    if (granted_.any) calls.emplace_back(granted_.from.acquire, granted_.from.acquired, kAcquire);
    if (accepted_.any) calls.emplace_back(accepted_.from.acquire, accepted_.from.acquired, kWrite);
    return true;
  }

  ModelResult finish(std::uint32_t) override {
    if (!violated() && !tokens_) {
      result_.verdict = Verdict::undecided;
      result_.explanation =
          fmt::format("No operation on {} carries a token.", lock_name(context_.tables, context_.lock));
    }
    return std::move(result_);
  }

  [[nodiscard]] std::size_t memory() const override {
    return sizeof *this + open_.capacity() * sizeof(Open) + recent_.size() * (sizeof(WitnessHold) + 48);
  }

 private:
  struct Largest {
    std::int64_t token = 0;
    WitnessHold from;
    bool any = false;
  };
  struct Open {
    std::int32_t process = 0;
    std::uint32_t invoked = 0;
    bool acquire = false;
    Largest before;  // the largest token of what had returned by then
  };

  [[nodiscard]] bool violated() const { return result_.verdict == Verdict::violated; }

  void judge(const WitnessHold& now, const Open& open) {
    tokens_ = true;
    const std::int64_t token = now.acquired.token;
    if (token <= 0) {
      result_ = invalid_token_witness(context_, now);
    } else if (open.acquire) {
      if (open.before.any && token <= open.before.token) {
        result_ = token_witness(context_, open.before.from, now);
      } else if (const auto twin = recent_.find(token); twin != recent_.end()) {
        result_ =
            violation({twin->second, now}, {twin->second.acquired, now.acquired},
                      fmt::format("{} and {} got the same token when they acquired {}, at {} "
                                  "and {}.",
                                  subject_with_token(context_, twin->second.acquired),
                                  who_with_token(context_, now.acquired), lock_name(context_.tables, context_.lock),
                                  context_.when(twin->second.acquired), context_.when(now.acquired)));
      }
      recent_.emplace(token, now);
      raise(granted_, now);
    } else {
      if (open.before.any && token < open.before.token) {
        const OperationEvent& earlier = open.before.from.acquired;
        result_ = violation(
            {}, {earlier, now.acquire, now.acquired},
            fmt::format("The request of {}, invoked at {}, was accepted at {}, though "
                        "one of {} had been accepted before, at {}.",
                        who_with_token(context_, now.acquired), context_.when(now.acquire), context_.when(now.acquired),
                        who_with_token(context_, earlier), context_.when(earlier)));
      }
      raise(accepted_, now);
    }
  }

  static void raise(Largest& largest, const WitnessHold& now) {
    if (largest.any && largest.token >= now.acquired.token) return;
    largest = {now.acquired.token, now, true};
  }

  // A grant that all open acquires followed is covered by the largest token before them.
  void forget_old() {
    const auto oldest = std::find_if(open_.begin(), open_.end(), [](const Open& o) { return o.acquire; });
    const std::int64_t covered = oldest == open_.end() ? granted_.token : oldest->before.token;
    recent_.erase(recent_.begin(), recent_.upper_bound(covered));
  }

  ModelContext context_;
  std::vector<Open> open_;  // in the order of their invokes
  Largest granted_, accepted_;
  std::map<std::int64_t, WitnessHold> recent_;  // grants by token
  bool tokens_ = false;
  ModelResult result_;
};

}  // namespace

std::unique_ptr<Model> make_fencing_tokens(const ModelContext& context) {
  return std::make_unique<FencingTokens>(context);
}

}  // namespace picklock
