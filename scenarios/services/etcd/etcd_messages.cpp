#include "scenarios/services/etcd/etcd_messages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/etcd/raft/wire.hpp"
#include "sim/etcd/wire.hpp"

namespace picklock {
namespace {

std::string words_of(const RaftMessage& m) {
  std::string kind(to_string(m.kind));
  std::replace(kind.begin(), kind.end(), '_', ' ');
  std::string words = fmt::format("{} of term {}", kind, m.term);
  if (!m.entries.empty())
    words += fmt::format(": {} {} after {}", m.entries.size(), m.entries.size() == 1 ? "entry" : "entries", m.index);
  if (m.commit != 0) words += fmt::format(", committed up to {}", m.commit);
  if (m.reject) words += ", refused";
  return words;
}

}  // namespace

std::string etcd_message_words(const CarriedMessage& message) {
  if (message.among_servers) {
    const auto raft = decode_raft_message(message.body);
    return raft ? words_of(*raft) : "";  // a renewal on its way to the leader has no words
  }
  if (message.answers) {
    const auto reply = decode_etcd_reply(message.body);
    return reply ? to_string(*reply) : "";
  }
  const auto timed = decode_etcd_timed_request(message.body);
  return timed ? to_string(timed->request) : "";
}

}  // namespace picklock
