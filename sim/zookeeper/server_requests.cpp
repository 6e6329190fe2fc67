#include "sim/zookeeper/server_requests.hpp"

#include <string>
#include <utility>

#include "base/packing.hpp"

namespace picklock {
namespace {

enum class LearnerRequest : std::uint8_t { write, reattach };

}  // namespace

void ZooServerRequests::write(ZooTicket ticket, std::int64_t session, std::uint32_t hold, const ZooRequest& request) {
  if (zab_.leads()) return proposals_.submit({context_.self, ticket, session, hold}, kZooSelf, request);
  PackedHead<4> head;
  head.byte(static_cast<std::uint8_t>(LearnerRequest::write));
  head.number(ticket);
  head.word(static_cast<std::uint64_t>(session));
  head.number(hold);
  packed_.clear();
  encode(request, packed_);
  zab_.request(SharedBytes(head.view(), packed_));
}

void ZooServerRequests::end(std::int64_t session) {
  ZooRequest close;
  close.op = ZooOp::close_session;
  write(0, session, 0, close);
}

std::optional<ZooReply> ZooServerRequests::reattach(ZooTicket ticket, std::int64_t session) {
  const ZooSessionEntry* const entry = tree_.find_session(session);
  const std::int64_t timeout = entry != nullptr ? entry->timeout_ms : 0;
  if (zab_.leads()) {
    ZooReply reply;
    reply.timeout_ms = sessions_.reattach(kZooSelf, session, timeout);
    reply.session = reply.timeout_ms != 0 ? session : 0;
    return reply;
  }
  std::string body;
  Packer p(body);
  p.byte(static_cast<std::uint8_t>(LearnerRequest::reattach));
  p.number(ticket);
  p.word(static_cast<std::uint64_t>(session));
  p.integer(timeout);
  p.finish();
  zab_.request(body);
  return std::nullopt;
}

void ZooServerRequests::sync(ZooTicket ticket) {
  std::string body;
  Packer p(body);
  p.number(ticket);
  p.finish();
  zab_.sync(body);
}

ZooTicket ZooServerRequests::synced_in(std::string_view body) { return Unpacker(body).number(); }

std::optional<ZooServerRequests::Answer> ZooServerRequests::answer_in(std::string_view body) {
  Unpacker u(body);
  Answer a;
  a.ticket = u.number();
  a.reply.session = u.integer();
  a.reply.timeout_ms = u.integer();
  if (!u.good()) return std::nullopt;
  return a;
}

void ZooServerRequests::hear(ZabSid sid, ZabLink link, std::string_view body) {
  Unpacker u(body);
  const bool writes = static_cast<LearnerRequest>(u.byte()) == LearnerRequest::write;
  const ZooTicket ticket = u.number();
  const auto session = static_cast<std::int64_t>(u.word());
  if (writes) {
    const auto hold = static_cast<std::uint32_t>(u.number());
    if (u.good() && decode(u.rest(), request_)) proposals_.submit({sid, ticket, session, hold}, link, request_);
    return;
  }
  const std::int64_t timeout = u.integer();
  if (!u.good()) return;
  std::string answer;
  Packer p(answer);
  p.number(ticket);
  p.integer(session);
  p.integer(zab_.leads() ? sessions_.reattach(link, session, timeout) : 0);
  p.finish();
  zab_.reply(link, answer);
}

}  // namespace picklock
