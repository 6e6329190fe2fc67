// Marks are named points in a process at which a fault may be injected.
//
// A workload passes a mark when something happens to its client ("enters", "acquired"), and every
// verb of a service begins and ends with one ("before a writes", "after a SET").  Triggers wait for
// marks; see faults/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace picklock {

// An entry of the table below.
struct Mark {
  std::uint16_t id = 0;  // 0: no mark
  constexpr auto operator<=>(const Mark&) const = default;
};

// A mark is passed as an event of the workload (`at`), or just before or after a verb.
enum class MarkSide : std::uint8_t { at, before, after };

namespace mark {
// Events of a workload.
inline constexpr Mark none{0}, acquires{1}, acquired{2}, refused{3}, enters{4}, leaves{5}, releases{6}, released{7},
    lost{8}, abandons{9}, yields{10};
// Verbs of the protected resource.
inline constexpr Mark reads{11}, writes{12};
// Renewals by a thread of the lock.
inline constexpr Mark renews{13};
inline constexpr std::uint16_t first_command = 32;  // Redis's
inline constexpr std::uint16_t first_zookeeper = 128;
// Verbs of ZooKeeper, in the order of their names there.  "exists" and "multi" are Redis's too.
inline constexpr Mark zoo_close{128}, zoo_create{129}, zoo_delete{130}, zoo_get_children{131}, zoo_get_data{132},
    zoo_set_data{133}, zoo_sync{134};
inline constexpr std::uint16_t first_etcd = 160;
// Verbs of etcd, in the order of their names.  "delete" is ZooKeeper's too, "watch" Redis's.
inline constexpr Mark etcd_compact{160}, etcd_keep_alive{161}, etcd_lease_grant{162}, etcd_lease_revoke{163},
    etcd_lease_ttl{164}, etcd_lock{165}, etcd_put{166}, etcd_range{167}, etcd_txn{168}, etcd_unlock{169},
    etcd_delete = zoo_delete;
}  // namespace mark

std::string_view name_of(Mark m);
std::optional<Mark> find_mark(std::string_view name);  // exact; commands in lower case
std::span<const std::string_view> mark_names();        // every name, for messages and generators

// The mark of a service's command ("set", "eval", …); `mark::none` for one that has no name here.
Mark command_mark(std::string_view command);

}  // namespace picklock
