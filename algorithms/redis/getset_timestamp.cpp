#include "algorithms/redis/getset_timestamp.hpp"
#include "algorithms/redis/redis_servers.hpp"

#include <charconv>
#include <limits>

namespace picklock {
namespace {

std::optional<WallTime> parse_stamp(std::string_view stamp) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / milliseconds(1).ns;
  std::int64_t ms = 0;
  const char* const end = stamp.data() + stamp.size();
  const auto parsed = std::from_chars(stamp.data(), end, ms);
  if (parsed.ec != std::errc() || parsed.ptr != end || ms < 0 || ms > kMost) {
    return std::nullopt;
  }
  return WallTime{} + milliseconds(ms);
}

}  // namespace

void GetsetTimestampOptions::fields(FieldVisitor& v) {
  v.field({.name = "timeout", .help = "time after which others may take the lock over", .least = milliseconds(1).ns},
          timeout);
  v.field({.name = "margin", .help = "duration added to every time stamp", .least = 0}, margin);
  polling.fields(v);
}

GetsetTimestamp::GetsetTimestamp(const LockContext& context, const GetsetTimestampOptions& options)
    : PollingLock(context.host, options.polling),
      redis_(context.get<RedisServers>()[0]),
      name_(context.name),
      options_(options) {}

Hold GetsetTimestamp::propose() {
  const WallTime expires = host_.wall_now() + options_.timeout + options_.margin;
  Hold hold(std::to_string((expires - WallTime{}).ms()));
  hold.deadline = host_.monotonic_now() + options_.timeout;
  return hold;
}

Task<Acquired> GetsetTimestamp::take(Hold proposed) {
  const auto set = co_await redis_.setnx(name_, proposed.value);
  if (set.yes()) co_return Acquired::of(proposed);
  if (!said_no(set)) co_return passed_on<Hold>(set);

  const auto standing = co_await redis_.get(name_);
  const bool vanished = said_no(standing);
  const bool ripe = standing.yes() && expired(standing.value());
  if (!vanished && !ripe) co_return Acquired::refusal();  // nothing of ours has taken effect

  const Acquired taken = co_await take_over();
  co_return taken;
}

Task<Acquired> GetsetTimestamp::take_over() {
  const Hold fresh = propose();
  const auto replaced = co_await redis_.getset(name_, fresh.value);
  if (!replaced.yes()) co_return passed_on<Hold>(replaced);
  const std::optional<std::string>& old = replaced.value();
  if (old && !expired(*old)) co_return Acquired::refusal();  // another client was faster
  co_return Acquired::of(fresh);
}

bool GetsetTimestamp::expired(std::string_view stamp) const {
  const auto expires = parse_stamp(stamp);
  return expires && host_.wall_now() >= *expires;
}

Task<Outcome<>> GetsetTimestamp::release(Hold hold) {
  const auto stamp = parse_stamp(hold.value);
  if (!stamp || host_.wall_now() >= *stamp - options_.margin) co_return Outcome<>::refusal();
  const auto deleted = co_await redis_.del(name_);
  co_return deleted;
}

}  // namespace picklock
