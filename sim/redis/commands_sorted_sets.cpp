// Sorted sets. Scores are IEEE doubles, as in a real server: comparison and addition only, so the
// same on every machine, and exact for the millisecond times that fair locks keep in them.
#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/redis/commands.hpp"
#include "sim/redis/errors.hpp"
#include "sim/redis/index_range.hpp"

namespace picklock {
namespace {

RedisReply score_reply(double score) { return RedisReply::bulk(format_redis_score(score).view()); }

struct AddOptions {
  bool nx = false;
  bool xx = false;
  bool gt = false;
  bool lt = false;
  bool count_changes = false;
  bool increment = false;
  std::size_t first = 2;  // argument: the first score

  static AddOptions parse(const RedisCommandView& command) {
    AddOptions options;
    for (; options.first < command.argc(); ++options.first) {
      const std::string_view word = command.arg(options.first);
      if (is_redis_word(word, "NX")) {
        options.nx = true;
      } else if (is_redis_word(word, "XX")) {
        options.xx = true;
      } else if (is_redis_word(word, "GT")) {
        options.gt = true;
      } else if (is_redis_word(word, "LT")) {
        options.lt = true;
      } else if (is_redis_word(word, "CH")) {
        options.count_changes = true;
      } else if (is_redis_word(word, "INCR")) {
        options.increment = true;
      } else {
        break;
      }
    }
    return options;
  }

  std::optional<RedisReply> fault(std::size_t argc) const {
    const std::size_t left = argc - first;
    if (left == 0 || left % 2 != 0) return redis_error::syntax();
    if (nx && xx) {
      return RedisReply::error("ERR XX and NX options at the same time are not compatible");
    }
    if ((gt && nx) || (lt && nx) || (gt && lt)) {
      return RedisReply::error("ERR GT, LT, and/or NX options at the same time are not compatible");
    }
    if (increment && left > 2) {
      return RedisReply::error("ERR INCR option supports a single increment-element pair");
    }
    return std::nullopt;
  }
  bool forbids(bool present, double old_score, double new_score) const {
    if (!present) return xx;
    return nx || (gt && new_score <= old_score) || (lt && new_score >= old_score);
  }
};

RedisReply add(RedisCall& call, const AddOptions& options) {
  double score = 0;
  for (std::size_t i = options.first; i < call.argc(); i += 2) {
    if (!parse_redis_score(call.arg(i), score)) return redis_error::not_a_float();
  }
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::sorted_set)) return redis_error::wrong_type();
  const bool existed = entry != nullptr;
  if (!existed && options.xx) return options.increment ? RedisReply::nil() : RedisReply::integer(0);
  if (!existed) entry = &call.create(call.arg(1), RedisType::sorted_set);

  std::int64_t added = 0;
  std::int64_t updated = 0;
  bool refused = false;
  for (std::size_t i = options.first; i < call.argc(); i += 2) {
    parse_redis_score(call.arg(i), score);
    const RedisScored* found = entry->member(call.arg(i + 1));
    const bool present = found != nullptr;
    const double old_score = present ? found->score : 0;
    if (present && options.increment && !options.nx) score += old_score;
    if (std::isnan(score)) return RedisReply::error("ERR resulting score is not a number (NaN)");
    refused = options.forbids(present, old_score, score);
    if (refused || (present && score == old_score)) continue;
    entry->set_score(call.arg(i + 1), score);
    call.member_changed(call.arg(i + 1));
    ++(present ? updated : added);
  }
  if (added + updated > 0) {
    call.changed(*entry, existed ? KeyChange::changed : KeyChange::set);
    call.propagate();
  }
  if (options.increment) return refused ? RedisReply::nil() : score_reply(score);
  return RedisReply::integer(options.count_changes ? added + updated : added);
}

struct ScoreRange {
  double least = 0;
  double most = 0;
  bool without_least = false;
  bool without_most = false;

  static bool parse_end(std::string_view text, double& score, bool& without) {
    without = !text.empty() && text[0] == '(';
    return parse_redis_score(without ? text.substr(1) : text, score);
  }
  bool parse(std::string_view least_text, std::string_view most_text) {
    return parse_end(least_text, least, without_least) && parse_end(most_text, most, without_most);
  }
  bool contains(double score) const {
    return (without_least ? score > least : score >= least) && (without_most ? score < most : score <= most);
  }
};

