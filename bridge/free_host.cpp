#include "bridge/free_host.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "sim/core/world.hpp"

namespace picklock {
namespace {

constexpr int kPatienceMs = 20'000;  // limit of a start: a JVM takes seconds on a busy machine

std::int64_t wall_of_this_machine() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// All programs that run; of the one thread that plays runs in real time.
std::vector<FreeHost*>& running() {
  static std::vector<FreeHost*> all;
  return all;
}

}  // namespace

std::vector<FreeHost*> programs_that_run() { return running(); }

FreeHost::FreeHost(const std::string& command, const std::vector<ProgramServer>& servers)
    : command_(command), known_servers_(servers) {
  ChildProcess::Start start{words_of_command(command), control_door_.port(), 0, {}, {}, false};
  if (start.words.empty())
    throw std::runtime_error(fmt::format("{}: found no command, or a quote without its end", command));
  for (ProgramServer& server : known_servers_) {
    servers_.push_back(std::make_unique<LoopbackListener>());
    server.address = "127.0.0.1";
    server.port = servers_.back()->port();
    start.server_ports.push_back(server.port);
  }
  start.servers = known_servers_;
  child_ = std::make_unique<ChildProcess>(start);
}

FreeHost::~FreeHost() { std::erase(running(), this); }

void FreeHost::hear_greeting() {
  running().push_back(this);
  using Steady = std::chrono::steady_clock;
  const auto limit = Steady::now() + std::chrono::milliseconds(kPatienceMs);
  std::vector<Json> lines;
  while (lines.empty()) {
    if (child_->has_ended()) fail(child_->why());
    if (control_.ended) fail("it closed its connection to picklock");
    if (Steady::now() > limit) fail(fmt::format("it did not greet within {} s", kPatienceMs / 1000));
    const bool connected = control_.connection.get() >= 0;
    pollfd one{connected ? control_.connection.get() : control_door_.descriptor(), POLLIN, 0};
    (void)::poll(&one, 1, 50);
    if (!connected) {
      control_.connection = control_door_.accept();
      continue;
    }
    (void)control_.read_in();
    std::string wrong;
    lines = control_.take_lines(wrong);
    if (!wrong.empty())
      fail(fmt::format("found '{}' on the contract, expected an object of JSON", wrong.substr(0, 200)));
  }
  if (lines.front().value("picklock", Json()) != 1) fail("it did not greet; expected {\"picklock\": 1, \"head\": {…}}");
  head_ = lines.front().value("head", Json::object());
  if (!head_.is_object()) fail(fmt::format("found the head {}, expected an object", head_.dump()));
}

void FreeHost::fail(const std::string& why) {
  const std::string said = child_ != nullptr ? child_->last_words() : "";
  throw std::runtime_error(fmt::format("{}: {}{}{}", command_, why, said.empty() ? "" : "; it said:\n", said));
}

void FreeHost::play(const Host& machine, Event& news) {
  part_.machine = machine;
  part_.news = &news;
}

void FreeHost::give_line(const Json& line) { control_.to_write += line.dump() + "\n"; }
void FreeHost::give_bytes(SocketId socket, std::string_view bytes) {
  const auto found = connections_.find(socket);
  if (found != connections_.end()) found->second.socket.to_write += bytes;
}
void FreeHost::open(SocketId socket) {
  const auto found = connections_.find(socket);
  if (found != connections_.end()) found->second.open = true;
}
// The kernel has opened it already: the program sees a connection that is reset at once.
void FreeHost::refuse(SocketId socket) {
  const auto found = connections_.find(socket);
  if (found == connections_.end()) return;
  const linger at_once{1, 0};
  ::setsockopt(found->second.socket.connection.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  connections_.erase(found);
}
void FreeHost::close(SocketId socket) { connections_.erase(socket); }

void FreeHost::write_all() {
  control_.write_out();
  for (auto& [id, connection] : connections_) connection.socket.write_out();
}

void FreeHost::accept_all(Turn& turn) {
  for (std::size_t server = 0; server < servers_.size(); ++server) {
    while (true) {
      Descriptor connection = servers_[server]->accept();
      if (connection.get() < 0) break;
      connections_[++last_].socket.connection = std::move(connection);
      turn.wishes.push_back({last_, server, false});
    }
  }
}

FreeHost::Turn FreeHost::take_turn(std::int64_t, std::int64_t) {
  if (!broken_.empty()) fail(broken_);
  write_all();
  Turn turn;
  if (!control_.read_in()) fail("it wrote more than 64 MiB in one turn");
  std::string wrong;
  turn.lines = control_.take_lines(wrong);
  if (!wrong.empty()) fail(fmt::format("found '{}' on the contract, expected an object of JSON", wrong.substr(0, 200)));
  if (child_->has_ended()) fail(child_->why());
  if (control_.ended) fail("it closed its connection to picklock");
  accept_all(turn);
  for (auto& [id, connection] : connections_) {
    if (!connection.open) continue;
    if (!connection.socket.read_in()) fail("it wrote more than 64 MiB in one turn");
    if (connection.socket.read.empty() && !connection.socket.ended) continue;
    turn.bytes.push_back({id, std::exchange(connection.socket.read, ""), connection.socket.ended});
  }
  for (const Turn::Bytes& b : turn.bytes) {
    if (b.ended) connections_.erase(b.socket);
  }
  return turn;
}

std::int64_t FreeHost::wall_of_machine(std::int64_t wall_of_program_ns) const {
  return wall_of_program_ns + (part_.machine->wall_now().ns - wall_of_this_machine());
}

void FreeHost::poll_for(std::vector<pollfd>& descriptors) const {
  // Its head was asked for, and no more; or its task takes up nothing now.
  if (part_.machine == std::nullopt || part_.stopped || part_.dead) return;
  descriptors.push_back({control_.connection.get(), POLLIN, 0});
  descriptors.push_back({child_->output(), POLLIN, 0});  // a full pipe would stop it
  for (const auto& server : servers_) descriptors.push_back({server->descriptor(), POLLIN, 0});
  for (const auto& [id, connection] : connections_) {
    const short events =
        static_cast<short>((connection.open ? POLLIN : 0) | (connection.socket.to_write.empty() ? 0 : POLLOUT));
    if (events != 0) descriptors.push_back({connection.socket.connection.get(), events, 0});
  }
}

void FreeHost::exchange(World& world) {
  if (part_.machine == std::nullopt) return;
  const NodeId node = part_.machine->node();
  if (!part_.incarnation) part_.incarnation = world.nodes.incarnation(node);
  if (!world.nodes.alive(node) || world.nodes.incarnation(node) != *part_.incarnation) {
    if (!std::exchange(part_.dead, true)) end();
    return;
  }
  if (world.nodes.clock(node).wall(world.now()).ns - world.nodes.clock(0).wall(world.now()).ns != 0 &&
      broken_.empty()) {
    broken_ =
        "its machine's clock is stepped, or drifts: in real time it has the clock of this computer; --clock virtual "
        "has both";
    part_.has_news = true;
  }
  const bool stops = world.nodes.paused(node) || !world.nodes.reachable(node);
  if (stops != part_.stopped) child_->signal(stops ? SIGSTOP : SIGCONT);
  part_.stopped = stops;
  if (std::exchange(part_.has_news, false)) part_.news->notify();
}

}  // namespace picklock
