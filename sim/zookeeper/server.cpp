// The process: what arrives, what falls due, and what leaves for the other servers.

#include "sim/zookeeper/server.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"

namespace picklock {

// co_await Nap(…): until something has been received, or something is due.
class [[nodiscard]] ZooServer::Nap {
 public:
  Nap(ZooServer& server, const Service& service, ZabMs until)
      : server_(server), world_(service.world()), node_(service.node()), until_(until) {}
  bool await_ready() const { return !world_.inbox(node_).empty(); }
  void await_suspend(std::coroutine_handle<> me) {
    wait_.set(world_, world_.wait(node_, me, "messages"));
    const MonoTime at = until_ == kZabNever ? MonoTime{} + kForever : MonoTime{until_ * 1'000'000};
    timer_.set(world_, world_.wait_until(node_, me, at, "its timer"));
    world_.set_receiver(node_, wait_.id());
    server_.nap_ = wait_.id();
    server_.nap_until_ = until_;
  }
  void await_resume() {
    if (wait_.id() != 0) world_.set_receiver(node_, 0);
    server_.nap_ = 0;
    timer_.reset();
    wait_.reset();
  }

 private:
  ZooServer& server_;
  World& world_;
  NodeId node_;
  ZabMs until_;
  OwnedWait wait_, timer_;
};

ZabSid ZooServer::sid_of(NodeId node) const {
  const auto place = [node](const std::vector<NodeId>& in) {
    return static_cast<std::size_t>(std::find(in.begin(), in.end(), node) - in.begin());
  };
  const std::size_t voter = place(setup_.servers);
  if (voter < setup_.servers.size()) return static_cast<ZabSid>(voter + 1);
  const std::size_t observer = place(setup_.observers);
  return observer < setup_.observers.size() ? static_cast<ZabSid>(setup_.servers.size() + observer + 1) : 0;
}

NodeId ZooServer::node_of(ZabSid sid) const {
  return sid <= setup_.servers.size() ? setup_.servers[sid - 1] : setup_.observers[sid - 1 - setup_.servers.size()];
}

void ZooServer::boot(World& world, NodeId node) {
  service_.emplace(world, node);
  judge_ = setup_.judge != nullptr ? setup_.judge : &own_judge_;
  if (setup_.judge == nullptr && world.incarnation(node) == 0) own_judge_.reset();
  sid_ = sid_of(node);
  tree_ = ZooTree(setup_.options.overflow(), setup_.directories);
  changes_.clear();
  watches_.clear();
  tracker_.reset();
  touches_.clear();
  clients_.clear();
  tickets_.clear();
  links_.clear();
  votes_.assign(setup_.servers.size() + setup_.observers.size(), {});
  late_.clear();
  to_write_.clear();
  nap_ = 0;
  written_ = 0;
  containers_at_ = kZabNever;
  last_ticket_ = std::uint64_t{world.incarnation(node)} << 40;
  sessions_made_ = 0;
  // A run begins: nothing of the one before may name its draws.
  if (world.incarnation(node) == 0) steps_ = writes_ = 0;
  something_to_write_.emplace(service_->host(), "log entries");
  ZabEnsemble ensemble;
  for (ZabSid s = 1; s <= votes_.size(); ++s) ensemble.members.push_back({s, s > setup_.servers.size()});
  ZabOptions options = setup_.options.zab();
  options.snapshot_every = setup_.snapshot_every;
  if (setup_.zab_flaw != ZabFlaw::none) options.flaw = setup_.zab_flaw;
  ZabMachine& machine = *this;
  zab_.emplace(std::move(ensemble), sid_, options, machine);
  world.start(node, "main", serve(*service_));
}

Task<void> ZooServer::serve(Service service) {
  World& w = service.world();
  const NodeId node = service.node();
  w.serve_background(++steps_);
  ZabStored stored = co_await load(service);
  zab_->boot(std::move(stored), now_ms());
  service.host().spawn("disk", write(service));
  flush();
  for (;;) {
    const ZabMs until = due();
    co_await Nap(*this, service, until);
    if (!w.inbox(node).empty()) {
      Message message = w.inbox(node).pop();
      const std::size_t late = late_.size();
      if (message.kind == SegmentKind::data) w.serve(message);
      arrived(message);
      if (late != 0) send_late_events();
    }
    if (now_ms() >= due()) {
      w.serve_background(++steps_);
      time_passed();
    }
    flush();
  }
}

// --- what arrives

void ZooServer::arrived(Message& message) {
  if (message.direction == 1) return arrived_on_own_link(message);
  const auto link = std::find_if(links_.begin(), links_.end(),
                                 [&](const Link& l) { return l.connection == message.connection && l.end == 1; });
  if (link == links_.end() && arrived_on_vote_link(message)) return;
  if (message.kind != SegmentKind::data) {
    if (link == links_.end()) return forget(message.connection);
    const ZabLink id = link->id;
    links_.erase(link);
    return zab_->closed(id, now_ms());
  }
  if (link != links_.end()) {
    if (decode(message.body.view(), packet_)) zab_->received(link->id, packet_, now_ms());
    return;
  }
  if (clients_.contains(message.connection)) return heard_client(message);
  const std::optional<NodeId> opener = world().network.opener(message.connection);
  if (!opener) return;
  if (sid_of(*opener) == 0) return heard_client(message);
  if (!decode(message.body.view(), packet_)) return;
  if (packet_.kind == ZabMessage::Kind::initial) return vote_link_accepted(message.connection, packet_.sid);
  if (packet_.kind == ZabMessage::Kind::notification) return;  // on a connection that another has replaced
  const ZabLink id = zab_->accept();
  links_.push_back({message.connection, id, 1});
  zab_->received(id, packet_, now_ms());
}

void ZooServer::arrived_on_own_link(Message& message) {
  const auto link = std::find_if(links_.begin(), links_.end(),
                                 [&](const Link& l) { return l.connection == message.connection && l.end == 0; });
  if (link != links_.end()) {
    const ZabLink id = link->id;
    switch (message.kind) {
      case SegmentKind::opened:
        return zab_->opened(id, now_ms());
      case SegmentKind::data:
        if (decode(message.body.view(), packet_)) zab_->received(id, packet_, now_ms());
        return;
      default:
        links_.erase(link);
        return zab_->closed(id, now_ms());
    }
  }
  (void)arrived_on_vote_link(message);
}

// --- what falls due

ZabMs ZooServer::due() const {
  ZabMs at = std::min(zab_->due(), containers_at_);
  if (tracker_ && tracker_->size() != 0) at = std::min(at, tracker_->next_look_ms());
  return at;
}

void ZooServer::time_passed() {
  zab_->tick(now_ms());
  if (tracker_) expire_sessions();
  if (now_ms() >= containers_at_) remove_containers();
}

// --- what leaves

void ZooServer::flush() {
  if (zab_->leading() != nullptr && zab_->leading()->over()) zab_->tick(now_ms());  // it cannot propose any more
  for (ZabRecord& r : zab_->records()) to_write_.push_back(std::move(r));
  zab_->records().clear();
  if (!to_write_.empty()) something_to_write_->set();
  std::vector<ZabOutput>& outputs = zab_->outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) perform(outputs[i]);
  outputs.clear();
}

