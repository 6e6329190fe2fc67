#include "algorithms/redis/redis_py_lock.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "algorithms/random_guid.hpp"
#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "algorithms/redis/redis_servers.hpp"

namespace picklock {
namespace {

constexpr Duration kRetryBase = milliseconds(10);
constexpr int kDoublings = 16;

// ExponentialWithJitterBackoff: a random part of base · 2^failures, at most the cap.
Duration backoff(const Host& host, std::int64_t failures, Duration cap) {
  const Duration most = kRetryBase * (std::int64_t{1} << std::min<std::int64_t>(failures, kDoublings));
  const Duration drawn = host.draw_duration(Purpose::retry_delay, Law::uniform(Duration{}, most));
  return std::min(cap, drawn);
}

RedisCommand script(const RedisScript& s, std::string_view name, std::string_view token) {
  return s.call({name}, {token});
}
RedisCommand script(const RedisScript& s, std::string_view name, std::string_view token, Duration ttl) {
  const std::string ms = std::to_string(ttl.ms());
  return s.call({name}, {token, ms});
}
RedisCommand set(std::string_view name, std::string_view token, const RedisPyLockOptions& options) {
  if (!options.expires) return RedisCommand("SET", name, token, "NX");
  return RedisCommand("SET", name, token, "NX", "PX", options.ttl.ms());
}

bool has_no_answer(const Outcome<RedisReply>& answer) { return answer.unknown() || answer.why() == Why::not_connected; }

}  // namespace

struct RedisPyLock::Objects {
  std::map<std::string, std::shared_ptr<Object>, std::less<>> by_name;
};

RedisPyLockOptions RedisPyLockOptions::of(RedisPyRelease release) {
  RedisPyLockOptions o;
  o.release = release;
  if (release == RedisPyRelease::v2_10_1) o.retries = 0;
  return o;
}

void RedisPyLockOptions::fields(FieldVisitor& v) {
  const RedisPyRelease before = release;
  if (v.leading({.name = "release", .help = "release of redis-py; it sets the default of retries"}, release)) {
    change_settings(*this, of(before), of(release), &RedisPyLockOptions::retries);
  }
  v.field({.name = "ttl", .help = "timeout that the caller gives the lock", .least = milliseconds(1).ns}, ttl);
  v.field({.name = "expires", .help = "whether the caller gives a timeout; the library's default is none"}, expires);
  v.field({.name = "sleep", .help = "pause between two attempts", .least = 0}, sleep);
  v.field({.name = "extension", .help = "whether an extension sets the TTL anew or adds to it"}, extension);
  v.field({.name = "retries", .help = "how often a command without an answer is sent again", .least = 0, .most = 100},
          retries);
  v.field({.name = "retry-delay", .help = "cap of the pauses before a command is sent again", .least = 0}, retry_delay);
  v.field({.name = "shared-object", .help = "threads of a process share one Lock object and its token"}, shared_object);
  v.field({.name = "releases-again",
           .help = "pause before the application calls release() again after an error; none: it does not",
           .least = 0},
          releases_again);
}

RedisPyLock::RedisPyLock(const LockContext& context, const RedisPyLockOptions& options)
    : Lock(context.host), redis_(context.get<RedisServers>()[0]), name_(context.name), options_(options) {
  if (options.shared_object) {
    auto& shared = context.process->get<Objects>().by_name[name_];
    if (!shared) shared = std::make_shared<Object>();
    object_ = shared;
  } else {
    object_ = std::make_shared<Object>();
  }
}

Task<Outcome<RedisReply>> RedisPyLock::ask(RedisCommand command) {
  for (std::int64_t failures = 0;; ++failures) {
    auto answer = co_await redis_.command(command);
    if (!has_no_answer(answer) || failures == options_.retries) co_return answer;
    const Duration pause = backoff(host_, failures + 1, options_.retry_delay);
    co_await host_.sleep(pause);
  }
}

Task<Acquired> RedisPyLock::acquire(Patience patience) {
  const std::string token = random_guid_hex(host_);
  for (;;) {
    const Acquired taken = co_await do_acquire(token);
    if (taken.yes()) co_return taken;
    if (taken.unknown()) patience.note_unknown();
    if (!said_no(taken)) co_return taken.unknown() ? taken : patience.exhausted();  // raised
    if (patience.remaining() < options_.sleep) co_return patience.exhausted();
    co_await patience.pause(options_.sleep);
  }
}

// One attempt: refused by the server, or an exception.
Task<Acquired> RedisPyLock::do_acquire(std::string token) {
  const MonoTime asked = host_.monotonic_now();
  if (options_.release == RedisPyRelease::v2_10_1) {
    const auto first = co_await redis_.setnx(name_, token);
    if (!first.yes()) co_return passed_on<Hold>(first);
    if (options_.expires) {
      const auto expiring = co_await redis_.pexpire(name_, options_.ttl);
      if (expiring.unknown()) co_return passed_on<Hold>(expiring);  // raised: the key is there, perhaps for ever
    }
    co_return grant(std::move(token), asked);
  }
  const RedisCommand command = set(name_, token, options_);
  const auto answer = co_await ask(command);
  if (!answer.yes()) co_return passed_on<Hold>(answer);
  if (answer.value().is_nil()) co_return Acquired::refusal();
  co_return grant(std::move(token), asked);
}

Acquired RedisPyLock::grant(std::string token, MonoTime asked) {
  object_->token = token;
  Hold hold(std::move(token));
  if (options_.expires) {
    hold.deadline = asked + options_.ttl;
    host_.announce_deadline(DeadlineKind::lease, *hold.deadline);
  }
  current_ = hold;
  return Acquired::of(std::move(hold));
}

Task<Outcome<>> RedisPyLock::release(Hold) {
  bool in_doubt = false;
  for (;;) {
    const Outcome<> released = co_await release_once();
    const bool answered = released.yes() || said_no(released);
    in_doubt = in_doubt || released.unknown();
    if (answered && !in_doubt) co_return released;
    if (released.yes()) co_return released;
    // LockError: some release before was done, or the token is gone; which of them, its caller cannot tell.
    if (said_no(released)) co_return Outcome<>::unknown_because(Why::timed_out);
    if (!options_.releases_again) co_return released;
    co_await host_.sleep(*options_.releases_again);
  }
}

Task<Outcome<>> RedisPyLock::release_once() {
  const std::shared_ptr<Object> object = object_;
  const std::string expected = object->token;
  if (expected.empty()) co_return Outcome<>::refusal();  // LockError: not owned, or unlocked already
  if (options_.release == RedisPyRelease::v8_1) object->token.clear();
  const Outcome<> released = co_await do_release(expected);
  if (options_.release == RedisPyRelease::v2_10_1) object->token.clear();  // the token may be another thread's
  const bool answered = released.yes() || said_no(released);
  if (options_.release == RedisPyRelease::main && answered && object->token == expected) object->token.clear();
  co_return released;
}

Task<Outcome<>> RedisPyLock::do_release(std::string token) {
  if (options_.release == RedisPyRelease::v2_10_1) {
    const auto value = co_await redis_.get(name_);
    if (!value.yes()) co_return passed_on<Nothing>(value);
    if (value.value() != token) co_return Outcome<>::refusal();
    const auto deleted = co_await redis_.del(name_);
    co_return deleted;
  }
  const RedisCommand command = script(kDeleteIfEquals, name_, token);
  const auto reply = co_await ask(command);
  co_return yes_if_one(reply);
}

Task<Outcome<MonoTime>> RedisPyLock::extend(Hold hold) {
  if (object_->token.empty() || !options_.expires) co_return Outcome<MonoTime>::refusal();
  const bool adds = options_.extension == RedisPyExtension::extend;
  const MonoTime asked = host_.monotonic_now();
  const RedisCommand command = script(adds ? kProlongIfEquals : kExpireIfEquals, name_, object_->token, options_.ttl);
  const auto reply = co_await ask(command);
  const Outcome<> extended = yes_if_one(reply);
  if (!extended.yes()) co_return passed_on<MonoTime>(extended);
  const MonoTime due = (adds ? deadline(hold).value_or(asked) : asked) + options_.ttl;
  host_.announce_deadline(DeadlineKind::lease, due);
  if (hold.value == current_.value) current_.deadline = due;
  co_return Outcome<MonoTime>::of(due);
}

std::optional<MonoTime> RedisPyLock::deadline(const Hold& hold) const {
  return hold.value == current_.value ? current_.deadline : hold.deadline;
}

}  // namespace picklock
