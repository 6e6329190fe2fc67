#include "sim/etcd/store_lab.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace picklock::testing {

using Kind = StoreCall::Kind;
using End = StoreCall::End;

// --- the judge

namespace {

using Contents = std::map<std::string, EtcdKeyValue>;

bool wrote(const StoreCall& call) { return call.writes() && (call.kind != Kind::swap || call.swapped); }

std::string describe(const StoreCall& call) {
  constexpr std::array<std::string_view, 6> kNames = {"put", "delete", "swap", "get", "list", "peek"};
  return std::string(kNames[static_cast<std::size_t>(call.kind)]) + " " + call.key + " " + call.value + " at " +
         std::to_string(call.invoked / 1'000'000) + " ms, revision " + std::to_string(call.revision);
}

bool sees(const StoreCall& call, const Contents& now) {
  if (call.kind == Kind::get || call.kind == Kind::swap) {
    const auto found = now.find(call.key);
    if (found == now.end()) return call.seen.empty();
    return call.seen.size() == 1 && call.seen[0] == found->second;
  }
  return std::equal(call.seen.begin(), call.seen.end(), now.begin(), now.end(),
                    [](const EtcdKeyValue& kv, const auto& entry) { return kv == entry.second; });
}

// The write of `call`, if it is one, is what the store did at its revision.
std::string judge_write(const StoreCall& call, std::span<const EtcdChange> at, const Contents& before) {
  if (at.size() != 1 || at[0].after().key != call.key) return "is not what was written at that revision";
  const EtcdChange& c = at[0];
  if (call.kind == Kind::erase) {
    const auto found = before.find(call.key);
    const bool as_said = found != before.end() && call.seen.size() == 1 && call.seen[0] == found->second;
    return c.deleted() && as_said ? "" : "did not delete what it says";
  }
  if (c.deleted() || c.after().value != call.value) return "is not what was written at that revision";
  if (call.kind != Kind::swap) return "";
  const auto found = before.find(call.key);
  const EtcdRevision had = found == before.end() ? 0 : found->second.mod_revision;
  return had == call.expected ? "" : "swapped something else than it expected";
}

}  // namespace

std::string judge_store(const std::vector<StoreCall>& calls, const EtcdMvcc& store, std::uint64_t& stale) {
  const std::span<const EtcdChange> log = store.changes_since(2);
  // Revision that each value got: values are written once.
  std::map<std::string, EtcdRevision> written;
  for (const EtcdChange& c : log) {
    if (!c.deleted() && !written.emplace(c.after().value, c.revision()).second)
      return c.after().value + " was written twice";
  }
  // Real time: nothing is ordered before what had ended when it began.
  std::vector<const StoreCall*> by_return;
  std::vector<std::pair<const StoreCall*, EtcdRevision>> by_invocation;
  for (const StoreCall& call : calls) {
    if (call.end == End::yes && call.kind != Kind::peek) by_return.push_back(&call);
    const auto found = call.value.empty() ? written.end() : written.find(call.value);
    if (call.end == End::no && found != written.end())
      return describe(call) + ": was refused, and written all the same";
    if (call.end == End::yes) {
      by_invocation.emplace_back(&call, call.revision);
    } else if (found != written.end()) {
      by_invocation.emplace_back(&call, found->second);  // it has taken effect, whatever its client knows
    }
  }
  std::stable_sort(by_return.begin(), by_return.end(),
                   [](const StoreCall* a, const StoreCall* b) { return a->returned < b->returned; });
  std::stable_sort(by_invocation.begin(), by_invocation.end(),
                   [](const auto& a, const auto& b) { return a.first->invoked < b.first->invoked; });
  EtcdRevision bound = 1;
  std::size_t ended = 0;
  for (const auto& [call, revision] : by_invocation) {
    for (; ended < by_return.size() && by_return[ended]->returned < call->invoked; ++ended) {
      bound = std::max(bound, by_return[ended]->revision);
    }
    const bool own_revision = call->end != End::yes || wrote(*call);
    if (call->kind == Kind::peek) {
      stale += revision < bound ? 1 : 0;
    } else if (revision < bound + (own_revision ? 1 : 0)) {
      return describe(*call) + ": revision " + std::to_string(bound) + " had been told before it began";
    }
  }
  // A read does not see the future: what it saw had been asked for when it ended.
  std::map<std::string, std::int64_t> asked;
  for (const StoreCall& call : calls) {
    if (!call.value.empty()) asked.emplace(call.value, call.invoked);
  }
  // The sweep: what each saw is what had been written up to its revision.
  std::vector<const StoreCall*> by_revision;
  for (const StoreCall& call : calls) {
    if (call.end == End::yes) by_revision.push_back(&call);
  }
  std::stable_sort(by_revision.begin(), by_revision.end(), [](const StoreCall* a, const StoreCall* b) {
    // The writer of a revision comes before its readers.
    return a->revision != b->revision ? a->revision < b->revision : wrote(*a) && !wrote(*b);
  });
  Contents now;
  std::size_t next = 0;
  const auto advance = [&](EtcdRevision to) {
    for (; next < log.size() && log[next].revision() <= to; ++next) {
      if (log[next].deleted()) {
        now.erase(log[next].after().key);
      } else {
        now[log[next].after().key] = log[next].after();
      }
    }
  };
  EtcdRevision last_write = 0;
  for (const StoreCall* call : by_revision) {
    if (call->revision > store.revision()) return describe(*call) + ": was lost";
    if (wrote(*call)) {
      if (call->revision <= last_write) return describe(*call) + ": two writes of one revision";
      last_write = call->revision;
      advance(call->revision - 1);
      std::size_t end = next;
      while (end < log.size() && log[end].revision() == call->revision) ++end;
      const std::string wrong = judge_write(*call, log.subspan(next, end - next), now);
      if (!wrong.empty()) return describe(*call) + ": " + wrong;
      continue;
    }
    advance(call->revision);
    if (call->kind == Kind::erase) {
      if (now.count(call->key) != 0) return describe(*call) + ": found nothing, but it was there";
      continue;
    }
    if (!sees(*call, now)) return describe(*call) + ": did not see what was written";
    for (const EtcdKeyValue& kv : call->seen) {
      if (asked.at(kv.value) > call->returned) return describe(*call) + ": saw the future";
    }
  }
  return {};
}

