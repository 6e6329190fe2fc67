// A lock whose acquire, release and extend are a program's, which calls the user's own library.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "algorithms/lock.hpp"
#include "algorithms/lua/lua_lock.hpp"
#include "bridge/program_process.hpp"

namespace picklock {

// A program, and what its greeting says beside the head of a lock.
struct ProgramFile {
  std::string command;
  std::string service;
  std::vector<std::string> refused;  // classes of errors that mean "no"; every other means "unknown"
};

class ProgramLock final : public Lock {
 public:
  ProgramLock(const LockContext& context, const LuaLockOptions& options, const ProgramFile& file);

  Task<Acquired> acquire(Patience patience) override;
  Task<Outcome<>> release(Hold hold) override;
  Task<Outcome<MonoTime>> extend(Hold hold) override;
  std::optional<MonoTime> deadline(const Hold& hold) const override;
  Event* lost() override { return loses_ ? &lost_ : nullptr; }

 private:
  using Json = ProgramProcess::Json;
  // Of an answer that is no yes: no, or unknown.
  bool is_refusal(const Json& answer) const;
  std::optional<MonoTime> deadline_in(const Json& answer) const;

  const ProgramFile& file_;
  bool loses_;
  std::string name_;
  std::uint32_t thread_;
  ProgramProcess* process_;
  Event lost_;
  Hold current_;
  std::int64_t current_number_ = 0;
};

}  // namespace picklock
