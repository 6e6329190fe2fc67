// Commands that the process answers, not the database: see control.hpp.
#include "sim/redis/commands.hpp"
#include "sim/redis/control.hpp"
#include "sim/redis/database.hpp"

namespace picklock {
namespace {

RedisReply pass_on(RedisControlCommand command, RedisCall& call) {
  RedisControl* const control = call.database.control();
  if (control == nullptr) return RedisReply::error("ERR this database is no process");
  return control->control(command, call);
}

}  // namespace

RedisReply redis_client_kill(RedisCall& call) { return pass_on(RedisControlCommand::client_kill, call); }
RedisReply redis_config(RedisCall& call) { return pass_on(RedisControlCommand::config, call); }
RedisReply redis_info(RedisCall& call) { return pass_on(RedisControlCommand::info, call); }
RedisReply redis_psync(RedisCall& call) { return pass_on(RedisControlCommand::psync, call); }
RedisReply redis_replconf(RedisCall& call) { return pass_on(RedisControlCommand::replconf, call); }
RedisReply redis_replicaof(RedisCall& call) { return pass_on(RedisControlCommand::replicaof, call); }
RedisReply redis_role(RedisCall& call) { return pass_on(RedisControlCommand::role, call); }
RedisReply redis_wait(RedisCall& call) { return pass_on(RedisControlCommand::wait, call); }

}  // namespace picklock