// --- the run

namespace {

struct Plan {
  Duration unit{};  // an election timeout
  TrueTime until{};
};

struct Client {
  EtcdCluster* cluster;
  std::size_t number;
  Dice dice;
  std::vector<StoreCall>* calls;
  Plan plan;
  int pace = 1;
  std::map<std::string, EtcdRevision> last;  // mod revisions it has seen, for its swaps
};

template <class Reply>
void end_of(StoreCall& call, const Outcome<Reply>& outcome, const World& world) {
  call.returned = world.now().ns;
  call.end = outcome.yes() ? End::yes : outcome.unknown() ? End::unknown : End::no;
  if (outcome.yes()) call.revision = outcome.value().header.revision;
}

Task<void> behave(Host host, Client* me) {
  World& world = me->cluster->world;
  Etcd& etcd = *me->cluster->clients[me->number];
  Dice& dice = me->dice;
  const Duration timeout = me->plan.unit * 2;
  int n = 0;
  while (world.now() < me->plan.until) {
    const Duration pause = me->plan.unit * dice.between(1, 30) / (20 * me->pace);
    co_await host.sleep(pause);
    StoreCall call;
    call.kind = static_cast<Kind>(dice.between(0, 5));
    call.key = std::string(1, static_cast<char>('a' + dice.between(0, 3)));
    call.invoked = world.now().ns;
    const std::size_t place = me->calls->size();
    if (call.kind == Kind::put || call.kind == Kind::swap)
      call.value = std::to_string(me->number) + "." + std::to_string(++n);
    if (call.kind == Kind::swap) call.expected = me->last[call.key];
    me->calls->push_back(call);
    if (call.kind == Kind::put) {
      EtcdPut request(call.key, call.value);
      const auto done = co_await etcd.put(request, timeout);
      end_of(call, done, world);
    } else if (call.kind == Kind::erase) {
      EtcdDelete request(call.key);
      request.previous = true;
      const auto done = co_await etcd.del(request, timeout);
      end_of(call, done, world);
      if (done.yes()) call.seen = done.value().previous;
    } else if (call.kind == Kind::swap) {
      EtcdTxn request;
      request.compares.push_back(EtcdCompare(call.key, EtcdTarget::mod, EtcdRelation::equal, call.expected));
      request.then.push_back(EtcdPut(call.key, call.value));
      request.otherwise.push_back(EtcdRange(call.key));
      const auto done = co_await etcd.txn(request, timeout);
      end_of(call, done, world);
      if (done.yes()) {
        call.swapped = done.value().succeeded;
        if (!call.swapped) call.seen = std::get<EtcdRangeReply>(done.value().results[0]).kvs;
      }
    } else {
      EtcdRange request(call.key);
      if (call.kind != Kind::get) request = EtcdRange(etcd_prefix(""));
      request.serializable = call.kind == Kind::peek;
      const auto done = co_await etcd.range(request, timeout);
      end_of(call, done, world);
      if (done.yes()) call.seen = done.value().kvs;
    }
    for (const EtcdKeyValue& kv : call.seen) me->last[kv.key] = kv.mod_revision;
    if (call.kind == Kind::erase && call.end == End::yes) me->last[call.key] = 0;
    if (call.end == End::yes && !call.value.empty() && (call.kind == Kind::put || call.swapped))
      me->last[call.key] = call.revision;
    (*me->calls)[place] = std::move(call);
  }
}

// Whole kinds of faults are absent from most runs.
void plan_faults(EtcdCluster& c, Dice& dice, Duration unit, Duration from, Duration until) {
  const std::int64_t kinds = dice.between(0, 255);
  const auto allowed = [kinds](int kind) { return (kinds >> kind & 1) != 0; };
  if (allowed(6)) {
    for (const NodeId n : c.member_node)
      c.world.faults.set_rate(n, static_cast<std::int32_t>(dice.between(-40'000, 40'000)));
  }
  for (Duration t = from; t < until; t += unit * dice.between(1, 12) / 8) {
    const NodeId n =
        c.member_node[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(c.member_node.size()) - 1))];
    const Duration lasts = unit * dice.between(1, 40) / 10;
    const auto kind = static_cast<int>(dice.between(0, 7));
    const Duration down = dice.one_in(2) ? lasts / 4 : ms(dice.between(1, 30));
    const bool of_leader = dice.one_in(2);
    const bool with_client = dice.one_in(2);  // a client that stays on the same side as its member
    if (!allowed(kind)) continue;
    const auto whom = [&c, n, of_leader] {
      const std::size_t l = c.leader();
      return of_leader && l < c.member_node.size() ? c.member_node[l] : n;
    };
    switch (kind) {
      case 0:
      case 1:
        c.at(t, [&c, whom, kind, with_client](World&) {
          c.heal();
          const NodeId victim = whom();
          std::vector<NodeId> island = {victim};
          if (with_client) island.push_back(c.client_node[victim % c.client_node.size()]);
          c.cut(island, kind == 1);
        });
        c.at(t + lasts, [&c](World&) { c.heal(); });
        break;
      case 2:
      case 3:
        c.at(t, [&c, whom, kind, down](World& w) {
          const NodeId victim = whom();
          if (!w.nodes.alive(victim)) return;
          if (kind == 2) {
            w.faults.kill(victim);
          } else {
            w.faults.lose_power(victim);
          }
          w.actions.at(w.now() + down, c.action([victim](World& x) { x.faults.restart(victim); }));
        });
        break;
      case 4:
        c.at(t, [&c, whom, lasts](World& w) {
          const NodeId victim = whom();
          const std::uint32_t incarnation = w.faults.pause(victim);
          w.actions.at(w.now() + lasts,
                       c.action([victim, incarnation](World& x) { x.faults.resume(victim, incarnation); }));
        });
        break;
      case 5:
        c.at(t, [whom, unit, lasts, &c](World& w) {
          const NodeId victim = whom();
          w.nodes.disk(victim).slowdown = Law::uniform(Duration{}, unit);
          w.actions.at(w.now() + lasts, c.action([victim](World& x) { x.nodes.disk(victim).slowdown = Law(); }));
        });
        break;
      case 7:  // a rack loses power; its members come back one after the other
        c.at(t, [&c, n, down, of_leader](World& w) {
          Duration back = down;
          for (const NodeId victim : c.member_node) {
            if ((of_leader && victim == n) || !w.nodes.alive(victim)) continue;
            w.faults.lose_power(victim);
            w.actions.at(w.now() + back, c.action([victim](World& x) { x.faults.restart(victim); }));
            back += down / 2;
          }
        });
        break;
      default:
        break;
    }
  }
}

