#include "bridge/zookeeper_servers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "bridge/jute.hpp"

namespace picklock {
namespace {

// Requests leave in the order of their numbers, and answers reach the program in the order in which they came.
class ZooProgramConnection final : public ProgramConnection {
 public:
  ZooProgramConnection(const Host& host, ZooConnections& all, std::size_t server)
      : ProgramConnection(host), all_(all), server_(server), turn_(host, "an earlier request") {}

  void open(Event& changed) override { number_ = all_.open(server_, changed); }
  State state() const override {
    if (!number_) return State::opening;
    switch (all_.state(*number_)) {
      case ZooConnections::State::opening:
        return State::opening;
      case ZooConnections::State::open:
        return State::open;
      default:
        return State::closed;
    }
  }
  void close() override {
    if (number_) all_.close(*std::exchange(number_, std::nullopt));
    closed_ = true;
    turn_.set();
    for (auto& waiting : waiting_) waiting->came.set();
  }

  void feed(std::string_view bytes) override { jute_.feed(bytes); }
  std::optional<ProgramRequest> next() override {
    auto request = jute_.next();
    if (!request) return std::nullopt;
    return ProgramRequest{asked_++, std::move(*request)};
  }
  bool over() const override { return jute_.failed(); }

  Task<void> ask(ProgramRequest request, Errand* errand) override {
    const ZooRequest& asked = std::get<ZooRequest>(request.content);
    const Mark mark = mark_of(asked.op);
    co_await host().pass(mark, MarkSide::before);
    while (sent_ != request.number && !closed_) co_await turn_.wait();
    if (closed_) co_return;
    all_.send(*number_, asked);
    ++sent_;
    turn_.notify();
    // Who answers the others is not waited for: no preemption point stands behind them.
    if (mark == mark::none) co_return;
    waiting_.push_back(std::make_unique<Waiting>(host(), asked.xid, errand));
    Waiting& mine = *waiting_.back();
    co_await mine.came.wait();
    if (!closed_) co_await host().pass(mark, MarkSide::after);
    mine.passed = true;
  }

  std::optional<Piece> take() override {
    if (std::string own = jute_.take_own_answers(); !own.empty()) return Piece{std::move(own), nullptr};
    while (number_) {
      auto reply = all_.take(*number_);
      if (!reply) break;
      for (auto& waiting : waiting_) {
        if (waiting->xid == reply->xid) waiting->came.set();
      }
      came_.push_back(std::move(*reply));
    }
    if (came_.empty()) return std::nullopt;
    const auto waiting =
        std::find_if(waiting_.begin(), waiting_.end(), [this](const auto& w) { return w->xid == came_.front().xid; });
    Piece piece;
    if (waiting != waiting_.end()) {
      if (!(*waiting)->passed) return std::nullopt;
      piece.errand = (*waiting)->errand;
      waiting_.erase(waiting);
    }
    piece.bytes = jute_.write(came_.front());
    came_.pop_front();
    return piece;
  }

 private:
  struct Waiting {
    Waiting(const Host& host, std::int32_t of, Errand* on_behalf)
        : came(host, "an answer of ZooKeeper"), xid(of), errand(on_behalf) {}
    Event came;
    std::int32_t xid;
    Errand* errand;
    bool passed = false;  // the preemption point behind it
  };

  ZooConnections& all_;
  std::size_t server_;
  std::optional<std::size_t> number_;
  Event turn_;
  bool closed_ = false;
  JuteConnection jute_;
  std::uint64_t asked_ = 0, sent_ = 0;
  std::vector<std::unique_ptr<Waiting>> waiting_;
  std::deque<ZooReply> came_;
};

class ZooProgramServers final : public ProgramServers {
 public:
  ZooProgramServers(const Host& host, ZooConnections& connections) : host_(host), connections_(connections) {}
  std::vector<ProgramServer> known() const override {
    constexpr std::uint16_t kPort = 2181;
    std::vector<ProgramServer> all;
    for (std::size_t n = 1; n <= connections_.servers(); ++n) {
      all.push_back({fmt::format("zookeeper{}", n), fmt::format("127.0.1.{}", n), kPort});
    }
    return all;
  }
  void tell(const std::vector<ProgramServer>& servers, nlohmann::json& to) const override {
    to["servers"] = nlohmann::json::array();
    for (const ProgramServer& s : servers) to["servers"].push_back({s.address, s.port});
  }
  std::unique_ptr<ProgramConnection> connection_to(std::size_t server) override {
    return std::make_unique<ZooProgramConnection>(host_, connections_, server);
  }

 private:
  Host host_;
  ZooConnections& connections_;
};

}  // namespace

std::unique_ptr<ProgramServers> zookeeper_servers_of(const Host& host, ZooConnections& connections) {
  return std::make_unique<ZooProgramServers>(host, connections);
}

}  // namespace picklock
