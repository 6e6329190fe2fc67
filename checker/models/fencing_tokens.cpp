#include "checker/models/fencing_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "checker/models/shared_calls.hpp"
#include "checker/models/swept_model.hpp"
#include "checker/models/witness.hpp"
#include "checker/models/words.hpp"

namespace picklock {
namespace {

enum Role : std::size_t { kAcquire, kRead, kWrite, kRelease };

class FencingTokens final : public SweptModel<FencingTokens> {
 public:
  explicit FencingTokens(const ModelContext& context) : context_(context) {}

  void invoked(const OperationEvent& invoke, std::size_t role) override {
    if (violated() || role == kRelease) return;
    const Largest& before = role == kAcquire ? granted_ : accepted_;
    open_.push_back({before.token, calls_.share(before.from), invoke.process, static_cast<std::uint8_t>(role)});
  }

  void returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) override {
    if (violated() || role == kRelease) return;
    const auto at =
        std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.process == invoke.process; });
    if (at == open_.end()) return;
    const Open open = *at;
    open_.erase(at);  // keeps the order of the invokes
    if (end.type == OperationType::ok) {
      OperationEvent now = end;
      if (now.token == kNoToken) now.token = invoke.token;
      if (now.token != kNoToken) judge(SeenCall(invoke, now, role), open);
    }
    calls_.drop(open.before);
    forget_old();
  }

  void outlived(const OperationEvent&, std::size_t) override {}  // nothing depends on owners

  [[nodiscard]] bool observes(const OperationEvent& invoke, const OperationEvent& end,
                              std::size_t role) const override {
    return end.type == OperationType::ok && role != kRelease && (end.token != kNoToken || invoke.token != kNoToken);
  }

  void forget_unused() { calls_.forget_unused(); }
  template <typename Archive, typename Self>
  static void state(Archive& archive, Self& self) {
    archive(self.open_, self.granted_, self.accepted_, self.recent_, self.calls_, self.tokens_);
  }

  [[nodiscard]] std::string doubt() const {
    if (tokens_) return "";
    return fmt::format("No operation on {} carries a token.", lock_name(context_.tables, context_.lock));
  }

  [[nodiscard]] std::size_t memory() const override {
    return sizeof *this + open_.capacity() * sizeof(Open) + calls_.memory() +
           recent_.size() * (sizeof(std::pair<std::int64_t, SharedCalls::Ref>) + 48);
  }

 private:
  using Ref = SharedCalls::Ref;
  static constexpr Ref kNone = SharedCalls::kNone;

  struct Largest {
    std::int64_t token = 0;
    Ref from = kNone;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& largest) {
      archive(largest.token, largest.from);
    }
  };
  struct Open {
    std::int64_t token = 0;  // the largest of what had returned by then
    Ref before = kNone;      // the call that had it
    std::int32_t process = 0;
    std::uint8_t role = 0;

    template <typename Archive, typename Self>
    static void state(Archive& archive, Self& open) {
      archive(open.token, open.before, open.process, open.role);
    }
  };

  // An acquire and what it returned, or a request.
  [[nodiscard]] WitnessHold witness(const SeenCall& call) const {
    return {call.invoke(context_.lock), call.end(context_.lock), {}, {}};
  }

  void judge(const SeenCall& call, const Open& open) {
    tokens_ = true;
    const std::int64_t token = call.token();
    const Ref now = calls_.put(call);
    if (token <= 0) {
      result_ = invalid_token_witness(context_, witness(call));
    } else if (open.role == kAcquire) {
      judge_grant(now, open);
    } else {
      if (open.before != kNone && token < open.token) refuse(witness(calls_[open.before]).acquired, witness(call));
      raise(accepted_, now);
    }
    calls_.drop(now);
  }

  void judge_grant(Ref grant, const Open& open) {
    const WitnessHold now = witness(calls_[grant]);
    const std::int64_t token = now.acquired.token;
    if (open.before != kNone && token <= open.token) {
      result_ = token_witness(context_, witness(calls_[open.before]), now);
    } else if (const auto twin = recent_.find(token); twin != recent_.end()) {
      const WitnessHold other = witness(calls_[twin->second]);
      result_ = violation({other, now}, {other.acquired, now.acquired},
                          fmt::format("{} and {} got the same token when they acquired {}, at {} and {}.",
                                      subject_with_token(context_, other.acquired),
                                      who_with_token(context_, now.acquired), lock_name(context_.tables, context_.lock),
                                      context_.when(other.acquired), context_.when(now.acquired)));
    }
    if (recent_.emplace(token, grant).second) calls_.share(grant);
    raise(granted_, grant);
  }

  void refuse(const OperationEvent& earlier, const WitnessHold& now) {
    result_ = violation(
        {}, {earlier, now.acquire, now.acquired},
        fmt::format("The request of {}, invoked at {}, was accepted at {}, though one of {} had been accepted before, "
                    "at {}.",
                    who_with_token(context_, now.acquired), context_.when(now.acquire), context_.when(now.acquired),
                    who_with_token(context_, earlier), context_.when(earlier)));
  }

  void raise(Largest& largest, Ref now) {
    if (largest.from != kNone && largest.token >= calls_[now].token()) return;
    calls_.drop(largest.from);
    largest = {calls_[now].token(), calls_.share(now)};
  }

  // A grant that all open acquires followed is covered by the largest token before them.
  void forget_old() {
    const auto oldest = std::find_if(open_.begin(), open_.end(), [](const Open& o) { return o.role == kAcquire; });
    const std::int64_t covered = oldest == open_.end() ? granted_.token : oldest->token;
    while (!recent_.empty() && recent_.begin()->first <= covered) {
      calls_.drop(recent_.begin()->second);
      recent_.erase(recent_.begin());
    }
  }

  ModelContext context_;
  std::vector<Open> open_;  // open operations in the order of their invokes
  Largest granted_, accepted_;
  std::map<std::int64_t, Ref> recent_;  // grants by token
  SharedCalls calls_;
  bool tokens_ = false;
};

}  // namespace

std::unique_ptr<Model> make_fencing_tokens(const ModelContext& context) {
  return std::make_unique<FencingTokens>(context);
}

}  // namespace picklock
