#include "bridge/redis_servers.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "bridge/resp.hpp"

namespace picklock {
namespace {

class RedisProgramConnection final : public ProgramConnection {
 public:
  RedisProgramConnection(const Host& host, RedisConnections& all, std::size_t server)
      : ProgramConnection(host), all_(all), server_(server) {}

  void open(Event& changed) override {
    channel_ = all_.open(server_, changed);
    changed_ = &changed;
  }
  State state() const override {
    if (!channel_) return State::opening;
    switch (all_.state(*channel_)) {
      case RedisConnections::State::opening:
        return State::opening;
      case RedisConnections::State::open:
        return State::open;
      default:
        return State::closed;
    }
  }
  void close() override {
    if (channel_) all_.close(*std::exchange(channel_, std::nullopt));
    closed_ = true;
  }

  void feed(std::string_view bytes) override { requests_.feed(bytes); }
  std::optional<ProgramRequest> next() override {
    auto command = requests_.next();
    if (!command) {
      if (requests_.failed() && !std::exchange(told_, true)) {
        answers_[asked_++] = {{}, RedisReply::error(requests_.error()), nullptr};
      }
      return std::nullopt;
    }
    return ProgramRequest{asked_++, std::move(*command)};
  }
  bool over() const override { return requests_.failed() || replies_.are_over(); }

  Task<void> ask(ProgramRequest request, Errand* errand) override {
    const Redis& redis = all_.connection(*channel_);
    RedisCommand& command = std::get<RedisCommand>(request.content);
    auto verb = redis.command(command);
    const Outcome<RedisReply> got = co_await verb;
    if (closed_) co_return;
    if (got.yes()) {
      answers_[request.number] = {std::move(command), got.value(), errand};
    } else if (got.why() == Why::error) {
      answers_[request.number] = {std::move(command), RedisReply::error(got.error()), errand};
    } else {
      changed_->notify();  // the connection is gone, and with it what has not been answered
    }
  }
  std::optional<Piece> take() override {
    if (!answers_.empty() && answers_.begin()->first == answered_) {
      ++answered_;
      const Answer next = std::move(answers_.extract(answers_.begin()).mapped());
      return Piece{replies_.reply(next.command, next.reply), next.errand};
    }
    if (channel_) {
      if (auto push = all_.connection(*channel_).take_push()) return Piece{replies_.push(*push), nullptr};
    }
    return std::nullopt;
  }

 private:
  struct Answer {
    RedisCommand command;
    RedisReply reply;
    Errand* errand = nullptr;
  };

  RedisConnections& all_;
  std::size_t server_;
  std::optional<std::size_t> channel_;
  Event* changed_ = nullptr;
  bool closed_ = false, told_ = false;
  RespRequests requests_;
  std::uint64_t asked_ = 0, answered_ = 0;
  std::map<std::uint64_t, Answer> answers_;  // answers that wait for an earlier one
  RespReplies replies_;
};

// Ports are those that servers have by default, and addresses are the same in each run: a library may use them as keys.
std::vector<ProgramServer> servers_at(const RedisAddresses& addresses) {
  constexpr std::uint16_t kPort = 6379, kSentinelPort = 26379;
  constexpr std::size_t kRow = 250;
  std::vector<ProgramServer> all;
  for (const RedisAddress& a : addresses.all) {
    const std::size_t n = all.size();
    all.push_back({a.name, fmt::format("127.0.{}.{}", 1 + n / kRow, 1 + n % kRow),
                   a.role == RedisAddress::Role::sentinel ? kSentinelPort : kPort});
  }
  return all;
}

void tell_addresses(const RedisAddresses& addresses, const std::vector<ProgramServer>& servers, nlohmann::json& to) {
  using Role = RedisAddress::Role;
  for (const char* const kind : {"servers", "replicas", "sentinels", "nodes"}) to[kind] = nlohmann::json::array();
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const nlohmann::json address = {servers[i].address, servers[i].port};
    if (i < addresses.servers) to["servers"].push_back(address);
    const Role role = addresses.all[i].role;
    if (role == Role::replica) to["replicas"].push_back(address);
    if (role == Role::sentinel) to["sentinels"].push_back(address);
    if (role == Role::node) to["nodes"].push_back(address);
  }
}

class RedisProgramServers final : public ProgramServers {
 public:
  RedisProgramServers(const Host& host, RedisConnections& connections, const RedisAddresses& addresses)
      : host_(host), connections_(connections), addresses_(addresses) {}
  std::vector<ProgramServer> known() const override { return servers_at(addresses_); }
  void tell(const std::vector<ProgramServer>& servers, nlohmann::json& to) const override {
    tell_addresses(addresses_, servers, to);
  }
  std::unique_ptr<ProgramConnection> connection_to(std::size_t server) override {
    return std::make_unique<RedisProgramConnection>(host_, connections_, server);
  }

 private:
  Host host_;
  RedisConnections& connections_;
  const RedisAddresses& addresses_;
};

}  // namespace

std::unique_ptr<ProgramServers> redis_servers_of(const Host& host, RedisConnections& connections,
                                                 const RedisAddresses& addresses) {
  return std::make_unique<RedisProgramServers>(host, connections, addresses);
}

}  // namespace picklock
