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
  // Replaces the contents of `history`.  `sources`: set to the place in the journal that each record of it was made from,
  // by index.
  void build(const std::vector<TraceRecord>& journal, History& history, std::vector<std::uint32_t>* sources = nullptr);
  // When the service first heard of each hold of the last history, in ns of true time; FirstHeard::kNever: never.
  // `ask_servers` merges what the servers have noted themselves; the judges know the rest from the records.
  void first_heard(std::vector<std::int64_t>& by_hold,
                   const std::function<void(std::vector<std::int64_t>&)>& ask_servers) const;

 private:
  void begin(History& history);
  void see_all(const std::vector<TraceRecord>& journal, std::span<const std::size_t> order,
               std::vector<std::uint32_t>* sources);
  void name(History& history);
  bool is_named(const History& history) const;
  [[gnu::always_inline]] void see(const TraceRecord& r);
  void operation(const TraceRecord& r);
  void effect(const TraceRecord& r);
  void belief_ends(const TraceRecord& r);
  void hold(const TraceRecord& r);
  NameId machine(NodeId node);
  void grants(const TraceRecord& r);
  void name_server(std::span<GrantEvent> changes, NodeId server);
  void process(const TraceRecord& r, ProcessChange change);
  void kept_resource_changed(const KeptChange& change, std::int64_t time);
  void kept_resource_answered(const TraceRecord& r);
  void swallowed(const TraceRecord& r);
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
  std::unique_ptr<ChangeReader> changes_;
  std::vector<std::uint64_t> computed_from_;   // by hold: the version that its write depends on
  std::uint64_t changed_to_ = 0;               // the latest version of a resource
  TraceRecord request_;                        // the storage request whose effect comes next
  std::vector<std::vector<HoldId>> believed_;  // by NodeId: the holds that its process believes in
  std::vector<Request> requests_;              // by HoldId
  std::vector<NameId> client_names_, lock_names_, resource_names_;
  // What is interned before the first record, and the names are then as they were at that point.
  std::vector<std::pair<std::string_view, NameId>> named_;
  InternTable::Point named_to_;
  std::vector<Clock> clocks_;
  bool late_ = false;  // a belief ended before that was written down
};

}  // namespace picklock
