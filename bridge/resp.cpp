#include "bridge/resp.hpp"

#include <fmt/format.h>

#include <charconv>

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

void write(const RedisReply& reply, std::string& to) {
  using Kind = RedisReply::Kind;
  const auto out = std::back_inserter(to);
  switch (reply.kind()) {
    case Kind::nil:
      to += "$-1\r\n";
      return;
    case Kind::integer:
      fmt::format_to(out, ":{}\r\n", reply.integer());
      return;
    case Kind::status:
      fmt::format_to(out, "+{}\r\n", in_one_line(reply.text()));
      return;
    case Kind::error:
      fmt::format_to(out, "-{}\r\n", in_one_line(reply.text()));
      return;
    case Kind::bulk:
      fmt::format_to(out, "${}\r\n{}\r\n", reply.text().size(), reply.text());
      return;
    case Kind::array:
      fmt::format_to(out, "*{}\r\n", reply.elements().size());
      for (const RedisReply& element : reply.elements()) write(element, to);
      return;
  }
}

}  // namespace

std::string to_resp(const RedisReply& reply) {
  std::string bytes;
  write(reply, bytes);
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
