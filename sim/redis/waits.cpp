#include "sim/redis/waits.hpp"

#include <algorithm>

#include "sim/redis/errors.hpp"

namespace picklock {

void RedisWaits::boot() {
  waits_.clear();
  kept_ = nullptr;
  asks_for_acks_ = false;
}

std::optional<RedisReply> RedisWaits::wait(const RedisCall& call, const Message& request) {
  std::int64_t replicas = 0, timeout_ms = 0;
  if (!parse_redis_integer(call.arg(1), replicas)) return redis_error::not_an_integer();
  if (!parse_redis_integer(call.arg(2), timeout_ms)) {
    return RedisReply::error("ERR timeout is not an integer or out of range");
  }
  if (timeout_ms < 0) return RedisReply::error("ERR timeout is negative");
  const std::int64_t offset = sessions_.written_up_to(request.connection);
  const std::int64_t have = master_side_.replicas().that_have(offset);
  if (have >= replicas || call.nested) return RedisReply::integer(have);
  Waiting wait;
  wait.connection = request.connection;
  wait.call = request.call;
  // The last of the numbers that serving this request may use: its other messages go elsewhere.
  wait.reply_name = {request.operation, request.n * Tasks::kNumbersPerSegment + Tasks::kNumbersPerSegment - 1};
  wait.offset = offset;
  wait.replicas = replicas;
  if (timeout_ms != 0) wait.until_ms = std::min(call.now_ms + timeout_ms, kHorizon_ms);
  waits_.push_back(std::move(wait));
  asks_for_acks_ = true;
  return std::nullopt;
}

std::optional<MonoTime> RedisWaits::next_deadline(const Host& host) const {
  std::optional<MonoTime> next;
  for (const Waiting& w : waits_) {
    if (!w.until_ms) continue;
    const MonoTime due = host.monotonic_now() + (WallTime{(*w.until_ms + 1) * 1'000'000} - host.wall_now());
    if (!next || due < *next) next = due;
  }
  return next;
}

void RedisWaits::end_what_is_over() {
  for (std::size_t i = 0; i < waits_.size();) {
    const std::int64_t have = master_side_.replicas().that_have(waits_[i].offset);
    const bool over = waits_[i].until_ms && *waits_[i].until_ms < process_.now_ms();
    if (have < waits_[i].replicas && !over) {
      ++i;
    } else {
      end(i, RedisReply::integer(have));
    }
  }
  if (!std::exchange(asks_for_acks_, false) || waits_.empty()) return;
  if (master_side_.stream().has_backlog()) master_side_.feed_word(RedisCommand("REPLCONF", "GETACK", "*"));
}

void RedisWaits::end_all(const RedisReply& reply) {
  while (!waits_.empty()) {
    const ConnectionId connection = waits_.back().connection;
    drop_kept(connection);
    end(waits_.size() - 1, reply);
    sessions_.close(connection);
  }
}

void RedisWaits::end(std::size_t index, const RedisReply& reply) {
  const Waiting wait = waits_[index];
  waits_.erase(waits_.begin() + static_cast<std::ptrdiff_t>(index));
  process_.send({wait.connection, 1}, reply, wait.call, wait.reply_name);
  for (Message& m : kept_->waiting) {
    if (m.connection == wait.connection) kept_->released.push(std::move(m));
  }
  drop_kept(wait.connection);
}

void RedisWaits::forget(ConnectionId connection) {
  std::erase_if(waits_, [=](const Waiting& w) { return w.connection == connection; });
  drop_kept(connection);
}

void RedisWaits::drop_kept(ConnectionId connection) {
  std::erase_if(kept_->waiting, [=](const Message& m) { return m.connection == connection; });
}

bool RedisWaits::keep_if_one_waits(Message& message) {
  const auto found = std::find_if(waits_.begin(), waits_.end(),
                                  [&message](const Waiting& w) { return w.connection == message.connection; });
  if (found == waits_.end()) return false;
  kept_->waiting.push_back(std::move(message));
  return true;
}

}  // namespace picklock
