// Redlock and the locks that derive from it, as the table of locks names them.
#include "algorithms/kinds.hpp"
#include "algorithms/redlock/node_redlock_4.hpp"
#include "algorithms/redlock/node_redlock_5.hpp"
#include "algorithms/redlock/pottery.hpp"
#include "algorithms/redlock/redlock.hpp"
#include "algorithms/redlock/redlock_gem.hpp"
#include "algorithms/redlock/redlock_rb.hpp"
#include "algorithms/redlock/redlock_uniform_expiry.hpp"
#include "algorithms/redlock/redlock_with_mistakes.hpp"
#include "algorithms/redlock/redlock_with_token.hpp"
#include "algorithms/redlock/redsync.hpp"

namespace picklock {
namespace {

// The bounds of pauses and of delays are the lease divided by these. Two clocks differ by as much as both rates are wrong: half
// of the allowance for each.  A server is asked again, to delete, when its answer has stayed away for the timeout, and over a new
// connection: a SET that is under way for longer arrives after that, and after the release of a later attempt.
constexpr std::array<AssumptionOf, 9> majority_lease(std::int64_t pauses, std::int64_t delays,
                                                     std::string_view needed_by = {}) {
  return {{{"holds-shorter-than", "ttl", 1, needed_by},
           {"pauses-shorter-than", "ttl", pauses, needed_by},
           {"delays-shorter-than", "ttl", delays, needed_by},
           {"clock-rates-within", "drift-ppm", 2},
           {"clock-steps-below", ""},
           {"no-data-loss", ""},
           {"beliefs-shorter-than", "ttl", 2, needed_by},
           {"delays-shorter-than", "node-timeout", 1, "returns"},
           {"interruptions-shorter-than", "ttl", 4}}};
}
constexpr auto kMajorityLease = majority_lease(1, 1);
// A belief counts from the last key that a majority needed, and the promise ends with the first: what lies between them
// comes off the lease. Half of the lease is for the belief, a quarter for a stop, a quarter for the delays between the two.
// Timeouts that are short beside the lease keep them together; these libraries have none, or ask one server after the other.
constexpr auto kNoTimeouts = majority_lease(4, 4);
// Four answers and four requests lie between the first SET and the fifth.
constexpr auto kInTurn = majority_lease(4, 32);
// The belief counts from the fifth PEXPIRE, the 19th message of the attempt. By one lease after the 5th message three of the
// five keys have ended: the PEXPIREs set what was left before the first of them.  One that comes later
// sets another's key to less, which takes from its owner.
constexpr auto kUniformExpiry = majority_lease(4, 56, "usual releases");

constexpr LeaseTerms kValidity = {.what = "TTL of the keys, of which the validity time is left",
                                  .option = "ttl",
                                  .usually = "ignore: the holder is told nothing, and few look at the clock"};

// A client gets in only if the one server of its counter answers.
constexpr Claims kCounted = {.token = true, .renewing = true, .loss_notification = true, .serves_waiters = false};
constexpr Claims kUsual = {.renewing = true, .loss_notification = true};

template <class T>
std::uint32_t servers(const Options& options) {
  return static_cast<std::uint32_t>(options.as<T>().servers);
}

// True if some of the lease is left after the wait for silent servers that a majority can spare: a client waits for all
// servers, or at an even vote for the last ones.
template <class T>
bool outwaits_silent_servers(const Options& options) {
  const T& o = options.as<T>();
  if (!o.node_timeout) return true;  // redsync: a twentieth of the lease
  const std::int64_t in_turn = o.contact == Contact::sequential ? (o.servers - 1) / 2 : 1;
  const Duration drift{o.ttl.ns / 1'000'000 * o.drift_ppm + o.drift_constant.ns};
  return *o.node_timeout * in_turn < o.ttl - drift;
}

template <class L, class T>
LockKind kind(std::string_view name, std::string_view summary, std::string_view source, Claims claims = kUsual,
              std::span<const AssumptionOf> assumptions = kMajorityLease) {
  return {.name = name,
          .summary = summary,
          .source = source,
          .claims = claims,
          .service = "redis",
          .ownership = "redis-key",
          .assumptions = assumptions,
          .default_options = kinds::defaults<T>,
          .make = kinds::make<L, T>,
          .lease = kinds::lease_ttl<T>,
          .terms = kValidity,
          .renews = kinds::renewed<T>,
          .servers = servers<T>,
          .serves_waiters = outwaits_silent_servers<T>};
}

}  // namespace

std::span<const LockKind> redlock_kinds() {
  static const std::array kKinds = {
      kind<Redlock, RedlockOptions>("redlock", "Redlock: a majority of independent servers, within the validity time",
                                    "Redis documentation, Distributed Locks with Redis"),
      kind<RedlockFenced, RedlockFencedOptions>(
          "redlock-fenced", "redlock, and a fencing token from a counter at one server",
          "Redis documentation, with the token that Kleppmann (2016) asks for", kCounted),
      kind<RedlockUniqueToken, RedlockOptions>("redlock-unique-token",
                                               "redlock, whose random value the resource compares and sets",
                                               "antirez, Is Redlock safe?, 2016"),
      kind<RedlockWithMistakes, RedlockMistakes>("redlock-with-mistakes",
                                                 "redlock with a step done wrong, as libraries have had it",
                                                 "SPSCommerce/redlock-py PR#6, mike-marcacci/node-redlock PR#369"),
      kind<RedlockRb, RedlockRbOptions>(
          "redlock-rb", "redlock-rb: asks one server after the other, three attempts, by the wall clock",
          "antirez/redlock-rb", {}, kInTurn),
      kind<RedlockGem, RedlockGemOptions>("redlock-gem", "the gem redlock: asks in turn; a failed extension releases",
                                          "leandromoreira/redlock-rb 2.0.6", kUsual, kInTurn),
      kind<NodeRedlock4, NodeRedlock4Options>(
          "node-redlock-4", "node-redlock 4: asks all servers at once without timeouts; a failed extension releases",
          "mike-marcacci/node-redlock v4.2.0", kUsual, kNoTimeouts),
      kind<NodeRedlock5, NodeRedlock5Options>("node-redlock-5",
                                              "node-redlock 5: goes on at the quorum, without a look at the clock",
                                              "mike-marcacci/node-redlock v5.0.0-beta.2"),
      kind<Redsync, RedsyncOptions>("redsync",
                                    "redsync: timeouts of 5 % of the lease for acquires, none for extensions",
                                    "go-redsync/redsync v4", kUsual, kNoTimeouts),
      kind<Pottery, PotteryOptions>("pottery", "Pottery: goes on at the quorum, with a value for each attempt",
                                    "brainix/pottery 3.0.1"),
      kind<RedlockUniformExpiry, RedlockUniformExpiryOptions>(
          "redlock-uniform-expiry",
          "Redlock that re-sets one expiry on every granting server without checking ownership",
          "a published sketch of Redlock with uniform expiry", {.renews_only_own = false, .serves_waiters = false},
          kUniformExpiry)};
  return kKinds;
}

}  // namespace picklock
