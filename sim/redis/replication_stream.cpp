#include "sim/redis/replication_stream.hpp"

#include "base/check.hpp"

namespace picklock {
namespace {

constexpr std::size_t kIdDigits = 40;

std::int64_t digits(std::size_t n) {
  std::int64_t count = 1;
  for (; n >= 10; n /= 10) ++count;
  return count;
}

// Size in RESP: *argc\r\n, and $length\r\nbytes\r\n of each.
std::int64_t resp_size(const RedisCommandView& command) {
  std::int64_t size = 3 + digits(command.argc());
  for (std::size_t i = 0; i < command.argc(); ++i) {
    const std::size_t length = command.arg(i).size();
    size += 5 + digits(length) + static_cast<std::int64_t>(length);
  }
  return size;
}

void put_word(std::string& to, std::uint32_t word) { to.append(reinterpret_cast<const char*>(&word), sizeof word); }

void put_command(std::string& to, const RedisCommandView& command, RedisEffectKind kind) {
  to += static_cast<char>(kind);
  put_word(to, static_cast<std::uint32_t>(command.bytes().size()));
  to += command.bytes();
}

void put_size(std::string& to, std::size_t unit_at, std::int64_t size) {
  const auto word = static_cast<std::uint32_t>(size);
  std::memcpy(to.data() + unit_at + 4, &word, sizeof word);
}

}  // namespace

std::string ReplicationId::to_string() const {
  std::string text(kIdDigits, '0');
  for (std::size_t i = 0; i < 16; ++i) text[i] = "0123456789abcdef"[bits >> (60 - 4 * i) & 15];
  return text;
}

ReplicationId ReplicationId::parse(std::string_view text) {
  ReplicationId id;
  if (text.size() != kIdDigits) return id;
  const auto end = text.data() + 16;
  const auto [last, error] = std::from_chars(text.data(), end, id.bits, 16);
  return error == std::errc() && last == end ? id : ReplicationId();
}

void encode_unit(const RedisOutputs& out, std::size_t unit, std::uint32_t hold, std::string& to) {
  static const RedisCommand kMulti("MULTI"), kExec("EXEC");
  const std::size_t at = to.size();
  put_word(to, hold);
  put_word(to, 0);
  put_word(to, 0);
  std::int64_t size = 0;
  std::size_t commands = 0;
  out.for_each_effect_of(unit, [&](const RedisCommandView& command, RedisEffectKind kind) {
    put_command(to, command, kind);
    size += resp_size(command);
    ++commands;
  });
  if (commands > 1) size += resp_size(kMulti) + resp_size(kExec);
  put_size(to, at, size);
}

void encode_unit(const RedisCommand& command, std::string& to) {
  const std::size_t at = to.size();
  put_word(to, 0);
  put_word(to, 0);
  put_word(to, 1);
  put_command(to, command, RedisEffectKind::plain);
  put_size(to, at, resp_size(command));
}

void ReplicationStream::reset(ReplicationId id) {
  id_ = id;
  id2_ = {};
  offset_ = 0;
  second_offset_ = -1;
  drop_backlog();
}

void ReplicationStream::open_backlog() {
  if (has_backlog_) return;
  has_backlog_ = true;
  backlog_start_ = offset_;
}

void ReplicationStream::drop_backlog() {
  has_backlog_ = false;
  backlog_.clear();
  backlog_start_ = offset_;
}

void ReplicationStream::begin_new_history(ReplicationId id) {
  id_ = id;
  id2_ = {};
  second_offset_ = -1;
}

void ReplicationStream::shift_to(ReplicationId id) {
  id2_ = id_;
  second_offset_ = offset_ + 1;
  id_ = id;
}

void ReplicationStream::follow(ReplicationId id, std::int64_t offset) {
  begin_new_history(id);
  drop_backlog();
  offset_ = offset;
  open_backlog();
}

// Like a real server keeps whole blocks, this one keeps whole units: a little more than was asked for.
std::int64_t ReplicationStream::append(std::string_view unit) {
  PICKLOCK_CHECK(has_backlog_);
  const std::int64_t start = offset_;
  offset_ += ReplicationUnitView(unit).size();
  backlog_.push_back({start, std::string(unit)});
  while (backlog_.size() > 1 && offset_ - backlog_[1].start >= backlog_size_) backlog_.pop_front();
  backlog_start_ = backlog_.front().start;
  return start;
}

bool ReplicationStream::can_resume(ReplicationId id, std::int64_t offset) const {
  if (!has_backlog_ || id.bits == 0) return false;
  const bool same = id == id_ || (id == id2_ && offset < second_offset_);
  return same && offset >= backlog_start_ && offset <= offset_;
}

}  // namespace picklock
