// The work that a release causes, by the number of waiters: a table of docs/costs.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/run/costs.hpp"

namespace picklock::live {

struct HerdRow {
  std::string lock;
  std::size_t clients = 0;
  Costs costs;  // of ten runs
};
// Of zookeeper_cost_of_waiting/fifty_waiters with 2, 10, 50 and 200 clients: the queue's rows, those of a queue whose list all
// watch, and the herd's.
std::vector<HerdRow> herd_rows();

// In Markdown, and below it how to repeat it.
std::string herd_table(const std::vector<HerdRow>& rows);

}  // namespace picklock::live
