#include "sim/task/mark.hpp"

#include <algorithm>
#include <array>

namespace picklock {
namespace {

constexpr std::array<std::string_view, 14> kEvents = {"",       "acquires", "acquired", "refused", "enters",
                                                      "leaves", "releases", "released", "lost",    "abandons",
                                                      "yields", "reads",    "writes",   "renews"};

// Commands at which a fault can be aimed, in alphabetical order.
constexpr std::array<std::string_view, 42> kCommands = {
    "append",  "del",   "eval",    "exec",    "exists",    "expire", "get",  "getset",  "hdel",
    "hexists", "hget",  "hincrby", "hset",    "incr",      "lindex", "llen", "lpop",    "lpush",
    "lrange",  "lrem",  "multi",   "pexpire", "ping",      "psetex", "pttl", "publish", "rename",
    "rpop",    "rpush", "set",     "setnx",   "subscribe", "time",   "ttl",  "unlink",  "unsubscribe",
    "unwatch", "wait",  "watch",   "zadd",    "zrange",    "zrem"};
static_assert(std::is_sorted(kCommands.begin(), kCommands.end()));

// Each service has its table, so that a new verb leaves the numbers of all others as they were.
constexpr std::array<std::string_view, 7> kZooKeeper = {"close",    "create",   "delete", "get-children",
                                                        "get-data", "set-data", "sync"};
constexpr std::array<std::string_view, 10> kEtcd = {"compact", "keep-alive", "lease-grant", "lease-revoke", "lease-ttl",
                                                    "lock",    "put",        "range",       "txn",          "unlock"};

constexpr auto kAllNames = [] {
  std::array<std::string_view, kEvents.size() - 1 + kCommands.size() + kZooKeeper.size() + kEtcd.size()> all{};
  auto out = std::copy(kEvents.begin() + 1, kEvents.end(), all.begin());
  out = std::copy(kCommands.begin(), kCommands.end(), out);
  out = std::copy(kZooKeeper.begin(), kZooKeeper.end(), out);
  std::copy(kEtcd.begin(), kEtcd.end(), out);
  return all;
}();

}  // namespace

std::string_view name_of(Mark m) {
  if (m.id < kEvents.size()) return kEvents[m.id];
  const std::size_t zookeeper = std::size_t{m.id} - mark::first_zookeeper;
  if (m.id >= mark::first_zookeeper && zookeeper < kZooKeeper.size()) return kZooKeeper[zookeeper];
  const std::size_t etcd = std::size_t{m.id} - mark::first_etcd;
  if (m.id >= mark::first_etcd && etcd < kEtcd.size()) return kEtcd[etcd];
  const std::size_t command = std::size_t{m.id} - mark::first_command;
  return m.id >= mark::first_command && command < kCommands.size() ? kCommands[command] : "";
}

std::optional<Mark> find_mark(std::string_view name) {
  if (name.empty()) return std::nullopt;
  const auto event = std::find(kEvents.begin(), kEvents.end(), name);
  if (event != kEvents.end()) return Mark{static_cast<std::uint16_t>(event - kEvents.begin())};
  const auto zookeeper = std::find(kZooKeeper.begin(), kZooKeeper.end(), name);
  if (zookeeper != kZooKeeper.end()) {
    return Mark{static_cast<std::uint16_t>(mark::first_zookeeper + (zookeeper - kZooKeeper.begin()))};
  }
  const auto etcd = std::find(kEtcd.begin(), kEtcd.end(), name);
  if (etcd != kEtcd.end()) return Mark{static_cast<std::uint16_t>(mark::first_etcd + (etcd - kEtcd.begin()))};
  const auto command = std::lower_bound(kCommands.begin(), kCommands.end(), name);
  if (command == kCommands.end() || *command != name) return std::nullopt;
  return Mark{static_cast<std::uint16_t>(mark::first_command + (command - kCommands.begin()))};
}

std::span<const std::string_view> mark_names() { return kAllNames; }

Mark command_mark(std::string_view command) {
  std::array<char, 16> lower{};
  if (command.size() > lower.size()) return mark::none;
  std::transform(command.begin(), command.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  std::string_view name(lower.data(), command.size());
  if (name == "evalsha") name = "eval";  // another way to name the script
  const auto found = std::lower_bound(kCommands.begin(), kCommands.end(), name);
  if (found == kCommands.end() || *found != name) return mark::none;
  return Mark{static_cast<std::uint16_t>(mark::first_command + (found - kCommands.begin()))};
}

}  // namespace picklock
