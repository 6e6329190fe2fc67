#include "bridge/resp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>

namespace picklock {
namespace {

constexpr std::size_t kLongestLine = 64 * 1024;

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

// A line that an error reply or a status may have: no line ends in it.
std::string in_one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\r' || c == '\n') c = ' ';
  }
  return line;
}

class Writer {
 public:
  Writer(std::string& to, int version) : to_(to), version_(version) {}

  void write(const RedisReply& reply, RespShape shape = RespShape::plain) {
    using Kind = RedisReply::Kind;
    if (reply.kind() == Kind::error) return line('-', reply.text());
    if (reply.is_nil()) return write_nil(shape);
    if (version_ >= 3 && write_shaped(reply, shape)) return;
    switch (reply.kind()) {
      case Kind::integer:
        return head(':', reply.integer());
      case Kind::status:
        return line('+', reply.text());
      case Kind::array:
        head('*', static_cast<std::int64_t>(reply.elements().size()));
        return write_all(reply.elements());
      default:
        head('$', static_cast<std::int64_t>(reply.text().size()));
        to_.append(reply.text()) += "\r\n";
    }
  }
  void write_push(const RedisReply& message) {
    head(version_ >= 3 ? '>' : '*', static_cast<std::int64_t>(message.elements().size()));
    write_all(message.elements());
  }
  void head(char kind, std::int64_t number) { fmt::format_to(std::back_inserter(to_), "{}{}\r\n", kind, number); }

 private:
  void line(char kind, std::string_view text) { ((to_ += kind) += in_one_line(text)) += "\r\n"; }
  void write_nil(RespShape shape) {
    const bool is_of_many = shape == RespShape::none_of_many || shape == RespShape::scored;
    to_ += version_ >= 3 ? "_\r\n" : is_of_many ? "*-1\r\n" : "$-1\r\n";
  }
  void write_all(std::span<const RedisReply> elements) {
    for (const RedisReply& element : elements) write(element);
  }
  void write_scored(std::span<const RedisReply> pair) {
    write(pair[0]);
    write(pair[1], RespShape::fraction);
  }
  // False: it is not of this shape.
  bool write_shaped(const RedisReply& reply, RespShape shape) {
    const auto elements = reply.elements();
    const auto size = static_cast<std::int64_t>(elements.size());
    const bool is_paired = reply.is_array() && size % 2 == 0;
    switch (shape) {
      case RespShape::map:
        if (!is_paired) return false;
        head('%', size / 2);
        write_all(elements);
        return true;
      case RespShape::maps:
        if (!reply.is_array()) return false;
        head('*', size);
        for (const RedisReply& element : elements) write(element, RespShape::map);
        return true;
      case RespShape::set:
        if (!reply.is_array()) return false;
        head('~', size);
        write_all(elements);
        return true;
      case RespShape::fraction:
        if (!reply.is_bulk()) return false;
        line(',', reply.text());
        return true;
      case RespShape::scored:
        if (!is_paired) return false;
        head('*', size / 2);
        for (std::size_t i = 0; i < elements.size(); i += 2) head('*', 2), write_scored(elements.subspan(i, 2));
        return true;
      case RespShape::best_scored:
        if (!reply.is_array() || size != 2) return false;
        head('*', 2);
        write_scored(elements);
        return true;
      case RespShape::document:
        if (!reply.is_bulk()) return false;
        head('=', static_cast<std::int64_t>(reply.text().size()) + 4);
        (to_ += "txt:").append(reply.text()) += "\r\n";
        return true;
      default:
        return false;
    }
  }

  std::string& to_;
  int version_;
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
std::string in_capitals(std::string_view text) {
  std::string word(text);
  for (char& c : word) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c & ~0x20);
  }
  return word;
}
bool is_about_subscriptions(std::string_view verb) { return verb.ends_with("SUBSCRIBE"); }

}  // namespace

RespShape resp_shape_of(const RedisCommand& command) {
  const std::string verb = in_capitals(command.arg(0)), second = in_capitals(command.arg(1));
  const auto has_word = [&](std::string_view word) {
    for (std::size_t i = 1; i < command.argc(); ++i) {
      if (in_capitals(command.arg(i)) == word) return true;
    }
    return false;
  };
  if (verb == "HELLO" || verb == "HGETALL") return RespShape::map;
  if (verb == "CONFIG" && second == "GET") return RespShape::map;
  if (verb == "COMMAND" && second == "DOCS") return RespShape::map;
  if (verb == "SENTINEL" && second == "MASTER") return RespShape::map;
  if (verb == "SENTINEL" && is_one_of(second, {"MASTERS", "REPLICAS", "SLAVES", "SENTINELS"})) return RespShape::maps;
  if (verb == "CLUSTER" && second == "SHARDS") return RespShape::maps;
  if (verb == "CLUSTER" && is_one_of(second, {"INFO", "NODES"})) return RespShape::document;
  if (verb == "INFO") return RespShape::document;
  if (verb == "SMEMBERS") return RespShape::set;
  if (is_one_of(verb, {"ZSCORE", "ZINCRBY"})) return RespShape::fraction;
  if (verb == "ZADD") return has_word("INCR") ? RespShape::fraction : RespShape::plain;
  if (verb == "ZPOPMIN") return command.argc() > 2 ? RespShape::scored : RespShape::best_scored;
  if (verb.starts_with("Z") && verb.find("RANGE") != std::string::npos && has_word("WITHSCORES"))
    return RespShape::scored;
  if (verb == "EXEC" || (is_one_of(verb, {"LPOP", "RPOP"}) && command.argc() > 2)) return RespShape::none_of_many;
  return RespShape::plain;
}

