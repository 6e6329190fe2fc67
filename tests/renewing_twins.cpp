// The lock of examples/own_fenced_lock with one mistake each: a lease that is renewed, tokens, scripts that compare.
#include "algorithms/kinds.hpp"
#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "algorithms/redis/redis_servers.hpp"
#include "algorithms/redis/renewal.hpp"
#include "tests/twin_locks.hpp"

namespace picklock {
namespace {

enum class Slip : std::uint8_t {
  none,
  renews_any,        // prolongs the key whosever it is
  deletes_any,       // releases by a bare DEL
  counts_answer,     // its deadline counts from the answer
  unknown_is_grant,  // takes a missing answer for a grant
  repeats_token,     // gives every token to two holds
  renews_late        // when the lease is over
};

const RedisScript kTwinTake = {"twin-take", R"lua(
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return false end
return redis.call('INCR', KEYS[2])
)lua"};
const RedisScript kTwinProlong = {"twin-prolong", R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
)lua"};
const RedisScript kTwinProlongAny = {"twin-prolong-any", R"lua(
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
)lua"};

struct RenewingTwinOptions {
  Duration ttl = milliseconds(300);
  PollingOptions polling{.on_unknown = OnUnknown::undo};
  void fields(FieldVisitor& v) {
    v.field({.name = "ttl", .help = "lease", .least = milliseconds(1).ns}, ttl);
    polling.fields(v);
  }
};

template <Slip slip>
class RenewingTwin final : public PollingLock {
 public:
  RenewingTwin(const LockContext& context, const RenewingTwinOptions& options)
      : PollingLock(context.host, options.polling),
        redis_(context.get<RedisServers>()[0]),
        name_(context.name),
        ttl_(options.ttl),
        renewal_(*this, IfRefused::stop_and_tell) {}

  Event* lost() override { return &renewal_.lost(); }

  Task<Outcome<MonoTime>> extend(Hold hold) override {
    const MonoTime due = host_.monotonic_now() + ttl_;
    const RedisScript& script = slip == Slip::renews_any ? kTwinProlongAny : kTwinProlong;
    const RedisCommand command = script.call({name_}, {hold.value, std::to_string(ttl_.ms())});
    const auto reply = co_await redis_.command(command);
    const Outcome<> extended = yes_if_one(reply);
    if (!extended.yes()) co_return passed_on<MonoTime>(extended);
    prolong(hold, due);
    co_return Outcome<MonoTime>::of(due);
  }

  Task<Outcome<>> release(Hold hold) override {
    renewal_.end();
    if constexpr (slip == Slip::deletes_any) {
      const auto deleted = co_await redis_.del(name_);
      co_return deleted;
    }
    const Outcome<> deleted = co_await delete_if_equals(redis_, name_, hold.value);
    co_return deleted;
  }

 private:
  Hold propose() override {
    Hold hold(owner_value(host_));
    hold.deadline = host_.monotonic_now() + ttl_;
    return hold;
  }

  Task<Acquired> take(Hold proposed) override {
    const RedisCommand command = kTwinTake.call({name_, name_ + ":token"}, {proposed.value, std::to_string(ttl_.ms())});
    const auto reply = co_await redis_.command(command);
    if (!reply.yes()) co_return passed_on<Hold>(reply);
    if (reply.value().is_nil()) co_return Acquired::refusal();
    proposed.token = reply.value().integer();
    if constexpr (slip == Slip::repeats_token) proposed.token = (*proposed.token + 1) / 2;
    if constexpr (slip == Slip::counts_answer) proposed.deadline = host_.monotonic_now() + ttl_;
    co_return Acquired::of(proposed);
  }

  void granted(const Hold& hold) override { renewal_.begin(hold, slip == Slip::renews_late ? ttl_ : ttl_ / 3); }

  Redis redis_;
  std::string name_;
  Duration ttl_;
  Renewal renewal_;
};

template <Slip slip>
std::unique_ptr<Options> usual_options() {
  RenewingTwinOptions options;
  if (slip == Slip::unknown_is_grant) options.polling.on_unknown = OnUnknown::assume_held;
  return std::make_unique<OptionsOf<RenewingTwinOptions>>(options);
}

template <Slip slip>
void add_renewing(std::string_view name) {
  static constexpr AssumptionOf kAssumptions[] = {{"pauses-shorter-than", "ttl", 2},
                                                  {"delays-shorter-than", "ttl", 2},
                                                  {"interruptions-shorter-than", "ttl", 2},
                                                  {"clock-rates-within", ""},
                                                  {"clock-steps-below", ""},
                                                  {"no-data-loss", ""},
                                                  {"no-failovers", ""},
                                                  {"delays-shorter-than", "request-timeout", 1, "returns"}};
  (void)add_lock_kind({.name = name,
                       .summary = "a renewing lock with at most one mistake",
                       .source = "this test",
                       .claims = {.token = true, .renewing = true, .loss_notification = true},
                       .service = "redis",
                       .ownership = "redis-key",
                       .assumptions = kAssumptions,
                       .default_options = usual_options<slip>,
                       .make = kinds::make<RenewingTwin<slip>, RenewingTwinOptions>,
                       .lease = kinds::lease_ttl<RenewingTwinOptions>,
                       .terms = kinds::key_ttl("ttl")});
}

}  // namespace

void add_renewing_twins() {
  add_renewing<Slip::none>("twin-renewing");
  add_renewing<Slip::renews_any>("twin-renews-any");
  add_renewing<Slip::deletes_any>("twin-deletes-any");
  add_renewing<Slip::counts_answer>("twin-counts-from-the-answer");
  add_renewing<Slip::unknown_is_grant>("twin-unknown-is-a-grant");
  add_renewing<Slip::repeats_token>("twin-repeats-tokens");
  add_renewing<Slip::renews_late>("twin-renews-late");
}

}  // namespace picklock
