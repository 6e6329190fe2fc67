// Replies of one etcd member: every answer and every event names the member, its term and its revision.
#pragma once

#include <utility>

#include "sim/etcd/member_context.hpp"
#include "sim/etcd/raft/raft.hpp"
#include "sim/etcd/state.hpp"

namespace picklock {

class EtcdReplies {
 public:
  EtcdReplies(const EtcdMemberContext& me, const Raft& raft, const EtcdState& state)
      : me_(me), raft_(raft), state_(state) {}

  void add_header(EtcdReply& reply) const {
    EtcdHeader& header = reply.header();
    header.member = me_.self;
    header.term = raft_.term();
    if (header.revision == 0) header.revision = state_.store().revision();
  }
  EtcdReply with_header(EtcdReply reply) const {
    add_header(reply);
    return reply;
  }
  EtcdReply failed(EtcdError error) const { return with_header(EtcdReply::failed(error)); }

  void reply(const Message& request, EtcdReply reply) const {
    add_header(reply);
    send(request, std::move(reply));
  }
  // As it stands, without this member's header.
  void send(const Message& request, const EtcdReply& reply) const { me_.service.reply(request, bytes_of(reply)); }
  void send(const Message& request, EtcdReply&& reply) const {
    me_.service.reply(request, kept_bytes_of(std::move(reply)));
  }
  void push(ConnectionId connection, EtcdReply reply) const {
    add_header(reply);
    picklock::send(me_.world(), {connection, 1}, kept_bytes_of(std::move(reply)));
  }

 private:
  Bytes bytes_of(const EtcdReply& reply) const { return encode(reply, me_.world().arena()); }
  Bytes kept_bytes_of(EtcdReply&& reply) const {
    Bytes bytes = bytes_of(reply);
    const bool whole = reply.error == EtcdError::none;  // of an error nothing else is sent
    if (whole && me_.setup.sent != nullptr) {
      *bytes.known<EtcdSentPlace>() = me_.setup.sent->replies.keep(std::move(reply));
    }
    return bytes;
  }

  const EtcdMemberContext& me_;
  const Raft& raft_;
  const EtcdState& state_;
};

}  // namespace picklock