std::string to_resp(const RedisReply& reply, int version, RespShape shape) {
  std::string bytes;
  Writer(bytes, version).write(reply, shape);
  return bytes;
}

std::string RespReplies::reply(const RedisCommand& command, const RedisReply& reply) {
  const std::string verb = in_capitals(command.arg(0));
  const bool is_queued = reply.is_status() && reply.text() == "QUEUED";
  const RespShape shape = resp_shape_of(command);
  if (verb == "HELLO" && reply.is_array()) version_ = command.arg(1) == "3" ? 3 : command.argc() > 1 ? 2 : version_;
  std::string bytes = is_about_subscriptions(verb) && reply.is_array() ? confirmations(reply)
                      : verb == "EXEC" && reply.is_array()             ? results_of_transaction(reply)
                                                                       : to_resp(reply, version_, shape);
  if (is_queued) {
    queued_.push_back(shape);
  } else if (is_one_of(verb, {"EXEC", "DISCARD", "RESET"})) {
    queued_.clear();
  }
  over_ = over_ || (verb == "QUIT" && reply.is_ok());
  if (verb == "RESET" && !reply.is_error() && !is_queued) version_ = 2;
  return bytes;
}

// One for each channel: a server sends them one by one.
std::string RespReplies::confirmations(const RedisReply& reply) const {
  std::string bytes;
  Writer writer(bytes, version_);
  const auto elements = reply.elements();
  const bool are_several = !elements.empty() && elements.front().is_array();
  if (!are_several) writer.write_push(reply);
  for (std::size_t i = 0; are_several && i < elements.size(); ++i) writer.write_push(elements[i]);
  return bytes;
}

std::string RespReplies::results_of_transaction(const RedisReply& reply) const {
  std::string bytes;
  Writer writer(bytes, version_);
  const auto elements = reply.elements();
  writer.head('*', static_cast<std::int64_t>(elements.size()));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    writer.write(elements[i], i < queued_.size() ? queued_[i] : RespShape::plain);
  }
  return bytes;
}

std::string RespReplies::push(const RedisReply& message) const {
  std::string bytes;
  Writer(bytes, version_).write_push(message);
  return bytes;
}

void RespRequests::feed(std::string_view bytes) {
  if (failed()) return;
  bytes_.erase(0, at_);
  at_ = 0;
  bytes_ += bytes;
}

std::optional<RedisCommand> RespRequests::fail(std::string why) {
  error_ = "ERR Protocol error: " + std::move(why);
  bytes_.clear();
  at_ = 0;
  return std::nullopt;
}

std::optional<std::string_view> RespRequests::line(std::size_t& at) const {
  const std::size_t end = bytes_.find('\n', at);
  if (end == std::string::npos) return std::nullopt;
  std::string_view found(bytes_.data() + at, end - at);
  if (found.ends_with('\r')) found.remove_suffix(1);
  at = end + 1;
  return found;
}

std::optional<RedisCommand> RespRequests::next() {
  while (!failed() && at_ < bytes_.size()) {
    const std::size_t before = at_;
    auto command = bytes_[at_] == '*' ? next_array() : next_line();
    if (command && command->argc() > 0) return command;
    if (!command && (failed() || at_ == before)) break;  // otherwise it was an empty line, or an array of none
  }
  return std::nullopt;
}

std::optional<RedisCommand> RespRequests::next_array() {
  std::size_t at = at_;
  const auto head = line(at);
  if (!head) return bytes_.size() - at_ > kLongestLine ? fail("too big mbulk count string") : std::nullopt;
  const auto count = number(head->substr(1));
  if (!count || *count > static_cast<std::int64_t>(RedisCommand::kMostArguments)) {
    return fail("invalid multibulk length");
  }
  RedisCommand command;
  for (std::int64_t i = 0; i < *count; ++i) {
    const auto size_line = line(at);
    if (!size_line) return bytes_.size() - at > kLongestLine ? fail("too big bulk count string") : std::nullopt;
    if (size_line->empty() || size_line->front() != '$') {
      return fail(fmt::format("expected '$', got '{}'", size_line->empty() ? '\r' : size_line->front()));
    }
    const auto size = number(size_line->substr(1));
    if (!size || *size < 0 || *size > static_cast<std::int64_t>(kMostBytes)) return fail("invalid bulk length");
    const auto bytes = static_cast<std::size_t>(*size);
    if (bytes_.size() - at < bytes + 2) {
      return bytes_.size() - at_ > 2 * kMostBytes ? fail("invalid bulk length") : std::nullopt;
    }
    command.add(std::string_view(bytes_).substr(at, bytes));
    at += bytes + 2;
  }
  at_ = at;
  return command;
}

// Words apart by blanks, as a person types them: without quotes, which nothing but a person needs.
std::optional<RedisCommand> RespRequests::next_line() {
  std::size_t at = at_;
  const auto words = line(at);
  if (!words) return bytes_.size() - at_ > kLongestLine ? fail("too big inline request") : std::nullopt;
  RedisCommand command;
  std::size_t begin = 0;
  while ((begin = words->find_first_not_of(' ', begin)) != std::string_view::npos) {
    const std::size_t end = std::min(words->find(' ', begin), words->size());
    command.add(words->substr(begin, end - begin));
    begin = end;
  }
  at_ = at;
  return command;
}

}  // namespace picklock
