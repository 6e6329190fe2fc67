#include "sim/redis/outputs.hpp"

namespace picklock {

std::string_view to_string(KeyChange change) {
  switch (change) {
    case KeyChange::set:
      return "set";
    case KeyChange::overwritten:
      return "overwritten";
    case KeyChange::changed:
      return "changed";
    case KeyChange::decremented:
      return "decremented";
    case KeyChange::ttl_set:
      return "ttl set";
    case KeyChange::deleted:
      return "deleted";
    case KeyChange::expired:
      return "expired";
  }
  return "";
}

void RedisOutputs::forget() {
  empty_ = true;
  bytes_.clear();
  effects_.clear();
  units_.clear();
  notes_.clear();
  fields_.clear();
  deliveries_.clear();
}

RedisOutputs::Note RedisOutputs::note(std::size_t index) const {
  const StoredNote& stored = notes_[index];
  return {stored.what, stored.expires_at_ms, text(stored.key)};
}

RedisOutputs::Delivery RedisOutputs::delivery(std::size_t index) const {
  const StoredDelivery& stored = deliveries_[index];
  const std::optional<std::string_view> pattern =
      stored.by_pattern ? std::optional(text(stored.pattern)) : std::nullopt;
  return {stored.session, pattern, text(stored.channel), text(stored.message), stored.of_shard};
}

void RedisOutputs::add_effect(std::string_view packed_command, RedisEffectKind kind) {
  effects_.push_back({store(packed_command), kind});
}

void RedisOutputs::end_unit_of_effects() {
  const std::uint32_t begin = units_.empty() ? 0 : units_.back().end;
  const auto end = static_cast<std::uint32_t>(effects_.size());
  if (begin < end) units_.push_back({begin, end});
}

void RedisOutputs::add_note(KeyChange what, std::string_view key, std::int64_t expires_at_ms) {
  notes_.push_back({expires_at_ms, store(key), what});
}

void RedisOutputs::add_part(std::string_view name, bool is_member) {
  fields_.push_back({notes_.size(), store(name), is_member});
}

void RedisOutputs::add_delivery(const Delivery& d) {
  const Slice pattern = store(d.pattern.value_or(std::string_view()));
  const Slice channel = store(d.channel);
  deliveries_.push_back({d.session, d.pattern.has_value(), d.of_shard, pattern, channel, store(d.message)});
}

RedisOutputs::Slice RedisOutputs::store(std::string_view bytes) {
  const Slice slice{bytes_.size(), static_cast<std::uint32_t>(bytes.size())};
  bytes_.append(bytes);
  empty_ = false;
  return slice;
}

RedisReply redis_push(const RedisOutputs::Delivery& d) {
  RedisReply push = RedisReply::array();
  push.push_back(RedisReply::bulk(d.pattern ? "pmessage" : d.of_shard ? "smessage" : "message"));
  if (d.pattern) push.push_back(RedisReply::bulk(*d.pattern));
  push.push_back(RedisReply::bulk(d.channel));
  push.push_back(RedisReply::bulk(d.message));
  return push;
}

}  // namespace picklock
