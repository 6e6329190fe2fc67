#include "sim/redis/keyspace.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace picklock {
namespace {

// The order of sorted-set elements: by score, then by the bytes of the member.
bool precedes(const RedisScored& a, double score, std::string_view member) {
  return a.score != score ? a.score < score : a.member.view() < member;
}

std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * 0x9E3779B97F4A7C15ULL;
  return state ^ (state >> 32);
}

std::uint64_t mixed(std::uint64_t state, std::string_view bytes) {
  state = mixed(state, bytes.size());
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(bytes.size(), sizeof word);
    for (std::size_t i = 0; i < count; ++i) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    state = mixed(state, word);
    bytes.remove_prefix(count);
  }
  return state;
}

std::uint64_t mixed(std::uint64_t state, const RedisEntry& entry) {
  state = mixed(state, entry.key.view());
  state = mixed(state, static_cast<std::uint64_t>(entry.expires_at_ms));
  state = mixed(state, static_cast<std::uint64_t>(entry.type));
  switch (entry.type) {
    case RedisType::string:
      return mixed(state, entry.text.view());
    case RedisType::hash:
    case RedisType::set:
      for (const RedisField& field : entry.fields) {
        state = mixed(mixed(state, field.name.view()), field.value.view());
      }
      return state;
    case RedisType::list:
      for (const RedisText& item : entry.items) state = mixed(state, item.view());
      return state;
    case RedisType::sorted_set:
      for (const RedisScored& scored : entry.scored) {
        state = mixed(state, std::bit_cast<std::uint64_t>(scored.score));
        state = mixed(state, scored.member.view());
      }
      return state;
  }
  return state;
}

}  // namespace

std::string_view to_string(RedisType type) {
  switch (type) {
    case RedisType::string:
      return "string";
    case RedisType::hash:
      return "hash";
    case RedisType::list:
      return "list";
    case RedisType::sorted_set:
      return "zset";
    case RedisType::set:
      return "set";
  }
  return "";
}

const RedisField* RedisEntry::field(std::string_view name) const {
  const auto at = std::lower_bound(fields.begin(), fields.end(), name,
                                   [](const RedisField& f, std::string_view wanted) { return f.name.view() < wanted; });
  return at != fields.end() && at->name.view() == name ? &*at : nullptr;
}

RedisField& RedisEntry::add_field(std::string_view name) {
  const auto at = std::lower_bound(fields.begin(), fields.end(), name,
                                   [](const RedisField& f, std::string_view wanted) { return f.name.view() < wanted; });
  return *fields.insert(at, RedisField{RedisText(name), RedisText()});
}

const RedisScored* RedisEntry::member(std::string_view name) const {
  const auto at =
      std::find_if(scored.begin(), scored.end(), [name](const RedisScored& s) { return s.member.view() == name; });
  return at != scored.end() ? &*at : nullptr;
}

void RedisEntry::set_score(std::string_view name, double score) {
  remove_member(name);
  const auto at = std::lower_bound(scored.begin(), scored.end(), score,
                                   [name](const RedisScored& s, double wanted) { return precedes(s, wanted, name); });
  scored.insert(at, RedisScored{score, RedisText(name)});
}

bool RedisEntry::remove_member(std::string_view name) {
  const RedisScored* found = member(name);
  if (found == nullptr) return false;
  scored.erase(scored.begin() + (found - scored.data()));
  return true;
}

bool RedisEntry::hollow() const {
  switch (type) {
    case RedisType::string:
      return false;
    case RedisType::hash:
    case RedisType::set:
      return fields.empty();
    case RedisType::list:
      return items.empty();
    case RedisType::sorted_set:
      return scored.empty();
  }
  return false;
}

void RedisEntry::become(RedisType new_type) {
  type = new_type;
  text.clear();
  fields.clear();
  items.clear();
  scored.clear();
}

void RedisEntry::copy_value(const RedisEntry& other) {
  expires_at_ms = other.expires_at_ms;
  type = other.type;
  text = other.text;
  fields = other.fields;
  items = other.items;
  scored = other.scored;
}

RedisKeyspace& RedisKeyspace::operator=(const RedisKeyspace& other) {
  if (this == &other) return *this;
  clear();
  for (const RedisEntry* entry : other.order_) {
    insert(entry->key.view(), entry->type).copy_value(*entry);
  }
  return *this;
}

std::size_t RedisKeyspace::position(std::string_view key) const {
  const auto at =
      std::lower_bound(order_.begin(), order_.end(), key,
                       [](const RedisEntry* entry, std::string_view wanted) { return entry->key.view() < wanted; });
  return static_cast<std::size_t>(at - order_.begin());
}

const RedisEntry* RedisKeyspace::search(std::string_view key) const {
  if (order_.empty()) return nullptr;
  if (last_found_ < order_.size() && order_[last_found_]->key.view() == key) return order_[last_found_];
  const std::size_t at = position(key);
  last_found_ = at;
  return at < order_.size() && order_[at]->key.view() == key ? order_[at] : nullptr;
}

RedisEntry& RedisKeyspace::insert(std::string_view key, RedisType type) {
  if (spare_.empty()) {
    owned_.push_back(std::make_unique<RedisEntry>());
    spare_.push_back(owned_.back().get());
  }
  RedisEntry* entry = spare_.back();
  spare_.pop_back();
  const std::size_t at = order_.empty() ? 0 : position(key);
  entry->key.assign(key);
  entry->expires_at_ms = kNoExpiry;
  entry->become(type);
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(at), entry);
  return *entry;
}

void RedisKeyspace::erase(RedisEntry& entry) {
  const bool is_last_found = last_found_ < order_.size() && order_[last_found_] == &entry;
  const std::size_t at = is_last_found ? last_found_ : position(entry.key.view());
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(at));
  spare_.push_back(&entry);
}

void RedisKeyspace::clear() {
  spare_.insert(spare_.end(), order_.rbegin(), order_.rend());
  order_.clear();
}

std::uint64_t RedisKeyspace::fingerprint() const {
  std::uint64_t state = order_.size();
  for (const RedisEntry* entry : order_) state = mixed(state, *entry);
  return state;
}

}  // namespace picklock
