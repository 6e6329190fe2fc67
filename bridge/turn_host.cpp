#include "bridge/turn_host.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

namespace picklock {
namespace {

constexpr std::int64_t kWallStart = 1'767'225'600'000'000'000;  // wall clock of a process in which no run has begun

}  // namespace

TurnHost::TurnHost(const std::string& command, const std::vector<ProgramServer>& servers)
    : command_(command), known_servers_(servers) {
  state_.wall_ns = kWallStart;
  ChildProcess::Start start{words_of_command(command), control_door_.port(), nowhere_.port(), servers, {}};
  if (start.words.empty())
    throw std::runtime_error(fmt::format("{}: found no command, or a quote without its end", command));
  for (std::size_t i = 0; i < servers.size(); ++i) {
    servers_.push_back(std::make_unique<LoopbackListener>());
    start.server_ports.push_back(servers_.back()->port());
  }
  child_ = std::make_unique<ChildProcess>(start);
  const auto end = child_->first_turn();
  if (!end) fail(child_->why());
  control_.connection = control_door_.accept();
  if (control_.connection.get() < 0) fail("it waits, and has not called picklock.serve()");
  const Turn greeting = collect(*end);
  if (greeting.lines.empty() || !greeting.lines.front().contains("picklock"))
    fail("it did not greet; expected {\"picklock\": 1, \"head\": {…}}");
  const Json& version = greeting.lines.front()["picklock"];
  if (version != 1) fail(fmt::format("it speaks version {} of the contract; expected 1", version.dump()));
  head_ = greeting.lines.front().value("head", Json::object());
  if (!head_.is_object()) fail(fmt::format("found the head {}, expected an object", head_.dump()));
  state_.forks = greeting.lines.front().value("forks", Json()) == true;
}

void TurnHost::fail(const std::string& why) {
  state_.used_up = true;
  const std::string said = child_ != nullptr ? child_->last_words() : "";
  throw std::runtime_error(fmt::format("{}: {}{}{}", command_, why, said.empty() ? "" : "; it said:\n", said));
}

TurnHost::Json TurnHost::answer_to(const Json& request) {
  give_line(request);
  const Turn turn = take_turn(state_.now_ns, state_.wall_ns);
  if (turn.lines.empty()) fail(fmt::format("it did not answer {}", request.value("op", "")));
  return turn.lines.front();
}

void TurnHost::begin_run() {
  state_.now_ns = 0;
  state_.wall_ns = kWallStart;
  if (state_.forks) {
    const Json answer = answer_to({{"id", 0}, {"op", "fork"}});
    if (!answer.contains("ok")) fail(fmt::format("it did not fork: {}", answer.dump()));
  }
  state_.in_run = true;
}

void TurnHost::end_run() {
  if (state_.used_up || !state_.in_run) return;  // none has begun: it is as it was
  state_.in_run = false;
  sockets_.clear();
  state_.used_up = true;  // unless its fork ends as it should
  if (!state_.forks) return;
  control_.to_write.clear();
  control_.read.clear();
  news_.clear();
  const Json answer = answer_to({{"id", 0}, {"op", "exit"}});
  if (!answer.contains("back")) fail("its fork did not end");
  state_.now_ns = 0;
  state_.used_up = false;
}

void TurnHost::give_line(const Json& line) { control_.to_write += line.dump() + "\n"; }
void TurnHost::give_bytes(SocketId socket, std::string_view bytes) {
  const auto found = sockets_.find(socket);
  if (found != sockets_.end()) found->second.to_write += bytes;
}
void TurnHost::open(SocketId socket) {
  news_ += fmt::format(" open {}", socket);
  to_accept_ = socket;
}
void TurnHost::refuse(SocketId socket) { news_ += fmt::format(" refuse {}", socket); }
void TurnHost::close(SocketId socket) { sockets_.erase(socket); }

void TurnHost::write_all() {
  control_.write_out();
  for (auto& [id, socket] : sockets_) socket.write_out();
}

void TurnHost::read_from(ProgramSocket& socket) {
  if (!socket.read_in()) fail(fmt::format("it wrote more than {} MiB in one turn", ProgramSocket::kMostUnread >> 20));
}

void TurnHost::accept_from(std::size_t server) {
  Descriptor connection = servers_[server]->accept();
  if (connection.get() < 0) return;
  if (to_accept_ == 0) fail("it opened a connection past the library of virtual time");
  sockets_[std::exchange(to_accept_, 0)].connection = std::move(connection);
}

void TurnHost::hear(int fd) {
  if (fd == control_.connection.get()) return read_from(control_);
  for (std::size_t server = 0; server < servers_.size(); ++server) {
    if (servers_[server]->descriptor() == fd) return accept_from(server);
  }
  for (auto& [id, socket] : sockets_) {
    if (socket.connection.get() == fd) return read_from(socket);
  }
}

TurnHost::Turn TurnHost::take_turn(std::int64_t now_ns, std::int64_t wall_ns) {
  state_.now_ns = now_ns;
  state_.wall_ns = wall_ns;
  write_all();
  std::vector<int> watched{control_.connection.get()};
  for (const auto& [id, socket] : sockets_) watched.push_back(socket.connection.get());
  for (const auto& server : servers_) watched.push_back(server->descriptor());
  const std::string news = std::exchange(news_, "");
  const auto end = child_->take_turn(now_ns, wall_ns, news, watched, [this](int fd) { hear(fd); });
  if (!end) fail(child_->why());
  return collect(*end);
}

TurnHost::Turn TurnHost::collect(const TurnEnd& end) {
  next_deadline_ = end.next_deadline;
  for (std::size_t server = 0; server < servers_.size(); ++server) accept_from(server);
  Turn turn;
  take_lines(turn);
  take_wishes(end, turn);
  take_bytes(turn);
  return turn;
}

void TurnHost::take_lines(Turn& turn) {
  read_from(control_);
  std::string wrong;
  turn.lines = control_.take_lines(wrong);
  if (!wrong.empty()) fail(fmt::format("found '{}' on the contract, expected an object of JSON", wrong.substr(0, 200)));
  for (const Json& line : turn.lines) {
    if (state_.in_run && line.contains("back"))
      fail(fmt::format("its run ended with wait status {}", line["back"].dump()));
  }
  if (control_.ended) fail("it closed its connection to picklock");
}

void TurnHost::take_wishes(const TurnEnd& end, Turn& turn) {
  for (const TurnEnd::Connection& c : end.connections) {
    std::size_t server = 0;
    while (c.port != 0 && server < servers_.size() && servers_[server]->port() != c.port) ++server;
    if (server == servers_.size()) fail("it connected to no server of the scenario");
    turn.wishes.push_back({c.number, server, c.port == 0});
  }
}

void TurnHost::take_bytes(Turn& turn) {
  for (auto& [id, socket] : sockets_) {
    read_from(socket);
    if (socket.read.empty() && !socket.ended) continue;
    turn.bytes.push_back({id, std::move(socket.read), socket.ended});
    socket.read.clear();
  }
  for (const Turn::Bytes& b : turn.bytes) {
    if (b.ended) sockets_.erase(b.socket);
  }
}

}  // namespace picklock
