#include "sim/redis/cluster/cluster_text.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "sim/redis/command_table.hpp"
#include "sim/redis/text.hpp"

namespace picklock {
namespace {

class Words {
 public:
  explicit Words(std::string& to) : to_(to) {}
  void put(std::uint64_t word) { to_.append(reinterpret_cast<const char*>(&word), sizeof word); }
  template <class T>
  void put_all(const std::vector<T>& all) {
    put(all.size());
    for (const T& one : all) put(one);
  }

 private:
  std::string& to_;
};

class WordReader {
 public:
  explicit WordReader(std::string_view bytes) : rest_(bytes) {}
  template <class T = std::uint64_t>
  T get() {
    std::uint64_t word = 0;
    PICKLOCK_CHECK(rest_.size() >= sizeof word);
    std::memcpy(&word, rest_.data(), sizeof word);
    rest_.remove_prefix(sizeof word);
    return static_cast<T>(word);
  }
  template <class T>
  std::vector<T> all() {
    std::vector<T> all(get<std::size_t>());
    for (T& one : all) one = get<T>();
    return all;
  }

 private:
  std::string_view rest_;
};

}  // namespace

void encode(const ClusterPacket& p, std::string& to) {
  Words out(to);
  out.put(static_cast<std::uint64_t>(p.kind));
  out.put(p.from);
  out.put(p.to);
  out.put(p.epoch);
  out.put(p.config_epoch);
  out.put(p.master);
  out.put(p.about);
  out.put(static_cast<std::uint64_t>(p.offset));
  out.put_all(p.shards);
  out.put(p.gossip.size());
  for (const ClusterPacket::Gossip& g : p.gossip) {
    out.put(g.node);
    out.put(g.failing ? 1 : 0);
  }
}

void encode(const ClusterStore& s, std::string& to) {
  Words out(to);
  out.put(s.epoch);
  out.put(s.last_vote);
  out.put_all(s.config_epochs);
  out.put_all(s.masters);
  out.put_all(s.owners);
}

ClusterStore decode_store(std::string_view bytes) {
  WordReader in(bytes);
  ClusterStore s;
  s.epoch = in.get();
  s.last_vote = in.get();
  s.config_epochs = in.all<ClusterEpoch>();
  s.masters = in.all<ClusterIndex>();
  s.owners = in.all<ClusterIndex>();
  return s;
}

std::uint32_t slot_of(const RedisCommandView& c) {
  const RedisCommandSpec* const spec = find_redis_command(c.arg(0));
  if (spec == nullptr) return kNoSlot;
  RedisKeyPlaces keys = key_places_of(*spec);
  if (counts_its_keys(*spec)) {
    std::int64_t count = 0;
    if (!parse_redis_integer(c.arg(2), count) || count <= 0) return kNoSlot;
    keys = {3, static_cast<int>(std::min<std::int64_t>(2 + count, RedisCommand::kMostArguments)), 1};
  }
  if (keys.first == 0) return kNoSlot;
  const auto end = static_cast<std::int64_t>(c.argc());
  const std::int64_t last = keys.last < 0 ? end + keys.last : keys.last;
  std::uint32_t slot = kNoSlot;
  for (std::int64_t i = keys.first; i <= last && i < end; i += keys.step) {
    slot = slot_of_both(slot, cluster_slot(c.arg(static_cast<std::size_t>(i))));
  }
  return slot;
}

}  // namespace picklock