struct RangeOptions {
  bool by_score = false;
  bool reverse = false;
  bool with_scores = false;
  std::int64_t offset = 0;
  std::int64_t limit = -1;  // < 0: no limit

  // Words that only ZRANGE takes are allowed iff `plain_zrange`.
  std::optional<RedisReply> parse(const RedisCommandView& command, bool plain_zrange) {
    for (std::size_t i = 4; i < command.argc(); ++i) {
      const std::string_view word = command.arg(i);
      if (is_redis_word(word, "WITHSCORES")) {
        with_scores = true;
      } else if (is_redis_word(word, "LIMIT") && i + 2 < command.argc()) {
        if (!parse_redis_integer(command.arg(i + 1), offset) || !parse_redis_integer(command.arg(i + 2), limit)) {
          return redis_error::not_an_integer();
        }
        i += 2;
      } else if (plain_zrange && is_redis_word(word, "REV") && !reverse) {
        reverse = true;
      } else if (plain_zrange && is_redis_word(word, "BYSCORE") && !by_score) {
        by_score = true;
      } else {
        return redis_error::syntax();  // BYLEX too: not modelled
      }
    }
    return std::nullopt;
  }
};

RedisReply no_score_range() { return RedisReply::error("ERR min or max is not a float"); }

// Removes the elements that `is_meant(element, place)` names.
template <class IsMeant>
RedisReply remove_range(RedisCall& call, RedisEntry* entry, IsMeant is_meant) {
  if (entry == nullptr) return RedisReply::integer(0);
  std::int64_t place = 0;
  const std::size_t removed = std::erase_if(entry->scored, [&](const RedisScored& s) { return is_meant(s, place++); });
  if (removed > 0) {
    call.changed_or_gone(*entry);
    call.propagate();
  }
  return RedisReply::integer(static_cast<std::int64_t>(removed));
}

RedisReply range(RedisCall& call, RangeOptions options, bool plain_zrange) {
  if (auto error = options.parse(call.command, plain_zrange)) return *error;
  if (options.limit != -1 && !options.by_score) {
    return RedisReply::error("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
  }
  std::int64_t first = 0;
  std::int64_t last = 0;
  ScoreRange scores;
  if (options.by_score) {
    const std::size_t least = options.reverse ? 3 : 2;
    if (!scores.parse(call.arg(least), call.arg(5 - least))) return no_score_range();
  } else if (!parse_redis_integer(call.arg(2), first) || !parse_redis_integer(call.arg(3), last)) {
    return redis_error::not_an_integer();
  }
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::sorted_set)) return redis_error::wrong_type();
  RedisReply reply = RedisReply::array();
  if (entry == nullptr || options.offset < 0) return reply;

  const auto& scored = entry->scored;
  const IndexRange indices = IndexRange::of(first, last, scored.size());
  std::int64_t skipped = 0;
  std::int64_t taken = 0;
  for (std::size_t i = 0; i < scored.size(); ++i) {
    const RedisScored& element = scored[options.reverse ? scored.size() - 1 - i : i];
    if (options.by_score) {
      if (!scores.contains(element.score) || skipped++ < options.offset) continue;
      if (options.limit >= 0 && taken >= options.limit) break;
    } else if (static_cast<std::int64_t>(i) < indices.begin || static_cast<std::int64_t>(i) >= indices.end) {
      continue;
    }
    ++taken;
    reply.push_back(RedisReply::bulk(element.member.view()));
    if (options.with_scores) reply.push_back(score_reply(element.score));
  }
  return reply;
}

}  // namespace

RedisReply redis_zadd(RedisCall& call) {
  const AddOptions options = AddOptions::parse(call.command);
  if (auto error = options.fault(call.argc())) return *error;
  return add(call, options);
}

RedisReply redis_zincrby(RedisCall& call) {
  AddOptions options;
  options.increment = true;
  return add(call, options);
}

