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

  void send(ZabLink link, ZabMessage&& m) { on(link, out.ready().emplace_back()) = std::move(m); }
  void send(ZabLink link, ZabMessage::Kind kind, ZabZxid zxid, SharedBytes body = {}) {
    ZabMessage& m = on(link, out.ready().emplace_back());
    m.kind = kind;
    m.zxid = zxid;
    m.body = std::move(body);
  }
  // Leaves once what was recorded up to `needs` is on the platter.
  void send_after(ZabPosition needs, ZabLink link, ZabMessage&& m) { on(link, out.add_after(needs)) = std::move(m); }
  void send_after(ZabPosition needs, ZabLink link, ZabMessage::Kind kind, ZabZxid zxid) {
    ZabMessage& m = on(link, out.add_after(needs));
    m.kind = kind;
    m.zxid = zxid;
  }
  void close(ZabLink link) { out.send({ZabOutput::Kind::close, link, 0, {}}); }

 private:
  static ZabMessage& on(ZabLink link, ZabOutput& output) {
    output.kind = ZabOutput::Kind::send;
    output.link = link;
    return output.message;
  }
};

inline ZabMessage zab_packet(ZabMessage::Kind kind, ZabZxid zxid = 0) {
  ZabMessage m;
  m.kind = kind;
  m.zxid = zxid;
  return m;
}

}  // namespace picklock
