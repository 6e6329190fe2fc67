// From the journal of a run to its history.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "checker/history.hpp"
#include "scenarios/run/grants.hpp"
#include "sim/core/clock.hpp"
#include "sim/core/trace.hpp"
#include "sim/task/runtime.hpp"

namespace picklock {

// What the journal says by number.
struct Cast {
  std::vector<std::string> client_of_node;     // by NodeId; empty: not a client
  std::string lock;
  std::vector<std::string> resources;          // by ResourceId
  std::vector<Clock> clocks;                   // by NodeId, as they stand when the run begins
};

class HistoryBuilder {
 public:
  HistoryBuilder(Cast cast, GrantJudge grants) : cast_(std::move(cast)), grants_(grants) {}

  // Replaces the contents of `history`.
  void build(const std::vector<TraceRecord>& journal, History& history);

 private:
  void see(const TraceRecord& r);
  void operation(const TraceRecord& r);
  void effect(const TraceRecord& r);
  void belief_ends(const TraceRecord& r);
  void process(const TraceRecord& r, ProcessChange change);
  void clock(const TraceRecord& r);
  std::uint32_t next() { return index_++; }

  Cast cast_;
  GrantJudge grants_;
  History* history_ = nullptr;
  std::uint32_t index_ = 0;
  TraceRecord request_;                         // the storage request whose effect comes next
  std::vector<HoldId> believed_;                // by NodeId: the hold that its process believes in
  std::vector<NodeId> node_of_hold_;
  std::vector<NameId> client_names_, resource_names_;
  std::vector<Clock> clocks_;
  std::vector<TraceRecord> sorted_;
};

}  // namespace picklock
