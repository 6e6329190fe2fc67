// Scripts: `EVAL name numkeys key... argument...` of a registered script, or `EVAL text numkeys …` of any; EVALSHA and SCRIPT
// for texts that the server has been given before.
//
// A real server is given the Lua text and names a script by its SHA-1.  If a script is registered, the
// simulated one runs the body; in error messages its name stands there, and the line is always 1.
#include "base/sha1.hpp"
#include "sim/redis/commands.hpp"
#include "sim/redis/database.hpp"
#include "sim/redis/errors.hpp"
#include "sim/redis/script_text.hpp"

namespace picklock {
namespace {

// A Lua number is a double: beyond 2^53 an integer reply loses digits on its way through a script,
// and what is rounded up to 2^63 comes out as the least integer.
void pass_through_lua(RedisReply& reply) {
  constexpr std::int64_t kExact = 1LL << 53;
  const std::int64_t value = reply.integer();
  if (value <= kExact && value >= -kExact) return;
  const double number = static_cast<double>(value);
  reply.become(number < 0x1p63 ? static_cast<std::int64_t>(number) : INT64_MIN);
}

class ScriptRun final : public ScriptContext {
 public:
  ScriptRun(RedisCall& call, std::size_t keys, bool may_write) : call_(call), keys_(keys), may_write_(may_write) {}

  std::size_t key_count() const override { return keys_; }
  std::size_t argument_count() const override { return call_.argc() - kFirstKey - keys_; }
  std::string_view key(std::size_t number) const override {
    return number >= 1 && number <= keys_ ? call_.arg(kFirstKey + number - 1) : std::string_view();
  }
  std::string_view argument(std::size_t number) const override {
    return number >= 1 ? call_.arg(kFirstKey + keys_ + number - 1) : std::string_view();
  }
  std::int64_t now_ms() const override { return call_.now_ms; }

  static constexpr std::size_t kFirstKey = 3;

 private:
  std::optional<std::string_view> look(std::string_view key) override {
    const RedisEntry* const entry = call_.find(key);
    if (entry == nullptr) return std::nullopt;
    if (entry->type == RedisType::string) return entry->text.view();
    fail(redis_error::wrong_type());
    return std::nullopt;
  }
  std::int64_t remove(std::string_view key) override {
    RedisDatabase& database = call_.database;
    if (database.refuses_writes()) {
      fail(database.refusal());
      return 0;
    }
    RedisCall del = database.nested_call(call_, call_.command, true);
    RedisEntry* const entry = del.find(key);
    if (entry == nullptr) return 0;
    del.erase(*entry);
    del.propagate("DEL", key);
    return 1;
  }
  RedisReply run(const RedisCommand& command) override {
    RedisReply reply = call_.database.execute_in_script(call_, command, may_write_);
    pass_through_lua(reply);
    return reply;
  }

  RedisCall& call_;
  std::size_t keys_;
  bool may_write_;
};

enum class ScriptAccess : std::uint8_t { writes, reads };

RedisReply eval(RedisCall& call, ScriptAccess access, bool by_sha1) {
  constexpr std::size_t kSha1Digits = 40;
  if (by_sha1 && call.arg(1).size() != kSha1Digits) return redis_error::no_script();
  std::int64_t keys = 0;
  if (!parse_redis_integer(call.arg(2), keys)) return redis_error::not_an_integer();
  if (keys > static_cast<std::int64_t>(call.argc() - ScriptRun::kFirstKey)) {
    return RedisReply::error("ERR Number of keys can't be greater than number of args");
  }
  if (keys < 0) return RedisReply::error("ERR Number of keys can't be negative");
  ScriptRun run(call, static_cast<std::size_t>(keys), access == ScriptAccess::writes);
  RedisScriptCache& texts = call.database.texts();
  if (by_sha1) {
    const std::string* const text = texts.find(call.arg(1));
    return text != nullptr ? run_script_text(*text, run) : redis_error::no_script();
  }
  const RedisScript* script = call.database.script(call.arg(1));
  if (script == nullptr || script->body == nullptr) {
    const std::string_view text = script == nullptr ? call.arg(1) : script->lua;
    if (!texts.has(text)) {
      if (auto error = script_text_error(text)) return *error;
      texts.keep(text);
    }
    return run_script_text(text, run);
  }
  ScriptResult result = script->body(run);
  if (!run.failure()) return std::move(result).reply();
  return RedisReply::error(std::string(run.failure()->text()) + " script: " + script->name + ", on @user_script:1.");
}

}  // namespace

RedisReply redis_eval(RedisCall& call) { return eval(call, ScriptAccess::writes, false); }
RedisReply redis_eval_ro(RedisCall& call) { return eval(call, ScriptAccess::reads, false); }
RedisReply redis_evalsha(RedisCall& call) { return eval(call, ScriptAccess::writes, true); }
RedisReply redis_evalsha_ro(RedisCall& call) { return eval(call, ScriptAccess::reads, true); }

RedisReply redis_script_load(RedisCall& call) {
  if (auto error = script_text_error(call.arg(2))) return *error;
  call.database.texts().keep(call.arg(2));
  return RedisReply::bulk(sha1_hex(call.arg(2)));
}

RedisReply redis_script_exists(RedisCall& call) {
  RedisReply found = RedisReply::array();
  for (std::size_t i = 2; i < call.argc(); ++i) {
    found.push_back(RedisReply::integer(call.database.texts().find(call.arg(i)) != nullptr));
  }
  return found;
}

RedisReply redis_script_flush(RedisCall& call) {
  const bool has_mode = is_redis_word(call.arg(2), "SYNC") || is_redis_word(call.arg(2), "ASYNC");
  if (call.argc() > 3 || (call.argc() == 3 && !has_mode)) {
    return RedisReply::error("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
  }
  call.database.texts().clear();
  return RedisReply::ok();
}

// A script runs within one instant, so that there is never one to end.
RedisReply redis_script_kill(RedisCall&) { return RedisReply::error("NOTBUSY No scripts in execution right now."); }

}  // namespace picklock
