#include "sim/zookeeper/server_process.hpp"

#include <algorithm>
#include <utility>

#include "sim/zookeeper/inspect.hpp"

namespace picklock {
namespace {

ZabEnsemble ensemble_of(const ZooServerSetup& setup) {
  ZabEnsemble ensemble;
  for (ZabSid s = 1; s <= setup.members(); ++s) ensemble.members.push_back({s, s > setup.servers.size()});
  return ensemble;
}

ZabOptions zab_options_of(const ZooServerSetup& setup) {
  ZabOptions options = setup.options.zab();
  options.snapshot_every = setup.snapshot_every;
  if (setup.zab_flaw != ZabFlaw::none) options.flaw = setup.zab_flaw;
  return options;
}

}  // namespace

ZooServerProcess::ZooServerProcess(World& world, NodeId node, const ZooServerSetup& setup, ZooJudge& judge,
                                   ZooProposalReader& reader, ZooServerSteps& steps)
    : context_{Service(world, node), setup, judge, reader, setup.sid_of(node)},
      steps_(steps),
      tree_(setup.options.overflow(), setup.directories),
      zab_(ensemble_of(setup), context_.self, zab_options_of(setup), *this),
      disk_(context_),
      votes_(context_, zab_),
      learners_(context_, zab_),
      sessions_(context_, tree_, zab_),
      proposals_(context_, tree_, sessions_, zab_),
      requests_(context_, tree_, sessions_, proposals_, zab_),
      clients_(context_, tree_, sessions_, requests_) {}

void ZooServerProcess::start() {
  context_.world().tasks.start(context_.service.node(), "main", serve(context_.service));
}

[[gnu::always_inline]] inline ZabMs ZooServerProcess::due() const {
  return std::min({zab_.due(), proposals_.due(), sessions_.due()});
}

// Inlined: each message takes this path.
[[gnu::always_inline]] inline void ZooServerProcess::arrived(Message& message, ZabMs now) {
  const bool of_client = message.direction == 0 && clients_.has(message.connection);
  if (!of_client && (learners_.hear(message, now) || votes_.hear(message, now))) return;
  if (message.direction == 1) return;  // this server had opened the connection and given it up
  if (message.kind != SegmentKind::data) return clients_.forget(message.connection);
  if (of_client) return clients_.hear(message);
  introduced(message);
}

Task<void> ZooServerProcess::serve(Service service) {
  World& world = service.world();
  world.tasks.serve_background(++steps_.main);
  ZabStored stored = co_await disk_.load(service);
  ZabMs now = context_.now_ms();
  zab_.boot(std::move(stored), now);
  service.host().spawn("disk", write(service));
  flush();
  StandingWait wait = service.standing_wait({.bell = &bell_});
  ZabMs timer = kZabNever;  // it goes off too early rather than be set anew by every message
  ZabMs until = due();
  for (;;) {
    if (until < timer || timer <= now) timer = until;
    const MonoTime at = timer == kZabNever ? MonoTime{} + kForever : MonoTime{timer * 1'000'000};
    co_await wait.until(at);
    now = context_.now_ms();
    Ring<Message>& inbox = world.nodes.inbox(service.node());
    if (!inbox.empty()) {
      Message& message = inbox.front();  // nothing else arrives before it has been heard
      const bool late = clients_.events().any_late();
      if (message.kind == SegmentKind::data) world.tasks.serve(message);
      arrived(message, now);
      message.body.reset();
      inbox.drop_front();
      if (late) clients_.events().send_late();
    }
    until = due();
    if (now >= until) {
      world.tasks.serve_background(++steps_.main);
      time_passed(now);
      until = due();
    }
    if (flush()) until = due();
  }
}

// Writes the records in order, and tells ZAB after each batch how far they are on the platter.
Task<void> ZooServerProcess::write(Service service) {
  StandingWait work = disk_.work();
  for (;;) {
    if (!disk_.has_work()) co_await work.next();
    service.world().tasks.serve_background(++steps_.disk);
    while (disk_.has_work()) {
      const ZabPosition position = disk_.begin_batch();
      if (disk_.writes_entries()) {
        co_await disk_.log().write();
        co_await disk_.log().sync();
      } else {
        co_await disk_.write_other(service);
      }
      zab_.persisted(position, context_.now_ms());
      flush();
      const ZabMs until = due();
      if (until != kZabNever) bell_.ring_before(MonoTime{until * 1'000'000});
    }
  }
}

// --- what arrives

// The first message on a connection says what it is for.
void ZooServerProcess::introduced(Message& message) {
  const std::optional<NodeId> opener = context_.world().network.opener(message.connection);
  if (!opener) return;
  if (context_.setup.sid_of(*opener) == 0) return clients_.hear(message);
  const auto* const packet = message.body.get<ZabMessage>();
  if (packet == nullptr) return;
  if (packet->kind == ZabMessage::Kind::initial) return votes_.accept(message.connection, packet->sid);
  if (packet->kind == ZabMessage::Kind::notification) return;  // a newer connection has replaced this one
  learners_.accept(message.connection, *packet);
}

// --- what falls due

void ZooServerProcess::time_passed(ZabMs now) {
  zab_.tick(now);
  while (sessions_.overdue(now)) {
    for (const std::int64_t session : sessions_.expire(now)) {
      context_.record(trace::zoo_session_expires, 0, static_cast<std::uint64_t>(session));
      requests_.end(session);
    }
  }
  proposals_.tick(now);
}

// --- what leaves

bool ZooServerProcess::flush_output() {
  const bool steps_down = zab_.leading() != nullptr && zab_.leading()->over();  // it cannot propose any more
  if (steps_down) zab_.tick(context_.now_ms());
  if (!zab_.records().empty()) disk_.add(zab_.records());
  std::vector<ZabOutput>& outputs = zab_.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) perform(outputs[i]);
  outputs.clear();
  return steps_down;
}