RedisReply redis_zrem(RedisCall& call) {
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::sorted_set)) return redis_error::wrong_type();
  std::int64_t removed = 0;
  for (std::size_t i = 2; entry != nullptr && i < call.argc(); ++i) {
    const bool was_there = entry->remove_member(call.arg(i));
    if (was_there) call.member_changed(call.arg(i));
    removed += was_there;
  }
  if (removed > 0) {
    call.changed_or_gone(*entry);
    call.propagate();
  }
  return RedisReply::integer(removed);
}

RedisReply redis_zscore(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::sorted_set)) return redis_error::wrong_type();
  const RedisScored* found = entry != nullptr ? entry->member(call.arg(2)) : nullptr;
  return found != nullptr ? score_reply(found->score) : RedisReply::nil();
}

RedisReply redis_zrank(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::sorted_set)) return redis_error::wrong_type();
  const RedisScored* found = entry != nullptr ? entry->member(call.arg(2)) : nullptr;
  return found != nullptr ? RedisReply::integer(found - entry->scored.data()) : RedisReply::nil();
}

RedisReply redis_zcard(RedisCall& call) {
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::sorted_set)) return redis_error::wrong_type();
  return RedisReply::integer(entry != nullptr ? static_cast<std::int64_t>(entry->scored.size()) : 0);
}

RedisReply redis_zcount(RedisCall& call) {
  ScoreRange scores;
  if (!scores.parse(call.arg(2), call.arg(3))) return no_score_range();
  const RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::sorted_set)) return redis_error::wrong_type();
  if (entry == nullptr) return RedisReply::integer(0);
  return RedisReply::integer(std::count_if(entry->scored.begin(), entry->scored.end(),
                                           [&](const RedisScored& s) { return scores.contains(s.score); }));
}

RedisReply redis_zremrangebyscore(RedisCall& call) {
  ScoreRange scores;
  if (!scores.parse(call.arg(2), call.arg(3))) return no_score_range();
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::sorted_set)) return redis_error::wrong_type();
  return remove_range(call, entry, [&](const RedisScored& s, std::int64_t) { return scores.contains(s.score); });
}

RedisReply redis_zremrangebyrank(RedisCall& call) {
  std::int64_t first = 0, last = 0;
  if (!parse_redis_integer(call.arg(2), first) || !parse_redis_integer(call.arg(3), last)) {
    return redis_error::not_an_integer();
  }
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::sorted_set)) return redis_error::wrong_type();
  const IndexRange range = IndexRange::of(first, last, entry != nullptr ? entry->scored.size() : 0);
  return remove_range(
      call, entry, [&](const RedisScored&, std::int64_t place) { return place >= range.begin && place < range.end; });
}

RedisReply redis_zpopmin(RedisCall& call) {
  std::int64_t count = 1;
  if (call.argc() > 3) return redis_error::syntax();
  if (call.argc() == 3 && !parse_redis_integer(call.arg(2), count)) return redis_error::not_positive();
  if (count < 0) return redis_error::not_positive();
  RedisEntry* entry = call.find(call.arg(1));
  if (wrong_type(entry, RedisType::sorted_set)) return redis_error::wrong_type();
  RedisReply reply = RedisReply::array();
  if (entry == nullptr || count == 0) return reply;
  const auto taken = std::min(static_cast<std::size_t>(count), entry->scored.size());
  for (std::size_t i = 0; i < taken; ++i) {
    reply.push_back(RedisReply::bulk(entry->scored[i].member.view()));
    reply.push_back(score_reply(entry->scored[i].score));
  }
  entry->scored.erase(entry->scored.begin(), entry->scored.begin() + static_cast<std::ptrdiff_t>(taken));
  call.changed_or_gone(*entry);
  call.propagate();
  return reply;
}

RedisReply redis_zrange(RedisCall& call) { return range(call, {}, true); }

RedisReply redis_zrevrange(RedisCall& call) {
  RangeOptions options;
  options.reverse = true;
  return range(call, options, false);
}

RedisReply redis_zrevrangebyscore(RedisCall& call) {
  RangeOptions options;
  options.by_score = options.reverse = true;
  return range(call, options, false);
}

RedisReply redis_zrangebyscore(RedisCall& call) {
  RangeOptions options;
  options.by_score = true;
  return range(call, options, false);
}

}  // namespace picklock
