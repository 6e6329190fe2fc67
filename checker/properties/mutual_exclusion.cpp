#include "checker/properties/mutual_exclusion.hpp"

#include <algorithm>
#include <vector>

#include "checker/properties/named_owner.hpp"
#include "checker/properties/words.hpp"

namespace picklock {
namespace {

struct Count {
  std::uint32_t writers;
  std::uint32_t readers;

  std::uint32_t& of(HoldMode mode) { return mode == HoldMode::write ? writers : readers; }
};

// Clients that believe in a lock, since the last change.
struct Believers {
  std::int64_t since;
  Count all;
  Count awake;
};

struct Client {
  HoldId first;  // first of its live holds
  bool stopped;
};

// The live holds of one client, linked.
struct Link {
  HoldId before = kNoHold;
  HoldId after = kNoHold;
};

// Merges beliefs with the stops of processes.  Stopping costs as many steps as the client has
// beliefs.
class Sweep {
 public:
  Sweep(const History& history, const JudgeOptions& options, Scratch& scratch)
      : history_(history),
        scratch_(scratch),
        permits_(options.permits),
        locks_(scratch.workspace.zeros<Believers>(slots(history.names))),
        clients_(scratch.workspace.zeros<Client>(slots(history.names))),
        links_(scratch.workspace.table<Link>(history.holds.size())) {}

  Finding run() {
    auto change = history_.processes.begin();
    const auto changes_end = history_.processes.end();
    for (const BeliefEvent& e : history_.beliefs) {
      for (; change != changes_end && change->time <= e.time; ++change) take(*change);
      const HoldFacts& facts = scratch_.holds[e.hold];
      if (e.index == facts.belief_began) begin(e.hold, e.time);
      if (e.index == facts.belief_ended) end(e.hold, e.time);
    }
    for (; change != changes_end; ++change) take(*change);
    for (std::size_t lock = 0; live_ > 0 && lock < locks_.size(); ++lock) {
      if (locks_[lock].all.writers > 0) advance(lock, scratch_.horizon);
    }
    return finding();
  }

 private:
  void take(const ProcessEvent& e) {
    Client& client = clients_[slot(e.client)];
    const bool stopped = e.change == ProcessChange::stopped || e.change == ProcessChange::died;
    if (stopped == client.stopped) return;
    client.stopped = stopped;
    for (HoldId hold = client.first; hold != kNoHold; hold = links_[hold].after) {
      const HoldInfo& info = history_.holds[hold];
      std::uint32_t& awake = advance(slot(info.lock), e.time).awake.of(info.mode);
      awake += stopped ? -1U : 1U;
    }
  }

  void begin(HoldId hold, std::int64_t time) {
    const HoldInfo& info = history_.holds[hold];
    Believers& lock = advance(slot(info.lock), time);
    Client& client = clients_[slot(info.client)];
    ++lock.all.of(info.mode);
    lock.awake.of(info.mode) += !client.stopped;
    ++live_;
    links_[hold] = Link{kNoHold, client.first};
    if (client.first != kNoHold) links_[client.first].before = hold;
    client.first = hold;
  }

  void end(HoldId hold, std::int64_t time) {
    const HoldInfo& info = history_.holds[hold];
    Believers& lock = advance(slot(info.lock), time);
    Client& client = clients_[slot(info.client)];
    --lock.all.of(info.mode);
    lock.awake.of(info.mode) -= !client.stopped;
    --live_;
    const Link link = links_[hold];
    (link.before == kNoHold ? client.first : links_[link.before].after) = link.after;
    if (link.after != kNoHold) links_[link.after].before = link.before;
  }

  // Nothing changes for `lock` between `since` and `time`.
  Believers& advance(std::size_t lock, std::int64_t time) {
    Believers& now = locks_[lock];
    if (time > now.since && conflict(now.all.writers, now.all.readers, permits_)) {
      overlap_ += time - now.since;
      if (conflict(now.awake.writers, now.awake.readers, permits_)) awake_ += time - now.since;
      if (first_ == kEndless || now.since < first_) {
        first_ = now.since;
        first_lock_ = lock;
      }
    }
    now.since = time;
    return now;
  }

  Finding finding() {
    Finding finding;
    finding.measure = overlap_;
    finding.beside = awake_;
    if (overlap_ == 0) return finding;
    finding.verdict = Verdict::violated;
    name_witness(finding.witness);
    return finding;
  }

