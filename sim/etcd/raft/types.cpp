#include "sim/etcd/raft/types.hpp"

#include "sim/etcd/raft/options.hpp"

namespace picklock {

std::string_view to_string(RaftRole role) {
  constexpr std::array<std::string_view, 4> kNames = {"follower", "pre-candidate", "candidate", "leader"};
  return kNames[static_cast<std::size_t>(role)];
}

std::string_view to_string(RaftMessage::Kind kind) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(RaftMessage::Kind::count_)> kNames = {
      "append",   "append-reply",   "heartbeat", "heartbeat-reply", "vote", "vote-reply",
      "pre-vote", "pre-vote-reply", "snapshot",  "propose",         "read", "read-reply"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_string(RaftFlaw flaw) {
  constexpr std::array<std::string_view, kRaftFlaws> kNames = {"none",
                                                               "votes-twice",
                                                               "votes-for-shorter-logs",
                                                               "forgets-vote",
                                                               "forgets-term",
                                                               "sends-before-durable",
                                                               "acks-itself-before-durable",
                                                               "commits-old-term",
                                                               "commits-beyond-match",
                                                               "accepts-without-match",
                                                               "truncates-agreeing-entries",
                                                               "applies-uncommitted",
                                                               "reads-without-quorum",
                                                               "reads-before-own-commit",
                                                               "ignores-check-quorum",
                                                               "ignores-lease"};
  return kNames[static_cast<std::size_t>(flaw)];
}

}  // namespace picklock