// Faults that wait for the instants at which Raft's promises are easiest to break: a voter loses power while the
// election goes on, a leader while its own disk lacks what it has sent, or dies before it has committed anything.
struct Aimed {
  EtcdCluster* cluster;
  Dice dice;
  Duration every{}, until{};
  int at_what = 0;
};

NodeId dangerous_moment(const EtcdCluster& c, int at_what) {
  for (std::size_t i = 0; i < c.options.members; ++i) {
    const Raft& r = c.members[i]->raft();
    if (!c.world.nodes.alive(c.member_node[i])) continue;
    if (at_what == 0) {
      const RaftId asks = r.vote();
      if (asks == 0 || asks == r.id() || r.leader() != 0 || !c.world.nodes.alive(c.member_node[asks - 1])) continue;
      const Raft& candidate = c.members[asks - 1]->raft();
      if (candidate.role() == RaftRole::candidate && candidate.term() == r.term()) return c.member_node[i];
    } else if (r.leads()) {
      const bool behind = r.progress(r.id()).match < r.log().last_index();
      const bool new_here = r.log().term(r.committed()) != r.term();
      if (at_what == 1 ? behind : new_here) return c.member_node[i];
    }
  }
  return 0;
}

void watch_for(Aimed* aimed) {
  EtcdCluster& c = *aimed->cluster;
  c.world.actions.at(c.world.now() + aimed->every, c.action([aimed](World& w) {
    const NodeId victim = dangerous_moment(*aimed->cluster, aimed->at_what);
    if (victim != 0 && aimed->dice.one_in(3)) {
      w.faults.lose_power(victim);
      const Duration down = aimed->dice.one_in(2) ? ms(1) : aimed->every * aimed->dice.between(1, 100);
      w.actions.at(w.now() + down, aimed->cluster->action([victim](World& x) { x.faults.restart(victim); }));
    }
    if (w.now() < TrueTime{} + aimed->until) watch_for(aimed);
  }));
}

}  // namespace