  // Names clients that believed in the lock when the first conflict began: the first, as many
  // as a conflict takes, at least one of them a writer.
  void name_witness(Witness& witness) {
    const auto table = scratch_.workspace.table<HoldId>(scratch_.holds.size());
    std::size_t size = 0;
    for (HoldId id = 1; id < scratch_.holds.size(); ++id) {
      const HoldFacts& hold = scratch_.holds[id];
      if (hold.believed() && slot(history_.holds[id].lock) == first_lock_ && hold.believed_from <= first_ &&
          first_ < hold.believed_until) {
        table[size++] = id;
      }
    }
    const auto live = table.first(size);
    std::sort(live.begin(), live.end(),
              [&](HoldId a, HoldId b) { return scratch_.holds[a].belief_began < scratch_.holds[b].belief_began; });
    const auto is_writer = [&](HoldId id) { return history_.holds[id].mode == HoldMode::write; };
    const auto last = live.begin() + static_cast<std::ptrdiff_t>(permits_);
    if (std::none_of(live.begin(), last + 1, is_writer)) {
      *last = *std::find_if(last + 1, live.end(), is_writer);
    }
    for (auto id = live.begin(); id <= last; ++id) witness.add_hold(*id);
    // Two holds show both their beliefs; more show where the last begins and the first ends.
    std::uint32_t first_end = kNowhere;
    if (permits_ > 1) witness.add_event(scratch_.holds[*last].belief_began);
    for (auto id = live.begin(); id <= last; ++id) {
      if (permits_ == 1) witness.add_event(scratch_.holds[*id].belief_began);
      first_end = std::min(first_end, scratch_.holds[*id].belief_ended);
    }
    if (permits_ > 1 && first_end != kNowhere) witness.add_event(first_end);
    for (auto id = live.begin(); id <= last && permits_ == 1; ++id) {
      const std::uint32_t ended = scratch_.holds[*id].belief_ended;
      if (ended != kNowhere) witness.add_event(ended);
    }
  }

  const History& history_;
  Scratch& scratch_;
  const std::uint32_t permits_;
  std::span<Believers> locks_;
  std::span<Client> clients_;
  std::span<Link> links_;
  std::size_t live_ = 0;  // holds that are believed in
  std::int64_t overlap_ = 0;
  std::int64_t awake_ = 0;
  std::int64_t first_ = kEndless;  // start of the first conflict of a positive length
  std::size_t first_lock_ = 0;
};

}  // namespace

Finding mutual_exclusion(const History& history, const JudgeOptions& options, Scratch& scratch) {
  if (!history.omniscient) return not_applicable(Reason::needs_beliefs);
  if (!scratch.signs.believed_together) return {};
  return Sweep(history, options, scratch).run();
}

std::string explain_mutual_exclusion(const Finding& finding, const History& history, const JudgeOptions& options) {
  Scratch scratch;
  scratch.prepare(history, options);
  const auto holds = finding.witness.all_holds();
  Interval together{kNoTime, kEndless};
  std::string who_all;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    const HoldFacts& facts = scratch.holds[holds[i]];
    together.from = std::max(together.from, facts.believed_from);
    together.until = std::min(together.until, facts.believed_until);
    if (i > 0) who_all += i + 1 == holds.size() ? " and " : ", ";
    who_all += who(history, holds[i]);
  }
  const bool to_the_end = together.until == kEndless;
  if (to_the_end) together.until = scratch.horizon;
  std::string text = who_all + (holds.size() == 2 ? " both" : " all") + " believed that they held " +
                     lock_held(history, holds[0]) + " for " + in_milliseconds(together.until - together.from) +
                     " (from " + in_milliseconds(together.from) + " to " +
                     (to_the_end ? "the end of the run" : in_milliseconds(together.until)) + ")";
  std::vector<NameId> told;
  bool absent = false;  // one of them did not run at all while they overlapped
  for (const HoldId hold : holds) {
    const NameId client = history.holds[hold].client;
    if (std::find(told.begin(), told.end(), client) != told.end()) continue;
    told.push_back(client);
    const std::int64_t stopped = stopped_during(history, client, together);
    if (stopped == 0) continue;
    const bool throughout = stopped == together.until - together.from;
    absent = absent || throughout;
    text += "; " + client_name(history, hold) + " was paused " +
            (throughout ? "during the whole overlap" : "for " + in_milliseconds(stopped) + " of it");
  }
  for (const HoldId hold : holds) {
    const std::string unnamed = never_named(history, hold);
    if (!unnamed.empty()) text += "; " + unnamed;
  }
  if (finding.measure != together.until - together.from) {
    text += "; in the whole run beliefs conflicted for " + in_milliseconds(finding.measure);
  }
  if (finding.beside > 0) return text + "; the processes ran at the same time for " + in_milliseconds(finding.beside);
  return absent ? text : text + "; at every moment at least one of the processes was paused";
}

}  // namespace picklock
