#include "checker/properties/unserved.hpp"

#include <algorithm>
#include <utility>

#include "checker/properties/deadlock.hpp"
#include "checker/properties/in_order.hpp"
#include "checker/properties/named_owner.hpp"
#include "checker/properties/words.hpp"

namespace picklock {
namespace {

struct Occupancy {
  std::uint32_t writers = 0;  // holds that the service names
  std::uint32_t readers = 0;
  std::uint32_t asking_writers = 0;
};

// Did the service hear of this acquire, and never name it as owner?  Of several locks at once it may have heard of some.
bool heard_in_vain(HoldId wanted, const History& history, const JudgeOptions& options, const Scratch& scratch) {
  bool several = false;
  for_each_part(history, wanted, [&](HoldId) { several = true; });
  return !several && wanted < options.received.size() && options.received[wanted] != kNoTime &&
         !scratch.holds[wanted].granted();
}

// Did this client wait until its patience was over?  Its clock may be ahead by a tenth, and libraries count whole milliseconds.
// A patience that ends at once by that count excuses no answer of the service.
bool gave_up(const OperationEvent& asked, std::int64_t waited, const History& history, const JudgeOptions& options,
             const Scratch& scratch) {
  constexpr std::int64_t kClock = 10, kMillisecond = 1'000'000;
  const auto process = static_cast<std::size_t>(asked.process);
  const std::int64_t patience = process < options.patience.size() ? options.patience[process] : kNoTime;
  if (patience == kNoTime) return false;
  const std::int64_t least = patience - patience / kClock - kMillisecond;
  return waited >= least && (least > 0 || !heard_in_vain(asked.hold, history, options, scratch));
}

// An acquire that is pending.
struct Asking {
  std::uint32_t position = 0;    // index of its invocation
  std::int64_t dies = kEndless;  // its client, before there is an answer
  std::int64_t since = kNoTime;  // end of the last obstacle; kNoTime: something stands in its way
  std::int64_t longest = 0;      // longest time beyond the bound
  bool seen = false;             // true: the service has named it for some time
  bool never_obstructed = true;
};

class ServiceSweep {
 public:
  ServiceSweep(const History& history, const JudgeOptions& options, Scratch& scratch)
      : h_(history),
        o_(options),
        s_(scratch),
        from_(options.counts_from_healing ? scratch.heal_time : 0),
        several_(names_several(history)),
        locks_(scratch.workspace.zeros<Occupancy>(slots(history.names))),
        owned_(scratch.workspace.zeros<bool>(scratch.holds.size())),
        believed_(scratch.workspace.zeros<bool>(scratch.holds.size())),
        stopped_(scratch.workspace.zeros<bool>(slots(history.names))),
        asking_(scratch.workspace.table<Asking>(scratch.requests.size())),
        ends_(scratch.workspace.table<std::uint32_t>(history.operations.size(), kNowhere)),
        request_(scratch.requests.begin()) {
    for (const LockRequest& request : scratch.requests) {
      const std::uint32_t other = scratch.partner[request.position];
      if (is_judged(request) && other != kNowhere) ends_[other] = request.position;
    }
  }

  // `end`: of the settle phase.
  Finding run(std::int64_t end) {
    show_in_order(h_, *this, s_.probe_index);
    if (now_ < end) look();
    bool open = false;
    for (std::uint32_t i = 0; i < number_; ++i) {
      Asking& a = asking_[i];
      if (a.since != kNoTime && a.dies > end) open = open || end - std::max(a.since, from_) <= o_.unserved_bound;
      stretch_ends(a, end);
      judge(a, kNowhere, end);
    }
    if (finding_.verdict == Verdict::holds && open) return undecided(Reason::pending_at_end);
    return finding_;
  }

