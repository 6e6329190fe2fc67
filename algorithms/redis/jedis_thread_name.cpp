#include "algorithms/redis/jedis_thread_name.hpp"
#include "algorithms/redis/redis_servers.hpp"

#include <algorithm>

#include "algorithms/redis/polling_lock.hpp"
#include "algorithms/redis/redis_scripts.hpp"
#include "base/check.hpp"

namespace picklock {
namespace {

struct JedisStatics {  // static members of the lock's class, in one process
  bool renewal_is_open = true;
};

std::int64_t whole_seconds(Duration d) { return std::max<std::int64_t>(1, d.ns / seconds(1).ns); }

}  // namespace

void JedisThreadNameOptions::fields(FieldVisitor& v) {
  const std::int64_t second = seconds(1).ns;
  v.field({.name = "ttl", .help = "lease that is asked for, in whole seconds", .least = second}, ttl);
  v.field({.name = "retry", .help = "pause between two attempts", .least = 0}, retry);
  v.field({.name = "renewal-ttl", .help = "lease that a renewal sets", .least = milliseconds(1).ns}, renewal_ttl);
  v.field({.name = "renewal-period", .help = "time between two renewals; the first is at once", .least = 1},
          renewal_period);
  v.field({.name = "stop", .help = "event that ends the renewals"}, stop);
  v.field({.name = "owner", .help = "value of the key, which names the owner"}, owner);
  v.field({.name = "connection", .help = "whether a renewal uses its caller's connection"}, connection);
  v.field({.name = "timeout", .help = "how long the socket waits for an answer", .least = 1}, timeout);
  v.field({.name = "throws-ppm",
           .help = "number of critical sections per million that end by an exception",
           .least = 0,
           .most = 1'000'000},
          throws_ppm);
  v.field({.name = "unlock-in-finally", .help = "the client unlocks also after an exception in its section"},
          unlock_in_finally);
}

// --- the connection

struct JedisConnection::Reader {
  explicit Reader(const Host& host) : read(host, "a reply on a shared connection") {}
  Event read;
  std::optional<Outcome<RedisReply>> reply;
};

// A place among the readers, for as long as its frame lives.
class JedisConnection::Reading {
 public:
  Reading(JedisConnection& connection, Reader& reader, bool overtakes) : all_(connection.readers_), reader_(reader) {
    all_.insert(overtakes ? all_.end() - 1 : all_.end(), &reader_);
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { std::erase(all_, &reader_); }

 private:
  std::deque<Reader*>& all_;
  Reader& reader_;
};

Task<Outcome<RedisReply>> JedisConnection::call(RedisCommand command) {
  Reader me(host_);
  // The second sender may get to the socket's input first.
  const bool overtakes = !readers_.empty() && host_.draw(Purpose::application, Law::uniform(0, 1)) == 1;
  const Reading reading(*this, me, overtakes);
  auto arrived = co_await redis_.command(command);
  if (!readers_.empty()) {  // empty if a reader that has given up left this thread a reply
    Reader* const first = readers_.front();
    readers_.pop_front();
    first->reply = std::move(arrived);
    first->read.set();
  }
  co_await me.read.wait();
  co_return std::move(*me.reply);
}

// --- the lock

JedisThreadName::JedisThreadName(const LockContext& context, const JedisThreadNameOptions& options)
    : Lock(context.host),
      name_(context.name),
      options_(options),
      renewal_is_open_(context.process->get<JedisStatics>().renewal_is_open),
      callers_(context.host, context.get<RedisServers>()[0].within(options.timeout)),
      renewers_(context.host, context.get<RedisServers>()[0].within(options.timeout)),
      owner_("pool-1-thread-" + std::to_string(context.thread)) {}

Task<Acquired> JedisThreadName::acquire(Patience patience) {
  while (!patience.over()) {
    const MonoTime asked = host_.monotonic_now();
    if (options_.owner == JedisOwner::unique) owner_ = owner_value(host_);
    const RedisCommand set("SET", name_, owner_, "NX", "EX", whole_seconds(options_.ttl));
    const auto reply = co_await callers_.call(set);
    // An exception leaves the method, whatever has become of the command.
    if (!reply.yes()) co_return passed_on<Hold>(reply);
    if (!reply.value().is_ok() && !reply.value().is_nil()) {
      co_return Acquired::unknown_because(Why::disconnected);  // ClassCastException: another's reply
    }
    if (reply.value().is_ok()) {
      Hold hold(owner_);
      hold.deadline = asked + seconds(whole_seconds(options_.ttl));
      host_.announce_deadline(DeadlineKind::lease, *hold.deadline);
      host_.spawn("renewal", renew(++tenure_, owner_));
      co_return Acquired::of(std::move(hold));
    }
    co_await patience.pause(options_.retry);
  }
  co_return patience.exhausted();
}

bool JedisThreadName::may_renew(std::uint32_t tenure) const {
  if (options_.stop == JedisStop::release) return tenure == tenure_;
  return options_.stop == JedisStop::never || renewal_is_open_;
}

Task<void> JedisThreadName::renew(std::uint32_t tenure, std::string owner) {
  const std::string ms = std::to_string(options_.renewal_ttl.ms());
  while (may_renew(tenure)) {
    co_await host_.pass(mark::renews);
    const RedisCommand extend = kExpireIfEquals.call({name_}, {owner, ms});
    const auto reply = co_await renewals_connection().call(extend);
    if (!reply.yes()) co_return;  // the exception ends the thread
    co_await host_.sleep(options_.renewal_period);
  }
}

Task<Outcome<>> JedisThreadName::release(Hold hold) {
  const Law ppm = Law::uniform(0, 999'999);
  if (!options_.unlock_in_finally && options_.throws_ppm > 0 &&
      host_.draw(Purpose::application, ppm) < options_.throws_ppm) {
    co_return Outcome<>::refusal(Why::error, "the section threw");
  }
  ++tenure_;
  if (options_.stop == JedisStop::flag) renewal_is_open_ = false;
  const RedisCommand remove = kDeleteIfEquals.call({name_}, {hold.value});
  const auto reply = co_await callers_.call(remove);
  co_return yes_if_one(reply);
}

}  // namespace picklock
