// Answers of a sentinel to clients and to other sentinels.
//
// Left out: SENTINEL SET, RESET, FAILOVER, MONITOR, REMOVE, CONFIG; of an instance the state of its links in detail.
#include <algorithm>

#include "base/sha1.hpp"
#include "sim/redis/errors.hpp"
#include "sim/redis/sentinel/sentinel.hpp"

namespace picklock {
namespace {

constexpr std::string_view kPort = "6379", kSentinelPort = "26379";

// A sentinel's random id: its machine stands for it.
std::string id_of(const SentinelInstance& i) {
  return i.kind == SentinelInstance::Kind::sentinel ? sha1_hex(i.name) : i.run_id;
}

struct Question {
  std::string_view name;
  std::size_t argc = 0;
};
constexpr Question kQuestions[] = {
    {"ckquorum", 3},
    {"get-master-addr-by-name", 3},
    {"is-master-down-by-addr", 6},
    {"master", 3},
    {"masters", 2},
    {"myid", 2},
    {"replicas", 3},
    {"sentinels", 3},
    {"slaves", 3},
};

}  // namespace

RedisReply Sentinel::command(const RedisCommandView& c, std::int64_t now_ms) {
  now_ = now_ms;
  const auto is = [&](std::string_view name) { return is_redis_word(c.arg(0), name); };
  if (is("PING")) return RedisReply::status("PONG");
  if (is("INFO")) return RedisReply::bulk(info());
  if (is("PUBLISH") && c.argc() == 3) {
    if (c.arg(1) != kSentinelHello)
      return RedisReply::error("ERR Only HELLO messages are accepted by Sentinel instances.");
    heard_hello(c.arg(2));
    return RedisReply::integer(1);
  }
  if (is("ROLE")) {
    return RedisReply::array({RedisReply::bulk("sentinel"), RedisReply::array({RedisReply::bulk(group_name_)})});
  }
  if (!is("SENTINEL")) return redis_error::unknown_command(c);
  if (c.argc() < 2) return redis_error::wrong_arity("sentinel");
  const std::string asked = in_lower_case(c.arg(1));
  const auto* const question =
      std::find_if(std::begin(kQuestions), std::end(kQuestions), [&](const Question& q) { return q.name == asked; });
  if (question == std::end(kQuestions)) return redis_error::unknown_subcommand("sentinel", c.arg(1));
  if (c.argc() != question->argc) return redis_error::wrong_arity("sentinel|" + asked);
  if (asked == "is-master-down-by-addr") return is_master_down(c);
  if (asked == "myid") return RedisReply::bulk(sha1_hex(name_));
  if (asked == "masters") return RedisReply::array({describe(group_.master())});
  if (c.arg(2) == group_name_) return about_group(asked);
  return asked == "get-master-addr-by-name" ? RedisReply::nil()
                                            : RedisReply::error("ERR No such master with that name");
}

RedisReply Sentinel::about_group(std::string_view asked) const {
  if (asked == "ckquorum") return check_quorum();
  if (asked == "get-master-addr-by-name") {
    return RedisReply::array({RedisReply::bulk(current_master()), RedisReply::bulk(kPort)});
  }
  if (asked == "master") return describe(group_.master());
  RedisReply all = RedisReply::array();
  for (const SentinelInstance& i : asked == "sentinels" ? sentinels() : replicas()) all.push_back(describe(i));
  return all;
}

RedisReply Sentinel::is_master_down(const RedisCommandView& c) {
  const bool known = c.arg(2) == group_.master().name;
  bool votes = false;
  if (known && c.arg(5) != "*") {
    vote(sentinel_epoch(c.arg(4)), c.arg(5));
    votes = !ballot_.voted_for().empty();
  }
  return RedisReply::array({RedisReply::integer(known && !tilt_.on() && group_.master().down ? 1 : 0),
                            RedisReply::bulk(votes ? std::string_view(ballot_.voted_for()) : "*"),
                            RedisReply::integer(votes ? static_cast<std::int64_t>(ballot_.voted_in()) : 0)});
}

RedisReply Sentinel::describe(const SentinelInstance& i) const {
  RedisReply all = RedisReply::array();
  const auto put = [&all](std::string_view name, std::string_view value) {
    all.push_back(RedisReply::bulk(name));
    all.push_back(RedisReply::bulk(value));
  };
  const auto put_number = [&put](std::string_view name, std::int64_t value) { put(name, std::to_string(value)); };
  const std::string_view kind = i.kind == Kind::master ? "master" : i.kind == Kind::replica ? "slave" : "sentinel";
  const bool odown = i.kind == Kind::master && odown_;
  const bool failing_over = i.kind == Kind::master && failover_.is_on();
  const auto since = [this](std::int64_t at) { return at == 0 ? std::int64_t{0} : now_ - at; };
  put("name", i.kind == Kind::master    ? std::string_view(group_name_)
              : i.kind == Kind::replica ? std::string_view(i.name + ":6379")
                                        : std::string_view(id_of(i)));
  put("ip", i.name);
  put("port", i.kind == Kind::sentinel ? kSentinelPort : kPort);
  put("runid", id_of(i));
  put("flags", std::string(i.down ? "s_down," : "") + (odown ? "o_down," : "") + std::string(kind) +
                   (i.traffic.connected ? "" : ",disconnected") + (failing_over ? ",failover_in_progress" : ""));
  put_number("link-pending-commands", i.traffic.pending);
  put("link-refcount", "1");
  put_number("last-ping-sent", since(i.traffic.ping_pending_since));
  put_number("last-ok-ping-reply", since(i.traffic.last_available));
  put_number("last-ping-reply", since(i.traffic.last_pong));
  if (i.down) put_number("s-down-time", since(i.down_since));
  put_number("down-after-milliseconds", options_.down_after.ms());
  if (i.kind == Kind::sentinel) {
    put_number("last-hello-message", since(i.traffic.last_published));
    put("voted-leader", i.opinion.vote.empty() ? std::string_view("?") : std::string_view(i.opinion.vote));
    put_number("voted-leader-epoch", static_cast<std::int64_t>(i.opinion.vote_epoch));
    return all;
  }
  put_number("info-refresh", since(i.info.at));
  put("role-reported", i.info.reports_master ? "master" : "slave");
  put_number("role-reported-time", since(i.info.role_since));
  if (i.kind == Kind::master) {
    put_number("config-epoch", static_cast<std::int64_t>(ballot_.config_epoch()));
    put_number("num-slaves", static_cast<std::int64_t>(replicas().size()));
    put_number("num-other-sentinels", static_cast<std::int64_t>(sentinels().size()));
    put_number("quorum", options_.quorum);
    put_number("failover-timeout", options_.failover_timeout.ms());
    put_number("parallel-syncs", options_.parallel_syncs);
    return all;
  }
  put_number("master-link-down-time", i.info.link_down);
  put("master-link-status", i.info.link_up ? "ok" : "err");
  put("master-host", i.info.follows.empty() ? std::string_view("?") : std::string_view(i.info.follows));
  put("master-port", kPort);
  put_number("slave-priority", i.info.priority);
  put_number("slave-repl-offset", i.info.offset);
  return all;
}

// Tells if enough sentinels can be reached to find the master down, and to elect a leader.
RedisReply Sentinel::check_quorum() const {
  const auto usable = 1 + std::count_if(sentinels().begin(), sentinels().end(),
                                        [](const auto& s) { return !s.down && s.traffic.connected; });
  const auto majority = static_cast<std::int64_t>((sentinels().size() + 1) / 2 + 1);
  const std::string known = std::to_string(usable) + " usable Sentinels. ";
  if (usable >= options_.quorum && usable >= majority) {
    return RedisReply::status("OK " + known + "Quorum and failover authorization can be reached");
  }
  std::string error = "NOQUORUM " + known;
  if (usable < options_.quorum)
    error += "Not enough available Sentinels to reach the specified quorum for this master. ";
  if (usable < majority) error += "Not enough available Sentinels to reach the majority and authorize a failover";
  return RedisReply::error(error);
}

std::string Sentinel::info() const {
  const SentinelInstance& master = group_.master();
  return "# Server\r\nredis_version:7.0.15\r\nredis_mode:sentinel\r\n\r\n# "
         "Sentinel\r\nsentinel_masters:1\r\nsentinel_tilt:" +
         std::string(tilt_.on() ? "1" : "0") + "\r\nmaster0:name=" + group_name_ + ",status=" +
         (odown_        ? "odown"
          : master.down ? "sdown"
                        : "ok") +
         ",address=" + master.name + ":6379,slaves=" + std::to_string(replicas().size()) +
         ",sentinels=" + std::to_string(sentinels().size() + 1) + "\r\n";
}

}  // namespace picklock