  void at(std::int64_t time) {
    if (time == now_) return;
    look();
    now_ = time;
  }
  void see(const OperationEvent& e) {
    const auto position = static_cast<std::uint32_t>(&e - h_.operations.data());
    if (ends_[position] != kNowhere) answer(ends_[position], position);
    for (; request_ != s_.requests.end() && request_->position <= position; ++request_) {
      if (request_->position == position && is_judged(*request_)) ask(position, e);
    }
  }
  void see(const BeliefEvent& e) {
    const HoldFacts& facts = s_.holds[e.hold];
    if (e.index == facts.belief_began) believed_[e.hold] = true;
    if (e.index == facts.belief_ended) believed_[e.hold] = false;
    changed_ = true;
  }
  void see(const GrantEvent& e) {
    const bool begins = e.change == GrantChange::begin;
    if (e.hold == kNoHold || (!begins && !ends_ownership(e.change)) || owned_[e.hold] == begins) return;
    owned_[e.hold] = begins;
    Occupancy& lock = locks_[slot(h_.holds[e.hold].lock)];
    std::uint32_t& number = h_.holds[e.hold].mode == HoldMode::write ? lock.writers : lock.readers;
    begins ? ++number : --number;
    changed_ = true;
  }
  void see(const ProcessEvent& e) {
    stopped_[slot(e.client)] = e.change == ProcessChange::stopped || e.change == ProcessChange::died;
    changed_ = true;
    if (e.change != ProcessChange::died) return;
    for (std::uint32_t i = number_; i-- > 0;) {
      const HoldId hold = h_.operations[asking_[i].position].hold;
      if (h_.holds[hold].client == e.client && asking_[i].dies == e.time) close(i, kNowhere);
    }
  }

 private:
  bool is_judged(const LockRequest& request) const {
    return request.acquires && !request.by_probe && h_.operations[request.position].hold != kNoHold;
  }

  template <class Visit>
  void for_each_lock(HoldId wanted, Visit visit) const {
    const NameId lock = h_.holds[wanted].lock;
    if (!several_) return visit(slot(lock));
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      if (stands_for(h_.names, lock, static_cast<NameId>(i - 1))) visit(i);
    }
  }

  void count_writer(HoldId wanted, bool more) {
    if (h_.holds[wanted].mode != HoldMode::write) return;
    for_each_lock(wanted, [&](std::size_t i) { more ? ++locks_[i].asking_writers : --locks_[i].asking_writers; });
  }

  void ask(std::uint32_t position, const OperationEvent& e) {
    const std::int64_t dies = death_while_pending(h_, s_, position);
    if (dies <= e.time) return;
    asking_[number_++] = {.position = position, .dies = dies};
    count_writer(e.hold, true);
    changed_ = true;
  }
  void answer(std::uint32_t asked, std::uint32_t answered) {
    for (std::uint32_t i = 0; i < number_; ++i) {
      if (asking_[i].position == asked) return close(i, answered);
    }
  }
  void close(std::uint32_t i, std::uint32_t answered) {
    stretch_ends(asking_[i], now_);
    judge(asking_[i], answered, now_);
    count_writer(h_.operations[asking_[i].position].hold, false);
    asking_[i] = asking_[--number_];
    changed_ = true;
  }

  bool stands_in_the_way(const Asking& a) const {
    const HoldId wanted = h_.operations[a.position].hold;
    const HoldInfo& wants = h_.holds[wanted];
    if (believed_[wanted] && !o_.reentrant) return true;
    const bool reads = wants.mode == HoldMode::read;
    bool obstructed = false;
    for_each_lock(wanted, [&](std::size_t i) {
      Occupancy others = locks_[i];
      const auto leave_out = [&](HoldId own) {
        if (!owned_[own] || slot(h_.holds[own].lock) != i) return;
        h_.holds[own].mode == HoldMode::write ? --others.writers : --others.readers;
      };
      leave_out(wanted);
      if (several_) for_each_part(h_, wanted, leave_out);
      obstructed = obstructed || (reads && others.asking_writers > 0) ||
                   conflict(others.writers + !reads, others.readers + reads, o_.permits);
    });
    return obstructed;
  }

  void look() {
    if (!std::exchange(changed_, false)) return;
    for (std::uint32_t i = 0; i < number_; ++i) {
      Asking& a = asking_[i];
      a.seen = true;
      const bool stopped = stopped_[slot(h_.holds[h_.operations[a.position].hold].client)];
      if (stopped || stands_in_the_way(a)) {
        stretch_ends(a, now_);
        a.never_obstructed = false;
      } else if (a.since == kNoTime) {
        a.since = now_;
      }
    }
  }

