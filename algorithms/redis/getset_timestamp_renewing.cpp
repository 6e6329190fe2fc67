#include "algorithms/redis/getset_timestamp_renewing.hpp"

namespace picklock {

void GetsetTimestampRenewingOptions::fields(FieldVisitor& v) {
  lock.fields(v);
  v.field(
      {.name = "renewal-interval", .help = "time between two renewals; a third of timeout unless given", .least = 1},
      renewal_interval);
}

GetsetTimestampRenewing::GetsetTimestampRenewing(const LockContext& context,
                                                 const GetsetTimestampRenewingOptions& options)
    : GetsetTimestamp(context, options.lock),
      interval_(options.renewal_interval.value_or(options.lock.timeout / 3)),
      renewal_(*this, IfRefused::carry_on) {}

void GetsetTimestampRenewing::granted(const Hold& hold) { renewal_.begin(hold, interval_); }

Task<Outcome<MonoTime>> GetsetTimestampRenewing::extend(Hold hold) {
  const Hold fresh = propose();
  const RedisCommand set("SET", name_, fresh.value, "XX");
  const auto reply = co_await redis_.command(set);
  if (!reply.yes()) co_return passed_on<MonoTime>(reply);
  if (reply.value().is_nil()) co_return Outcome<MonoTime>::refusal();
  prolong(hold, *fresh.deadline);
  co_return Outcome<MonoTime>::of(*fresh.deadline);
}

Task<Outcome<>> GetsetTimestampRenewing::release(Hold) {
  renewal_.end();
  const auto deleted = co_await redis_.del(name_);
  co_return deleted;
}

}  // namespace picklock
