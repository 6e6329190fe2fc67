#include "campaigns/ranks/follow.hpp"

#include <stdexcept>

namespace picklock {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = RankMessage::Kind;
constexpr std::size_t kLeader = 0;

class Follower {
 public:
  Follower(Ranks& ranks, const SharedCells& cells, const FollowOptions& options)
      : ranks_(ranks), options_(options), team_(cells, options.threads) {}

  void follow() {
    try {
      ask(2 * options_.threads);  // one that is played, and one that waits, a thread
      while (!over()) {
        if (!send_results() && !hear()) rest();
      }
    } catch (const std::exception& problem) {
      say({.kind = Kind::failed, .wanted = 0, .played = {{}, 0, problem.what()}});
    }
    say({.kind = Kind::bye, .wanted = 0, .played = {}});
  }

 private:
  void say(const RankMessage& message) { ranks_.send(kLeader, packed(message)); }
  void ask(std::size_t wanted) {
    asked_ = Clock::now();
    if (!unanswered_) unanswered_ = asked_;
    say({.kind = Kind::ready, .wanted = wanted, .played = {}});
  }

  bool over() {
    if (!told_to_stop_ && (options_.stop == nullptr || !options_.stop->load())) return false;
    team_.forget_waiting();
    return team_.unfinished() == 0;
  }

  bool send_results() {
    bool any = false;
    while (auto played = team_.take()) {
      say({.kind = Kind::result, .wanted = 0, .played = std::move(*played)});
      any = true;
    }
    return any;
  }

  bool hear() {
    const auto received = ranks_.receive();
    if (!received) return false;
    unanswered_.reset();
    const RankMessage message = unpacked(received->message);
    if (message.kind == Kind::work) team_.give(message.played.item);
    if (message.kind == Kind::stop) told_to_stop_ = true;
    return true;
  }

  // A follower without work asks whether the leader is there.
  void rest() {
    std::this_thread::sleep_for(kBetweenLooks);
    if (team_.unfinished() > 0) return;
    const Clock::time_point now = Clock::now();
    if (unanswered_ && now - *unanswered_ > options_.patience) throw std::runtime_error("rank 0 answers no more");
    if (now - asked_ > options_.patience / 6) ask(0);
  }

  Ranks& ranks_;
  const FollowOptions& options_;
  bool told_to_stop_ = false;
  Clock::time_point asked_;
  std::optional<Clock::time_point> unanswered_;
  Team team_;
};

}  // namespace

void follow(Ranks& ranks, const SharedCells& cells, const FollowOptions& options) {
  Follower(ranks, cells, options).follow();
}

}  // namespace picklock
