#include <fmt/format.h>

#include <algorithm>

#include "tests/live/live.hpp"

namespace picklock::live {

std::string Count::text() const { return fmt::format("{} of {}", twice, runs); }

void Range::add(Duration d) {
  least_ns = std::min(least_ns, d.ns);
  most_ns = std::max(most_ns, d.ns);
  ++runs;
}

std::string Range::seconds_text() const {
  const auto hundredths = [](std::int64_t ns) {
    const std::int64_t h = (ns + 5'000'000) / 10'000'000;
    return fmt::format("{}.{:02}", h / 100, h % 100);
  };
  if (runs == 0) return "never";
  return fmt::format("{} to {} s ({} runs)", hundredths(least_ns), hundredths(most_ns), runs);
}

bool Range::within(Duration least, Duration most) const {
  return runs > 0 && least_ns >= least.ns && most_ns <= most.ns;
}

std::vector<Row> all_rows() {
  std::vector<Row> all;
  for (const auto rows_of : {expiry_rows, replication_rows, sentinel_rows, lock_rows, zookeeper_rows, etcd_rows}) {
    for (Row& row : rows_of()) all.push_back(std::move(row));
  }
  return all;
}

std::string table(const std::vector<Row>& rows) {
  std::string out = "| situation | settings | real servers | here |\n|---|---|---|---|\n";
  for (const Row& r : rows) {
    out += fmt::format("| {} | {} | {} | {}{} |\n", r.situation, r.settings, r.measured, r.here,
                       r.agrees ? "" : " **(differs)**");
  }
  return out;
}

}  // namespace picklock::live
