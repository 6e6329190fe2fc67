#include "tests/live/overlaps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/live/commands.hpp"

namespace picklock::live {

std::vector<OverlapRow> overlap_rows() {
  // The second client works for a minute, so that nothing but the first one's stopping ends the overlap.
  const Command kAll[] = {
      {"Curator, stops at SUSPENDED", "curator_stops_when_lost/suspended", "", {"clients.b.hold=60s"}, 100},
      {"Curator, stops at LOST, a third of the timeout later",
       "curator_stops_when_lost/lost_after_a_third",
       "",
       {"clients.b.hold=60s"},
       100},
      {"Curator, stops at LOST, a timeout later", "curator_stops_when_lost", "", {"clients.b.hold=60s"}, 100},
      {"… with a timeout of 40 s",
       "curator_stops_when_lost",
       "",
       {"lock.session=40s", "fault[0].lasts=100s", "clients.a.hold=100s", "clients.b.hold=60s", "phases.load=400s"},
       100},
      {"ZooKeeper's client, stops at Disconnected",
       "zookeeper_partitioned_holder/stops_when_disconnected",
       "",
       {"clients.b.hold=60s"},
       100},
      {"ZooKeeper's client, stops at Expired", "zookeeper_stops_when_expired", "", {"clients.b.hold=60s"}, 100},
      {"… of 3.9.3, which expires by itself",
       "zookeeper_stops_when_expired/client_expires_by_itself",
       "",
       {"clients.b.hold=60s"},
       100},
      {"etcd's session, stops at Done()", "etcd_partitioned_holder", "", {"clients.b.hold=60s"}, 100},
  };
  std::vector<OverlapRow> rows;
  for (const Command& c : kAll) {
    const CampaignResult result = play(c, false);
    const auto exclusion = std::ranges::find(result.properties, Property::mutual_exclusion, &PropertySummary::property);
    rows.push_back(
        {c.what, command_line(c), result.runs, exclusion->tally.count(Verdict::violated), exclusion->largest});
  }
  return rows;
}

std::string overlap_table(const std::vector<OverlapRow>& rows) {
  std::string out = "| the holder | two at once | longest overlap |\n|---|---|---|\n";
  for (const OverlapRow& r : rows) {
    const std::int64_t ms = (r.longest_ns + 500'000) / 1'000'000;
    out += fmt::format("| {} | {} of {} | {} |\n", r.what, r.violated, r.runs,
                       r.violated == 0 ? "–" : fmt::format("{}.{:03} s", ms / 1000, ms % 1000));
  }
  for (const OverlapRow& r : rows) out += fmt::format("\n    {}", r.command);
  return out + "\n";
}

}  // namespace picklock::live
