#include "sim/zookeeper/zab/zab_lab.hpp"

#include <algorithm>
#include <cstdlib>

namespace picklock::testing {

ZabLab::ZabLab(const ZabLabOptions& options) : options_(options), state_(options.seed) {
  options_.zab.committed_log = 5;
  for (std::size_t i = 0; i < options.voters + options.observers; ++i) {
    ensemble_.members.push_back({static_cast<ZabSid>(i + 1), i >= options.voters});
    nodes_.push_back(std::make_unique<Node>());
    nodes_.back()->lab = this;
    nodes_.back()->sid = static_cast<ZabSid>(i + 1);
  }
  for (auto& n : nodes_) boot(*n);
}

void ZabLab::run(const std::vector<ZabMishap>& plan, ZabMs until) {
  for (const ZabMishap& m : plan) {
    push(m.at, [this, m] { inject(m); });
  }
  run_until(until);
}

void ZabLab::run_until(ZabMs until) {
  while (witness.content() && !events_.empty() && events_.top().at <= until) {
    auto act = std::move(const_cast<Event&>(events_.top()).act);
    now_ = events_.top().at;
    events_.pop();
    act();
  }
  now_ = std::max(now_, until);
}

std::size_t ZabLab::leaders() const {
  std::size_t n = 0;
  for (const auto& node : nodes_) n += node->up && node->peer->leads() ? 1 : 0;
  return n;
}

bool ZabLab::converged() const {
  for (const auto& n : nodes_) {
    if (!n->up || !n->peer->serves() || n->applied != witness.sequence().size()) return false;
  }
  return leaders() == 1;
}

void ZabLab::propose(std::size_t i) {
  if (!nodes_[i]->up || !nodes_[i]->peer->leads()) return;
  nodes_[i]->peer->propose("t" + std::to_string(++proposals_), now_);
  after(*nodes_[i]);
}

void ZabLab::inject(ZabMishap m) {
  if (m.who == ZabMishap::all) {
    for (m.who = 0; m.who < nodes_.size(); ++m.who) {
      m.lasts = between(1, 1500);
      inject(m);
    }
    return;
  }
  if (m.who == ZabMishap::leading) {
    for (m.who = 0; m.who < nodes_.size() && nodes_[m.who]->peer->role() != ZabRole::leading;) ++m.who;
  }
  Node& n = *nodes_[m.who % nodes_.size()];
  switch (m.kind) {
    case ZabMishap::Kind::kill:
    case ZabMishap::Kind::power_loss:
      return crash(n, m.kind == ZabMishap::Kind::power_loss, m.lasts);
    case ZabMishap::Kind::cut:
      ++n.cuts;
      push(now_ + m.lasts, [this, &n] {
        --n.cuts;
        flush_held();
      });
      return;
    case ZabMishap::Kind::reset_links:
      return reset_links(n);
    case ZabMishap::Kind::slow_disk:
      n.slow_until = now_ + m.lasts;
      return;
    case ZabMishap::Kind::propose:
      for (std::size_t i = 0; i < nodes_.size(); ++i) propose(i);
      return;
    case ZabMishap::Kind::pause:
      n.paused_until = std::max(n.paused_until, now_ + m.lasts);
      return;
  }
}

void ZabLab::boot(Node& n) {
  n.up = true;
  ++n.life;
  n.peer = std::make_unique<ZabPeer>(ensemble_, n.sid, options_.zab, n);
  n.handed_over = 0;
  n.disk_free_at = now_;
  n.wakes_at = -1;
  n.paused_until = 0;
  n.durable = n.cached;  // a server that boots syncs what it finds
  n.peer->boot(n.cached, now_);
  after(n);
}

void ZabLab::crash(Node& n, bool power, ZabMs lasts) {
  if (!n.up) return;
  reset_links(n, true);
  n.up = false;
  ++n.life;
  if (power) n.cached = n.durable;
  push(now_ + std::max<ZabMs>(lasts, 1), [this, &n] {
    if (!n.up) boot(n);
  });
}

void ZabLab::reset_links(Node& n, bool dies) {
  for (auto& l : links_) {
    if (!l->open || (l->end[0] != &n && l->end[1] != &n)) continue;
    l->open = false;
    for (int side = 0; side < 2; ++side) {
      Node& end = *l->end[side];
      if ((dies && &end == &n) || !end.up || end.life != l->life[side]) continue;
      travel(n, end, now_ + between(1, 8), [this, &end, id = l->id[side], life = end.life] {
        if (end.life != life) return;
        end.peer->closed(id, now_);
        after(end);
      });
    }
  }
}

void ZabLab::arrive(Node& from, Node& to, std::function<void()> act) {
  const auto same_way = [&](const Held& h) { return h.from == &from && h.to == &to; };
  if (&from != &to && (from.cuts + to.cuts > 0 || std::any_of(held_.begin(), held_.end(), same_way))) {
    held_.push_back({&from, &to, std::move(act)});
  } else if (to.up && to.paused_until > now_) {
    push(to.paused_until, [this, &from, &to, act = std::move(act)]() mutable { arrive(from, to, std::move(act)); });
  } else {
    act();
  }
}

void ZabLab::flush_held() {
  std::deque<Held> all = std::exchange(held_, {});
  for (Held& h : all) {
    if (h.from->cuts + h.to->cuts > 0) {
      held_.push_back(std::move(h));
    } else {
      arrive(*h.from, *h.to, std::move(h.act));
    }
  }
}

void ZabLab::after(Node& n) {
  write_records(n);
  std::vector<ZabOutput> outputs = std::exchange(n.peer->outputs(), {});
  for (ZabOutput& o : outputs) perform(n, o);
  wake_in_time(n);
}

void ZabLab::wake_in_time(Node& n) {
  const ZabMs due = std::max(n.peer->due(), now_);
  if (n.peer->due() == kZabNever || due == n.wakes_at) return;
  n.wakes_at = due;
  push(due, [this, &n, life = n.life, due] {
    if (n.life != life || n.wakes_at != due) return;
    n.wakes_at = -1;
    if (n.paused_until > now_) {
      push(n.paused_until, [this, &n, life] {
        if (n.life == life) tick(n);
      });
      return;
    }
    tick(n);
  });
}

void ZabLab::tick(Node& n) {
  n.peer->tick(now_);
  after(n);
}

void ZabLab::write_records(Node& n) {
  for (ZabRecord& r : n.peer->records()) {
    const ZabPosition position = ++n.handed_over;
    write(n.cached, r);
    n.disk_free_at = std::max(n.disk_free_at, now_) + (n.slow_until > now_ ? between(20, 300) : between(1, 6));
    push(n.disk_free_at, [this, &n, life = n.life, position, r = std::move(r)] {
      if (n.life != life) return;
      if (r.sync) write(n.durable, r);
      n.peer->persisted(position, now_);
      after(n);
    });
  }
  n.peer->records().clear();
}

void ZabLab::write(ZabStored& disk, const ZabRecord& r) {
  switch (r.kind) {
    case ZabRecord::Kind::accepted_epoch:
      disk.accepted = r.epoch;
      return;
    case ZabRecord::Kind::current_epoch:
      disk.current = r.epoch;
      return;
    case ZabRecord::Kind::append:
      disk.log.push_back(r.entry);
      return;
    case ZabRecord::Kind::truncate:
      disk.log = r.log;
      return;
    case ZabRecord::Kind::snapshot:
      disk.snapshot_zxid = r.entry.zxid;
      disk.snapshot = r.entry.txn.view();
      disk.log = r.log;
      return;
  }
}

void ZabLab::perform(Node& n, ZabOutput& o) {
  if (lines_ != nullptr && o.kind != ZabOutput::Kind::connect && o.kind != ZabOutput::Kind::close) note(n, o);
  switch (o.kind) {
    case ZabOutput::Kind::notify: {
      Node& to = *nodes_[o.to - 1];
      ++sent_[0];
      ZabMs& at = n.notified_at[o.to];
      at = std::max(at, now_ + between(1, 8));
      travel(n, to, at, [this, &to, m = wire(o.message)] {
        if (!to.up) return;
        to.peer->heard(m, now_);
        after(to);
      });
      return;
    }
    case ZabOutput::Kind::connect:
      return connect(n, o);
    case ZabOutput::Kind::send:
      return send(n, o);
    case ZabOutput::Kind::close:
      return close(n, o);
  }
}

void ZabLab::note(const Node& n, const ZabOutput& o) {
  if (o.message.kind == ZabMessage::Kind::ping || o.message.kind == ZabMessage::Kind::pong) return;
  std::string to = "?";
  if (o.kind == ZabOutput::Kind::notify) to = std::to_string(o.to);
  for (const auto& l : links_) {
    for (int side = 0; side < 2; ++side) {
      if (o.kind == ZabOutput::Kind::send && l->end[side] == &n && l->id[side] == o.link && l->life[side] == n.life) {
        to = std::to_string(l->end[1 - side]->sid);
      }
    }
  }
  lines_->push_back(std::to_string(n.sid) + ">" + to + " " + to_string(o.message));
}

void ZabLab::connect(Node& n, const ZabOutput& o) {
  Node& to = *nodes_[o.to - 1];
  links_.push_back(std::make_unique<Link>());
  Link& l = *links_.back();
  l.end[0] = &n;
  l.end[1] = &to;
  l.life[0] = n.life;
  l.id[0] = o.link;
  travel(n, to, now_ + between(1, 8), [this, &l] {
    Node &from = *l.end[0], &there = *l.end[1];
    if (!l.open || !there.up) {
      l.open = false;
      travel(there, from, now_ + between(1, 8), [this, &from, id = l.id[0], life = l.life[0]] {
        if (from.life != life) return;
        from.peer->closed(id, now_);
        after(from);
      });
      return;
    }
    l.life[1] = there.life;
    l.id[1] = there.peer->accept();
    travel(there, from, now_ + between(1, 8), [this, &l, &from] {
      if (!l.open || from.life != l.life[0]) return;
      from.peer->opened(l.id[0], now_);
      after(from);
    });
  });
}

ZabLab::Link* ZabLab::find(const Node& n, ZabLink id, int& side) {
  for (auto& l : links_) {
    for (side = 0; side < 2; ++side) {
      if (l->open && l->end[side] == &n && l->id[side] == id && l->life[side] == n.life) return l.get();
    }
  }
  return nullptr;
}

void ZabLab::send(Node& n, const ZabOutput& o) {
  int side = 0;
  Link* const l = find(n, o.link, side);
  if (l == nullptr) return;
  ++sent_[static_cast<std::size_t>(o.message.kind)];
  Node& to = *l->end[1 - side];
  l->free_at[side] = std::max(l->free_at[side], now_ + between(1, 8));
  travel(n, to, l->free_at[side], [this, &to, id = l->id[1 - side], life = l->life[1 - side], m = wire(o.message)] {
    if (to.life != life) return;
    to.peer->received(id, m, now_);
    after(to);
  });
}

void ZabLab::close(Node& n, const ZabOutput& o) {
  int side = 0;
  Link* const l = find(n, o.link, side);
  if (l == nullptr) return;
  l->open = false;
  Node& to = *l->end[1 - side];
  if (l->life[1 - side] == 0) return;
  travel(n, to, std::max(l->free_at[side], now_ + 1), [this, &to, id = l->id[1 - side], life = l->life[1 - side]] {
    if (to.life != life) return;
    to.peer->closed(id, now_);
    after(to);
  });
}

ZabMessage ZabLab::wire(const ZabMessage& m) {
  std::string packed;
  encode(m, packed);
  ZabPacket packet;
  if (!decode(packed, packet)) std::abort();
  ZabMessage back;
  static_cast<ZabMessageHead&>(back) = packet;
  back.body = packet.body;
  return back;
}

}  // namespace picklock::testing
