// The handlers behind the command table: a command that was found and has a possible number of
// arguments gives a reply.
#pragma once

#include "sim/redis/call.hpp"

namespace picklock {

// One paragraph a file; the formatter would run them together.
// clang-format off
#define PICKLOCK_REDIS_HANDLERS(X)                                                                       \
  /* commands_strings.cpp */                                                                             \
  X(append) X(decr) X(decrby) X(get) X(getdel) X(getex) X(getset) X(incr) X(incrby) X(mget) X(mset)      \
  X(msetnx) X(psetex) X(set) X(setex) X(setnx) X(setrange) X(strlen)                                     \
  /* commands_keys.cpp */                                                                                \
  X(copy) X(dbsize) X(del) X(exists) X(expire) X(expireat) X(expiretime) X(flushall) X(keys) X(persist)  \
  X(pexpire) X(pexpireat) X(pexpiretime) X(pttl) X(rename) X(touch) X(ttl) X(type)                       \
  /* commands_hashes.cpp */                                                                              \
  X(hdel) X(hexists) X(hget) X(hgetall) X(hincrby) X(hkeys) X(hlen) X(hmget) X(hmset) X(hset) X(hsetnx)  \
  X(hvals)                                                                                               \
  /* commands_lists.cpp */                                                                               \
  X(lindex) X(llen) X(lpop) X(lpush) X(lrange) X(lrem) X(rpop) X(rpush)                                  \
  /* commands_sets.cpp */                                                                                \
  X(sadd) X(scard) X(sismember) X(smembers) X(srem)                                                      \
  /* commands_sorted_sets.cpp */                                                                         \
  X(zadd) X(zcard) X(zcount) X(zincrby) X(zpopmin) X(zrange) X(zrangebyscore) X(zrank) X(zrem)           \
  X(zremrangebyrank) X(zremrangebyscore) X(zrevrange) X(zrevrangebyscore) X(zscore)                      \
  /* commands_server.cpp */                                                                              \
  X(echo) X(ping) X(time)                                                                                \
  /* commands_connection.cpp */                                                                          \
  X(asking) X(auth) X(cluster) X(readonly) X(readwrite) X(client_getname) X(client_id) X(client_no_evict) X(client_setname) X(command)                 \
  X(command_count) X(command_docs) X(command_info) X(command_list) X(hello) X(quit) X(reset) X(select)   \
  /* transactions.cpp, subscriptions.cpp, scripts.cpp */                                                 \
  X(discard) X(exec) X(multi) X(unwatch) X(watch)                                                        \
  X(psubscribe) X(publish) X(punsubscribe) X(spublish) X(ssubscribe) X(subscribe) X(sunsubscribe)        \
  X(unsubscribe)                                                                                         \
  X(eval) X(eval_ro) X(evalsha) X(evalsha_ro)                                                            \
  X(script_exists) X(script_flush) X(script_kill) X(script_load)                                         \
  /* commands_control.cpp */                                                                             \
  X(client_kill) X(config) X(info) X(psync) X(replconf) X(replicaof) X(role) X(wait)
// clang-format on

#define PICKLOCK_DECLARE(name) RedisReply redis_##name(RedisCall& call);
PICKLOCK_REDIS_HANDLERS(PICKLOCK_DECLARE)
#undef PICKLOCK_DECLARE
#undef PICKLOCK_REDIS_HANDLERS

// HDEL and SREM: removes the fields of this entry (null: it is absent) that the arguments from the second on name.
RedisReply remove_fields(RedisCall& call, RedisEntry* entry);

}  // namespace picklock
