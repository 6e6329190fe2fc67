// The causal slice of a violation, for people and programs: what led to it, and nothing else.
#pragma once

#include <string>
#include <vector>

#include "reports/run/missing.hpp"
#include "scenarios/run/slice.hpp"

namespace picklock {

// A record of the slice that is worth telling.
struct SliceLine {
  std::int64_t time = 0;  // true time, ns
  std::string who;        // the node, or "network"
  std::string text;
  bool end = false;              // true: the violation consists of it
  bool between_servers = false;  // true: a message among the servers of the service
};

struct SliceEdge {
  std::size_t from = 0, to = 0;  // positions in the lines
};

struct SliceStory {
  std::string property;
  std::size_t records = 0, of_records = 0, messages = 0, of_messages = 0;
  std::vector<SliceLine> lines;       // lines in the order of the trace
  std::vector<SliceEdge> edges;       // edges through the records between them
  std::vector<MissingEvent> missing;  // events that failed to come
  std::vector<std::string> outside;   // faults that were injected, but not within the slice
};

// Needs full_trace and story of RecordOptions.
SliceStory slice_story(const RunRecord& record, const Finding& finding);

// A timeline; what a client repeats is told once, with how often it did so.
std::string slice_text(const SliceStory& story);
std::string slice_dot(const SliceStory& story);  // one frame for each node

}  // namespace picklock
