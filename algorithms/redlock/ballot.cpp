#include "algorithms/redlock/ballot.hpp"

#include <algorithm>
#include <array>

#include "algorithms/redis/redis_scripts.hpp"

namespace picklock {
namespace {

constexpr std::size_t kVotes = static_cast<std::size_t>(Vote::abstained) + 1;

// Shared by the asker and its tasks; lives as long as one of them.
struct Count {
  Count(const Host& host, std::size_t servers, BallotQuestion what)
      : question(std::move(what)), votes(servers, Vote::outstanding), changed(host, "votes") {}
  BallotQuestion question;
  std::vector<Vote> votes;
  Event changed;

  bool settled(const BallotRules& rules) const {
    std::array<std::uint32_t, kVotes> counted{};
    for (const Vote v : votes) ++counted[static_cast<std::size_t>(v)];
    const auto of = [&](Vote v) { return counted[static_cast<std::size_t>(v)]; };
    const std::uint32_t unanswered = of(Vote::unreached) + of(Vote::abstained), in_favour = of(Vote::in_favour);
    const std::uint32_t others = of(Vote::against) + unanswered;
    const auto reached = [](std::uint32_t n, std::uint32_t limit) { return limit != 0 && n >= limit; };
    if (reached(in_favour, rules.in_favour) || reached(others, rules.others)) return true;
    if (reached(unanswered, rules.unanswered)) return true;
    return of(Vote::outstanding) == 0 && (rules.settles_on_tie || (rules.in_favour == 0 && rules.others == 0));
  }
};

template <class T>
Vote vote_of(const Outcome<T>& answer) {
  if (answer.yes()) return Vote::in_favour;
  if (answer.unknown()) return Vote::abstained;
  return answer.why() == Why::not_connected ? Vote::unreached : Vote::against;
}

// The question outlives the task: it lies in the Count.
Task<Vote> ask(Host, Redis redis, const BallotQuestion* question) {
  const BallotQuestion& q = *question;
  using What = BallotQuestion::What;
  switch (q.what) {
    case What::set: {
      const auto set = co_await redis.set_nx_px(q.key, q.value, q.ttl);
      co_return vote_of(set);
    }
    case What::release: {
      const auto reply = co_await delete_if_equals(redis, q.key, q.value);
      co_return vote_of(yes_if_one(reply));
    }
    case What::prolong: {
      const auto reply = co_await expire_if_equals(redis, q.key, q.value, q.ttl);
      co_return vote_of(yes_if_one(reply));
    }
    case What::prolong_or_set: {
      const auto reply = co_await expire_or_set(redis, q.key, q.value, q.ttl);
      co_return vote_of(yes_if_one(reply));
    }
    case What::expire_whosever: {
      const auto expired = co_await redis.pexpire(q.key, q.ttl);
      co_return vote_of(expired);
    }
  }
  co_return Vote::against;
}

Task<void> ask_one(Host host, Redis redis, std::shared_ptr<Count> count, std::size_t server) {
  const Vote vote = co_await ask(host, redis, &count->question);
  count->votes[server] = vote;
  count->changed.notify();
}

std::string name_of_task(std::size_t server) { return "redis" + std::to_string(server + 1); }

}  // namespace

std::uint32_t Ballot::count(Vote v) const {
  return static_cast<std::uint32_t>(std::count(votes_.begin(), votes_.end(), v));
}

std::uint32_t Ballot::possible() const {
  return count(Vote::in_favour) + count(Vote::abstained) + count(Vote::outstanding);
}

Task<Ballot> ask_servers(Host host, std::vector<Redis> servers, BallotQuestion question, BallotRules rules) {
  const auto count = std::make_shared<Count>(host, servers.size(), std::move(question));
  if (rules.contact == Contact::sequential) {
    for (std::size_t i = 0; i < servers.size() && !count->settled(rules); ++i) {
      const Vote vote = co_await ask(host, servers[i], &count->question);
      count->votes[i] = vote;
    }
  } else {
    for (std::size_t i = 0; i < servers.size(); ++i) {
      host.spawn(name_of_task(i), ask_one(host, servers[i], count, i));
    }
  }
  while (!count->settled(rules)) co_await count->changed.wait();
  co_return Ballot(count->votes);
}

}  // namespace picklock
