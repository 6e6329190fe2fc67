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

namespace {

std::string hundredths_text(std::int64_t least_ns, std::int64_t most_ns, int runs) {
  const auto hundredths = [](std::int64_t ns) {
    const std::int64_t h = (ns + 5'000'000) / 10'000'000;
    return fmt::format("{}.{:02}", h / 100, h % 100);
  };
  return fmt::format("{} to {} s ({} runs)", hundredths(least_ns), hundredths(most_ns), runs);
}

}  // namespace

std::string Range::seconds_text() const { return runs == 0 ? "never" : hundredths_text(least_ns, most_ns, runs); }

std::string Measured::text() const { return hundredths_text(least.ns, most.ns, runs); }

bool Measured::holds(const Range& here, Duration more) const {
  const Duration beside = (most - least) / 10 + milliseconds(15);
  return here.within(least - beside, most + beside + more);
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
  std::string out = "| situation | settings | real servers | measured again | here |\n|---|---|---|---|---|\n";
  for (const Row& r : rows) {
    out += fmt::format("| {} | {} | {} | {} | {}{} |\n", r.situation, r.settings, r.measured.empty() ? "–" : r.measured,
                       r.again.empty() ? "–" : r.again, r.here, r.agrees ? "" : " **(differs)**");
  }
  return out;
}

}  // namespace picklock::live
