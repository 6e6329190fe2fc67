// From the journal of a run to its history.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/history.hpp"
#include "recording/change_reader.hpp"
#include "recording/grants.hpp"
#include "recording/journal.hpp"
#include "recording/roster.hpp"
#include "sim/core/clock.hpp"
#include "sim/core/trace.hpp"

namespace picklock {

// What a record says of the clock of its machine.
void follow_clock(const TraceRecord& record, Clock& clock);

class HistoryBuilder {
 public:
  // `judge_of`: makes the judge of the lock of a name.  `changes`: of the service in which resources are kept;
  // null: they are in the storage.
  HistoryBuilder(Roster roster, const std::function<std::unique_ptr<GrantJudge>(const std::string&)>& judge_of,
                 std::unique_ptr<ChangeReader> changes);

  // The clocks as they stand when the next run begins, by NodeId: a plan may set some before that.
  void begin_with(const std::vector<Clock>& clocks) { roster_.clocks = clocks; }
  // Valid, and the same object, until the next call.  `sources`: set to the place in the journal that each record of the
  // history was made from, by index.
  const History& build(std::span<const TraceRecord> journal, std::vector<std::uint32_t>* sources = nullptr);
  const History& history() const { return history_; }
  // What the last journal tells of machines and processes, and what else no judge wants, as of faults; in its order.
  const std::vector<TraceRecord>& incidents() const { return incidents_; }
  // When the service first heard of each hold of the last history, in ns of true time; FirstHeard::kNever: never.
  // `ask_servers` merges what the servers have noted themselves; the judges know the rest from the records.
  void first_heard(std::vector<std::int64_t>& by_hold,
                   const std::function<void(std::vector<std::int64_t>&)>& ask_servers) const;

 private:
  void name();
  void begin();
  void see_in_order(std::span<const TraceRecord> journal, std::span<const std::size_t> order,
                    std::vector<std::uint32_t>* sources);
  [[gnu::always_inline]] void see(const TraceRecord& r);
  [[gnu::always_inline]] void operation(const TraceRecord& r);
  void effect(const TraceRecord& r);
  void belief_ends(const TraceRecord& r);
  void hold(const TraceRecord& r);
  NameId machine(NodeId node);
  bool grants(const TraceRecord& r);  // false: no judge wants it
  void process(const TraceRecord& r, ProcessChange change);
  void kept_resource_changed(const KeptChange& change, std::int64_t time);
  void kept_resource_answered(const TraceRecord& r);
  void swallowed(const TraceRecord& r);
  std::uint32_t next() { return index_++; }

  // On behalf of which hold on this lock a command was sent whose provenance is `hold`.
  HoldId part_of(HoldId hold, std::uint32_t lock) const;

  struct Request {  // what a hold id stands for
    NodeId node = 0;
    HoldKind kind = HoldKind::whole;
    bool several = false;    // parts follow
    std::uint32_t lock = 0;  // in the table
  };
  Roster roster_;
  std::vector<std::unique_ptr<GrantJudge>> grants_;  // by lock, multi-locks left out
  History history_;                                  // its names up to `named_` are those that every run knows
  InternTable::Point named_;
  std::vector<NameId> client_names_, lock_names_, resource_names_;
  std::uint32_t index_ = 0;
  std::vector<TraceRecord> incidents_;
  // Of resources that are kept in the lock's service:
  std::unique_ptr<ChangeReader> changes_;
  std::vector<std::uint64_t> computed_from_;   // by hold: the version that its write depends on
  std::uint64_t changed_to_ = 0;               // the latest version of a resource
  TraceRecord request_;                        // the storage request whose effect comes next
  std::vector<std::vector<HoldId>> believed_;  // by NodeId: the holds that its process believes in
  std::vector<Request> requests_;              // by HoldId
  std::vector<Clock> clocks_;
  bool late_ = false;  // a belief ended before that was written down
};

}  // namespace picklock
