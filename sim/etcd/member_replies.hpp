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
  // Sends the reply unchanged, without this member's header.
  void send(const Message& request, EtcdReply reply) const {
    me_.service.reply(request, Payload::of(me_.world().tasks.arena(), std::move(reply)));
  }
  void push(ConnectionId connection, EtcdReply reply) const {
    add_header(reply);
    picklock::send(me_.world(), {connection, 1}, Payload::of(me_.world().tasks.arena(), std::move(reply)));
  }

 private:
  const EtcdMemberContext& me_;
  const Raft& raft_;
  const EtcdState& state_;
};

}  // namespace picklock