void ZooServerProcess::perform(const ZabOutput& o) {
  switch (o.kind) {
    case ZabOutput::Kind::notify:
      return votes_.notify(o.to, o.message);
    case ZabOutput::Kind::connect:
      return learners_.open(o.link, o.to);
    case ZabOutput::Kind::send:
      return learners_.send(o.link, o.message);
    case ZabOutput::Kind::close:
      return learners_.close(o.link);
  }
}

// --- the replicated state

void ZooServerProcess::apply(const ZabEntry& entry) {
  const auto& [read, hash, p] = context_.reader.read(entry);
  effects_.clear();
  std::optional<ZooReply> reply;  // only the server whose client waits makes a reply
  if (p.origin == context_.self && p.ticket != 0) reply.emplace();
  tree_.apply(p.txn, entry.zxid, effects_, reply ? &*reply : nullptr);
  proposals_.applied(entry.zxid);
  World& world = context_.world();
  const bool newest = context_.judge.applied(context_.self, entry.zxid, hash, p, effects_, world.now());
  zoo_record_applied(world, context_.service.node(), p.txn, entry.zxid, effects_, tree_, newest);
  clients_.events().fire(effects_);
  if (p.txn.kind == ZooTxn::Kind::create_session) sessions_.begun(p.txn.session, p.txn.timeout_ms);
  const bool closes = p.txn.kind == ZooTxn::Kind::close_session;
  const std::int64_t session = p.txn.session;
  if (reply) clients_.complete(p.ticket, *reply);
  if (!closes) return;
  sessions_.ended(session);
  clients_.end(session);
}

// It stands in the snapshot that is loaded, and in no log.
void ZooServerProcess::keep_truncated(const ZabEntry& entry) {
  effects_.clear();
  tree_.apply(context_.reader.read(entry).proposal.txn, entry.zxid, effects_, nullptr);
}

void ZooServerProcess::restore(std::string_view snapshot, ZabZxid zxid) {
  tree_.clear();
  if (!snapshot.empty()) PICKLOCK_CHECK(tree_.load(snapshot));
  context_.judge.restored(context_.self, zxid);
  context_.record(trace::zoo_loaded, 0, static_cast<std::uint64_t>(zxid), tree_.size());
}

void ZooServerProcess::truncates(ZabZxid last) {
  context_.record(trace::zoo_truncated, 0, static_cast<std::uint64_t>(last));
}

// --- what it is

void ZooServerProcess::record_role() {
  constexpr std::uint32_t kLooking = 0, kLeader = 1, kFollower = 2, kObserver = 3;
  std::uint32_t role = kLooking;
  if (zab_.role() == ZabRole::leading) role = kLeader;
  if (zab_.role() == ZabRole::following) role = kFollower;
  if (zab_.role() == ZabRole::observing) role = kObserver;
  context_.record(trace::zoo_role, role, static_cast<std::uint64_t>(zab_.epoch()),
                  static_cast<std::uint64_t>(tree_.last_zxid()));
}

void ZooServerProcess::leads(ZabEpoch epoch) {
  context_.judge.leads(context_.self, epoch);
  record_role();
  sessions_.lead();
  proposals_.lead();
}

void ZooServerProcess::follows(ZabSid) {
  record_role();
  sessions_.follow();
}

void ZooServerProcess::steps_back() {
  record_role();
  clients_.end_all();
  proposals_.clear();
  sessions_.clear();
}

void ZooServerProcess::from_leader(std::string_view body) {
  auto answer = ZooServerRequests::answer_in(body);
  if (answer) clients_.complete(answer->ticket, answer->reply);
}

}  // namespace picklock
