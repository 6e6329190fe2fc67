// One question put to several independent Redis servers, and how they vote.
//
// A server votes *for* if it did what it was asked, *against* if it said no, and is *unreached* if it
// could not be asked; if its answer stays away it *abstains*, although it may have done what it was
// asked, or may yet.
#pragma once

#include <memory>
#include <vector>

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

// What a server is asked to do with one key.
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
  Duration ttl{};
};

// When the asker goes on.  A limit of 0 is none: then all vote.
struct BallotRules {
  Contact contact = Contact::parallel;
  std::uint32_t in_favour = 0;   // votes for, after which it is decided
  std::uint32_t others = 0;      // votes that are not for, after which it is decided
  std::uint32_t unanswered = 0;  // servers unreached or abstaining, after which no other is asked
  bool settles_on_tie = true;    // false: where all have voted and no limit is reached, wait for ever
};

class Ballot {
 public:
  explicit Ballot(std::vector<Vote> votes = {}) : votes_(std::move(votes)) {}
  std::span<const Vote> votes() const { return votes_; }
  Vote operator[](std::size_t server) const { return votes_[server]; }
  std::uint32_t count(Vote v) const;
  // Servers that may have done it: for, abstained, or still asked.
  std::uint32_t possible() const;

 private:
  std::vector<Vote> votes_;
};

// Asks every server.  Those that are still being asked when it is decided go on to be: their tasks
// ("redis1", "redis2", …) belong to the process.
Task<Ballot> ask_servers(Host host, std::vector<Redis> servers, BallotQuestion question, BallotRules rules);

}  // namespace picklock
