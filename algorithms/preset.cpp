#include "algorithms/preset.hpp"

#include <array>

#include "algorithms/etcd/etcd_article_lock.hpp"
#include "algorithms/redis/go_redis_lock.hpp"
#include "algorithms/zookeeper/go_zookeeper_channel_lock.hpp"

namespace picklock {
namespace {

template <class T>
std::unique_ptr<Options> beside(const Options& said) {
  T defaults = T::of(said.as<T>().preset);
  defaults.preset = T{}.preset;  // what is said of the preset itself is no default
  return std::make_unique<OptionsOf<T>>(std::move(defaults));
}

struct Line {
  std::string_view lock;
  std::unique_ptr<Options> (*defaults)(const Options& said);
};
constexpr std::array<Line, 3> kLines = {{{"go-redis-lock", beside<GoRedisLockOptions>},
                                         {"go-etcd-lock", beside<EtcdArticleOptions>},
                                         {"go-zookeeper-channel-lock", beside<GoZookeeperChannelLockOptions>}}};

}  // namespace

std::unique_ptr<Options> defaults_beside_preset(std::string_view lock, const Options& said) {
  for (const Line& line : kLines) {
    if (line.lock == lock) return line.defaults(said);
  }
  return nullptr;
}

}  // namespace picklock
