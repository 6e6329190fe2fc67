// The process of one client machine whose lock is a program: it carries the program's connections into the simulated network, and
// calls of the lock to the program.
//
// The program runs in the turns of one task, "program", of the machine: a pause of the machine withholds its turns, and messages
// wait in the kernel meanwhile. Each request that the program sends is an exchange of its own, in order, so that faults strike
// before and after it as they do with any lock ("before a set"). A connection opens, is refused and ends as the network says.
//
// Left out: computing takes no time; an end of a connection is an orderly one, never a reset.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "algorithms/lock.hpp"
#include "algorithms/lua/lua_options.hpp"
#include "bridge/errand.hpp"
#include "bridge/program_host.hpp"
#include "bridge/program_servers.hpp"

namespace picklock {

class ProgramProcess {
 public:
  using Json = ProgramHost::Json;

  // `service`: of the lock.
  ProgramProcess(const Host& host, const std::string& command, std::string_view service, const LuaOptions& options,
                 const LockContext& context);
  ProgramProcess(const ProgramProcess&) = delete;
  ProgramProcess& operator=(const ProgramProcess&) = delete;
  ~ProgramProcess();

  // One call of the contract, about a hold of a lock, and its answer.
  Task<Json> call(std::int64_t hold, std::string lock, Json request);
  // Sets `event` when the program says that this hold has ended.
  void watch(std::int64_t hold, Event* event) { losses_[hold] = event; }
  std::int64_t new_hold() { return ++holds_; }
  // The hold of this number was granted, with the word that proves it at the service; or it has been given back.
  void granted(std::int64_t hold, const std::string& value);
  void given_back(std::int64_t hold);
  // The program broke the contract: the run fails.
  void fail(const std::string& why);
  const Host& host() const { return host_; }
  // An instant of the program's wall clock, as the machine's monotonic clock shows it.
  MonoTime monotonic_of(std::int64_t wall_of_program_ns) const;

 private:
  struct Chunk {               // the input of one turn
    std::uint32_t socket = 0;  // 0: a line of the contract, or nothing
    Json line;
    std::string bytes;
    enum class Connection : std::uint8_t { unchanged, opened, refused, ended } change = Connection::unchanged;
    Errand* cause = nullptr;
  };
  struct Connection {
    std::unique_ptr<ProgramConnection> wire;
    bool begun = false, open = false;
    Errand* last = nullptr;  // the errand that used it last
  };
  Task<void> live();
  Task<void> serve(Errand* errand);  // one of its tasks
  Task<void> ask(Errand* errand, Errand::Job job);
  Errand& begin_errand(std::int64_t hold, std::string lock);
  void spawn_task_of(Errand& errand);
  bool take_turn();  // false: the program failed
  void hear(const ProgramHost::Turn& turn);
  void hear(const Json& line);
  void hear(const ProgramHost::Turn::Wish& wish);
  void hear(const ProgramHost::Turn::Bytes& bytes);
  void give_job(Errand& errand, Errand::Job job);
  void give_answers(std::uint32_t socket);
  void end(std::uint32_t socket);  // closes it from the server's side
  void look_at_connections();
  void give(Chunk chunk);
  void forget(std::uint32_t socket);
  bool is_in_use(std::uint32_t socket) const { return connections_.contains(socket); }

  Host host_;
  std::string command_;
  std::unique_ptr<ProgramServers> servers_;
  std::string* failure_;
  std::unique_ptr<ProgramHost> program_;
  Event news_;
  std::deque<Chunk> inbox_;
  std::map<std::uint32_t, Connection> connections_;
  std::vector<std::unique_ptr<ProgramConnection>> forgotten_;  // tasks may still return to them
  std::deque<std::unique_ptr<Errand>> errands_;                // the first: the beginning of the run
  std::map<std::int64_t, Errand*> calls_;                      // calls in flight; key: their number
  Errand* cause_ = nullptr;                                    // errand of this turn; null: a timer
  std::int64_t asked_ = 0, holds_ = 0;
  std::map<std::int64_t, Event*> losses_;
};

}  // namespace picklock
