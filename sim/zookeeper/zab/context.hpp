// The context that the parts of one peer share.
#pragma once

#include "sim/quorum/outbox.hpp"
#include "sim/zookeeper/zab/history.hpp"
#include "sim/zookeeper/zab/machine.hpp"
#include "sim/zookeeper/zab/message.hpp"

namespace picklock {

struct ZabContext {
  const ZabEnsemble& ensemble;
  const ZabOptions& options;
  ZabSid self;
  ZabHistory& history;
  ZabMachine& machine;
  DurableOutbox<ZabOutput>& out;

  void send(ZabLink link, ZabMessage&& m) {
    ZabOutput& o = out.ready().emplace_back();
    o.kind = ZabOutput::Kind::send;
    o.link = link;
    o.message = std::move(m);
  }
  void send(ZabLink link, ZabMessage::Kind kind, ZabZxid zxid, std::string_view body = {}) {
    ZabOutput& o = out.ready().emplace_back();
    o.kind = ZabOutput::Kind::send;
    o.link = link;
    o.message.kind = kind;
    o.message.zxid = zxid;
    if (!body.empty()) o.message.body = body;
  }
  // Leaves once what was recorded up to `needs` is on the platter.
  void send_after(ZabPosition needs, ZabLink link, ZabMessage&& m) {
    if (needs <= out.persisted()) return send(link, std::move(m));
    out.send_after(needs, {ZabOutput::Kind::send, link, 0, std::move(m)});
  }
  void close(ZabLink link) { out.send({ZabOutput::Kind::close, link, 0, {}}); }
};

inline ZabMessage zab_packet(ZabMessage::Kind kind, ZabZxid zxid = 0, std::string body = {}) {
  ZabMessage m;
  m.kind = kind;
  m.zxid = zxid;
  m.body = std::move(body);
  return m;
}

}  // namespace picklock
