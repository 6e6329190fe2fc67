// Commands about the connection itself: HELLO, AUTH, SELECT, RESET, QUIT, CLIENT, and COMMAND, by which libraries learn what a server
// knows.
//
// The answers are those of Redis 7.0 to the only user of a server without passwords.
//
// Left out: databases other than 0, users, CLIENT LIST, INFO and TRACKING, the descriptions of COMMAND DOCS, and the parts of COMMAND
// behind the places of keys. A connection that has said QUIT is closed by its client.
#include <algorithm>
#include <string>

#include "sim/redis/command_table.hpp"
#include "sim/redis/commands.hpp"
#include "sim/redis/control.hpp"
#include "sim/redis/database.hpp"
#include "sim/redis/errors.hpp"
#include "sim/redis/session.hpp"

namespace picklock {
namespace {

RedisReply wrong_password() {
  return RedisReply::error("WRONGPASS invalid username-password pair or user is disabled.");
}

bool is_client_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '!' && c <= '~'; });
}
RedisReply wrong_client_name() {
  return RedisReply::error("ERR Client names cannot contain spaces, newlines or special characters.");
}

std::string_view mode_of(const RedisCall& call) {
  const RedisControl* const control = call.database.control();
  return control != nullptr ? control->mode() : "standalone";
}

RedisReply only_in_cluster(RedisCall& call) {
  if (mode_of(call) == "cluster") return RedisReply::ok();
  return RedisReply::error("ERR This instance has cluster support disabled");
}

RedisReply description_of(const RedisCommandSpec& spec) {
  RedisReply flags = RedisReply::array();
  if (spec.has(RedisCommandSpec::kWrite)) flags.push_back(RedisReply::status("write"));
  if (spec.has(RedisCommandSpec::kReadonly)) flags.push_back(RedisReply::status("readonly"));
  if (spec.has(RedisCommandSpec::kNoScript)) flags.push_back(RedisReply::status("noscript"));
  if (counts_its_keys(spec)) flags.push_back(RedisReply::status("movablekeys"));
  const RedisKeyPlaces keys = key_places_of(spec);
  RedisReply all = RedisReply::array({RedisReply::bulk(spec.name), RedisReply::integer(spec.arity), std::move(flags),
                                      RedisReply::integer(keys.first), RedisReply::integer(keys.last),
                                      RedisReply::integer(keys.step)});
  constexpr int kFurther = 4;  // categories, tips, specifications of keys, subcommands
  for (int i = 0; i < kFurther; ++i) all.push_back(RedisReply::array());
  return all;
}

}  // namespace

// HELLO [VERSION [AUTH name password] [SETNAME name]]: changes are made only if all arguments are right.
RedisReply redis_hello(RedisCall& call) {
  std::int64_t version = call.session.protocol();
  if (call.argc() > 1 && !call.command.integer(1, version)) {
    return RedisReply::error("ERR Protocol version is not an integer or out of range");
  }
  if (version < 2 || version > 3) return RedisReply::error("NOPROTO unsupported protocol version");
  std::string_view name = call.session.name().view();
  for (std::size_t i = 2; i < call.argc(); ++i) {
    const std::size_t left = call.argc() - 1 - i;
    if (is_redis_word(call.arg(i), "AUTH") && left >= 2) {
      if (call.arg(i + 1) != "default") return wrong_password();
      i += 2;
    } else if (is_redis_word(call.arg(i), "SETNAME") && left >= 1) {
      name = call.arg(++i);
      if (!is_client_name(name)) return wrong_client_name();
    } else {
      return RedisReply::error("ERR Syntax error in HELLO option '" + std::string(call.arg(i)) + "'");
    }
  }
  call.session.set_name(std::string(name));
  call.session.set_protocol(static_cast<int>(version));
  const auto text = [](std::string_view value) { return RedisReply::bulk(value); };
  RedisReply all = RedisReply::array({text("server"), text("redis"), text("version"), text("7.0.15"), text("proto"),
                                      RedisReply::integer(version), text("id"), RedisReply::integer(call.session.id()),
                                      text("mode"), text(mode_of(call))});
  if (mode_of(call) != "sentinel") {
    all.push_back(text("role"));
    all.push_back(text(call.database.role() == RedisRole::master ? "master" : "replica"));
  }
  all.push_back(text("modules"));
  all.push_back(RedisReply::array());
  return all;
}

