#include "algorithms/redisson/redisson_1_2_lock.hpp"
#include "algorithms/redis/redis_servers.hpp"

#include <algorithm>
#include <charconv>

#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "base/check.hpp"

namespace picklock {

// State shared by the locks of one process.
class Redisson12Client {
 public:
  Redisson12Client(const Host& host, const Redis& subscriptions, Duration timeout, Redisson12Entries::Equal equal)
      : id(owner_value(host)),
        channels(host, subscriptions, timeout),
        entries(std::make_shared<Redisson12Entries>(channels, equal)),
        free(host, "the connection to be free") {}
  std::string id;
  RedissonChannels channels;
  std::shared_ptr<Redisson12Entries> entries;

  // --- the connection
  Event free;
  bool busy = false;
  bool unclean = false;  // an operation ended within a transaction, as far as is known
};

namespace {

constexpr std::string_view kUnlockMessage = "0";
constexpr int kUnlockTries = 5;

// The use of the connection by one operation.
class Turn {
 public:
  explicit Turn(Redisson12Client& client) : client_(client) { client_.busy = true; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    client_.busy = false;
    client_.unclean |= !clean_;
    client_.free.notify();
  }
  void ended_cleanly() { clean_ = true; }

 private:
  Redisson12Client& client_;
  bool clean_ = false;
};

}  // namespace

void Redisson12Options::fields(FieldVisitor& v) {
  v.field({.name = "lease", .help = "leaseTime; none: a key without expiry", .least = milliseconds(1).ns}, lease);
  v.field({.name = "timeout", .help = "how long the client waits for an answer", .least = milliseconds(1).ns}, timeout);
  v.field({.name = "retry-attempts", .help = "how often an operation runs again", .least = 0, .most = 1000},
          retry_attempts);
  v.field({.name = "retry-interval", .help = "pause before an operation runs again", .least = 0}, retry_interval);
  v.field({.name = "subscribe-leak", .help = "a tryLock whose subscription is late keeps its share in it"},
          subscribe_leak);
  v.field({.name = "entries", .help = "entries of waiters that count as the same one when they are replaced"}, entries);
  v.field({.name = "subscribe-wait", .help = "unit of a tryLock's wait for its subscription"}, subscribe_wait);
}

Redisson12Lock::Redisson12Lock(const LockContext& context, const Redisson12Options& options)
    : Lock(context.host),
      client_(context.process->get<Redisson12Client>(context.host, context.get<RedisServers>().subscription(0),
                                                     options.timeout, options.entries)),
      redis_(context.get<RedisServers>()[0].within(options.timeout)),
      name_(context.name),
      options_(options),
      owner_(client_.id + ':' + std::to_string(context.thread)) {}

std::optional<std::int64_t> Redisson12Lock::my_counter(std::string_view text) const {
  if (!text.starts_with(owner_ + ':')) return std::nullopt;
  text.remove_prefix(owner_.size() + 1);
  std::int64_t counter = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), counter);
  return end.ec == std::errc() ? std::optional(counter) : std::nullopt;
}

template <class T>
Task<Outcome<T>> Redisson12Lock::run(Once<T> once) {
  for (std::int64_t attempt = 0;; ++attempt) {
    while (client_.busy) co_await client_.free.wait();
    std::optional<Outcome<T>> answer;
    {
      Turn turn(client_);
      if (std::exchange(client_.unclean, false)) {
        const RedisCommand discard("DISCARD"), unwatch("UNWATCH");
        (void)co_await redis_.command(discard);
        (void)co_await redis_.command(unwatch);
      }
      answer = co_await (this->*once)();
      if (!answer->unknown()) turn.ended_cleanly();
    }
    const bool again = answer->unknown() || answer->why() == Why::not_connected;
    if (!again || attempt >= options_.retry_attempts) co_return std::move(*answer);
    co_await host_.sleep(options_.retry_interval);
  }
}

// --- acquiring

Outcome<Redisson12Lock::Asked> Redisson12Lock::granted(MonoTime asked) const {
  Asked yes;
  yes.granted = true;
  if (options_.lease) yes.deadline = asked + *options_.lease;
  return Outcome<Asked>::of(yes);
}

Acquired Redisson12Lock::held(const Asked& asked) const {
  Hold hold(owner_);
  hold.deadline = asked.deadline;
  if (hold.deadline) host_.announce_deadline(DeadlineKind::lease, *hold.deadline);
  return Acquired::of(std::move(hold));
}

Task<Outcome<Redisson12Lock::Asked>> Redisson12Lock::try_lock_once() {
  const MonoTime asked = host_.monotonic_now();
  const std::string mine = value(1);
  std::optional<Outcome<Nothing>> set;
  if (options_.lease) {
    set = co_await redis_.set_nx_px(name_, mine, *options_.lease);
  } else {
    set = co_await redis_.setnx(name_, mine);
  }
  if (set->yes()) co_return granted(asked);
  if (!said_no(*set)) co_return passed_on<Asked>(*set);

  const RedisCommand watch("WATCH", name_), unwatch("UNWATCH");
  const auto watched = co_await redis_.command(watch);
  if (!watched.yes()) co_return passed_on<Asked>(watched);
  const auto found = co_await redis_.get(name_);
  if (!found.yes() && !said_no(found)) co_return passed_on<Asked>(found);
  const auto counter = found.yes() ? my_counter(found.value()) : std::nullopt;
  if (counter) {
    auto reentered = co_await reenter_once(asked, *counter + 1);
    if (!reentered.yes() || reentered.value().granted) co_return reentered;
  } else {
    const auto unwatched = co_await redis_.command(unwatch);
    if (!unwatched.yes()) co_return passed_on<Asked>(unwatched);
  }
  auto ttl = co_await ttl_once();
  co_return ttl;
}

