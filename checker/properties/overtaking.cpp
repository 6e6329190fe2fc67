#include "checker/properties/overtaking.hpp"

#include <algorithm>

#include "checker/properties/words.hpp"

namespace picklock {
namespace {

// A request that became a hold.
struct Request {
  std::size_t lock = 0;
  std::int64_t received = kNoTime;
  std::uint32_t rank = kNowhere;  // rank in the order of grants
  HoldId hold = kNoHold;
};

// Time at which each hold was asked for: the first invocation of its acquire.
std::span<const std::int64_t> invocations(const History& history, Scratch& scratch) {
  const auto times = scratch.workspace.table<std::int64_t>(scratch.holds.size(), kNoTime);
  for (const LockRequest& request : scratch.requests) {
    const std::uint32_t other = scratch.partner[request.position];
    if (!request.acquires || other == kNowhere) continue;
    const OperationEvent& answer = history.operations[other];
    if (answer.type != OperationType::ok || times[answer.hold] != kNoTime) continue;
    times[answer.hold] = history.operations[request.position].time;
  }
  return times;
}

// Were all requests granted in their order, whatever their lock?
bool granted_in_order(const History& history, const Scratch& scratch, std::span<const std::int64_t> received) {
  std::int64_t latest = kNoTime;
  std::uint32_t rank = 0;
  for (const GrantEvent& e : history.grants) {
    const bool first = scratch.holds[e.hold].rank == rank++;
    if (!first || e.hold == kNoHold || e.hold >= received.size() || received[e.hold] == kNoTime) continue;
    if (received[e.hold] < latest) return false;
    latest = received[e.hold];
  }
  return true;
}

// Requests by lock, then in the order of grants.
std::span<Request> gather_requests(const History& history, std::span<const std::int64_t> received, Scratch& scratch) {
  const auto all = scratch.workspace.table<Request>(history.holds.size());
  std::size_t size = 0;
  for (std::uint32_t i = 0; i < history.grants.size(); ++i) {
    const HoldId hold = history.grants[i].hold;
    if (hold == kNoHold || scratch.holds[hold].rank != i) continue;
    if (hold >= received.size() || received[hold] == kNoTime) continue;
    all[size++] = Request{slot(history.holds[hold].lock), received[hold], i, hold};
  }
  const auto requests = all.first(size);
  const auto before = [](const Request& a, const Request& b) {
    return a.lock != b.lock ? a.lock < b.lock : a.rank < b.rank;
  };
  if (!std::is_sorted(requests.begin(), requests.end(), before)) {
    std::sort(requests.begin(), requests.end(), before);
  }
  return requests;
}

// Counts, of the times added so far, those greater than a given one (a Fenwick tree).
class Counter {
 public:
  Counter(std::span<const Request> requests, Workspace& memory)
      : times_(memory.table<std::int64_t>(requests.size())), tree_(memory.zeros<std::uint32_t>(requests.size())) {
    std::transform(requests.begin(), requests.end(), times_.begin(),
                   [](const Request& request) { return request.received; });
    std::sort(times_.begin(), times_.end());
  }
  // Returns how many times added before are greater.
  std::uint32_t add(std::int64_t time) {
    const auto end = std::upper_bound(times_.begin(), times_.end(), time);
    const auto place = static_cast<std::size_t>(end - times_.begin());  // place in the tree; the first is 1
    std::uint32_t up_to = 0;
    for (std::size_t i = place; i > 0; i -= i & (~i + 1)) up_to += tree_[i - 1];
    for (std::size_t i = place; i <= tree_.size(); i += i & (~i + 1)) ++tree_[i - 1];
    return total_++ - up_to;
  }

 private:
  std::span<std::int64_t> times_;  // all, in order
  std::span<std::uint32_t> tree_;
  std::uint32_t total_ = 0;
};

// A counter for few requests: it keeps those added so far in order.
class FewCounter {
 public:
  FewCounter(std::span<const Request> requests, Workspace& memory)
      : times_(memory.zeros<std::int64_t>(requests.size())) {}
  std::uint32_t add(std::int64_t time) {
    std::size_t place = size_++;
    for (; place > 0 && times_[place - 1] > time; --place) times_[place] = times_[place - 1];
    times_[place] = time;
    return static_cast<std::uint32_t>(size_ - 1 - place);
  }

 private:
  std::span<std::int64_t> times_;
  std::size_t size_ = 0;
};

class Count {
 public:
  explicit Count(Scratch& scratch) : scratch_(scratch) {}

  // The requests of one lock, in the order of their grants.
  void take(std::span<const Request> requests) {
    const auto by_time = [](const Request& a, const Request& b) { return a.received < b.received; };
    if (std::is_sorted(requests.begin(), requests.end(), by_time)) return;
    constexpr std::size_t kFew = 64;
    if (requests.size() <= kFew) {
      count<FewCounter>(requests);
    } else {
      count<Counter>(requests);
    }
  }

  std::int64_t most = 0;
  std::int64_t total = 0;
  Request victim;
  Request overtaker;  // the first to overtake the victim

 private:
  template <class Counting>
  void count(std::span<const Request> requests) {
    Counting counter(requests, scratch_.workspace);
    bool worse = false;
    for (const Request& request : requests) {
      const std::int64_t suffered = counter.add(request.received);
      total += suffered;
      if (suffered <= most) continue;
      most = suffered;
      victim = request;
      worse = true;
    }
    if (!worse) return;
    overtaker = *std::find_if(requests.begin(), requests.end(),
                              [&](const Request& request) { return request.received > victim.received; });
  }

  Scratch& scratch_;
};

}  // namespace

Finding overtaking(const History& history, const JudgeOptions& options, Scratch& scratch) {
  if (!history.omniscient) return not_applicable(Reason::needs_grants);
  // The number is a promise only with a limit.
  Finding finding = options.overtaking_limit >= 0 ? Finding{} : not_applicable(Reason::no_bound);
  const auto received = options.received.empty() ? invocations(history, scratch) : options.received;
  if (granted_in_order(history, scratch, received)) return finding;
  const auto requests = gather_requests(history, received, scratch);
  Count counted(scratch);
  for (std::size_t first = 0; first < requests.size();) {
    std::size_t last = first;
    while (last < requests.size() && requests[last].lock == requests[first].lock) ++last;
    counted.take(requests.subspan(first, last - first));
    first = last;
  }
  finding.measure = counted.most;
  finding.beside = counted.total;
  if (counted.most == 0) return finding;
  if (options.overtaking_limit >= 0 && counted.most > options.overtaking_limit) {
    finding.verdict = Verdict::violated;
  }
  finding.witness.add_hold(counted.victim.hold);
  finding.witness.add_hold(counted.overtaker.hold);
  finding.witness.add_event(history.grants[counted.overtaker.rank].index);
  finding.witness.add_event(history.grants[counted.victim.rank].index);
  return finding;
}

std::string explain_overtaking(const Finding& finding, const History& history, const JudgeOptions& options) {
  const GrantEvent* const overtaker = find_record(history.grants, finding.witness.events[0]);
  const GrantEvent* const victim = find_record(history.grants, finding.witness.events[1]);
  std::string text = who(history, victim->hold) + " was granted " + lock_held(history, victim->hold) + " at " +
                     in_milliseconds(victim->time) + " after " + count(finding.measure, "request") +
                     " that came later, the first of " + who(history, overtaker->hold) + " at " +
                     in_milliseconds(overtaker->time);
  if (options.overtaking_limit >= 0) {
    text += "; the limit is " + std::to_string(options.overtaking_limit);
  }
  return text;
}

}  // namespace picklock
