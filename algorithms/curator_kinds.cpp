// Curator's lines of the table.
#include "algorithms/curator_mutex.hpp"
#include "algorithms/kinds.hpp"

namespace picklock {
namespace {

using kinds::defaults;

template <class L, class T>
std::unique_ptr<Lock> make_on_zookeeper(const LockContext& context, const Options& options) {
  PICKLOCK_CHECK(context.zookeeper != nullptr);
  return std::make_unique<L>(context, options.as<T>());
}

template <class T>
std::optional<Duration> session_of(const Options& options) {
  return options.as<T>().client.session;
}

// A session that is heard of every third of its timeout ends when it is not.
constexpr AssumptionOf kLivingSession[] = {{"pauses-shorter-than", "session", 3},
                                           {"delays-shorter-than", "session", 3},
                                           {"clock-rates-within", ""},
                                           {"no-data-loss", ""}};

constexpr Claims kMutexClaims = {
    .token = true, .reentrant = true, .fair = true, .renewing = true, .loss_notification = true};

const std::array<LockKind, 1> kKinds = {{
    {.name = "curator-mutex",
     .summary = "Curator's InterProcessMutex: ephemeral sequential nodes, each watches the one before it",
     .source = "Apache Curator 5.9, InterProcessMutex",
     .claims = kMutexClaims,
     .service = LockService::zookeeper,
     .ownership = Ownership::znode_first,
     .assumptions = kLivingSession,
     .default_options = defaults<CuratorMutexOptions>,
     .make = make_on_zookeeper<CuratorMutex, CuratorMutexOptions>,
     .lease = session_of<CuratorMutexOptions>},
}};

}  // namespace

std::span<const LockKind> curator_kinds() { return kKinds; }

}  // namespace picklock