Task<Outcome<Redisson12Lock::Asked>> Redisson12Lock::reenter_once(MonoTime asked, std::int64_t counter) {
  const RedisCommand multi("MULTI"), exec("EXEC");
  const RedisCommand set = options_.lease ? RedisCommand("PSETEX", name_, options_.lease->ms(), value(counter))
                                          : RedisCommand("SET", name_, value(counter));
  const auto begun = co_await redis_.command(multi);
  if (!begun.yes()) co_return passed_on<Asked>(begun);
  const auto queued = co_await redis_.command(set);
  if (!queued.yes()) co_return passed_on<Asked>(queued);
  const auto done = co_await redis_.command(exec);
  if (!done.yes()) co_return passed_on<Asked>(done);
  co_return done.value().elements().size() == 1 ? granted(asked) : Outcome<Asked>::of(Asked{});
}

Task<Outcome<Redisson12Lock::Asked>> Redisson12Lock::ttl_once() {
  const auto ttl = co_await redis_.pttl(name_);
  if (!ttl.yes()) co_return passed_on<Asked>(ttl);
  Asked refused;
  refused.ttl_ms = ttl.value();
  co_return Outcome<Asked>::of(refused);
}

Task<Acquired> Redisson12Lock::acquire(Patience patience) {
  (void)patience.over();
  const auto first = co_await run<Asked>(&Redisson12Lock::try_lock_once);
  if (!first.yes()) co_return passed_on<Hold>(first);
  if (first.value().granted) co_return held(first.value());
  std::optional<Duration> wait;
  if (patience.remaining() < kForever) wait = patience.remaining();
  if (wait && wait->ns <= 0) co_return Acquired::refusal();
  auto waited = co_await wait_and_ask(patience, wait);
  co_return waited;
}

Task<Acquired> Redisson12Lock::wait_and_ask(Patience, std::optional<Duration> wait) {
  const std::string channel = channel_name();
  const auto entry = co_await client_.entries->join(host_, channel);
  Redisson12Entries::Share share(client_.entries, channel);
  const std::int64_t factor = options_.subscribe_wait == SubscribeWait::in_unit ? 1000 : 1;
  const Duration limit = wait ? *wait * factor : kForever;
  if (!entry->promised) {
    const bool subscribed = co_await redisson_subscribed(host_, entry->channel, limit);
    entry->promised = subscribed;
  }
  if (!entry->promised) {
    if (options_.subscribe_leak) share.forget();
    co_return Acquired::refusal();
  }
  Duration left = wait.value_or(kForever);
  for (;;) {
    const auto tried = co_await run<Asked>(&Redisson12Lock::try_lock_once);
    if (!tried.yes()) co_return passed_on<Hold>(tried);
    if (tried.value().granted) co_return held(tried.value());
    if (left.ns <= 0) co_return Acquired::refusal();
    const std::int64_t ttl_ms = tried.value().ttl_ms;
    const Duration until_free = ttl_ms >= 0 ? milliseconds(ttl_ms) : kForever;
    const WallTime begun = host_.wall_now();
    const auto latch = client_.entries->channel_of(channel);
    (void)co_await RedissonChannel::wait_for_permit(host_, latch, std::min(until_free, left));
    if (wait) left = left - (host_.wall_now() - begun);  // the latch's time alone counts
  }
}

// --- releasing

Task<Outcome<>> Redisson12Lock::delete_and_publish_once() {
  const RedisCommand multi("MULTI"), del("DEL", name_), exec("EXEC");
  const RedisCommand publish("PUBLISH", channel_name(), kUnlockMessage);
  for (int attempt = 0; attempt < kUnlockTries; ++attempt) {
    for (const RedisCommand* command : {&multi, &del, &publish}) {
      const auto reply = co_await redis_.command(*command);
      if (!reply.yes()) co_return passed_on<Nothing>(reply);
    }
    const auto done = co_await redis_.command(exec);
    if (!done.yes()) co_return passed_on<Nothing>(done);
    if (done.value().elements().size() == 2) co_return Outcome<>::of({});
  }
  co_return Outcome<>::refusal(Why::error, "Can't unlock lock after 5 attempts");
}

Task<Outcome<>> Redisson12Lock::unlock_once() {
  const auto found = co_await redis_.get(name_);
  if (said_no(found)) co_return Outcome<>::of({});  // nothing there: silently done
  if (!found.yes()) co_return passed_on<Nothing>(found);
  const auto counter = my_counter(found.value());
  if (!counter) co_return Outcome<>::refusal();  // IllegalMonitorStateException
  if (*counter > 1) {
    const RedisCommand set("SET", name_, value(*counter - 1));
    const auto reply = co_await redis_.command(set);
    if (!reply.yes()) co_return passed_on<Nothing>(reply);
    co_return Outcome<>::of({});
  }
  auto deleted = co_await delete_and_publish_once();
  co_return deleted;
}

Task<Outcome<>> Redisson12Lock::release(Hold) {
  auto released = co_await run<Nothing>(&Redisson12Lock::unlock_once);
  co_return released;
}

Task<Outcome<>> Redisson12Lock::force_release() {
  auto released = co_await run<Nothing>(&Redisson12Lock::delete_and_publish_once);
  co_return released;
}

}  // namespace picklock
