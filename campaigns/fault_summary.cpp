#include "campaigns/fault_summary.hpp"

#include <algorithm>

namespace picklock {
namespace {

void widen(FaultSummary& s, Duration shortest, Duration longest) {
  s.shortest = s.shortest ? std::min(*s.shortest, shortest) : shortest;
  s.longest = s.longest ? std::max(*s.longest, longest) : longest;
}

}  // namespace

void FaultSummary::add(const FaultCourse& course, const FaultsPlayed& all) {
  ++runs;
  struck += course.strike == Strike::injected;
  cut_off += all.cuts_off(course);
  if (course.ended) widen(*this, *course.ended - course.began, *course.ended - course.began);
}

void FaultSummary::add(const FaultSummary& other) {
  runs += other.runs;
  struck += other.struck;
  cut_off += other.cut_off;
  if (other.shortest) widen(*this, *other.shortest, *other.longest);
}

void add(FaultSummaries& sum, const FaultsPlayed& run) {
  sum.resize(run.courses.size());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i].add(run.courses[i], run);
}

void add(FaultSummaries& sum, const FaultSummaries& other) {
  sum.resize(std::max(sum.size(), other.size()));
  for (std::size_t i = 0; i < other.size(); ++i) sum[i].add(other[i]);
}

}  // namespace picklock