StoreRun run_store(EtcdCluster& c, std::uint64_t seed, RaftFlaw flaw) {
  Dice dice(seed);
  EtcdClusterOptions o;
  o.members = dice.one_in(4) ? 5 : 3;
  o.clients = 3;
  o.pinned = dice.one_in(2);
  o.flaw = flaw;
  if (dice.one_in(2)) {
    o.etcd.heartbeat = ms(20);
    o.etcd.election = ms(200);
  }
  o.etcd.pre_vote = !dice.one_in(2);
  if (dice.one_in(3)) {
    o.etcd.snapshot_count = dice.between(5, 40);
    o.etcd.catch_up_entries = dice.between(0, 10);
  }
  c.begin(o, seed);
  // Slow links make elections collide.
  if (dice.one_in(2))
    c.world.network.set_latency(Law::uniform(microseconds(50), o.etcd.election / (dice.one_in(2) ? 8 : 40)));
  const Duration unit = o.etcd.election, from = unit * 2, heal = unit * 7;
  plan_faults(c, dice, unit, from + unit, heal);
  Aimed aimed{&c, Dice(dice.bits()), unit / 100, heal, static_cast<int>(dice.between(0, 2))};
  if (dice.one_in(2)) watch_for(&aimed);

  std::vector<StoreCall> calls;
  std::vector<Client> clients;
  for (std::size_t i = 0; i < o.clients; ++i) {
    clients.push_back({&c, i, Dice(dice.bits()), &calls, {unit, TrueTime{} + heal + unit}, dice.one_in(2) ? 4 : 1, {}});
  }
  c.at(from, [&](World& w) {
    for (Client& client : clients) {
      w.tasks.start(c.client_node[client.number], "client", behave(w.host(c.client_node[client.number]), &client));
    }
  });
  c.at(heal, [&c](World& w) {
    c.heal();
    for (const NodeId n : c.member_node) {
      w.nodes.disk(n).slowdown = Law();
      w.faults.restart(n);
    }
  });
  StoreRun run;
  Duration end = heal + unit * 4;
  // Runs until all have applied as much as any; the kernel's back-off and the members' own may take a while.
  for (int more = 0; more < 60 && !run.converged; ++more, end += unit) {
    c.run_until(end);
    const std::size_t l = c.leader();
    run.converged = l < o.members &&
                    std::all_of(calls.begin(), calls.end(), [](const StoreCall& k) { return k.end != End::pending; });
    for (std::size_t i = 0; i < o.members && run.converged; ++i) {
      run.converged = c.members[i]->applied() == c.invariants.entries();
    }
    if (!c.invariants.broken().empty()) break;
  }
  run.broken = c.invariants.broken();
  if (run.broken.empty() && !run.converged) run.broken = "not all members came to agree after healing";
  if (run.broken.empty() && run.converged) {
    const std::size_t l = c.leader();
    run.broken = judge_store(calls, c.members[l]->state().store(), run.stale);
    for (std::size_t i = 0; i < o.members && run.broken.empty(); ++i) {
      if (c.members[i]->state().fingerprint() != c.members[l]->state().fingerprint())
        run.broken = "members hold different states";
    }
  }
  run.requests = calls.size();
  for (const StoreCall& call : calls) {
    run.acknowledged += call.end == End::yes ? 1 : 0;
    run.unknown += call.end == End::unknown ? 1 : 0;
  }
  run.elections = c.invariants.leaders();
  run.entries = c.invariants.entries();
  c.end();
  return run;
}

}  // namespace picklock::testing
