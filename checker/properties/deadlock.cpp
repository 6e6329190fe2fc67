#include "checker/properties/deadlock.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/strong_components.hpp>
#include <queue>
#include <utility>
#include <vector>

#include "checker/properties/in_order.hpp"
#include "checker/properties/words.hpp"

namespace picklock {
namespace {

// The state of a client.
struct Standing {
  std::uint32_t pending = kNowhere;  // position of the acquire that it waits for
  std::uint32_t live = 0;            // holds
  std::uint32_t node = kNowhere;     // vertex in the graph of this instant
  bool stuck = false;                // stands in a cycle
};

struct HoldState {
  bool owned = false;
  bool believed = false;
  bool got = false;                // was granted, and not given back since: its client does not ask for it any more
  std::uint32_t place = kNowhere;  // among the live
};

struct WaitsFor {
  HoldId hold = kNoHold;  // the hold that stands in the way
};
using WaitGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, WaitsFor>;

// May some client have asked for a lock while it believed that it held one, or held a part of what it asked for?  A
// cycle of waiting clients needs such a client, and most histories have none.
bool asks_while_it_holds(const History& h, Scratch& s) {
  if (names_several(h)) {
    for (HoldId hold = 1; hold < h.holds.size(); ++hold) {
      if (whole_of(h, hold) != kNoHold) return true;
    }
  }
  struct Asker {
    std::uint32_t believed;    // holds
    const LockRequest* asked;  // its last acquire
  };
  const auto clients = s.workspace.zeros<Asker>(slots(h.names));
  // Events of one instant count together: an answer, and the belief in it.
  const auto got_while_it_asks = [&](const Asker& c, const BeliefEvent& e) {
    if (c.asked == nullptr) return false;
    const std::uint32_t other = s.partner[c.asked->position];
    if (other == kNowhere) return true;
    const OperationEvent& answer = h.operations[other];
    return answer.index > e.index && (answer.time != e.time || answer.hold != h.operations[c.asked->position].hold);
  };
  auto request = s.requests.begin();
  for (const BeliefEvent& e : h.beliefs) {
    for (; request != s.requests.end(); ++request) {
      const OperationEvent& invoked = h.operations[request->position];
      if (invoked.index >= e.index) break;
      if (!request->acquires || invoked.hold == kNoHold) continue;
      Asker& c = clients[slot(h.holds[invoked.hold].client)];
      if (c.believed > 0) return true;
      c.asked = &*request;
    }
    const HoldFacts& facts = s.holds[e.hold];
    Asker& c = clients[slot(h.holds[e.hold].client)];
    if (e.index == facts.belief_began) {
      if (got_while_it_asks(c, e)) return true;
      ++c.believed;
    }
    if (e.index == facts.belief_ended) --c.believed;
  }
  return std::any_of(request, s.requests.end(), [&](const LockRequest& r) {
    const HoldId hold = h.operations[r.position].hold;
    return r.acquires && hold != kNoHold && clients[slot(h.holds[hold].client)].believed > 0;
  });
}

class Sweep {
 public:
  Sweep(const History& history, const JudgeOptions& options, Scratch& scratch)
      : h_(history),
        o_(options),
        s_(scratch),
        clients_(scratch.workspace.table<Standing>(slots(history.names))),
        holds_(scratch.workspace.table<HoldState>(scratch.holds.size())),
        live_(scratch.workspace.table<HoldId>(scratch.holds.size())),
        waiting_(scratch.workspace.table<NameId>(slots(history.names))) {}

  Finding run() {
    show_in_order(h_, *this);
    look();
    if (stuck_ > 0) finding_.beside += s_.horizon - since_;
    return finding_;
  }

