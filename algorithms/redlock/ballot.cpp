#include "algorithms/redlock/ballot.hpp"

#include "algorithms/redis/redis_scripts.hpp"

namespace picklock {
namespace {

// Shared by the asker and its tasks; lives as long as one of them.
struct Count {
  Count(const Host& host, std::size_t servers, BallotQuestion what)
      : question(std::move(what)), ballot(servers), changed(host, "votes") {}
  BallotQuestion question;
  Ballot ballot;
  Event changed;
};

bool settled(const Ballot& ballot, const BallotRules& rules) {
  const std::uint32_t unanswered = ballot.count(Vote::unreached) + ballot.count(Vote::abstained);
  const std::uint32_t in_favour = ballot.count(Vote::in_favour), others = ballot.count(Vote::against) + unanswered;
  const auto reached = [](std::uint32_t n, std::uint32_t limit) { return limit != 0 && n >= limit; };
  if (reached(in_favour, rules.in_favour) || reached(others, rules.others)) return true;
  if (reached(unanswered, rules.unanswered)) return true;
  return ballot.count(Vote::outstanding) == 0 && (rules.settles_on_tie || (rules.in_favour == 0 && rules.others == 0));
}

Redis::Verb<Nothing> asked(const Redis& redis, const BallotQuestion& q) {
  using What = BallotQuestion::What;
  switch (q.what) {
    case What::set:
      return redis.set_nx_px(q.key, q.value, q.ttl_ms);
    case What::release:
      return delete_if_equals(redis, q.key, q.value);
    case What::prolong:
      return expire_if_equals(redis, q.key, q.value, q.ttl_ms);
    case What::prolong_or_set:
      return expire_or_set(redis, q.key, q.value, q.ttl_ms);
    case What::expire_whosever:
      break;
  }
  return redis.pexpire(q.key, q.ttl_ms);
}

Vote vote_of(const Outcome<>& answer) {
  if (answer.yes()) return Vote::in_favour;
  if (answer.unknown()) return Vote::abstained;
  return answer.why() == Why::not_connected ? Vote::unreached : Vote::against;
}

Task<void> ask_one(Host, Redis redis, std::shared_ptr<Count> count, std::size_t server) {
  const Outcome<> answer = co_await asked(redis, count->question);
  count->ballot.vote(server, vote_of(answer));
  count->changed.notify();
}

std::string_view name_of_task(std::size_t server) {
  static const auto kNames = [] {
    std::array<std::string, Ballot::kMostServers> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = "redis" + std::to_string(i + 1);
    return names;
  }();
  return kNames[server];
}

}  // namespace

Task<Ballot> ask_servers(Host host, std::span<const Redis> servers, BallotQuestion question, BallotRules rules) {
  const auto count = std::make_shared<Count>(host, servers.size(), std::move(question));
  if (rules.contact == Contact::sequential) {
    for (std::size_t i = 0; i < servers.size() && !settled(count->ballot, rules); ++i) {
      const Outcome<> answer = co_await asked(servers[i], count->question);
      count->ballot.vote(i, vote_of(answer));
    }
  } else {
    for (std::size_t i = 0; i < servers.size(); ++i) {
      host.spawn(name_of_task(i), ask_one(host, servers[i], count, i));
    }
  }
  while (!settled(count->ballot, rules)) co_await count->changed.wait();
  co_return count->ballot;
}

}  // namespace picklock
