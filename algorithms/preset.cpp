#include "algorithms/preset.hpp"

#include <array>

#include "algorithms/etcd/etcd_article_lock.hpp"
#include "algorithms/lock.hpp"
#include "algorithms/redis/go_redis_lock.hpp"
#include "algorithms/redisson/redisson_fair_lock.hpp"
#include "algorithms/redisson/redisson_lock.hpp"
#include "algorithms/redisson/redisson_multi_lock.hpp"
#include "algorithms/redisson/redisson_read_write_lock.hpp"
#include "algorithms/redisson/redisson_seat_lock.hpp"
#include "algorithms/redisson/redisson_spin_lock.hpp"
#include "algorithms/zookeeper/go_zookeeper_channel_lock.hpp"

namespace picklock {
namespace {

template <class T>
std::unique_ptr<Options> beside(const LockKind&, const Options& said) {
  T defaults = T::of(said.as<T>().preset);
  defaults.preset = T{}.preset;  // what is said of the preset itself is no default
  return std::make_unique<OptionsOf<T>>(std::move(defaults));
}

// Chooses a release, as a scenario does that names it.
class ReleaseChoice final : public FieldVisitor {
 public:
  explicit ReleaseChoice(RedissonRelease release) : release_(release) {}
  void field(const FieldInfo&, bool&) override {}
  void field(const FieldInfo&, std::int64_t&) override {}
  void field(const FieldInfo&, Duration&) override {}
  void field(const FieldInfo&, std::optional<Duration>&) override {}
  void field(const FieldInfo&, Law&) override {}
  void field(const FieldInfo&, std::string&) override {}
  void choice(const FieldInfo& info, std::span<const std::string_view>, std::size_t& index) override {
    if (info.name == "release") index = static_cast<std::size_t>(release_);
  }

 private:
  RedissonRelease release_;
};

template <class T>
RedissonOptions& common(T& options) {
  if constexpr (std::is_same_v<T, RedissonOptions>) {
    return options;
  } else if constexpr (std::is_same_v<T, RedissonRedLockOptions>) {
    return options.multi.lock;
  } else {
    return options.lock;
  }
}

template <class T>
std::unique_ptr<Options> beside_release(const LockKind& kind, const Options& said) {
  T wanted = said.as<T>();
  const std::unique_ptr<Options> fresh = kind.default_options();
  T defaults = fresh->as<T>();
  const RedissonRelease without = common(defaults).release;
  ReleaseChoice choice(common(wanted).release);
  defaults.fields(choice);
  common(defaults).release = without;
  return std::make_unique<OptionsOf<T>>(std::move(defaults));
}

struct Line {
  std::string_view lock;
  std::unique_ptr<Options> (*defaults)(const LockKind&, const Options& said);
};
constexpr std::array<Line, 12> kLines = {{{"go-redis-lock", beside<GoRedisLockOptions>},
                                          {"go-etcd-lock", beside<EtcdArticleOptions>},
                                          {"go-zookeeper-channel-lock", beside<GoZookeeperChannelLockOptions>},
                                          {"redisson-lock", beside_release<RedissonOptions>},
                                          {"redisson-lock-3-16", beside_release<RedissonOptions>},
                                          {"redisson-fenced-lock", beside_release<RedissonFencedOptions>},
                                          {"redisson-fair-lock", beside_release<RedissonFairOptions>},
                                          {"redisson-read-write-lock", beside_release<RedissonReadWriteOptions>},
                                          {"redisson-spin-lock", beside_release<RedissonSpinOptions>},
                                          {"redisson-multi-lock", beside_release<RedissonMultiOptions>},
                                          {"redisson-redlock", beside_release<RedissonRedLockOptions>},
                                          {"redisson-seat-lock", beside_release<RedissonSeatOptions>}}};

}  // namespace

std::unique_ptr<Options> defaults_beside_preset(std::string_view lock, const Options& said) {
  for (const Line& line : kLines) {
    if (line.lock == lock) return line.defaults(*find_lock_kind(lock), said);
  }
  return nullptr;
}

}  // namespace picklock