  void stretch_ends(Asking& a, std::int64_t time) {
    if (a.since == kNoTime) return;
    const std::int64_t waited = time - std::max(a.since, from_);
    if (waited > o_.unserved_bound) a.longest = std::max(a.longest, waited);
    a.since = kNoTime;
  }

  void judge(const Asking& a, std::uint32_t answered, std::int64_t time) {
    const OperationEvent& asked = h_.operations[a.position];
    const bool refused = answered != kNowhere && h_.operations[answered].type == OperationType::fail && a.seen &&
                         a.never_obstructed && asked.time >= from_ && !o_.splits_votes &&
                         !gave_up(asked, time - asked.time, h_, o_, s_);
    if (!refused && a.longest == 0) return;
    ++finding_.beside;
    const std::int64_t waited = refused ? time - asked.time : a.longest;
    if (waited <= finding_.measure) return;
    finding_.measure = waited;
    finding_.verdict = Verdict::violated;
    finding_.witness = {};
    finding_.witness.add_hold(asked.hold);
    finding_.witness.add_event(asked.index);
    if (refused) finding_.witness.add_event(h_.operations[answered].index);
  }

  const History& h_;
  const JudgeOptions& o_;
  Scratch& s_;
  const std::int64_t from_;
  const bool several_;
  std::span<Occupancy> locks_;  // index: slot
  std::span<bool> owned_, believed_;
  std::span<bool> stopped_;                           // index: slot of the client
  std::span<Asking> asking_;                          // the first number_
  std::span<std::uint32_t> ends_;                     // index: operation; position of the acquire that it ends
  std::vector<LockRequest>::const_iterator request_;  // the first that was not shown
  std::uint32_t number_ = 0;
  std::int64_t now_ = kNoTime;
  bool changed_ = false;
  Finding finding_;
};

// An acquire must be refused, or last longer than the bound, to be unserved or leave that open.
bool may_be_unserved(const History& h, const JudgeOptions& options, const Scratch& s) {
  return std::any_of(s.requests.begin(), s.requests.end(), [&](const LockRequest& request) {
    if (!request.acquires || request.by_probe) return false;
    const std::uint32_t other = s.partner[request.position];
    if (other == kNowhere) return true;
    const OperationEvent& end = h.operations[other];
    return end.type == OperationType::fail || end.index > s.probe_index ||
           end.time - h.operations[request.position].time > options.unserved_bound;
  });
}

}  // namespace

Finding unserved(const History& history, const JudgeOptions& options, Scratch& scratch) {
  if (!history.omniscient) return not_applicable(Reason::needs_grants);
  if (options.counts_from_healing && scratch.heal_time == kNoTime) return undecided(Reason::no_healing);
  if (options.unserved_bound < 0) return undecided(Reason::no_bound);
  if (!may_be_unserved(history, options, scratch)) return {};
  return ServiceSweep(history, options, scratch).run(end_of_settling(history, scratch));
}

std::string explain_unserved(const Finding& finding, const History& history, const JudgeOptions& options) {
  const OperationEvent* const asked = find_record(history.operations, finding.witness.events[0]);
  const std::string whom = who(history, asked->hold), lock = lock_held(history, asked->hold);
  std::string text;
  if (finding.witness.event_count > 1) {
    const OperationEvent* const refused = find_record(history.operations, finding.witness.events[1]);
    text = whom + " asked for " + lock + " at " + in_milliseconds(asked->time) + " and was refused at " +
           in_milliseconds(refused->time) + ", though nothing stood in its way: the service named no other owner";
  } else {
    text = whom + " asked for " + lock + " at " + in_milliseconds(asked->time) + " and was kept waiting for " +
           in_milliseconds(finding.measure) + " while nothing stood in its way; the bound is " +
           in_milliseconds(options.unserved_bound);
  }
  if (finding.beside > 1) text += "; " + count(finding.beside, "acquire") + " unserved in all";
  return text;
}

}  // namespace picklock
