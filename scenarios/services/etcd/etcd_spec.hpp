// The [etcd] table of a scenario: the cluster of a lock that asks etcd.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/enum_names.hpp"
#include "scenarios/services/settings.hpp"
#include "sim/etcd/client.hpp"
#include "sim/etcd/options.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

// Members that a client machine knows.
enum class EtcdEndpoints : std::uint8_t {
  all,
  own  // one: the first machine the first member, and so on, round and round
};
constexpr auto enum_names(EtcdEndpoints) { return name_list("all", "own"); }

// Machines: etcd1, etcd2, …
struct EtcdSpec {
  std::int64_t members = 3;
  EtcdEndpoints endpoints = EtcdEndpoints::all;
  EtcdOptions server;        // options of every member
  EtcdClientOptions client;  // options of every client

  void fields(FieldVisitor& v);
  bool operator==(const EtcdSpec&) const = default;
};
template <>
inline constexpr std::string_view kServiceTable<EtcdSpec> = "etcd";

}  // namespace picklock
