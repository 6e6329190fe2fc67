#include "sim/redis/config.hpp"

#include <string>
#include <utility>
#include <vector>

#include "sim/redis/errors.hpp"
#include "sim/redis/server_time.hpp"

namespace picklock {
namespace {

// Reads or sets options by the names of redis.conf; durations are whole seconds there.
class ConfigField {
 public:
  explicit ConfigField(std::string_view pattern) : pattern_(pattern) {}
  ConfigField(std::string_view name, std::string_view value) : pattern_(name), value_(value) {}

  std::vector<std::pair<std::string, std::string>> found;
  bool rejected = false;

  void operator()(const FieldInfo& info, bool& value) {
    if (!meant(info, value ? "yes" : "no")) return;
    if (*value_ == "yes" || *value_ == "no") {
      value = *value_ == "yes";
    } else {
      rejected = true;
    }
  }
  void operator()(const FieldInfo& info, std::int64_t& value) {
    if (meant(info, std::to_string(value))) number(info, value, 1);
  }
  void operator()(const FieldInfo& info, Duration& value) {
    if (meant(info, std::to_string(whole_seconds(value)))) number(info, value.ns, seconds(1).ns);
  }
  void operator()(const FieldInfo& info, FieldChoice& choice) {
    if (!meant(info, choice.name())) return;
    rejected = true;
    for (std::size_t i = 0; i < choice.names.size(); ++i) {
      if (choice.names[i] == *value_) choice.index = i, rejected = false;
    }
  }

 private:
  // Returns true if the field matches, and shall be set.
  bool meant(const FieldInfo& info, std::string_view now) {
    const bool prefix = !pattern_.empty() && pattern_.back() == '*';
    const bool matches = prefix ? info.name.substr(0, pattern_.size() - 1) == pattern_.substr(0, pattern_.size() - 1)
                                : info.name == pattern_;
    if (matches) found.emplace_back(info.name, now);
    return matches && value_.has_value();
  }
  void number(const FieldInfo& info, std::int64_t& value, std::int64_t unit) {
    std::int64_t given = 0;
    rejected |= !parse_redis_integer(*value_, given) || __builtin_mul_overflow(given, unit, &given) ||
                given < info.least || given > info.most;
    if (!rejected) value = given;
  }
  std::string_view pattern_;
  std::optional<std::string_view> value_;
};

}  // namespace

RedisReply RedisConfig::get(std::string_view pattern) const {
  ConfigField get(pattern);
  RedisOptions options = running_;
  visit_fields(options, get);
  RedisReply reply = RedisReply::array();
  for (const auto& [name, value] : get.found) {
    reply.push_back(RedisReply::bulk(name));
    reply.push_back(RedisReply::bulk(value));
  }
  return reply;
}

std::optional<RedisReply> RedisConfig::set(const RedisCall& call) {
  RedisOptions options = running_;
  for (std::size_t i = 2; i < call.argc(); i += 2) {
    ConfigField set(call.arg(i), call.arg(i + 1));
    visit_fields(options, set);
    const std::string failed =
        "ERR CONFIG SET failed (possibly related to argument '" + std::string(call.arg(i)) + "') - ";
    if (set.found.size() != 1) {
      return RedisReply::error("ERR Unknown option or number of arguments for CONFIG SET - '" +
                               std::string(call.arg(i)) + "'");
    }
    if (set.rejected) return RedisReply::error(failed + "argument is out of range or of the wrong type");
  }
  const bool at_boot_only = options.appendonly != running_.appendonly || options.hz != running_.hz ||
                            options.auto_aof_load != running_.auto_aof_load ||
                            options.expire_at_deadline != running_.expire_at_deadline ||
                            options.watch_sees_expiry != running_.watch_sees_expiry;
  if (at_boot_only) return RedisReply::error("ERR CONFIG SET failed - can't set immutable config");
  running_ = options;
  return std::nullopt;
}

}  // namespace picklock
