// From the journal of a run to its history.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "checker/history.hpp"
#include "recording/grants.hpp"
#include "recording/journal.hpp"
#include "recording/roster.hpp"
#include "sim/core/clock.hpp"
#include "sim/core/trace.hpp"

namespace picklock {

class HistoryBuilder {
 public:
  // `judge_of`: makes the judge of the lock of a name.
  HistoryBuilder(Roster roster, const std::function<std::unique_ptr<GrantJudge>(const std::string&)>& judge_of);

  // Replaces the contents of `history`.
  void build(const std::vector<TraceRecord>& journal, History& history);
  // By index in that history: the place in the journal that it was made from.
  const std::vector<std::uint32_t>& sources() const { return sources_; }
  // Of the last history, by hold, where the records say so.
  void first_heard(std::vector<std::int64_t>& by_hold) const {
    for (const auto& judge : grants_) judge->first_heard(by_hold);
  }
  // What is known by hold of those that commands were sent for holds also of the parts of a multi-lock.
  void spread_to_parts(std::vector<std::int64_t>& by_hold) const;

 private:
  void see(const TraceRecord& r);
  void operation(const TraceRecord& r);
  void effect(const TraceRecord& r);
  void belief_ends(const TraceRecord& r);
  void hold(const TraceRecord& r);
  void grants(const TraceRecord& r);
  void process(const TraceRecord& r, ProcessChange change);
  void clock(const TraceRecord& r);
  void kept_resource_changed(std::uint64_t place, const TraceRecord& r);
  std::uint32_t next() { return index_++; }

  // On behalf of which hold on this lock a command was sent whose provenance is `hold`.
  HoldId part_of(HoldId hold, std::uint32_t lock) const;

  struct Request {  // what a hold id stands for
    NodeId node = 0;
    std::uint32_t lock = 0;  // in the table
    HoldKind kind = HoldKind::whole;
    bool several = false;  // parts follow
  };
  Roster roster_;
  std::vector<std::unique_ptr<GrantJudge>> grants_;  // by lock, multi-locks left out
  History* history_ = nullptr;
  std::uint32_t index_ = 0;
  // Of resources that are kept in the lock's service:
  std::vector<std::uint64_t> computed_from_;        // by hold: the version that its write depends on
  std::uint64_t changing_to_ = 0, changed_to_ = 0;  // version of the change recorded next; the latest of a resource
  std::uint64_t znode_ = 0;                         // hash of the path whose change is recorded next
  TraceRecord request_;                             // the storage request whose effect comes next
  std::vector<std::vector<HoldId>> believed_;       // by NodeId: the holds that its process believes in
  std::vector<Request> requests_;                   // by HoldId
  std::vector<NameId> client_names_, lock_names_, resource_names_;
  std::vector<Clock> clocks_;
  std::vector<TraceRecord> sorted_;
  std::vector<std::uint32_t> sources_;
};

}  // namespace picklock
