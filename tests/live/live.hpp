// Measurements on real servers (Debian 12: redis 7.0.15, ZooKeeper 3.8.0, etcd 3.4.23), and what comes out here
// with the same settings.
//
// Each row is one experiment, made again: many seeds here for the many runs there.  docs/live.md
// shows the table; live_test.cpp demands that the two sides agree, and that the page shows these
// figures.
#pragma once

#include <string>
#include <vector>

#include "base/time.hpp"

namespace picklock::live {

struct Row {
  std::string situation;
  std::string settings;
  std::string measured;
  std::string here;
  bool agrees = false;  // what was certain is certain, what was a race is one, times lie within the bounds
  std::string again =
      {};  // measured once more, with all settings known (scripts/measure-real-servers); empty: it was not
};

std::vector<Row> expiry_rows();       // one server and its clock
std::vector<Row> replication_rows();  // a master and its replica, promoted by hand
std::vector<Row> sentinel_rows();
std::vector<Row> lock_rows();       // whole scenarios
std::vector<Row> zookeeper_rows();  // an ensemble and its sessions
std::vector<Row> etcd_rows();       // a cluster and its leases

std::vector<Row> all_rows();
std::string table(const std::vector<Row>& rows);  // Markdown

// --- to write a row with

// A number of runs out of all; agrees if that is none, all, or as the race was, some.
struct Count {
  int twice = 0, runs = 0;
  std::string text() const;
  bool none() const { return runs > 0 && twice == 0; }
  bool all() const { return runs > 0 && twice == runs; }
  bool some() const { return twice > 0 && twice < runs; }
};

// The least and the greatest of some times.
struct Range {
  std::int64_t least_ns = INT64_MAX, most_ns = INT64_MIN;
  int runs = 0;
  void add(Duration d);
  std::string seconds_text() const;  // "1.64 to 1.89 s"
  bool within(Duration least, Duration most) const;
};

// What a number of real runs took.
struct Measured {
  Duration least, most;
  int runs = 0;
  std::string text() const;
  // Within them, or beside them by a tenth of what lies between (as much as 30 drawn instants leave out at an end one
  // time in 25) and 15 ms (what a real process takes to notice); at the late end by `more` besides.
  bool holds(const Range& here, Duration more = {}) const;
};

}  // namespace picklock::live