RedisReply redis_auth(RedisCall& call) {
  if (call.argc() > 3) return redis_error::syntax();
  if (call.argc() == 3) return call.arg(1) == "default" ? RedisReply::ok() : wrong_password();
  return RedisReply::error(
      "ERR AUTH <password> called without any password configured for the default user. Are you sure your "
      "configuration is correct?");
}

RedisReply redis_select(RedisCall& call) {
  std::int64_t number = 0;
  if (!call.command.integer(1, number)) return redis_error::not_an_integer();
  if (number == 0) return RedisReply::ok();
  return RedisReply::error(mode_of(call) == "cluster" ? "ERR SELECT is not allowed in cluster mode"
                                                      : "ERR DB index is out of range");
}

// A cluster's bus answers CLUSTER. No slot migrates here, so ASKING allows nothing; a replica sends every client on,
// after READONLY too.
RedisReply redis_asking(RedisCall& call) { return only_in_cluster(call); }
RedisReply redis_cluster(RedisCall& call) { return only_in_cluster(call); }
RedisReply redis_readonly(RedisCall& call) { return only_in_cluster(call); }
RedisReply redis_readwrite(RedisCall& call) { return only_in_cluster(call); }

RedisReply redis_quit(RedisCall&) { return RedisReply::ok(); }

RedisReply redis_reset(RedisCall& call) {
  call.database.disconnect(call.session);
  return RedisReply::status("RESET");
}

RedisReply redis_client_id(RedisCall& call) { return RedisReply::integer(call.session.id()); }

RedisReply redis_client_getname(RedisCall& call) {
  const std::string_view name = call.session.name().view();
  return name.empty() ? RedisReply::nil() : RedisReply::bulk(name);
}

RedisReply redis_client_setname(RedisCall& call) {
  if (!is_client_name(call.arg(2))) return wrong_client_name();
  call.session.set_name(call.arg(2));
  return RedisReply::ok();
}

// Memory has no limit here, and no client is closed for it.
RedisReply redis_client_no_evict(RedisCall& call) {
  const bool is_known = is_redis_word(call.arg(2), "ON") || is_redis_word(call.arg(2), "OFF");
  return is_known ? RedisReply::ok() : redis_error::syntax();
}

RedisReply redis_command(RedisCall&) {
  RedisReply all = RedisReply::array();
  for (const RedisCommandSpec& spec : redis_commands()) all.push_back(description_of(spec));
  return all;
}

RedisReply redis_command_count(RedisCall&) {
  return RedisReply::integer(static_cast<std::int64_t>(redis_commands().size()));
}

RedisReply redis_command_docs(RedisCall&) { return RedisReply::array(); }

RedisReply redis_command_info(RedisCall& call) {
  if (call.argc() == 2) return redis_command(call);
  RedisReply all = RedisReply::array();
  for (std::size_t i = 2; i < call.argc(); ++i) {
    const RedisCommandSpec* const spec = find_redis_command(call.arg(i));
    all.push_back(spec == nullptr ? RedisReply::nil() : description_of(*spec));
  }
  return all;
}

RedisReply redis_command_list(RedisCall& call) {
  if (call.argc() > 2) return redis_error::syntax();
  RedisReply all = RedisReply::array();
  for (const RedisCommandSpec& spec : redis_commands()) all.push_back(RedisReply::bulk(spec.name));
  return all;
}

}  // namespace picklock
