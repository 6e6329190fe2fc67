// One question put to several independent Redis servers, and how they vote.
//
// A server votes *for* if it did what it was asked, *against* if it said no, and is *unreached* if it
// could not be asked; if its answer stays away it *abstains*, although it may have done what it was
// asked, or may yet.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "base/check.hpp"
#include "sim/task/combinators.hpp"
#include "sim/task/fields.hpp"
#include "sim/task/redis.hpp"

namespace picklock {

enum class Contact : std::uint8_t {
  sequential,  // one server after the other
  parallel     // all at once
};
constexpr auto enum_names(Contact) { return name_list("sequential", "parallel"); }

enum class Vote : std::uint8_t { outstanding, in_favour, against, unreached, abstained };

// Request about one key that a server gets.
struct BallotQuestion {
  enum class What : std::uint8_t {
    set,             // SET key value NX PX ttl
    release,         // delete if equal
    prolong,         // PEXPIRE if equal
    prolong_or_set,  // prolong, or SET NX PX if the key is gone
    expire_whosever  // PEXPIRE, whatever the value
  };
  What what = What::set;
  std::string key;
  std::string value;
  RedisNumber ttl_ms;
};

// Limits at which the asker goes on.  0: no limit; then all vote.
struct BallotRules {
  Contact contact = Contact::parallel;
  std::uint32_t in_favour = 0;   // votes for, after which it is decided
  std::uint32_t others = 0;      // votes that are not for, after which it is decided
  std::uint32_t unanswered = 0;  // servers unreached or abstaining, after which no other is asked
  bool settles_on_tie = true;    // false: if all have voted and no limit is reached, wait for ever
};

class Ballot {
 public:
  static constexpr std::size_t kMostServers = 99;

  explicit Ballot(std::size_t servers = 0) : size_(static_cast<std::uint8_t>(servers)) {
    PICKLOCK_CHECK(servers <= kMostServers);
    counts_[static_cast<std::size_t>(Vote::outstanding)] = size_;
  }
  std::span<const Vote> votes() const { return std::span(votes_).first(size_); }
  Vote operator[](std::size_t server) const { return votes_[server]; }
  std::uint32_t count(Vote v) const { return counts_[static_cast<std::size_t>(v)]; }
  // Servers that may have done it: for, abstained, or still asked.
  std::uint32_t possible() const { return count(Vote::in_favour) + count(Vote::abstained) + count(Vote::outstanding); }
  void vote(std::size_t server, Vote v) {
    --counts_[static_cast<std::size_t>(votes_[server])];
    ++counts_[static_cast<std::size_t>(v)];
    votes_[server] = v;
  }

 private:
  static constexpr std::size_t kVotes = static_cast<std::size_t>(Vote::abstained) + 1;
  std::uint8_t size_;
  std::array<std::uint8_t, kVotes> counts_{};
  std::array<Vote, kMostServers> votes_{};  // outstanding
};

// Asks every server.  Requests that are open at the decision go on: their tasks
// ("redis1", "redis2", …) belong to the process.  `servers` must live until it is decided.
Task<Ballot> ask_servers(Host host, std::span<const Redis> servers, BallotQuestion question, BallotRules rules);

}  // namespace picklock
