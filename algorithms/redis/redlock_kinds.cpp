// Redlock, as documented and as the libraries have it.  A library is the algorithm with its options;
// what is not said here is as documented.
#include "algorithms/kinds.hpp"
#include "algorithms/redis/redlock.hpp"

namespace picklock {
namespace {

template <class Edit>
std::unique_ptr<Options> edited(Edit edit) {
  RedlockOptions options;
  edit(options);
  return std::make_unique<OptionsOf<RedlockOptions>>(std::move(options));
}

// Sequential, the client's own timeout, three attempts, wall clock (`Time.now`).
std::unique_ptr<Options> redlock_rb() {
  return edited([](RedlockOptions& o) {
    o.contact = Contact::sequential;
    o.node_timeout.reset();
    o.clock = LeaseClock::wall;
    o.value_per = PerWhat::call;
    o.attempts = 3;
    o.retry = Law::uniform(Duration{}, milliseconds(199));
    o.extend_rule = ExtendRule::within_validity;
    o.extend_expired = true;
    o.set_on_extend = true;  // its script sets the key if it is gone: leandromoreira/redlock-rb#36
    o.extensions = 0;
  });
}

void as_node_redlock(RedlockOptions& o) {
  o.node_timeout.reset();
  o.clock = LeaseClock::wall;
  o.value_per = PerWhat::call;
  o.attempts = 11;
  o.retry = Law::uniform(milliseconds(100), milliseconds(300));
  o.extensions = 0;
}

std::unique_ptr<Options> node_redlock_4() {
  return edited([](RedlockOptions& o) {
    as_node_redlock(o);
    o.extend_rule = ExtendRule::within_validity;
  });
}

// Goes on with the votes it has, looks at no clock, leaves what failed attempts have set, and waits
// for ever if an even number of servers is split.
std::unique_ptr<Options> node_redlock_5() {
  return edited([](RedlockOptions& o) {
    as_node_redlock(o);
    o.after_quorum = AfterQuorum::go_on;
    o.check_validity = false;
    o.settles_on_tie = false;
    o.release_failed = ReleaseFailed::nowhere;
    o.extend_rule = ExtendRule::majority;
  });
}

std::unique_ptr<Options> redsync() {
  return edited([](RedlockOptions& o) {
    o.ttl = seconds(8);
    o.node_timeout = milliseconds(400);
    o.drift_constant = {};
    o.value_per = PerWhat::call;
    o.attempts = 32;
    o.retry = Law::uniform(milliseconds(50), milliseconds(249));
    o.extend_expired = true;
    o.extensions = 0;
  });
}

std::unique_ptr<Options> pottery() {
  return edited([](RedlockOptions& o) {
    o.node_timeout.reset();
    o.after_quorum = AfterQuorum::go_on;
    o.extend_rule = ExtendRule::majority;
  });
}

std::unique_ptr<Options> uniform_expiry() {
  return edited([](RedlockOptions& o) {
    o.contact = Contact::sequential;
    o.node_timeout.reset();
    o.drift_ppm = 0;
    o.drift_constant = {};
    o.value_per = PerWhat::call;
    o.release_failed = ReleaseFailed::granted;
    o.uniform_expiry = true;
  });
}

std::unique_ptr<Options> with_token(TokenFrom from) {
  return edited([from](RedlockOptions& o) { o.token = from; });
}

std::uint32_t servers(const Options& options) {
  return static_cast<std::uint32_t>(options.as<RedlockOptions>().servers);
}

// Two clocks differ by as much as both rates are wrong: half of the allowance for each.
constexpr AssumptionOf kMajorityLease[] = {{"holds-shorter-than", "ttl"},     {"pauses-shorter-than", "ttl"},
                                           {"delays-shorter-than", "ttl"},    {"clock-rates-within", "drift-ppm", 2},
                                           {"clock-steps-below", ""},         {"no-data-loss", ""},
                                           {"beliefs-shorter-than", "ttl", 2}};

constexpr Claims kUsual = {.renewing = true, .loss_notification = true};

LockKind kind(std::string_view name, std::string_view summary, std::string_view source, Claims claims,
              std::unique_ptr<Options> (*defaults)()) {
  return {.name = name,
          .summary = summary,
          .source = source,
          .claims = claims,
          .service = "redis",
          .ownership = "redis-key",
          .assumptions = kMajorityLease,
          .default_options = defaults,
          .make = kinds::make<Redlock, RedlockOptions>,
          .lease = kinds::lease_ttl<RedlockOptions>,
          .servers = servers};
}

}  // namespace

std::span<const LockKind> redlock_kinds() {
  static const std::array kKinds = {
      kind("redlock", "a majority of independent servers, within the validity",
           "Redis documentation, Distributed Locks with Redis", kUsual, kinds::defaults<RedlockOptions>),
      kind("redlock-fenced", "redlock, and a fencing token from a counter at the first server",
           "Redis documentation, with the token that Kleppmann (2016) asks for",
           {.token = true, .renewing = true, .loss_notification = true}, [] { return with_token(TokenFrom::counter); }),
      kind("redlock-unique-token", "redlock, whose random value the resource compares and sets",
           "antirez, Is Redlock safe?, 2016", kUsual, [] { return with_token(TokenFrom::value); }),
      kind("redlock-rb", "one server after the other, three attempts, by the wall clock", "antirez/redlock-rb", kUsual,
           redlock_rb),
      kind("node-redlock-4", "all at once without timeouts, by the wall clock", "mike-marcacci/node-redlock v4", kUsual,
           node_redlock_4),
      kind("node-redlock-5", "goes on at the quorum, without a look at the clock", "mike-marcacci/node-redlock v5",
           kUsual, node_redlock_5),
      kind("redsync", "timeouts of 5 % of the lease, 32 attempts, by the monotonic clock", "go-redsync/redsync v4",
           kUsual, redsync),
      kind("pottery", "goes on at the quorum, a value for each attempt", "brainix/pottery", kUsual, pottery),
      kind("redlock-uniform-expiry", "re-sets one expiry on every granting server without checking ownership",
           "a published sketch of Redlock with uniform expiry", {.renews_only_own = false}, uniform_expiry)};
  return kKinds;
}

}  // namespace picklock
