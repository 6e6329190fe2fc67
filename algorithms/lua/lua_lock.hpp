// A lock whose acquire and release are functions of a text in Lua.
//
// Each call is a coroutine of Lua, driven by a task of the world: where the text asks for something, the task waits for it,
// can be paused, overtaken and killed there, and carries on in Lua with the answer.  An error of Lua ends the client's process,
// as an uncaught exception does, and fails the run with its text.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/lock.hpp"
#include "algorithms/lua/lua_data_lease.hpp"
#include "algorithms/lua/lua_options.hpp"
#include "algorithms/lua/lua_verbs.hpp"
#include "sim/lua/lua_program.hpp"
#include "sim/task/etcd.hpp"
#include "sim/task/exchange.hpp"
#include "sim/task/zookeeper.hpp"

namespace picklock {

// A number that a file gives, or one of its options.
struct LuaCount {
  std::int64_t usual = 1;
  std::string option{};  // empty: none
};

// A file as it was read: see lua_locks.hpp.
struct LuaFile {
  std::string name;  // name that was asked for
  std::string text;
  std::string code;                       // the text, translated
  bool extends = false, watches = false;  // the text has a function extend, or lost
  bool forces = false;                    // the text has a function force
  bool loses = false;                     // tells of losses
  std::string lease;                      // option that says how long a grant lasts; empty: for ever
  std::string waits_for_dead;             // option that says how long a queue waits for the dead; empty: not at all
  std::string renews;                     // option that says whether it renews; empty: as it claims
  LuaCount servers;                       // independent ones
  LuaCount permits;                       // holds at a time
  std::optional<LuaDataLease> data_lease;
  std::shared_ptr<const std::deque<LuaOption>> options;

  // Takes the text in; gives what is wrong with it, and where.
  std::string read(std::string of_file);
  // Runs the text anew. Null: it failed, and `error` says where.
  std::shared_ptr<LuaProgram> load(std::string& error) const;
};

// Options of such a lock, and the file.
struct LuaLockOptions {
  std::shared_ptr<const LuaFile> file;
  LuaOptions values;
  void fields(FieldVisitor& v) { values.fields(v); }
};

// State shared by all locks of a process: the text's globals, and events by name.
class LuaProcess {
 public:
  LuaProcess(const Host& host, const LuaFile& file);
  LuaProcess(const LuaProcess&) = delete;
  LuaProcess& operator=(const LuaProcess&) = delete;
  ~LuaProcess();
  LuaProgram& program() { return *program_; }
  Event& event(const std::string& name);
  // Event that is notified of each unasked message from the service of this channel.
  Event& pushes(Channel& channel);

  std::map<EtcdLeaseId, std::shared_ptr<EtcdKeepAlive>> renewals;  // renewals asked for, by lease
  std::vector<ZooKeeper> sessions;                                 // index + 1: number of the object

 private:
  Host host_;
  std::shared_ptr<LuaProgram> program_;
  std::map<std::string, std::unique_ptr<Event>> events_;
  struct Pushes {
    Channel* channel;
    std::unique_ptr<Event> event;
  };
  std::vector<Pushes> pushes_;
};

class LuaLock final : public Lock {
 public:
  LuaLock(const LockContext& context, const LuaLockOptions& options);

  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Task<Outcome<>> force_release() override;
  Task<Outcome<MonoTime>> extend(Hold hold) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;
  Event* lost() override { return file_->loses ? &lost_ : nullptr; }

  // --- for verbs

  const LockContext& context() const { return context_; }
  LuaProcess& process() { return *process_; }
  Event& loss() { return lost_; }
  const ZooWatcher& watcher() const { return watcher_; }
  // Runs a function of the text beside the caller; `name` is what faults call it.
  void spawn(const std::string& name, const LuaValue& function);
  void prolong(const std::string& value, MonoTime due);
  // The longest wait for an answer of this server from now on.
  void set_timeout(std::int64_t server, Duration timeout) { timeouts_[server] = timeout; }
  Duration timeout(std::int64_t server) const;

 private:
  // Does not return from a call that fails: the process ends.  A call that serves a tenure returns nothing once that is over.
  Task<LuaValues> call(LuaValue function, std::string name, LuaValues arguments, Patience* patience,
                       std::uint64_t tenure = 0);
  Task<void> run_beside(LuaValue function, std::string name);
  // Runs the text's function lost from a grant to the next release: once it returns, the hold has ended.
  Task<void> watch_for_loss(LuaValue hold, std::uint64_t tenure);
  // Runs release or force: yes, no or unknown; a server's answer says one of them.
  Task<Outcome<>> whether(LuaValue function, std::string name, LuaValues arguments);
  Acquired granted(const LuaValue& hold);
  LuaValue as_table(const Hold& hold) const;
  std::string wrong_return(const LuaValue& function, std::string_view name, const LuaValue& returned,
                           std::string_view expected);
  void note_failure(const std::string& why);

  LockContext context_;
  std::string name_;
  std::shared_ptr<const LuaFile> file_;
  std::unique_ptr<LuaProcess> own_process_;  // set if the locks of the process share nothing
  LuaProcess* process_;
  struct {
    LuaValue acquire, release, force, extend, lost;
  } functions_;
  LuaValue ctx_, patience_;
  Event lost_;
  ZooWatcher watcher_;
  Hold current_;
  LuaValue current_table_;
  std::uint64_t tenure_ = 1;  // number of the current hold: grants and releases begin another
  std::map<std::int64_t, Duration> timeouts_;
};

}  // namespace picklock
