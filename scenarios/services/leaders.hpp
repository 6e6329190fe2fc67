// Failovers of a service whose servers elect a leader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "scenarios/recording/server_views.hpp"
#include "sim/core/trace.hpp"

namespace picklock {

// Elections after the first one.  `role`: the record of a server's new role, whose `a` is 1 for the leader's.
inline std::int64_t elections_after_first(std::span<const TraceRecord> journal, TraceKind role) {
  constexpr std::uint32_t kLeads = 1;
  const auto leaders = std::count_if(journal.begin(), journal.end(),
                                     [&](const TraceRecord& r) { return r.kind == role && r.a == kLeads; });
  return std::max<std::int64_t>(leaders - 1, 0);
}

// Roles from the same records: the leader, and the others.
inline std::vector<ServerRole> leaders_in(std::span<const TraceRecord> journal, TraceKind role) {
  constexpr std::uint32_t kLeads = 1;
  std::vector<ServerRole> roles;
  for (const TraceRecord& r : journal) {
    if (r.kind == role) roles.push_back({r.time, r.node, r.a == kLeads ? "leader" : "follower", r.a == kLeads});
  }
  return roles;
}

}  // namespace picklock