  // All that happens at one instant counts together.
  void at(std::int64_t time) {
    if (time == now_) return;
    look();
    now_ = time;
    broken_by_ = kNowhere;
  }
  void see(const OperationEvent& e) {
    if (e.process < 0 || e.hold == kNoHold) return;
    const bool asks = e.type == OperationType::invoke && s_.role(e) == Role::acquire;
    const auto position = static_cast<std::uint32_t>(&e - h_.operations.data());
    wait(h_.holds[e.hold].client, asks ? position : kNowhere, e.index);
  }
  void see(const ProcessEvent& e) {
    if (e.change == ProcessChange::died) wait(e.client, kNowhere, e.index);
  }
  void see(const BeliefEvent& e) {
    const HoldFacts& facts = s_.holds[e.hold];
    if (e.index == facts.belief_began) holds_[e.hold].believed = true;
    if (e.index == facts.belief_ended) holds_[e.hold].believed = false;
    update(e.hold, e.index);
  }
  void see(const GrantEvent& e) {
    switch (e.change) {
      case GrantChange::begin:
        holds_[e.hold].owned = holds_[e.hold].got = true;
        break;
      case GrantChange::end:
        holds_[e.hold].owned = false;
        break;
      case GrantChange::released:
      case GrantChange::forced:
        holds_[e.hold].owned = false;
        if (!std::exchange(holds_[e.hold].got, false)) break;
        closed_by_ = e.index;  // perhaps closed by it: its client waits for that name again
        changed_ = true;
        break;
      default:
        return;
    }
    update(e.hold, e.index);
  }

 private:
  Standing& client_of(HoldId hold) { return clients_[slot(h_.holds[hold].client)]; }
  bool nested(const Standing& c) const { return c.pending != kNowhere && c.live > 0; }

  template <class Change>
  void change(NameId client, std::uint32_t index, bool adds, Change what) {
    Standing& c = clients_[slot(client)];
    const bool before = nested(c);
    what(c);
    nested_ += nested(c);
    nested_ -= before;
    changed_ = true;
    if (adds) {
      closed_by_ = index;
    } else if (c.stuck && broken_by_ == kNowhere) {
      broken_by_ = index;
    }
  }

  void wait(NameId client, std::uint32_t position, std::uint32_t index) {
    Standing& c = clients_[slot(client)];
    if (c.pending == kNowhere && position == kNowhere) return;
    const HoldId before = asked_by(c);
    if (c.pending == kNowhere) waiting_[waiters_++] = client;
    if (position == kNowhere) {
      std::swap(*std::find(waiting_.begin(), waiting_.begin() + waiters_, client), waiting_[waiters_ - 1]);
      --waiters_;
    }
    change(client, index, position != kNowhere, [&](Standing& s) { s.pending = position; });
    const HoldId now = asked_by(c);
    if (now != before) update_parts(before, index);
    update_parts(now, index);
  }

  // The hold that it waits for.
  HoldId asked_by(const Standing& c) const { return c.pending == kNowhere ? kNoHold : h_.operations[c.pending].hold; }

  void update_parts(HoldId whole, std::uint32_t index) {
    if (whole == kNoHold) return;
    for_each_part(h_, whole, [&](HoldId part) { update(part, index); });
  }

  void update(HoldId hold, std::uint32_t index) {
    HoldState& state = holds_[hold];
    const HoldId whole = whole_of(h_, hold);
    const bool half = whole != kNoHold && asked_by(client_of(hold)) == whole;  // its client is at the others
    const bool live = hold != kNoHold && state.owned && (state.believed || half);
    if (live == (state.place != kNowhere)) return;
    if (live) {
      state.place = lives_;
      live_[lives_++] = hold;
    } else {
      const HoldId last = live_[--lives_];
      live_[state.place] = last;
      holds_[last].place = state.place;
      state.place = kNowhere;
    }
    change(h_.holds[hold].client, index, live, [&](Standing& s) { s.live = live ? s.live + 1 : s.live - 1; });
  }

  bool blocks(HoldId held, HoldId wanted) const {
    const HoldInfo &has = h_.holds[held], &wants = h_.holds[wanted];
    if (has.mode == HoldMode::read && wants.mode == HoldMode::read) return false;
    if (whole_of(h_, held) == wanted) return false;
    bool taken = false;
    for_each_part(h_, wanted,
                  [&](HoldId part) { taken = taken || (h_.holds[part].lock == has.lock && holds_[part].got); });
    if (taken) return false;
    const bool own = has.client == wants.client && (held == wanted || has.mode == HoldMode::write);
    if (own && o_.reentrant) return false;
    return stands_for(h_.names, wants.lock, has.lock);
  }

  // The wait-for graph as it now stands; nodes are the first waiters_ of waiting_.
  WaitGraph graph() {
    WaitGraph g(waiters_);
    for (std::uint32_t i = 0; i < waiters_; ++i) clients_[slot(waiting_[i])].node = i;
    for (std::uint32_t i = 0; i < waiters_; ++i) {
      const HoldId wanted = h_.operations[clients_[slot(waiting_[i])].pending].hold;
      for (std::uint32_t j = 0; j < lives_; ++j) {
        const Standing& holder = client_of(live_[j]);
        if (holder.pending == kNowhere || !blocks(live_[j], wanted)) continue;
        boost::add_edge(i, holder.node, WaitsFor{live_[j]}, g);
      }
    }
    return g;
  }

