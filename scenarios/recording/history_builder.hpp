// Makes a history from the journal of a run.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/history.hpp"
#include "scenarios/recording/change_reader.hpp"
#include "scenarios/recording/grants.hpp"
#include "scenarios/recording/journal.hpp"
#include "scenarios/recording/recording.hpp"
#include "scenarios/recording/roster.hpp"
#include "scenarios/recording/server_views.hpp"
#include "sim/core/clock.hpp"
#include "sim/core/trace.hpp"

namespace picklock {

// Applies to the clock what the record says of its machine's clock.
void follow_clock(const TraceRecord& record, Clock& clock);

class HistoryBuilder {
 public:
  // `judge_of`: makes the judge of the lock of a name.  `changes`: of the service in which resources are kept;
  // null: they are in the storage.
  HistoryBuilder(Roster roster, const std::function<std::unique_ptr<GrantJudge>(const std::string&)>& judge_of,
                 std::unique_ptr<ChangeReader> changes);

  // The clocks as they stand when the next run begins, by NodeId: a plan may set some before that.
  void begin_with(const std::vector<Clock>& clocks) { roster_.clocks = clocks; }
  // These views see what the judges see from the next journal on: by lock, null where a service tells nothing.
  void show_to(std::vector<std::unique_ptr<ServerViews>> views) { views_ = std::move(views); }
  const std::vector<std::unique_ptr<ServerViews>>& views() const { return views_; }
  // Makes Recording::sources as well from the next journal on.
  void note_sources(bool on) { notes_sources_ = on; }
  // Reads a journal once.  The next call writes over the result, unless another owner still shares it.
  const History& build(std::span<const TraceRecord> journal);
  const History& history() const { return made_->history; }
  const std::shared_ptr<Recording>& recording() const { return made_; }
  // Records of the last journal on machines and processes, and others that no judge wants, as of faults; in its order.
  const std::vector<TraceRecord>& incidents() const { return incidents_; }
  // Time when the service first heard of each hold of the last history, in ns of true time; FirstHeard::kNever: never.
  // `ask_servers` merges what the servers have noted themselves; the judges know the rest from the records.
  const std::vector<std::int64_t>& first_heard(const std::function<void(std::vector<std::int64_t>&)>& ask_servers);

 private:
  void name();
  void begin();
  void see_late(std::span<const TraceRecord> journal);
  [[gnu::always_inline]] void see(const TraceRecord& r, std::uint32_t place);
  [[gnu::always_inline]] void see(const TraceRecord& r);
  [[gnu::always_inline]] void operation(const TraceRecord& r);
  void effect(const TraceRecord& r);
  void belief_ends(const TraceRecord& r);
  void hold(const TraceRecord& r);
  NameId machine(NodeId node);
  bool grants(const TraceRecord& r);  // false: no judge wants it
  void show(const TraceRecord& r);    // shows the record to the views
  Provenance provenance(const TraceRecord& r, HoldId hold, std::uint32_t lock) const;
  void process(const TraceRecord& r, ProcessChange change);
  void kept_resource_changed(const KeptChange& change, std::int64_t time);
  void kept_resource_answered(const TraceRecord& r);
  void swallowed(const TraceRecord& r);
  std::uint32_t next() { return index_++; }

  // The hold on this lock for which a command was sent whose provenance is `hold`.
  HoldId part_of(HoldId hold, std::uint32_t lock) const;

  struct Request {  // the request behind a hold id
    NodeId node = 0;
    HoldKind kind = HoldKind::whole;
    bool several = false;    // true: parts follow
    std::uint32_t lock = 0;  // place in the table
  };
  Roster roster_;
  std::vector<std::unique_ptr<GrantJudge>> grants_;  // index: lock; multi-locks are left out
  std::vector<std::unique_ptr<ServerViews>> views_;  // views in the same order, or none
  std::shared_ptr<Recording> made_ = std::make_shared<Recording>();
  InternTable::Point named_;  // names of the history that every run knows
  struct NamesOf {            // index: number
    std::vector<NameId> clients, locks, resources;
  };
  NamesOf names_;
  std::uint32_t index_ = 0;
  std::vector<TraceRecord> incidents_;
  struct KeptResources {  // resources kept in the lock's service
    std::unique_ptr<ChangeReader> changes;
    std::vector<std::uint64_t> computed_from{};  // index: hold; the version that its write depends on
    std::uint64_t changed_to = 0;                // the latest version of a resource
  };
  KeptResources kept_;
  TraceRecord request_;                        // the storage request whose effect comes next
  std::vector<std::vector<HoldId>> believed_;  // index: NodeId; the holds that its process believes in
  std::vector<Request> requests_;              // index: HoldId
  std::vector<Clock> clocks_;
  bool notes_sources_ = false;
  bool late_ = false;  // true: a belief ended before that was written down
};

}  // namespace picklock