void ZooServer::perform(const ZabOutput& o) {
  if (o.kind == ZabOutput::Kind::notify) return notify(o.to, o.message);
  if (o.kind == ZabOutput::Kind::connect) {
    links_.push_back(
        {world().network.open(service_->node(), node_of(o.to), world().current_operation(), world().next_segment()),
         o.link, 0});
    return;
  }
  const auto link = std::find_if(links_.begin(), links_.end(), [&](const Link& l) { return l.id == o.link; });
  if (link == links_.end()) return;
  if (o.kind == ZabOutput::Kind::send) return transmit(link->connection, link->end, o.message);
  world().network.close(link->connection, link->end);
  links_.erase(link);
}

void ZooServer::transmit(ConnectionId connection, std::uint8_t end, const ZabMessage& message) {
  packed_.clear();
  encode(message, packed_);
  Message m;
  m.body = Bytes(world().arena(), packed_);
  m.operation = world().current_operation();
  m.n = world().next_segment();
  m.connection = connection;
  m.direction = end;
  world().network.send(std::move(m));
}

// Deduplication of worlds never merges two in which servers live: their clocks run on anyway.
std::uint64_t ZooServer::fingerprint(const World& world, NodeId node) const {
  return world.alive(node) ? mix(world.events(), static_cast<std::uint64_t>(world.now().ns)) : 0;
}

}  // namespace picklock