  // Looks for clients that stand in a cycle now.
  void look() {
    if (!changed_) return;
    changed_ = false;
    if (nested_ == 0 && stuck_ == 0) return;
    std::sort(waiting_.begin(), waiting_.begin() + waiters_);
    std::sort(live_.begin(), live_.begin() + lives_);
    for (std::uint32_t j = 0; j < lives_; ++j) holds_[live_[j]].place = j;
    const WaitGraph g = graph();
    std::vector<std::size_t> component(waiters_), size(waiters_ + std::size_t{1});
    if (waiters_ > 0) {
      boost::strong_components(
          g, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, g)));
    }
    for (const std::size_t c : component) ++size[c];
    std::uint32_t stuck = 0, fresh = kNowhere;
    for (Standing& c : clients_) {
      const bool was = c.stuck;
      c.stuck = c.pending != kNowhere && (size[component[c.node]] > 1 || boost::edge(c.node, c.node, g).second);
      stuck += c.stuck;
      if (c.stuck && !was) fresh = std::min(fresh, c.node);
    }
    if (stuck_ == 0 && stuck > 0) since_ = now_;
    if (stuck_ > 0 && stuck == 0) finding_.beside += now_ - since_;
    stuck_ = stuck;
    if (finding_.verdict == Verdict::violated && finding_.witness.event_count == 1 && !all_stuck()) {
      if (broken_by_ != kNowhere) finding_.witness.add_event(broken_by_);
    }
    if (fresh == kNowhere) return;
    if (finding_.measure++ == 0) name_witness(g, fresh);
  }

  bool all_stuck() {
    const auto holds = finding_.witness.all_holds();
    return std::all_of(holds.begin(), holds.end(), [&](HoldId id) { return client_of(id).stuck; });
  }

  // A shortest cycle through this client: who stands in its way, who in theirs, and so on.
  void name_witness(const WaitGraph& g, std::uint32_t first) {
    std::vector<HoldId> reached_by(waiters_, kNoHold);  // the hold that was waited for
    std::vector<std::uint32_t> from(waiters_, kNowhere);
    std::queue<std::uint32_t> open;
    open.push(first);
    while (!open.empty() && reached_by[first] == kNoHold) {
      const std::uint32_t at = open.front();
      open.pop();
      for (const auto e : boost::make_iterator_range(boost::out_edges(at, g))) {
        const auto to = static_cast<std::uint32_t>(boost::target(e, g));
        if (reached_by[to] != kNoHold) continue;
        reached_by[to] = g[e].hold;
        from[to] = at;
        open.push(to);
      }
    }
    std::vector<HoldId> cycle;
    std::uint32_t at = first;
    do {
      cycle.push_back(reached_by[at]);
      at = from[at];
    } while (at != first);
    std::reverse(cycle.begin() + 1, cycle.end());  // the cycle begins with the first client's own hold
    finding_.verdict = Verdict::violated;
    for (const HoldId hold : cycle) finding_.witness.add_hold(hold);
    finding_.witness.add_event(closed_by_);
  }

  const History& h_;
  const JudgeOptions& o_;
  const Scratch& s_;
  std::span<Standing> clients_;  // index: slot of the client's name
  std::span<HoldState> holds_;
  std::span<HoldId> live_;
  std::span<NameId> waiting_;
  std::uint32_t lives_ = 0, waiters_ = 0;
  std::uint32_t nested_ = 0;  // clients that wait and hold
  std::uint32_t stuck_ = 0;
  std::uint32_t closed_by_ = kNowhere, broken_by_ = kNowhere;
  std::int64_t now_ = kNoTime, since_ = 0;
  bool changed_ = false;
  Finding finding_;
};

// The acquire of this client that was pending when the record with this index was written.
const OperationEvent* pending_at(const History& h, NameId client, std::uint32_t index) {
  const OperationEvent* last = nullptr;
  for (const OperationEvent& e : h.operations) {
    if (e.index > index) break;
    if (e.hold != kNoHold && h.holds[e.hold].client == client) last = &e;
  }
  return last;
}

