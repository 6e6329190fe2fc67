#include "sim/redis/store.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "sim/redis/append_only_file.hpp"

namespace picklock {

void RedisStore::boot() {
  database_.clear();
  database_.set_watch_sees_expiry(config_.options().watch_sees_expiry);
}

void RedisStore::load() {
  log_.boot(config_.options(), database_);
  journal_.loaded(keys());
}

bool RedisStore::apply(const ReplicationUnitView& unit, std::int64_t now_ms) {
  bool asked = false;
  out_.clear();
  unit.for_each([&](const RedisCommandView& command, RedisEffectKind kind) {
    if (unit.of_link()) {
      asked |= is_redis_word(command.arg(0), "REPLCONF");
      return;
    }
    const RedisReply result = database_.apply(command, now_ms, out_, kind);
    if (result.is_error()) {
      PICKLOCK_CHECK(!config_.options().replica_read_only || config_.flaws() != RedisFlaws());
    }
    if (log_.is_on()) out_.add_effect(command.bytes(), kind);
  });
  out_.end_unit();
  return asked;
}

void RedisStore::expire_actively(const Host& host) {
  const std::int64_t now_ms = process_.now_ms();
  const auto draw = [&host](std::uint32_t n) {
    return host.draw(Purpose::expire_sample, Law::uniform(std::int64_t{0}, std::int64_t{n} - 1));
  };
  const bool at_deadline = config_.options().expire_at_deadline;
  database_.active_expire_cycle(now_ms, draw, out_,
                                at_deadline ? ActiveExpiry::at_deadline : ActiveExpiry::after_deadline);
  settle(now_ms, 0);
}

void RedisStore::settle(std::int64_t now_ms, std::uint32_t hold) {
  log_.append(out_);
  if (out_.note_count() == 0) return;
  journal_.changed(out_, keys(), now_ms, hold);
  std::int64_t earliest_ms = kNever_ms;
  bool lost_a_deadline = false;
  for (std::size_t i = 0; i < out_.note_count(); ++i) {
    const std::int64_t deadline_ms = out_.note(i).expires_at_ms;
    if (deadline_ms == kNoExpiry) {
      lost_a_deadline = true;
    } else {
      earliest_ms = std::min(earliest_ms, deadline_ms);
    }
  }
  if (cron_.sleeps_past(earliest_ms)) {
    cron_.look_again();
  } else if (lost_a_deadline && cron_.sleeps_for_deadline() && next_deadline_ms() == kNoExpiry) {
    cron_.drop_deadline();
  }
}

void RedisStore::load_snapshot(std::string_view log, bool keep) {
  if (!keep) database_.drop_keys();
  const LogLoad found = load_log(log, database_);
  PICKLOCK_CHECK(found.end == LogLoad::End::complete || keep);
}

}  // namespace picklock