std::string how_it_ended(const Finding& finding, const History& h) {
  if (finding.witness.event_count < 2) return "it lasted to the end of the run";
  const std::uint32_t index = finding.witness.events[1];
  if (const auto* grant = find_record(h.grants, index)) {
    const std::string how = grant->change == GrantChange::forced     ? "by force"
                            : grant->change == GrantChange::released ? "by its release"
                                                                     : "as the service no longer named its owner";
    return "it ended at " + in_milliseconds(grant->time) + " when " + who(h, grant->hold) + " lost " +
           lock_held(h, grant->hold) + " " + how;
  }
  if (const auto* answer = find_record(h.operations, index)) {
    const char* const what = answer->type == OperationType::ok ? " was granted " : " gave up waiting for ";
    return "it ended at " + in_milliseconds(answer->time) + " when " + client_name(h, answer->hold) + what +
           lock_held(h, answer->hold);
  }
  if (const auto* belief = find_record(h.beliefs, index)) {
    return "it ended at " + in_milliseconds(belief->time) + " when " + who(h, belief->hold) +
           " ceased to believe in its hold";
  }
  const auto* process = find_record(h.processes, index);
  return process == nullptr ? "it ended"
                            : "it ended at " + in_milliseconds(process->time) + " when " +
                                  name_of(h, process->client, "a client") + " died";
}

}  // namespace

bool stands_for(const Names& names, NameId lock, NameId name) {
  if (lock == name) return true;
  if (lock == kNoName || name == kNoName) return false;
  std::string_view whole = names.view(lock);
  const std::string_view part = names.view(name);
  while (whole.find('+') != std::string_view::npos) {
    if (whole.substr(0, whole.find('+')) == part) return true;
    whole.remove_prefix(whole.find('+') + 1);
    if (whole == part) return true;
  }
  return false;
}

bool names_several(const History& h) {
  NameId last = kNoName;
  for (const HoldInfo& hold : h.holds) {
    if (hold.lock == last) continue;
    last = hold.lock;
    if (h.names.view(last).find('+') != std::string_view::npos) return true;
  }
  return false;
}

bool is_whole(const History& history, HoldId hold) {
  const NameId lock = history.holds[hold].lock;
  return lock != kNoName && history.names.view(lock).find('+') != std::string_view::npos;
}

HoldId whole_of(const History& history, HoldId part) {
  const HoldInfo& of = history.holds[part];
  if (of.lock == kNoName || is_whole(history, part)) return kNoHold;
  for (HoldId whole = part; whole-- > 1;) {
    const HoldInfo& hold = history.holds[whole];
    if (hold.client != of.client || hold.lock == of.lock || hold.lock == kNoName) return kNoHold;
    if (stands_for(history.names, hold.lock, of.lock)) return whole;
    if (is_whole(history, whole)) return kNoHold;
  }
  return kNoHold;
}

Finding deadlock(const History& history, const JudgeOptions& options, Scratch& scratch) {
  if (!history.omniscient) return not_applicable(Reason::needs_grants);
  if (options.permits > 1) return not_applicable(Reason::several_permits);
  if (!asks_while_it_holds(history, scratch)) return {};
  return Sweep(history, options, scratch).run();
}

std::string explain_deadlock(const Finding& finding, const History& history, const JudgeOptions&) {
  const auto holds = finding.witness.all_holds();
  const std::uint32_t closed = finding.witness.events[0];
  std::string text;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    const OperationEvent* const asked = pending_at(history, history.holds[holds[i]].client, closed);
    const HoldInfo& wanted = history.holds[asked->hold];
    text += (i > 0 ? ", " : "") + who(history, holds[i]) + " holds " + lock_held(history, holds[i]) +
            (history.holds[holds[i]].mode == HoldMode::read ? " as a reader" : "") + " and waits for " +
            lock_held(history, asked->hold) + (wanted.mode == HoldMode::read ? " as a reader" : "") + " since " +
            in_milliseconds(asked->time);
  }
  const std::string circle = ": a circle that closed at " + in_milliseconds(time_of_record(history, closed));
  text += holds.size() == 1 ? ": it waits for itself" : circle;
  text += "; " + how_it_ended(finding, history);
  if (finding.measure > 1) text += "; " + count(finding.measure, "deadlock") + " in all";
  return text;
}

}  // namespace picklock
